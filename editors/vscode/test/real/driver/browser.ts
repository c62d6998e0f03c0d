// A browser for the tests: the system's Chromium, with no way out of this machine.
import * as fs from 'node:fs';
import * as os from 'node:os';
import * as path from 'node:path';
import { chromium, type BrowserContext } from 'playwright-core';

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

/** Starts it with an empty profile. */
export async function launchBrowser(): Promise<BrowserContext> {
  const profile = fs.mkdtempSync(path.join(os.tmpdir(), 'steersman-chromium-'));
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: executable(),
    headless: true,
    viewport: { width: 1280, height: 800 },
    args: ARGUMENTS,
    permissions: ['clipboard-read', 'clipboard-write'],
  });
  context.on('close', () => fs.rmSync(profile, { recursive: true, force: true, maxRetries: 5 }));
  return context;
}

function executable(): string {
  const named = process.env['STEERSMAN_CHROMIUM'];
  if (named !== undefined) return named;
  const folders = (process.env['PATH'] ?? '').split(path.delimiter);
  const found = NAMES.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => fs.existsSync(file));
  if (found === undefined) throw new Error(`No browser was found; looked for ${NAMES.join(', ')} on the PATH.`);
  return found;
}
