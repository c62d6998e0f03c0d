// The open questions: shown in the diff editor, in the conversation and as a notification; the first answer wins.
// Silence is never consent: a question that goes away unanswered is answered with nothing.
import * as vscode from 'vscode';
import type { ApprovalParams } from '../protocol.gen.ts';
import { warn } from '../tell.ts';
import { plain, titled } from '../words.ts';
import { CHANGE_SCHEME, type ChangeView, type ShownChange } from './change_view.ts';

export interface ApprovalAnswer {
  readonly optionId: string;
  readonly reason?: string;
}

interface OpenApproval {
  readonly params: ApprovalParams;
  readonly shown: ShownChange;
  readonly decide: (answer: ApprovalAnswer | null) => void;
  /** Whether a notification asks the same. */
  isNotified: boolean;
}

export class Approvals implements vscode.Disposable {
  readonly #view: ChangeView;
  readonly #isConversationVisible: () => boolean;
  readonly #changed = new vscode.EventEmitter<void>();
  #open: readonly OpenApproval[] = [];

  readonly onDidChange = this.#changed.event;

  constructor(view: ChangeView, isConversationVisible: () => boolean) {
    this.#view = view;
    this.#isConversationVisible = isConversationVisible;
  }

  /** The questions that wait, oldest first. */
  get open(): readonly ApprovalParams[] {
    return this.#open.map(({ params }) => params);
  }

  /** Puts a question to the person; null when it was withdrawn or nobody answered. */
  readonly ask = (params: ApprovalParams, withdrawn: vscode.CancellationToken): Promise<ApprovalAnswer | null> =>
    new Promise((resolve) => {
      const shown = params.command === null ? this.#view.prepare(params.changes, 'present ↔ proposed') : this.#view.prepareCommand(params.command);
      const approval: OpenApproval = {
        params,
        shown,
        isNotified: false,
        decide: (answer) => {
          if (!this.#open.includes(approval)) return; // a late answer to what is decided
          stop.dispose();
          this.#open = this.#open.filter((each) => each !== approval);
          this.#tell();
          void this.#view.close(shown).then(() => this.#showFirst());
          resolve(answer);
        },
      };
      const stop = withdrawn.onCancellationRequested(() => approval.decide(null));
      this.#open = [...this.#open, approval];
      this.#tell();
      if (this.#open[0] === approval) void this.#view.show(shown, { takeFocus: false });
      if (!this.#isConversationVisible()) void this.#notify(approval);
    });

  /** The conversation went out of sight: what it asked must be seen elsewhere. */
  conversationHidden(): void {
    for (const approval of this.#open) {
      if (!approval.isNotified) void this.#notify(approval);
    }
  }

  /** Answers a question; says whether it was still open. */
  answer(runId: string, callId: string, answer: ApprovalAnswer): boolean {
    const approval = this.#open.find(({ params }) => params.runId === runId && params.callId === callId);
    if (approval === undefined) return false;
    approval.decide(answer);
    // A notification that asked the same cannot be closed one by one; it is hidden, and its answer comes too late.
    void vscode.commands.executeCommand('notifications.hideToasts');
    return true;
  }

  /** Shows a question again, the oldest unless one is named. */
  async show(callId?: string): Promise<void> {
    const approval = callId === undefined ? this.#open[0] : this.#open.find(({ params }) => params.callId === callId);
    if (approval !== undefined) await this.#view.show(approval.shown, { takeFocus: true });
  }

  /** Returns the question an editor belongs to, else the oldest; none for the editor of one that is decided. */
  of(editor: vscode.Uri | undefined): ApprovalParams | undefined {
    const key = editor?.toString() ?? '';
    const own = this.#open.find(({ shown }) => shown.all.has(key));
    return (own ?? (editor?.scheme === CHANGE_SCHEME ? undefined : this.#open[0]))?.params;
  }

  /** Asks for the reason and rejects; says whether it did. */
  async rejectWithReason(params: ApprovalParams): Promise<boolean> {
    const reason = await vscode.window.showInputBox({
      title: `Reject: ${titled(params.title)}`,
      prompt: 'The model is told why, and can do it better.',
      placeHolder: 'Why not?',
      ignoreFocusOut: true,
    });
    if (reason === undefined) return false;
    const words = reason.trim();
    return this.answer(params.runId, params.callId, words === '' ? { optionId: 'reject' } : { optionId: 'reject', reason: words });
  }

  /** The server is gone; nobody waits for answers any more. */
  withdrawAll(): void {
    for (const approval of this.#open) approval.decide(null);
  }

  dispose(): void {
    this.withdrawAll();
    this.#changed.dispose();
  }

  async #notify(approval: OpenApproval): Promise<void> {
    const { params } = approval;
    approval.isNotified = true;
    const choice = await warn(wording(params), 'Allow', 'Reject', 'More…');
    if (!this.#open.includes(approval)) return;
    if (choice === 'Allow') approval.decide({ optionId: 'allow_once' });
    else if (choice === 'Reject') approval.decide({ optionId: 'reject' });
    else if (choice === 'More…') await this.#choose(approval);
  }

  async #choose(approval: OpenApproval): Promise<void> {
    const { params } = approval;
    const options = params.options.map(({ id, label }) => ({ label: plain(titled(label)), id }));
    const more = [
      { label: 'Reject with a reason…', id: 'reason' },
      { label: params.command === null ? 'Show the change' : 'Show the command', id: 'show' },
    ];
    const picked = await vscode.window.showQuickPick([...options, ...more], { title: plain(wording(params)), ignoreFocusOut: true });
    if (picked?.id === 'reason') {
      if (!(await this.rejectWithReason(params)) && this.#open.includes(approval)) await this.#notify(approval);
    } else if (picked === undefined || picked.id === 'show') {
      if (picked !== undefined) await this.show(params.callId);
      if (this.#open.includes(approval)) await this.#notify(approval);
    } else {
      approval.decide({ optionId: picked.id });
    }
  }

  #showFirst(): void {
    const [first] = this.#open;
    if (first !== undefined) void this.#view.show(first.shown, { takeFocus: false });
  }

  #tell(): void {
    const asked = this.#open.flatMap(({ shown }) => shown.proposed.map((uri) => uri.toString()));
    void vscode.commands.executeCommand('setContext', 'steersman.asking', this.#open.length > 0);
    void vscode.commands.executeCommand('setContext', 'steersman.askedAbout', asked);
    this.#changed.fire();
  }
}

/** Returns the question in one line: what it is about comes first. */
export function wording(params: ApprovalParams): string {
  const added = params.changes.reduce((sum, change) => sum + change.added, 0);
  const removed = params.changes.reduce((sum, change) => sum + change.removed, 0);
  const size = params.changes.length === 0 ? '' : ` (+${added} −${removed})`;
  const warning = params.warning === undefined ? '' : ` ${params.warning}`;
  return `Steersman wants to ${titled(params.title)}${size}.${warning}`;
}
