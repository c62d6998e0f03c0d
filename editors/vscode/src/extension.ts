// Where the extension is put together. No part knows more of the others than it is handed here.
import * as vscode from 'vscode';
import type { Middleware } from 'vscode-languageclient/node';
import { Approvals, type ApprovalAnswer } from './approvals/approvals.ts';
import { ChangeView } from './approvals/change_view.ts';
import { Choices } from './choices.ts';
import { registerCommands } from './commands.ts';
import { Panel } from './panel/panel.ts';
import { ProblemActions } from './problems.ts';
import type { ApprovalParams, RunParams, SteersmanEvent } from './protocol.gen.ts';
import { Rewinds } from './rewind/rewind.ts';
import { RewindReview } from './rewind/review.ts';
import { Runs } from './runs.ts';
import { answerEditorRequests } from './server/editor_requests.ts';
import { RunProgress } from './server/progress.ts';
import { Server } from './server/server.ts';
import { SessionCommands } from './sessions/commands.ts';
import { SessionTree } from './sessions/tree.ts';
import { USER_SETTINGS } from './settings.ts';
import { StatusBar } from './status_bar.ts';
import { showFailure, Tasks } from './tasks.ts';
import { alarm, inform, warn } from './tell.ts';
import { titled } from './words.ts';

let running: Server | undefined;

export async function activate(context: vscode.ExtensionContext): Promise<void> {
  const log = vscode.window.createOutputChannel('Steersman', { log: true });
  const view = new ChangeView();
  const choices = new Choices(context.workspaceState);
  const approvals = new Approvals(view, () => panel.isVisible);
  const progress = new RunProgress(() => server.client, () => panel.isVisible);
  const server: Server = new Server({
    log,
    storage: context.globalStorageUri,
    middleware: middlewareOf(progress, () => tasks, () => panel),
    prepare: (client) =>
      vscode.Disposable.from(
        client.onNotification('steersman/event', ({ event }: { readonly event: SteersmanEvent }) => runs.take(event)),
        client.onRequest('steersman/requestApproval', (params: ApprovalParams, token: vscode.CancellationToken): Promise<ApprovalAnswer | null> => approvals.ask(params, token)),
        answerEditorRequests(client),
      ),
  });
  const runs = new Runs(server.execute);
  const tasks: Tasks = new Tasks(server, runs, choices, () => panel.reveal(), (text) => panel.giveBack(text));
  const panel: Panel = new Panel({ extensionUri: context.extensionUri, state: context.workspaceState, server, runs, tasks, choices, approvals });
  const tree = new SessionTree(server, runs);
  const sessions = new SessionCommands(server, runs, panel, tree);
  const review = new RewindReview(view);
  const rewinds = new Rewinds({ server, runs, panel, tree, review });
  const wheels = vscode.Uri.joinPath(context.extensionUri, 'server');
  running = server;
  context.subscriptions.push(
    log, view, choices, approvals, progress, server, runs, panel, tree, review,
    new StatusBar(server, runs, approvals),
    vscode.window.registerTreeDataProvider('steersman.sessions', tree),
    registerCommands({ server, tasks, choices, approvals, panel, sessions, tree, rewinds, review, log, wheels, extensionId: context.extension.id }),
    vscode.languages.registerCodeActionsProvider([{ scheme: 'file' }, { scheme: 'untitled' }], new ProblemActions(), ProblemActions.kinds),
    runs.onDidBegin(() => void panel.reveal()),
    panel.onDidHide(() => approvals.conversationHidden()),
    runs.onDidEnd(({ conversation, event }) => void tellEnd(panel, conversation.state.title, event)),
    server.onDidChangeState((state) => {
      if (state.kind !== 'failed' && state.kind !== 'stopped') return;
      approvals.withdrawAll();
      progress.clear();
      runs.lose('The server was stopped. What was recorded until then is kept.');
      if (state.kind === 'failed') void vscode.commands.executeCommand('steersman.ui.server.status');
    }),
    server.onDidCrash(({ givenUp }) => {
      approvals.withdrawAll();
      progress.clear();
      runs.lose('The server ended by itself. What was recorded until then is kept.');
      if (!givenUp) void tellCrash();
    }),
    ...restartWhenNeeded(server, runs, choices),
  );
  await server.restart();
}

export async function deactivate(): Promise<void> {
  await running?.shutDown();
}

function middlewareOf(progress: RunProgress, tasks: () => Tasks, panel: () => Panel): Middleware {
  return {
    handleWorkDoneProgress: progress.handle,
    // Code actions and lenses come with complete arguments; what the person chose is laid over them.
    executeCommand: async (command, args: unknown[], next) => {
      const [params] = args;
      const begins = command === 'steersman.start' || command === 'steersman.run';
      const mayNot = command === 'steersman.setMode' && !vscode.workspace.isTrusted;
      try {
        if (mayNot) throw new Error('This workspace is not trusted: Steersman only reads and answers.');
        if (begins) await panel().reveal();
        return await (next(command, begins ? [tasks().chosen(params as RunParams)] : args) as Promise<unknown>);
      } catch (error) {
        await showFailure(error);
        return undefined;
      }
    },
  };
}

/** Tells how a run ended, to somebody who does not see the conversation. */
async function tellEnd(panel: Panel, title: string, event: Pick<Extract<SteersmanEvent, { type: 'run_ended' }>, 'error' | 'result' | 'stopReason'>): Promise<void> {
  if (panel.isVisible) return;
  const { error, result } = event;
  const answer = result.answer.replace(/\s+/g, ' ').trim();
  const text = error === undefined ? (answer === '' ? `“${titled(title)}” has ended.` : answer.slice(0, 200)) : error.message;
  const show = error === undefined ? inform : alarm;
  if ((await show(`Steersman: ${text}`, 'Open')) === 'Open') await panel.focus();
}

async function tellCrash(): Promise<void> {
  const text = 'The Steersman server ended by itself and was started again. What was recorded until then is kept; a run that was at work can be continued.';
  if ((await warn(text, 'Show Log')) === 'Show Log') await vscode.commands.executeCommand('steersman.ui.showLog');
}

// User-level settings are told when the server starts: it is started again when they change, as soon as nothing is at work.
function restartWhenNeeded(server: Server, runs: Runs, choices: Choices): vscode.Disposable[] {
  let wanted = false;
  const restart = (): void => {
    wanted = runs.running.length > 0;
    if (!wanted) void server.restart();
  };
  const keys = [...USER_SETTINGS, 'server.path', 'server.environment'].map((key) => `steersman.${key}`);
  return [
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (keys.some((key) => change.affectsConfiguration(key))) restart();
      choices.refresh();
    }),
    vscode.workspace.onDidGrantWorkspaceTrust(() => {
      choices.refresh();
      restart();
    }),
    runs.onDidEnd(() => {
      if (wanted) restart();
    }),
  ];
}
