// What the person chose for this workspace: the mode and the model of the next runs. Kept by VS Code, never in the
// workspace's own files. In a workspace that is not trusted the mode is always `plan`.
import * as vscode from 'vscode';
import type { Mode } from './protocol.gen.ts';
import { userValue } from './settings.ts';
import { inspect } from './server/server.ts';

export const MODES: readonly { readonly id: Mode; readonly label: string; readonly detail: string }[] = [
  { id: 'plan', label: 'Plan', detail: 'Only reads and answers; changes nothing.' },
  { id: 'ask', label: 'Ask', detail: 'Asks before each change and each command.' },
  { id: 'accept-edits', label: 'Accept edits', detail: 'Changes files freely; asks before commands.' },
  { id: 'auto', label: 'Auto', detail: 'Asks only about protected files.' },
];

export class Choices implements vscode.Disposable {
  readonly #state: vscode.Memento;
  readonly #changed = new vscode.EventEmitter<void>();

  readonly onDidChange = this.#changed.event;

  constructor(state: vscode.Memento) {
    this.#state = state;
  }

  /** The mode that runs are started in. */
  get mode(): Mode {
    if (!vscode.workspace.isTrusted) return 'plan';
    return [this.#state.get('mode'), userValue(inspect(), 'mode')].find(isMode) ?? 'ask';
  }

  /** The model that runs are started with; undefined: what the server is configured for. */
  get model(): string | undefined {
    return this.#state.get<string>('model');
  }

  async setMode(mode: Mode): Promise<void> {
    await this.#state.update('mode', mode);
    this.#changed.fire();
  }

  async setModel(model: string | undefined): Promise<void> {
    await this.#state.update('model', model);
    this.#changed.fire();
  }

  /** Something that shows in the choices changed elsewhere. */
  refresh(): void {
    this.#changed.fire();
  }

  dispose(): void {
    this.#changed.dispose();
  }
}

export function isMode(value: unknown): value is Mode {
  return MODES.some(({ id }) => id === value);
}
