// Shows what a rewind would make of each file, in the diff editor, and waits for the person's word. One at a time.
// Closing what is shown is a no.
import * as vscode from 'vscode';
import type { ChangeView, ShownChange } from '../approvals/change_view.ts';
import type { RewindResult } from '../protocol.gen.ts';
import { inform, warn } from '../tell.ts';

/** Do it as shown; show it with the conflicts overwritten too. */
export type Decision = 'rewind' | 'overwrite';

interface OpenReview {
  readonly shown: ShownChange;
  readonly decide: (decision: Decision | undefined) => void;
}

export class RewindReview implements vscode.Disposable {
  readonly #view: ChangeView;
  readonly #tabs: vscode.Disposable;
  #open: OpenReview | undefined;

  constructor(view: ChangeView) {
    this.#view = view;
    this.#tabs = vscode.window.tabGroups.onDidChangeTabs(({ closed }) => {
      const open = this.#open;
      if (open !== undefined && closed.some((tab) => view.isOf(tab, open.shown))) open.decide(undefined);
    });
  }

  /** Puts a preview before the person; undefined: it is not wanted. */
  async ask(preview: RewindResult, sentence: string): Promise<Decision | undefined> {
    this.answer(undefined);
    const shown = this.#view.prepare((preview.files ?? []).filter(({ conflict }) => conflict === undefined), 'now ↔ rewound');
    const decision = await new Promise<Decision | undefined>((resolve) => {
      this.#open = { shown, decide: resolve };
      this.#tell();
      void this.#view.show(shown, { takeFocus: true });
      void this.#notify(preview, sentence, shown);
    });
    if (this.#open?.shown === shown) this.#open = undefined;
    this.#tell();
    void vscode.commands.executeCommand('notifications.hideToasts'); // what it asks is decided
    await this.#view.close(shown);
    return decision;
  }

  /** Answers what is open, if anything is. */
  answer(decision: Decision | undefined): void {
    this.#open?.decide(decision);
  }

  dispose(): void {
    this.answer(undefined);
    this.#tabs.dispose();
  }

  async #notify(preview: RewindResult, sentence: string, shown: ShownChange): Promise<void> {
    const buttons = preview.conflicts.length === 0 ? ['Rewind', 'Cancel'] : ['Rewind', 'Overwrite Too…', 'Cancel'];
    const show = preview.conflicts.length === 0 ? inform : warn;
    const choice = await show(sentence, ...buttons);
    if (this.#open?.shown !== shown) return; // a late answer to what is decided
    if (choice === 'Rewind') this.answer('rewind');
    else if (choice === 'Overwrite Too…') this.answer('overwrite');
    else if (choice === 'Cancel' || shown.proposed.length === 0) this.answer(undefined);
  }

  #tell(): void {
    const shown = this.#open?.shown.proposed.map((uri) => uri.toString()) ?? [];
    void vscode.commands.executeCommand('setContext', 'steersman.rewinding', this.#open !== undefined);
    void vscode.commands.executeCommand('setContext', 'steersman.rewindShown', shown);
  }
}
