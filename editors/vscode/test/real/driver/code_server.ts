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

/** VS Code with the packed extension in it: installed once, started for each scene. */
export class Installation {
  readonly root: string;

  private constructor(root: string) {
    this.root = root;
  }

  /** Installs the extension from its `.vsix`, as a person would. */
  static async make(vsix: string): Promise<Installation> {
    const installation = new Installation(fs.mkdtempSync(path.join(os.tmpdir(), 'steersman-vscode-')));
    const folders = ['--user-data-dir', path.join(installation.root, 'first'), '--extensions-dir', installation.extensions];
    await run(process.execPath, [ENTRY, ...folders, '--install-extension', vsix], { env: environment() });
    return installation;
  }

  get extensions(): string {
    return path.join(this.root, 'extensions');
  }

  remove(): void {
    fs.rmSync(this.root, { recursive: true, force: true, maxRetries: 5 });
  }
}

// Also when the tests themselves are ended from outside: nothing stays behind.
const started = new Set<number>();
process.once('exit', () => started.forEach((pid) => signal(-pid, 'SIGKILL')));
for (const name of ['SIGTERM', 'SIGINT'] as const) process.once(name, () => process.exit(1));

/** One VS Code with folders of its own, so that no scene knows of another. */
export class CodeServer {
  readonly root: string;
  readonly #extensions: string;
  #process: ChildProcess | undefined;
  #url = '';

  constructor(installation: Installation, name: string) {
    this.root = path.join(installation.root, name);
    this.#extensions = installation.extensions;
    fs.mkdirSync(this.root, { recursive: true });
  }

  get url(): string {
    return this.#url;
  }

  /** Starts it on a free port. */
  async start(): Promise<void> {
    const port = await freePort();
    const log = fs.openSync(path.join(this.root, 'code-server.log'), 'w');
    const folders = ['--user-data-dir', path.join(this.root, 'data'), '--extensions-dir', this.#extensions];
    const args = [ENTRY, '--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, ...folders, '--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'];
    const child = spawn(process.execPath, args, { env: environment(), detached: true, stdio: ['ignore', log, log], cwd: this.root });
    fs.closeSync(log);
    if (child.pid !== undefined) started.add(child.pid);
    this.#process = child;
    this.#url = `http://127.0.0.1:${port}`;
    await until('code-server answers', async () => (await fetch(`${this.#url}/healthz`).catch(() => undefined))?.ok ?? false);
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

  /** What the extension and its server said, and the editor itself. */
  logs(): string {
    const folder = path.join(this.root, 'data', 'logs');
    const names = fs.existsSync(folder) ? fs.readdirSync(folder, { recursive: true, encoding: 'utf8' }) : [];
    const told = names.filter((name) => /steersman|exthost|remoteagent/i.test(path.basename(name)) && name.endsWith('.log'));
    return told.map((name) => `== ${name}\n${fs.readFileSync(path.join(folder, name), 'utf8')}`).join('\n');
  }

  /** Ends the whole group, and waits until it is gone. */
  async stop(): Promise<void> {
    const child = this.#process;
    const pid = child?.pid;
    if (child === undefined || pid === undefined) return;
    const gone = child.exitCode !== null || child.signalCode !== null ? Promise.resolve() : new Promise((resolve) => child.once('exit', resolve));
    signal(-pid, 'SIGTERM');
    const late = setTimeout(() => signal(-pid, 'SIGKILL'), 5_000);
    await gone;
    clearTimeout(late);
    signal(-pid, 'SIGKILL');
    started.delete(pid);
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
  return { ...Object.fromEntries(kept), PATH: folders.join(path.delimiter), EXTENSIONS_GALLERY: '{}' };
}

async function freePort(): Promise<number> {
  const probe = net.createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => probe.once('listening', resolve));
  const { port } = probe.address() as net.AddressInfo;
  await new Promise((resolve) => probe.close(resolve));
  return port;
}
