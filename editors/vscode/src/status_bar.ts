// The status bar item: idle, working, waiting for the person, out of order.
import * as vscode from 'vscode';
import type { Approvals } from './approvals/approvals.ts';
import type { Runs } from './runs.ts';
import type { Server } from './server/server.ts';
import { plain, titled } from './words.ts';

export class StatusBar implements vscode.Disposable {
  readonly #item: vscode.StatusBarItem;
  readonly #subscriptions: vscode.Disposable;
  readonly #server: Server;
  readonly #runs: Runs;
  readonly #approvals: Approvals;

  constructor(server: Server, runs: Runs, approvals: Approvals) {
    this.#server = server;
    this.#runs = runs;
    this.#approvals = approvals;
    this.#item = vscode.window.createStatusBarItem('steersman', vscode.StatusBarAlignment.Left, 0);
    this.#item.name = 'Steersman';
    const update = (): void => this.#update();
    this.#subscriptions = vscode.Disposable.from(
      server.onDidChangeState(update),
      runs.onDidChange(update),
      approvals.onDidChange(update),
    );
    this.#update();
    this.#item.show();
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#item.dispose();
  }

  #update(): void {
    const { state } = this.#server;
    const [question] = this.#approvals.open;
    const [running] = this.#runs.running;
    void vscode.commands.executeCommand('setContext', 'steersman.running', running !== undefined);
    if (state.kind === 'failed') {
      this.#show('$(warning) Steersman', state.problem, 'steersman.ui.server.status', 'statusBarItem.errorBackground');
    } else if (question !== undefined) {
      this.#show('$(bell-dot) Steersman asks', `${titled(question.title)}: click to see it`, 'steersman.ui.approvals.show', 'statusBarItem.warningBackground');
    } else if (running !== undefined) {
      const doing = plain(titled(running.state.activity));
      this.#show(`$(sync~spin) Steersman: ${doing.length > 40 ? `${doing.slice(0, 39)}…` : doing}`, titled(running.state.title), 'steersman.ui.open');
    } else if (state.kind === 'stopped') {
      this.#show('$(circle-slash) Steersman', 'The Steersman server is stopped', 'steersman.ui.server.status');
    } else if (state.kind === 'starting') {
      this.#show('$(sync~spin) Steersman', 'Steersman is starting', 'steersman.ui.open');
    } else {
      this.#show('$(compass) Steersman', 'Steersman is idle: click for the conversation', 'steersman.ui.open');
    }
  }

  #show(text: string, tooltip: string, command: string, background?: string): void {
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = { label: `${text.replace(/\$\([^)]*\)\s*/g, '')}. ${tooltip}`, role: 'button' };
    this.#item.command = command;
    this.#item.backgroundColor = background === undefined ? undefined : new vscode.ThemeColor(background);
  }
}
