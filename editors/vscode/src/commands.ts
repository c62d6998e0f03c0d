// The commands of the palette, the menus and the keys. Each hands on to the part that knows how.
import * as vscode from 'vscode';
import type { Approvals } from './approvals/approvals.ts';
import { isMode, MODES, type Choices } from './choices.ts';
import type { Panel } from './panel/panel.ts';
import type { Mode } from './protocol.gen.ts';
import type { Rewinds } from './rewind/rewind.ts';
import type { RewindReview } from './rewind/review.ts';
import { installServer, type InstallParts } from './server/install.ts';
import type { Server } from './server/server.ts';
import type { SessionCommands } from './sessions/commands.ts';
import type { SessionTree } from './sessions/tree.ts';
import { showFailure, type Tasks } from './tasks.ts';
import { alarm, confirm, inform } from './tell.ts';

export interface CommandParts {
  readonly server: Server;
  readonly tasks: Tasks;
  readonly choices: Choices;
  readonly approvals: Approvals;
  readonly panel: Panel;
  readonly sessions: SessionCommands;
  readonly tree: SessionTree;
  readonly rewinds: Rewinds;
  readonly review: RewindReview;
  readonly log: vscode.LogOutputChannel;
  readonly wheels: vscode.Uri;
  readonly extensionId: string;
}

type Handler = (...given: unknown[]) => unknown;

/** Registers all commands. */
export function registerCommands(parts: CommandParts): vscode.Disposable {
  const handlers = { ...taskCommands(parts), ...approvalCommands(parts), ...sessionCommands(parts), ...serverCommands(parts) };
  const registered = Object.entries(handlers).map(([id, handler]) =>
    vscode.commands.registerCommand(`steersman.ui.${id}`, async (...given: unknown[]) => {
      try {
        await handler(...given);
      } catch (error) {
        await showFailure(error);
      }
    }),
  );
  return vscode.Disposable.from(...registered);
}

function taskCommands({ tasks, panel, choices, server }: CommandParts): Record<string, Handler> {
  return {
    run: async (given) => {
      const prompt = typeof given === 'string' ? given : await askPrompt('What shall be done?');
      if (prompt === undefined) return;
      const editor = vscode.window.activeTextEditor;
      const selected = editor?.selection.isEmpty === false && isOurs(editor.document.uri) ? editor : undefined;
      await tasks.run({ prompt, ...(selected === undefined ? {} : { context: tasks.contextOf(selected.document.uri, selected.selection) }) });
    },
    ask: async (given, where) => {
      const editor = vscode.window.activeTextEditor;
      const uri = given instanceof vscode.Uri ? given : editor?.document.uri;
      if (uri === undefined) return;
      const selected = editor?.document.uri.toString() === uri.toString() && !editor.selection.isEmpty ? editor.selection : undefined;
      const here = where instanceof vscode.Range ? where : selected;
      const about = here === undefined ? vscode.workspace.asRelativePath(uri) : here === selected ? 'the selection' : 'the problem';
      const prompt = await askPrompt(`About ${about}`);
      if (prompt !== undefined) await tasks.run({ prompt, context: tasks.contextOf(uri, here) });
    },
    stop: () => tasks.stop(panel.conversation?.state.running === true ? panel.sessionId : undefined),
    open: () => panel.focus(),
    newSession: async () => {
      panel.show(undefined);
      await panel.focus();
    },
    setMode: async (given) => {
      const mode = isMode(given) ? given : await pickMode(choices.mode);
      if (mode === undefined) return;
      await choices.setMode(mode);
      await server.execute('steersman.setMode', { mode: choices.mode });
    },
    setModel: () => pickModel(server, choices),
    walkthrough: () => vscode.commands.executeCommand('workbench.action.openWalkthrough', 'steersman.steersman#firstSteps'),
  };
}

function approvalCommands({ approvals, server }: CommandParts): Record<string, Handler> {
  const meant = (given: unknown) => approvals.of(given instanceof vscode.Uri ? given : vscode.window.activeTextEditor?.document.uri);
  const answer = (given: unknown, optionId: string): void => {
    const question = meant(given);
    if (question !== undefined) approvals.answer(question.runId, question.callId, { optionId });
  };
  return {
    'approvals.show': () => approvals.show(),
    'approvals.allow': (given) => answer(given, 'allow_once'),
    'approvals.reject': (given) => answer(given, 'reject'),
    'approvals.rejectWithReason': async (given) => {
      const question = meant(given);
      if (question !== undefined) await approvals.rejectWithReason(question);
    },
    'permissions.reset': async () => {
      const detail = 'What you allowed with “always” asks again from now on.';
      if (!(await confirm('Forget what is always allowed?', detail, 'Forget'))) return;
      const { removed } = await server.execute('steersman.permissions.reset', {});
      void inform(`${removed} ${removed === 1 ? 'rule was' : 'rules were'} forgotten.`);
    },
  };
}

