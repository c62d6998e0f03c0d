// A browser for the tests: the system's Chromium, with no way out of this machine.
import * as fs from 'node:fs';
import * as path from 'node:path';
import { chromium, type Browser, type Page } from 'playwright-core';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'];

const ARGUMENTS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
];

/** Starts it. */
export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: executable(), headless: true, args: ARGUMENTS });
}

/** Opens a window of its own: nothing that was kept in another one is known to it. */
export async function openWindow(browser: Browser): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, permissions: ['clipboard-read', 'clipboard-write'] });
  return context.newPage();
}

function executable(): string {
  const named = process.env['STEERSMAN_CHROMIUM'];
  if (named !== undefined) return named;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => fs.existsSync(file));
  if (found === undefined) throw new Error(`No browser was found; looked for ${NAMES.join(', ')} on the PATH.`);
  return found;
}
