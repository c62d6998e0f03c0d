// Goes back to a point of a conversation: the point is picked, what would change is shown, then it is done.
import * as vscode from 'vscode';
import type { Panel } from './panel/panel.ts';
import type { Message, RewindResult } from './protocol.gen.ts';
import type { Runs } from './runs.ts';
import type { Server } from './server/server.ts';
import type { SessionTree } from './sessions/tree.ts';
import { oneLine } from './conversation/tool_titles.ts';
import { changesAfter } from './rewind_points.ts';

interface Point {
  readonly sessionId: string;
  /** The number of the last message that stays; -1 for before all. */
  readonly seq: number;
}

const WHAT = [
  { label: 'Files and conversation', files: true, conversation: true },
  { label: 'Files only', files: true, conversation: false },
  { label: 'Conversation only', files: false, conversation: true },
] as const;

export class Rewinds {
  readonly #server: Server;
  readonly #runs: Runs;
  readonly #panel: Panel;
  readonly #tree: SessionTree;
  #last: { readonly sessionId: string; readonly rewindId: string } | undefined;

  constructor(server: Server, runs: Runs, panel: Panel, tree: SessionTree) {
    this.#server = server;
    this.#runs = runs;
    this.#panel = panel;
    this.#tree = tree;
  }

  /** Goes back; asks for the point unless one is given. */
  async rewind(given: unknown): Promise<void> {
    const sessionId = sessionOf(given) ?? this.#panel.sessionId;
    if (sessionId === undefined) {
      void vscode.window.showInformationMessage('There is no conversation to go back in. Continue a session first.');
      return;
    }
    const { messages } = await this.#server.execute('steersman.sessions.get', { sessionId });
    const seq = isPoint(given) ? given.seq : await this.#pickPoint(messages);
    if (seq === undefined) return;
    const what = await this.#pickWhat(messages, seq);
    if (what === undefined) return;
    const result = await this.#carryOut({ sessionId, seq }, what, false);
    await this.#tell({ sessionId, seq }, what, result);
  }

  async undo(): Promise<void> {
    const last = this.#last;
    if (last === undefined) return;
    const result = await this.#server.execute('steersman.rewind.undo', { rewindId: last.rewindId });
    await this.#done(last.sessionId, undefined);
    void vscode.window.showInformationMessage(`The rewind was taken back: ${files(result.restored.length)} brought back.${conflictsOf(result)}`);
  }

  async #carryOut({ sessionId, seq }: Point, what: (typeof WHAT)[number], force: boolean): Promise<RewindResult> {
    const { files: withFiles, conversation } = what;
    const result = await this.#server.execute('steersman.rewind', { sessionId, toMessage: seq, files: withFiles, conversation, force });
    await this.#done(sessionId, result.rewindId);
    return result;
  }

  async #done(sessionId: string, rewindId: string | undefined): Promise<void> {
    this.#last = rewindId === undefined ? undefined : { sessionId, rewindId };
    void vscode.commands.executeCommand('setContext', 'steersman.canUndoRewind', this.#last !== undefined);
    const conversation = await this.#runs.reload(sessionId);
    if (this.#panel.sessionId === sessionId) this.#panel.show(conversation);
    this.#tree.refresh();
  }

  async #tell(point: Point, what: (typeof WHAT)[number], result: RewindResult): Promise<void> {
    const commands = result.uncovered.length === 0 ? '' : ` What ${result.uncovered.join(', ')} did is not taken back.`;
    const text = `Rewound: ${files(result.restored.length)} put back.${conflictsOf(result)}${commands}`;
    const buttons = result.conflicts.length === 0 ? ['Undo the Rewind'] : ['Overwrite Them Too', 'Undo the Rewind'];
    const show = result.conflicts.length === 0 ? vscode.window.showInformationMessage : vscode.window.showWarningMessage;
    const choice = await show(text, ...buttons);
    if (choice === 'Undo the Rewind') await this.undo();
    if (choice === 'Overwrite Them Too') await this.#tell(point, what, await this.#carryOut(point, what, true));
  }

  async #pickPoint(messages: readonly Message[]): Promise<number | undefined> {
    const prompts = messages.filter((message) => message.role === 'user' && (message.origin ?? 'person') === 'person');
    const items = prompts.reverse().map((message) => ({
      label: `Before “${oneLine(message.content, 70)}”`,
      description: files(changesAfter(messages, message.seq - 1).length),
      seq: message.seq - 1,
    }));
    const picked = await vscode.window.showQuickPick(items, { title: 'Rewind to', placeHolder: 'What comes after this point is taken back' });
    return picked?.seq;
  }

  // The preview: which files would be put back, before anything is done.
  async #pickWhat(messages: readonly Message[], seq: number): Promise<(typeof WHAT)[number] | undefined> {
    const changes = changesAfter(messages, seq);
    const names = changes.map(({ uri, kind }) => `${vscode.workspace.asRelativePath(vscode.Uri.parse(uri))} (${kind})`);
    const items: (vscode.QuickPickItem & { readonly what?: (typeof WHAT)[number] })[] = [
      ...WHAT.map((what) => ({ label: what.label, what })),
      { label: changes.length === 0 ? 'No file would change' : `${files(changes.length)} would be put back`, kind: vscode.QuickPickItemKind.Separator },
      ...names.map((name) => ({ label: `$(file) ${name}` })),
    ];
    const picked = await vscode.window.showQuickPick(items, { title: 'What shall be taken back?' });
    return picked?.what;
  }
}

function sessionOf(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  if ('sessionId' in given && typeof given.sessionId === 'string') return given.sessionId;
  return 'id' in given && typeof given.id === 'string' ? given.id : undefined;
}

function isPoint(given: unknown): given is { readonly seq: number } {
  return typeof given === 'object' && given !== null && 'seq' in given && typeof given.seq === 'number';
}

function files(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

function conflictsOf({ conflicts }: RewindResult): string {
  if (conflicts.length === 0) return '';
  const named = conflicts.map(({ uri, reason }) => `${vscode.workspace.asRelativePath(vscode.Uri.parse(uri))}: ${reason}`);
  return ` Left alone: ${named.join('; ')}.`;
}