function sessionCommands({ sessions, tree, rewinds, review }: CommandParts): Record<string, Handler> {
  return {
    'sessions.continue': (given) => sessions.continue(given),
    'sessions.search': () => sessions.search(),
    'sessions.refresh': () => tree.refresh(),
    'sessions.more': () => tree.showMore(),
    'sessions.fork': (given) => sessions.fork(given),
    'sessions.rename': (given) => sessions.rename(given),
    'sessions.delete': (given) => sessions.delete(given),
    'sessions.export': (given) => sessions.export(given),
    rewind: (given) => rewinds.rewind(given),
    'rewind.confirm': () => review.answer('rewind'),
    'rewind.cancel': () => review.answer(undefined),
    'rewind.undo': () => rewinds.undo(),
  };
}

function serverCommands({ server, log, wheels }: CommandParts): Record<string, Handler> {
  const parts: InstallParts = { log, wheels, environment: server.privateEnvironment };
  return {
    'server.restart': () => server.restart(),
    'server.install': async () => {
      await server.shutDown();
      try {
        await installServer(parts);
      } finally {
        await server.restart();
      }
    },
    'server.status': () => showStatus(server, parts.log),
    showLog: () => log.show(),
  };
}

async function showStatus(server: Server, log: vscode.LogOutputChannel): Promise<void> {
  const { state } = server;
  if (state.kind === 'failed') {
    const buttons = state.canInstall ? ['Install the Server', 'Try Again', 'Show Log'] : ['Try Again', 'Open Settings', 'Show Log'];
    const choice = await alarm(`Steersman: ${state.problem}`, ...buttons);
    if (choice === 'Install the Server') await vscode.commands.executeCommand('steersman.ui.server.install');
    if (choice === 'Try Again') await server.restart();
    if (choice === 'Open Settings') await vscode.commands.executeCommand('workbench.action.openSettings', 'steersman.server');
    if (choice === 'Show Log') log.show();
    return;
  }
  const status = await server.execute('steersman.status', {});
  const runs = `${status.runs.length} ${status.runs.length === 1 ? 'run' : 'runs'} at work`;
  const warnings = status.warnings.length === 0 ? '' : ` ${status.warnings.join(' ')}`;
  const text = `Steersman ${status.version} · ${status.model} · mode ${status.mode} · ${runs}.${warnings}`;
  const choice = await inform(text, 'Restart', 'Show Log');
  if (choice === 'Restart') await server.restart();
  if (choice === 'Show Log') log.show();
}

async function askPrompt(title: string): Promise<string | undefined> {
  const text = await vscode.window.showInputBox({ title, placeHolder: 'Say what shall be done', ignoreFocusOut: true });
  return text === undefined || text.trim() === '' ? undefined : text.trim();
}

async function pickMode(now: Mode): Promise<Mode | undefined> {
  if (!vscode.workspace.isTrusted) {
    void inform('This workspace is not trusted: Steersman only reads and answers.');
    return undefined;
  }
  const items = MODES.map(({ id, label, detail }) => ({ id, label, detail, description: id === now ? 'now' : '' }));
  const picked = await vscode.window.showQuickPick(items, { title: 'What may Steersman do without asking?' });
  return picked?.id;
}

async function pickModel(server: Server, choices: Choices): Promise<void> {
  const [status, { models }] = await Promise.all([server.execute('steersman.status', {}), server.execute('steersman.models', {})]);
  const known = models.map(({ id, contextWindow, inputPrice, outputPrice }) => ({
    label: id,
    description: contextWindow === undefined ? '' : `${Math.round(contextWindow / 1000)}k tokens`,
    detail: inputPrice === undefined ? '' : `$${inputPrice} in, $${outputPrice ?? 0} out for a million tokens`,
    model: id,
  }));
  const configured = { label: 'As configured', description: status.model, detail: '', model: undefined };
  const other = { label: 'Another one…', description: 'provider/model', detail: '', model: '' };
  const picked = await vscode.window.showQuickPick([configured, ...known, other], { title: 'Which model?', matchOnDescription: true });
  if (picked === undefined) return;
  if (picked !== other) {
    await choices.setModel(picked.model);
    return;
  }
  const typed = await vscode.window.showInputBox({
    title: 'Which model?',
    placeHolder: 'provider/model',
    validateInput: (text) => (/^[^/\s]+\/\S+$/.test(text.trim()) ? undefined : 'Write it as provider/model.'),
  });
  if (typed !== undefined) await choices.setModel(typed.trim());
}

function isOurs(uri: vscode.Uri): boolean {
  return uri.scheme === 'file' || uri.scheme === 'untitled';
}
