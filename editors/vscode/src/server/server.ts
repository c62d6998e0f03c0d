// The connection to the server: found, started, watched, started again. Nothing of what an agent does is in here.
import * as vscode from 'vscode';
import {
  CloseAction,
  ErrorAction,
  ExecuteCommandRequest,
  LanguageClient,
  RevealOutputChannelOn,
  TransportKind,
  type LanguageClientOptions,
  type Middleware,
} from 'vscode-languageclient/node';
import { initializationOptions, userValue, workspaceSettings, type Inspect } from '../settings.ts';
import type { CommandName, Execute, ServerCommands } from './commands.ts';
import { asFailure, ServerFailure } from './failure.ts';
import { isInside, locateServer, type Launch } from './locate.ts';
import { thisMachine } from './machine.ts';

export type ServerState =
  | { readonly kind: 'stopped' }
  | { readonly kind: 'starting' }
  | { readonly kind: 'running'; readonly version: string }
  | { readonly kind: 'failed'; readonly problem: string; readonly canInstall: boolean };

/** Crashes within this time are counted; after so many the server is left alone. */
const CRASH_WINDOW_MS = 3 * 60 * 1000;
const MAX_CRASHES = 3;

export interface ServerParts {
  readonly log: vscode.LogOutputChannel;
  /** A folder of the extension's own, for its private environment and as the server's working folder. */
  readonly storage: vscode.Uri;
  readonly middleware: Middleware;
  /** Called with each new client before it starts. */
  readonly prepare: (client: LanguageClient) => vscode.Disposable;
}

export class Server implements vscode.Disposable {
  readonly #parts: ServerParts;
  readonly #changed = new vscode.EventEmitter<ServerState>();
  readonly #crashed = new vscode.EventEmitter<{ readonly givenUp: boolean }>();
  #state: ServerState = { kind: 'stopped' };
  #client: LanguageClient | undefined;
  #prepared: vscode.Disposable | undefined;
  #crashes: number[] = [];
  #unanswered = new Set<(failure: ServerFailure) => void>();
  #work: Promise<void> = Promise.resolve();

  readonly onDidChangeState = this.#changed.event;
  readonly onDidCrash = this.#crashed.event;

  constructor(parts: ServerParts) {
    this.#parts = parts;
  }

  get state(): ServerState {
    return this.#state;
  }

  get client(): LanguageClient | undefined {
    return this.#client;
  }

  get privateEnvironment(): string {
    return vscode.Uri.joinPath(this.#parts.storage, 'server').fsPath;
  }

  /** Starts the server, or again when it runs; one at a time. */
  restart(): Promise<void> {
    this.#crashes = [];
    if (this.#state.kind === 'starting') this.#client?.serverProcess?.kill('SIGKILL'); // it may never answer
    this.#work = this.#work.then(async () => {
      await this.#stop();
      await this.#start();
    });
    return this.#work;
  }

  /** Sends one of the server's commands. Rejects with a `ServerFailure`. */
  readonly execute: Execute = async <C extends CommandName>(command: C, params: ServerCommands[C]['params']) => {
    const client = this.#client;
    if (client === undefined || this.#state.kind !== 'running') {
      const problem = this.#state.kind === 'failed' ? this.#state.problem : 'The Steersman server is not running.';
      throw new ServerFailure(problem, { kind: 'internal' });
    }
    try {
      const answer: unknown = await this.#unlessGone(client.sendRequest(ExecuteCommandRequest.type, { command, arguments: [params] }));
      return answer as ServerCommands[C]['result'];
    } catch (error) {
      throw asFailure(error);
    }
  };

