// The list of sessions, newest first. It asks the server and keeps nothing but what is shown.
import * as vscode from 'vscode';
import type { Session } from '../protocol.gen.ts';
import type { Server } from '../server/server.ts';
import type { Runs } from '../runs.ts';
import { titled } from '../words.ts';
import { timeAgo } from './time_ago.ts';

const PAGE = 100;

export type SessionNode = Session | 'more';

export class SessionTree implements vscode.TreeDataProvider<SessionNode>, vscode.Disposable {
  readonly #server: Server;
  readonly #changed = new vscode.EventEmitter<undefined>();
  readonly #subscriptions: vscode.Disposable;
  #limit = PAGE;

  readonly onDidChangeTreeData = this.#changed.event;

  constructor(server: Server, runs: Runs) {
    this.#server = server;
    this.#subscriptions = vscode.Disposable.from(
      server.onDidChangeState(() => this.refresh()),
      runs.onDidBegin(() => this.refresh()),
      runs.onDidEnd(() => this.refresh()),
      vscode.workspace.onDidChangeWorkspaceFolders(() => this.refresh()),
    );
  }

  refresh(): void {
    this.#changed.fire(undefined);
  }

  showMore(): void {
    this.#limit += PAGE;
    this.refresh();
  }

  async getChildren(parent?: SessionNode): Promise<SessionNode[]> {
    if (parent !== undefined || this.#server.state.kind !== 'running') return [];
    const { sessions, total } = await this.#server.execute('steersman.sessions.list', { limit: Math.min(this.#limit, 500) });
    return total > sessions.length && this.#limit < 500 ? [...sessions, 'more'] : [...sessions];
  }

  getTreeItem(node: SessionNode): vscode.TreeItem {
    if (node === 'more') {
      const item = new vscode.TreeItem('Show more…');
      item.command = { command: 'steersman.ui.sessions.more', title: 'Show more' };
      return item;
    }
    const item = new vscode.TreeItem(titleOf(node));
    item.id = node.id;
    item.description = `${timeAgo(Date.parse(node.updatedAt), Date.now())}${node.running ? ' · at work' : ''}`;
    item.tooltip = `${titleOf(node)}\n${node.messages} messages · ${node.model}`;
    item.iconPath = new vscode.ThemeIcon(node.running ? 'sync~spin' : node.parentId === null ? 'comment-discussion' : 'repo-forked');
    item.contextValue = node.running ? 'session.running' : 'session';
    item.accessibilityInformation = { label: `${titleOf(node)}, ${item.description}` };
    item.command = { command: 'steersman.ui.sessions.continue', title: 'Continue', arguments: [node] };
    return item;
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#changed.dispose();
  }
}

export function titleOf(session: Pick<Session, 'title'>): string {
  return session.title === '' ? 'Untitled' : titled(session.title);
}
