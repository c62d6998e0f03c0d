// Shows changes that were not made yet in VS Code's own diff editor: on the left the exact text that it is about, on the
// right what it would become. Both sides are virtual and read-only; nothing is written for that.
import * as vscode from 'vscode';
import type { ApprovalParams } from '../protocol.gen.ts';
import { visible } from '../words.ts';

export const CHANGE_SCHEME = 'steersman-change';

/** A file, its text now and as it would be; null for nothing, and for what is no text. */
export type ViewedChange = Pick<ApprovalParams['changes'][number], 'uri' | 'kind' | 'before' | 'after'>;

/** What is shown together: changes of files, or a command. */
export interface ShownChange {
  /** What they are, for the title: “present ↔ proposed”. */
  readonly words: string;
  readonly isCommand: boolean;
  /** The right sides: the editors that get the buttons. */
  readonly proposed: readonly vscode.Uri[];
  readonly all: ReadonlySet<string>;
}

export class ChangeView implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #numbers = 0;

  constructor() {
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(CHANGE_SCHEME, this);
  }

  provideTextDocumentContent(uri: vscode.Uri): string {
    return this.#texts.get(uri.toString()) ?? '';
  }

  /** Makes the documents of some changes. */
  prepare(changes: readonly ViewedChange[], words: string): ShownChange {
    this.#numbers += 1;
    const pairs = changes.map((change, index) => this.#pair(change, `${this.#numbers}.${index}`));
    return shownOf(words, pairs.map(({ proposed }) => proposed), pairs.map(({ present }) => present));
  }

  /** Makes the document of a command. */
  prepareCommand(command: string): ShownChange {
    this.#numbers += 1;
    const uri = this.#keep('/command.sh', `${this.#numbers}.command`, visible(command));
    return { ...shownOf('', [uri], []), isCommand: true };
  }

  /** Opens them, without taking the focus from where the person types. */
  async show(shown: ShownChange, options: { readonly takeFocus: boolean }): Promise<void> {
    const how = { preview: false, preserveFocus: !options.takeFocus };
    const [first] = shown.proposed;
    if (first === undefined) return;
    if (shown.isCommand) {
      await vscode.window.showTextDocument(first, how);
    } else if (shown.proposed.length === 1) {
      await vscode.commands.executeCommand('vscode.diff', presentOf(first), first, `${baseName(first)}: ${shown.words}`, how);
    } else {
      const files = shown.proposed.map((uri) => [vscode.Uri.file(uri.path), presentOf(uri), uri]);
      await vscode.commands.executeCommand('vscode.changes', `Steersman: ${shown.words}`, files); // VS Code says itself how many
    }
  }

  /** Whether a tab shows these. */
  isOf(tab: vscode.Tab, shown: ShownChange): boolean {
    return isOf(tab, shown);
  }

  /** Closes their editors and forgets their texts. */
  async close(shown: ShownChange): Promise<void> {
    const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
    await vscode.window.tabGroups.close(tabs.filter((tab) => isOf(tab, shown)), true);
    for (const uri of shown.all) this.#texts.delete(uri);
  }

  dispose(): void {
    this.#registration.dispose();
  }

  #pair(change: ViewedChange, key: string): { present: vscode.Uri; proposed: vscode.Uri } {
    const path = vscode.Uri.parse(change.uri).path;
    const binary = change.kind === 'delete' ? 'This file is deleted.' : 'This file is not text.';
    return {
      present: this.#keep(path, `${key}.present`, change.before ?? (change.kind === 'create' ? '' : binary)),
      proposed: this.#keep(path, `${key}.proposed`, change.after ?? (change.kind === 'delete' ? '' : binary)),
    };
  }

  #keep(path: string, key: string, text: string): vscode.Uri {
    const uri = vscode.Uri.from({ scheme: CHANGE_SCHEME, path, query: key });
    this.#texts.set(uri.toString(), text);
    return uri;
  }
}

function shownOf(words: string, proposed: readonly vscode.Uri[], present: readonly vscode.Uri[]): ShownChange {
  return { words, isCommand: false, proposed, all: new Set([...proposed, ...present].map((uri) => uri.toString())) };
}

function presentOf(proposed: vscode.Uri): vscode.Uri {
  return proposed.with({ query: proposed.query.replace('proposed', 'present') });
}

function baseName(uri: vscode.Uri): string {
  return uri.path.slice(uri.path.lastIndexOf('/') + 1);
}

function isOf(tab: vscode.Tab, shown: ShownChange): boolean {
  const { input } = tab;
  if (input instanceof vscode.TabInputTextDiff) return shown.all.has(input.modified.toString());
  if (input instanceof vscode.TabInputText) return shown.all.has(input.uri.toString());
  // The editor of several files has no class of its own in older versions of the API.
  const several = (input as { textDiffs?: readonly { modified: vscode.Uri }[] } | undefined)?.textDiffs;
  return several?.some((each) => shown.all.has(each.modified.toString())) ?? false;
}
