// What can be done with a session: continued, searched, forked, renamed, deleted, exported.
import * as vscode from 'vscode';
import type { Panel } from '../panel/panel.ts';
import type { ExportSessionParams, Session } from '../protocol.gen.ts';
import type { Runs } from '../runs.ts';
import type { Server } from '../server/server.ts';
import { confirm, inform } from '../tell.ts';
import { plain } from '../words.ts';
import { titleOf, type SessionTree } from './tree.ts';
import { timeAgo } from './time_ago.ts';

type Format = NonNullable<ExportSessionParams['format']>;

const FORMATS: readonly { readonly id: Format; readonly label: string; readonly ending: string }[] = [
  { id: 'markdown', label: 'Markdown', ending: 'md' },
  { id: 'html', label: 'HTML: one page that stands by itself', ending: 'html' },
  { id: 'json', label: 'JSON', ending: 'json' },
];

export class SessionCommands {
  readonly #server: Server;
  readonly #runs: Runs;
  readonly #panel: Panel;
  readonly #tree: SessionTree;

  constructor(server: Server, runs: Runs, panel: Panel, tree: SessionTree) {
    this.#server = server;
    this.#runs = runs;
    this.#panel = panel;
    this.#tree = tree;
  }

  /** Shows a session in the panel, to go on with it. */
  async continue(given: unknown): Promise<void> {
    const session = isSession(given) ? given : await this.#pick('Continue which session?');
    if (session === undefined) return;
    this.#panel.show(await this.#runs.open(session.id));
    await this.#panel.focus();
  }

  async search(): Promise<void> {
    const session = await this.#pick('Search in all sessions');
    if (session !== undefined) await this.continue(session);
  }

  async fork(given: unknown): Promise<void> {
    const id = await this.#chosen(given, 'Fork which session?');
    if (id === undefined) return;
    const { session } = await this.#server.execute('steersman.sessions.fork', { sessionId: id });
    this.#tree.refresh();
    await this.continue(session);
  }

  async rename(given: unknown): Promise<void> {
    const session = isSession(given) ? given : await this.#pick('Rename which session?');
    if (session === undefined) return;
    const title = await vscode.window.showInputBox({
      title: 'Rename the session',
      value: session.title,
      validateInput: (text) => (text.trim() === '' ? 'A title has at least one letter.' : undefined),
    });
    if (title === undefined) return;
    await this.#server.execute('steersman.sessions.rename', { sessionId: session.id, title: title.trim() });
    this.#runs.find(session.id)?.rename(title.trim());
    this.#tree.refresh();
    if (this.#panel.sessionId === session.id) this.#panel.show(this.#panel.conversation);
  }

  async delete(given: unknown): Promise<void> {
    const session = isSession(given) ? given : await this.#pick('Delete which session?');
    if (session === undefined) return;
    const detail = 'Its conversation and what it could take back are gone for good. Your files stay as they are.';
    if (!(await confirm(`Delete “${titleOf(session)}”?`, detail, 'Delete'))) return;
    await this.#server.execute('steersman.sessions.delete', { sessionId: session.id });
    this.#runs.forget(session.id);
    this.#tree.refresh();
    if (this.#panel.sessionId === session.id) this.#panel.show(undefined);
  }

  async export(given: unknown): Promise<void> {
    const id = await this.#chosen(given, 'Export which session?');
    if (id === undefined) return;
    const format = await vscode.window.showQuickPick(FORMATS, { title: 'Export as' });
    if (format === undefined) return;
    const target = await vscode.window.showSaveDialog({
      title: 'Export the session',
      defaultUri: this.#defaultTarget(`session.${format.ending}`),
      filters: { [format.label]: [format.ending] },
    });
    if (target === undefined) return;
    const { content } = await this.#server.execute('steersman.sessions.export', { sessionId: id, format: format.id });
    await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(content ?? ''));
    const open = await inform(`The session is exported to ${target.fsPath}.`, 'Open');
    if (open === 'Open') await vscode.commands.executeCommand('vscode.open', target);
  }

  #defaultTarget(name: string): vscode.Uri {
    const folder = vscode.workspace.workspaceFolders?.[0]?.uri;
    return folder === undefined ? vscode.Uri.file(name) : vscode.Uri.joinPath(folder, name);
  }

  // From a view's title no session comes along: the one that is shown is meant.
  async #chosen(given: unknown, title: string): Promise<string | undefined> {
    if (isSession(given)) return given.id;
    return this.#panel.sessionId ?? (await this.#pick(title))?.id;
  }

  #pick(title: string): Promise<Session | undefined> {
    return new Promise((resolve) => {
      const picker = vscode.window.createQuickPick<vscode.QuickPickItem & { readonly session: Session }>();
      picker.title = title;
      picker.placeholder = 'Words of the conversation';
      picker.matchOnDetail = true;
      let latest = 0;
      const look = async (query: string): Promise<void> => {
        latest += 1;
        const mine = latest;
        picker.busy = true;
        const answer = await this.#server.execute('steersman.sessions.list', query === '' ? {} : { query }).catch(() => undefined);
        if (mine !== latest) return;
        picker.busy = false;
        picker.items = (answer?.sessions ?? []).map((session) => ({
          label: plain(titleOf(session)),
          description: timeAgo(Date.parse(session.updatedAt), Date.now()),
          detail: plain(`${session.messages} messages · ${session.model}`),
          alwaysShow: true, // the server searched the whole text; what it found is not to be filtered again by title
          session,
        }));
      };
      picker.onDidChangeValue((value) => void look(value.trim()));
      picker.onDidAccept(() => {
        resolve(picker.selectedItems[0]?.session);
        picker.hide();
      });
      picker.onDidHide(() => {
        resolve(undefined);
        picker.dispose();
      });
      picker.show();
      void look('');
    });
  }
}

function isSession(value: unknown): value is Session {
  return typeof value === 'object' && value !== null && 'id' in value && 'updatedAt' in value;
}