  // A server that was stopped because it did not answer leaves the client's own promises open for ever.
  #unlessGone<T>(answer: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#unanswered.add(reject);
      void answer.then(resolve, reject).finally(() => this.#unanswered.delete(reject));
    });
  }

  dispose(): void {
    this.#prepared?.dispose();
    this.#changed.dispose();
    this.#crashed.dispose();
  }

  /** Stops the server for good, as the extension goes. */
  async shutDown(): Promise<void> {
    await this.#work;
    await this.#stop();
  }

  async #start(): Promise<void> {
    this.#setState({ kind: 'starting' });
    const located = locateServer(thisMachine, {
      setting: settingOf('server.path'),
      privateEnvironment: this.privateEnvironment,
      searchPath: process.env['PATH'] ?? '',
      workspaceFolders: workspaceFolders(),
    });
    if ('problem' in located) {
      this.#parts.log.error(located.problem);
      this.#setState({ kind: 'failed', ...located });
      return;
    }
    try {
      await vscode.workspace.fs.createDirectory(this.#parts.storage);
      this.#parts.log.info(`starting ${located.launch.command} (${located.launch.source})`);
      await this.#connect(located.launch);
    } catch (error) {
      const problem = `The Steersman server ${located.launch.command} does not start: ${asFailure(error).message}`;
      this.#parts.log.error(problem);
      this.#client = undefined;
      this.#setState({ kind: 'failed', problem, canInstall: located.launch.source !== 'setting' });
    }
  }

  async #connect(launch: Launch): Promise<void> {
    const run = {
      command: launch.command,
      args: [...launch.args],
      transport: TransportKind.stdio,
      options: { cwd: this.#workingFolder(), env: environment() },
    };
    const client = new LanguageClient('steersman', 'Steersman', { run, debug: run }, this.#options());
    this.#client = client;
    this.#prepared = this.#parts.prepare(client);
    await client.start();
    this.#setState({ kind: 'running', version: client.initializeResult?.serverInfo?.version ?? '' });
  }

  async #stop(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#prepared?.dispose();
    this.#prepared = undefined;
    if (client?.isRunning() === true) await client.stop().catch((error: unknown) => this.#parts.log.warn(String(error)));
    if (client !== undefined) await client.dispose().catch(() => undefined);
    const failure = new ServerFailure('The Steersman server ended before it answered.');
    for (const reject of [...this.#unanswered]) reject(failure);
    this.#setState({ kind: 'stopped' });
  }

  #options(): LanguageClientOptions {
    return {
      documentSelector: [{ scheme: 'file' }, { scheme: 'untitled' }],
      outputChannel: this.#parts.log,
      initializationOptions: initializationOptions(inspect(), vscode.workspace.isTrusted),
      revealOutputChannelOn: RevealOutputChannelOn.Never, // what the person must know is said in words of our own
      initializationFailedHandler: () => false,
      middleware: {
        ...this.#parts.middleware,
        workspace: {
          configuration: (params) =>
            params.items.map((item) => (item.section === 'steersman' ? workspaceSettings(inspect(item.scopeUri)) : null)),
        },
      },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.#closed(),
      },
    };
  }

  // The client starts it again by itself; what the person is told comes from `onDidCrash`.
  #closed(): { action: CloseAction; handled: boolean } {
    const now = Date.now();
    this.#crashes = [...this.#crashes.filter((time) => now - time < CRASH_WINDOW_MS), now];
    const givenUp = this.#crashes.length > MAX_CRASHES || this.#state.kind === 'starting';
    if (this.#state.kind === 'running') {
      this.#parts.log.error('the server ended by itself');
      this.#setState(givenUp ? { kind: 'failed', problem: GIVEN_UP, canInstall: false } : { kind: 'starting' });
      this.#crashed.fire({ givenUp });
      if (!givenUp) void this.#comeBack();
    }
    return { action: CloseAction.DoNotRestart, handled: true };
  }

  async #comeBack(): Promise<void> {
    const client = this.#client;
    this.#work = this.#work.then(async () => {
      if (client !== this.#client) return;
      await this.#stop();
      await this.#start();
    });
    await this.#work;
  }

  // Outside every workspace folder, so that nothing in one of them can be taken for a part of the server.
  #workingFolder(): string {
    const own = this.#parts.storage.fsPath;
    return isInside(thisMachine, own, workspaceFolders()) ? thisMachine.path.parse(own).root : own;
  }

  #setState(state: ServerState): void {
    this.#state = state;
    this.#changed.fire(state);
  }
}

const GIVEN_UP = `The Steersman server ended by itself ${MAX_CRASHES + 1} times in three minutes. It is left alone; the log tells more.`;

/** Gives access to the settings with their origins. */
export function inspect(scope?: string): Inspect {
  const configuration = vscode.workspace.getConfiguration('steersman', scope === undefined ? undefined : vscode.Uri.parse(scope));
  return (key) => configuration.inspect(key);
}

function settingOf(key: string): string {
  const value = userValue(inspect(), key);
  return typeof value === 'string' ? value.trim() : '';
}

function environment(): NodeJS.ProcessEnv {
  const more = userValue(inspect(), 'server.environment');
  return { ...process.env, ...(typeof more === 'object' ? (more as Record<string, string>) : {}) };
}

function workspaceFolders(): readonly string[] {
  return (vscode.workspace.workspaceFolders ?? []).filter((each) => each.uri.scheme === 'file').map((each) => each.uri.fsPath);
}
