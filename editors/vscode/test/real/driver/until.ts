// Waiting for what will be so, never for a time.
import type { Locator } from 'playwright-core';

/** Long enough for a machine that has much else to do; what fails takes so long, what works does not wait. */
const PATIENCE_MS = 90_000;

/** Waits until something is so; fails with what was waited for. */
export async function until(what: string, isSo: () => boolean | Promise<boolean>, timeoutMs = PATIENCE_MS): Promise<void> {
  const end = Date.now() + timeoutMs;
  for (;;) {
    if (await isSo()) return;
    if (Date.now() > end) throw new Error(`this did not come about: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Whether something comes to be seen within a short while. */
export function isSoonSeen(sign: Locator): Promise<boolean> {
  return succeeds(() => sign.waitFor({ timeout: 4_000 }));
}

/** Whether it could be done. */
export function succeeds(act: () => Promise<unknown>): Promise<boolean> {
  return act().then(
    () => true,
    () => false,
  );
}

/** Does something until its sign is seen: a key or a click that comes while the window is busy may be lost. */
export async function doUntilSeen(what: string, act: () => Promise<unknown>, sign: Locator): Promise<void> {
  await until(what, async () => {
    await succeeds(act);
    return isSoonSeen(sign);
  });
}
