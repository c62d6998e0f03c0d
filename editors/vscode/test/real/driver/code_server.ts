// VS Code's own server with the packed extension in it: fresh folders, one process group that is ended by its id.
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import * as fs from 'node:fs';
import * as net from 'node:net';
import * as os from 'node:os';
import * as path from 'node:path';
import { promisify } from 'node:util';
import { until } from './until.ts';

const run = promisify(execFile);
export const EXTENSION = path.resolve(import.meta.dirname, '../../..');
const ENTRY = path.join(EXTENSION, 'test/real/node_modules/code-server/out/node/entry.js');

export type Settings = Readonly<Record<string, unknown>>;

/** What makes a run of the tests the same every time. */
const QUIET: Settings = {
  'remote.autoForwardPorts': false,
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.startupEditor': 'none',
  'workbench.enableExperiments': false,
  'workbench.tips.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'update.mode': 'none',
  'extensions.autoUpdate': false,
  'extensions.ignoreRecommendations': true,
  'chat.disableAIFeatures': true,
  'security.workspace.trust.enabled': false,
  'security.workspace.trust.startupPrompt': 'never',
  'security.workspace.trust.banner': 'never',
  'window.restoreWindows': 'none',
  'files.hotExit': 'off',
  'files.autoSave': 'off',
  'editor.accessibilitySupport': 'off',
  'git.enabled': false,
};

export class CodeServer {
  readonly url: string;
  readonly root: string;
  readonly #process: ChildProcess;

  private constructor(url: string, root: string, child: ChildProcess) {
    this.url = url;
    this.root = root;
    this.#process = child;
  }

  /** Starts one on a free port, with the extension installed from its `.vsix` as a person would. */
  static async start(vsix: string): Promise<CodeServer> {
    const root = fs.mkdtempSync(path.join(os.tmpdir(), 'steersman-vscode-'));
    const folders = ['--user-data-dir', path.join(root, 'data'), '--extensions-dir', path.join(root, 'extensions')];
    const env = { ...environment(), EXTENSIONS_GALLERY: '{}' };
    await run(process.execPath, [ENTRY, ...folders, '--install-extension', vsix], { env });
    const port = await freePort();
    const log = fs.openSync(path.join(root, 'code-server.log'), 'w');
    const args = [ENTRY, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...folders, '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    const child = spawn(process.execPath, args, { env, detached: true, stdio: ['ignore', log, log], cwd: root });
    // Also when the tests themselves are ended from outside: nothing stays behind.
    process.once('exit', () => child.pid !== undefined && child.exitCode === null && signal(-child.pid, 'SIGKILL'));
    for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => process.exit(1));
    const server = new CodeServer(`http://127.0.0.1:${port}`, root, child);
    await until('code-server answers', async () => (await fetch(`${server.url}/healthz`).catch(() => undefined))?.ok ?? false, 60_000);
    return server;
  }

  /** The extension's own folder, which is also where its server works. */
  get storage(): string {
    return path.join(this.root, 'data', 'User', 'globalStorage', 'steersman.steersman');
  }

  /** Writes the person's settings; those of machine scope count only from the remote machine's own file. */
  configure(settings: Settings): void {
    for (const scope of ['User', 'Machine']) {
      const folder = path.join(this.root, 'data', scope);
      fs.mkdirSync(folder, { recursive: true });
      fs.writeFileSync(path.join(folder, 'settings.json'), JSON.stringify({ ...QUIET, ...settings }, null, 2));
    }
  }

  /** Makes a folder with files. */
  folder(name: string, files: Readonly<Record<string, string>>): string {
    const folder = path.join(this.root, 'workspaces', name);
    for (const [file, text] of Object.entries(files)) {
      const target = path.join(folder, file);
      fs.mkdirSync(path.dirname(target), { recursive: true });
      fs.writeFileSync(target, text);
    }
    return folder;
  }

  /** Ends the whole group, and waits until it is gone. */
  async stop(): Promise<void> {
    const { pid } = this.#process;
    if (pid === undefined) return;
    const gone = new Promise((resolve) => this.#process.once('exit', resolve));
    signal(-pid, 'SIGTERM');
    const late = setTimeout(() => signal(-pid, 'SIGKILL'), 5_000);
    await gone;
    clearTimeout(late);
    signal(-pid, 'SIGKILL');
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // it is gone already
  }
}

// The server under test must not see how the machine of the tests is configured.
function environment(): NodeJS.ProcessEnv {
  const kept = Object.entries(process.env).filter(([name]) => !/^(STEERSMAN_|OPENAI_|ANTHROPIC_|OLLAMA_|VSCODE_|NODE_OPTIONS|NODE_TEST)/.test(name));
  // A server that happens to be on the PATH must not be found, so that the first start is one.
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((folder) => !fs.existsSync(path.join(folder, 'steersman')));
  return { ...Object.fromEntries(kept), PATH: folders.join(path.delimiter) };
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
