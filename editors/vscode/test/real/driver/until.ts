// Waiting for what will be so, never for a time.

/** Waits until something is so; fails with what was waited for. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, timeoutMs = 60_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    if (await isSo()) return;
    if (Date.now() > end) throw new Error(`this did not come about: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
