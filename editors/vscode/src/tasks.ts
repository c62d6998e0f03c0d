// Hands tasks to the server, with what the person chose and looks at. Everything else is the server's.
import * as vscode from 'vscode';
import type { Choices } from './choices.ts';
import type { ContextParams, RunParams } from './protocol.gen.ts';
import type { Runs } from './runs.ts';
import type { Server } from './server/server.ts';
import { asFailure } from './server/failure.ts';
import { alarm, confirm } from './tell.ts';

export interface Task {
  readonly prompt: string;
  readonly sessionId?: string;
  readonly context?: ContextParams;
}

export class Tasks {
  readonly #server: Server;
  readonly #runs: Runs;
  readonly #choices: Choices;
  readonly #reveal: () => Promise<void>;
  readonly #giveBack: (text: string) => Promise<void>;

  constructor(server: Server, runs: Runs, choices: Choices, reveal: () => Promise<void>, giveBack: (text: string) => Promise<void>) {
    this.#server = server;
    this.#runs = runs;
    this.#choices = choices;
    this.#reveal = reveal;
    this.#giveBack = giveBack;
  }

  /** Starts a run, or tells the one at work in the session. Rejects with a `ServerFailure`. */
  async submit(task: Task): Promise<string> {
    const { sessionId } = task;
    if (sessionId !== undefined && this.#runs.find(sessionId)?.state.running === true) {
      await this.#server.execute('steersman.steer', { sessionId, text: task.prompt });
      this.#runs.queue(sessionId, task.prompt);
      return sessionId;
    }
    if (sessionId !== undefined) await this.#runs.open(sessionId);
    const folder = task.context === undefined ? this.#folderInView() : {};
    const params = this.chosen({ ...task, ...folder });
    const started = await this.#start(params).catch((error: unknown) => this.#startTakingOver(params, error));
    return started.sessionId;
  }

  #start(params: RunParams): Promise<{ sessionId: string }> {
    return this.#server.execute('steersman.start', params);
  }

  // Another program holds the session: the person takes it from there, or leaves it.
  async #startTakingOver(params: RunParams, error: unknown): Promise<{ sessionId: string }> {
    const failure = asFailure(error);
    if (failure.kind !== 'session_locked') throw failure;
    const detail = 'Taken over, that program writes nothing more in it, and its run there ends.';
    if (!(await confirm(failure.message, detail, 'Take It Over'))) throw failure;
    return this.#start({ ...params, takeOver: true });
  }

  /** Starts a run and shows what went wrong; the task is then where the person can send it again. */
  async run(task: Task): Promise<void> {
    try {
      await this.#reveal();
      await this.submit(task);
    } catch (error) {
      await this.#giveBack(task.prompt);
      await showFailure(error);
    }
  }

  /** Lays the person's choices over the parameters of a run; nothing but `plan` where the workspace is not trusted. */
  chosen(params: RunParams): RunParams {
    const { model } = this.#choices;
    const mode = vscode.workspace.isTrusted ? (params.mode ?? this.#choices.mode) : 'plan';
    return { ...params, mode, ...(model === undefined || params.model !== undefined ? {} : { model }) };
  }

  /** Stops a session's run, or all. */
  async stop(sessionId?: string): Promise<void> {
    try {
      await this.#server.execute('steersman.cancel', sessionId === undefined ? {} : { sessionId });
    } catch (error) {
      await showFailure(error);
    }
  }

  /** What the person looks at: the document, what is selected in it and what is wrong there. */
  contextOf(uri: vscode.Uri, selection?: vscode.Range): ContextParams {
    const client = this.#server.client;
    const problems = vscode.languages
      .getDiagnostics(uri)
      .filter((each) => selection === undefined || each.range.intersection(selection) !== undefined);
    return {
      uri: client === undefined ? uri.toString() : client.code2ProtocolConverter.asUri(uri),
      ...(selection === undefined ? {} : { selection: plainRange(selection) }),
      ...(problems.length === 0 ? {} : { diagnostics: problems.map(plainDiagnostic) }),
    };
  }

  // With several folders the one of the file that is looked at.
  #folderInView(): { folder?: string } {
    const editor = vscode.window.activeTextEditor;
    const folder = editor === undefined ? undefined : vscode.workspace.getWorkspaceFolder(editor.document.uri);
    if (folder === undefined || this.#server.client === undefined) return {};
    return { folder: this.#server.client.code2ProtocolConverter.asUri(folder.uri) };
  }
}

/** Shows what went wrong, and where more is said. */
export async function showFailure(error: unknown): Promise<void> {
  const choice = await alarm(`Steersman: ${asFailure(error).sentence}`, 'Show Log');
  if (choice === 'Show Log') await vscode.commands.executeCommand('steersman.ui.showLog');
}

function plainRange(range: vscode.Range): { start: Plain; end: Plain } {
  return { start: plainPosition(range.start), end: plainPosition(range.end) };
}

type Plain = NonNullable<ContextParams['selection']>['start'];

function plainPosition({ line, character }: vscode.Position): Plain {
  return { line, character };
}

function plainDiagnostic(problem: vscode.Diagnostic): NonNullable<ContextParams['diagnostics']>[number] {
  const code = typeof problem.code === 'object' ? problem.code.value : problem.code;
  return {
    range: plainRange(problem.range),
    message: problem.message,
    severity: problem.severity + 1,
    ...(problem.source === undefined ? {} : { source: problem.source }),
    ...(code === undefined ? {} : { code }),
  };
}
