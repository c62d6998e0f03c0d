// The side-bar view: shows one conversation and takes the person's orders. Holds no state that the server has.
import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import type { Approvals } from '../approvals/approvals.ts';
import { isMode, MODES, type Choices } from '../choices.ts';
import type { Conversation } from '../conversation/conversation.ts';
import type { Runs } from '../runs.ts';
import { asFailure } from '../server/failure.ts';
import type { Server } from '../server/server.ts';
import type { Tasks } from '../tasks.ts';
import { alarm } from '../tell.ts';
import { page } from './html.ts';
import { openFile, openLink } from './links.ts';
import { readMessage, type FromPanel, type Surroundings, type ToPanel } from './messages.ts';
import { Unsent } from './unsent.ts';

export const CONVERSATION_VIEW = 'steersman.conversation';
const SHOWN_SESSION = 'shownSession';
const GO_ON = 'Go on with the task.';

export interface PanelParts {
  readonly extensionUri: vscode.Uri;
  readonly state: vscode.Memento;
  readonly server: Server;
  readonly runs: Runs;
  readonly tasks: Tasks;
  readonly choices: Choices;
  readonly approvals: Approvals;
}

export class Panel implements vscode.WebviewViewProvider, vscode.Disposable {
  readonly #parts: PanelParts;
  readonly #subscriptions: vscode.Disposable;
  readonly #hidden = new vscode.EventEmitter<void>();
  readonly #unsent: Unsent;
  #view: vscode.WebviewView | undefined;
  /** Whether its page listens: one that is hidden is thrown away, and begins anew. */
  #isListening = false;
  #shown: Conversation | undefined;
  #configuredModel = '';

  readonly onDidHide = this.#hidden.event;

  constructor(parts: PanelParts) {
    this.#parts = parts;
    this.#unsent = new Unsent(parts.state);
    const { runs, server, choices } = parts;
    this.#subscriptions = vscode.Disposable.from(
      vscode.window.registerWebviewViewProvider(CONVERSATION_VIEW, this),
      runs.onDidBegin((conversation) => this.show(conversation)),
      runs.onDidChange(({ conversation, entries, removed }) => {
        if (conversation === this.#shown) this.#post({ type: 'change', state: conversation.state, entries, removed });
      }),
      server.onDidChangeState(() => void this.#serverChanged()),
      choices.onDidChange(() => this.#tellSurroundings()),
    );
  }

  get isVisible(): boolean {
    return this.#view?.visible ?? false;
  }

  /** The session that is shown, if any. */
  get sessionId(): string | undefined {
    return this.#shown?.state.sessionId;
  }

  get conversation(): Conversation | undefined {
    return this.#shown;
  }

  /** Shows a conversation, or an empty one. */
  show(conversation: Conversation | undefined): void {
    this.#shown = conversation;
    void this.#parts.state.update(SHOWN_SESSION, conversation?.state.sessionId);
    this.#tellConversation();
  }

  /** Opens the side bar and goes there. */
  async focus(): Promise<void> {
    await vscode.commands.executeCommand(`${CONVERSATION_VIEW}.focus`);
    this.#post({ type: 'focus' });
  }

  /** Opens the side bar and leaves the person where they are. */
  async reveal(): Promise<void> {
    if (this.isVisible) return;
    if (this.#view !== undefined) {
      this.#view.show(true);
      return;
    }
    await vscode.commands.executeCommand(`${CONVERSATION_VIEW}.focus`);
    await vscode.commands.executeCommand('workbench.action.focusActiveEditorGroup');
  }

  resolveWebviewView(view: vscode.WebviewView): void {
    this.#view = view;
    const { webview } = view;
    const dist = vscode.Uri.joinPath(this.#parts.extensionUri, 'dist');
    const asset = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(dist, name)).toString();
    webview.options = { enableScripts: true, localResourceRoots: [dist] };
    webview.onDidReceiveMessage((value: unknown) => void this.#receive(value));
    view.onDidChangeVisibility(() => {
      if (view.visible) return;
      this.#isListening = false;
      this.#hidden.fire();
    });
    view.onDidDispose(() => {
      this.#view = undefined;
      this.#isListening = false;
      this.#hidden.fire();
    });
    webview.html = page({
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64url'),
      script: asset('panel.js'),
      style: asset('panel-style.css'),
    });
  }

  dispose(): void {
    this.#subscriptions.dispose();
    this.#hidden.dispose();
  }

  async #receive(value: unknown): Promise<void> {
    const message = readMessage(value);
    if (message === undefined) return;
    try {
      await this.#obey(message);
    } catch (error) {
      void alarm(`Steersman: ${asFailure(error).sentence}`);
    }
  }

  async #obey(message: FromPanel): Promise<void> {
    const { tasks, approvals, choices } = this.#parts;
    switch (message.type) {
      case 'ready':
        this.#isListening = true;
        await this.#restore(message.sessionId);
        break;
      case 'submit':
        await this.#submit(message.text);
        break;
      case 'stop':
        await tasks.stop(this.sessionId);
        break;
      case 'continue':
        await this.#submit(GO_ON);
        break;
      case 'setMode':
        if (isMode(message.mode)) await vscode.commands.executeCommand('steersman.ui.setMode', message.mode);
        choices.refresh();
        break;
      case 'answer':
        approvals.answer(message.runId, message.callId, {
          optionId: message.optionId,
          ...(message.reason === '' ? {} : { reason: message.reason }),
        });
        break;
      case 'showQuestion':
        await approvals.show(message.callId);
        break;
      case 'openFile':
        await openFile(message.uri);
        break;
      case 'openLink':
        await openLink(message.href);
        break;
      case 'rewind':
        await vscode.commands.executeCommand('steersman.ui.rewind', { sessionId: this.sessionId, seq: message.seq });
        break;
      default:
        await vscode.commands.executeCommand(COMMANDS[message.type], ...(message.type === 'openSettings' ? ['@ext:steersman.steersman'] : []));
    }
  }

  async #submit(text: string): Promise<void> {
    const sessionId = this.sessionId;
    const task = { prompt: text, ...(sessionId === undefined ? this.#looksAt() : { sessionId, ...this.#looksAt() }) };
    try {
      await this.#unsent.sending(text, () => this.#parts.tasks.submit(task));
    } catch (error) {
      await this.#returnUnsent(asFailure(error).sentence);
    }
  }

  /** Puts a text that could not be sent where the person writes: now, or when that is seen again. */
  async giveBack(text: string): Promise<void> {
    await this.#unsent.keep(text);
    await this.#returnUnsent('This could not be sent.');
  }

  async #returnUnsent(problem: string, isNews = true): Promise<void> {
    if (!this.#isListening || !['running', 'failed'].includes(this.#parts.server.state.kind)) return;
    for (const text of this.#unsent.texts) {
      // The window may have been reloaded after it was recorded, and before that was known here.
      const latest = this.#shown?.entries.findLast((entry) => entry.kind === 'user');
      const isRecorded = !isNews && latest?.kind === 'user' && latest.text === text;
      if (!isRecorded && (await this.#view?.webview.postMessage({ type: 'refused', text, problem } satisfies ToPanel)) !== true) return;
      await this.#unsent.drop(text);
    }
  }

  // A selection is meant to be seen by the model; a file that merely happens to be open is told by name only.
  #looksAt(): { context?: ReturnType<Tasks['contextOf']> } {
    const editor = vscode.window.activeTextEditor;
    if (editor === undefined || !['file', 'untitled'].includes(editor.document.uri.scheme)) return {};
    const { selection, document } = editor;
    return { context: this.#parts.tasks.contextOf(document.uri, selection.isEmpty ? undefined : selection) };
  }

  // After a reload of the window the conversation that was shown is shown again.
  async #restore(sessionId: string | null): Promise<void> {
    this.#tellSurroundings();
    const wanted = sessionId ?? this.#parts.state.get<string>(SHOWN_SESSION);
    if (this.#shown === undefined && wanted !== undefined && this.#parts.server.state.kind === 'running') {
      await this.#parts.runs.open(wanted).then(
        (conversation) => this.show(conversation),
        () => this.show(undefined), // it was deleted elsewhere, or belongs to another folder
      );
    }
    this.#tellConversation();
    await this.#returnUnsent('This was not sent before.', false);
  }

  async #serverChanged(): Promise<void> {
    this.#tellSurroundings();
    if (this.#parts.server.state.kind === 'failed') await this.#returnUnsent('This was not sent.');
    if (this.#parts.server.state.kind !== 'running') return;
    const status = await this.#parts.server.execute('steersman.status', {}).catch(() => undefined);
    this.#configuredModel = status?.model ?? '';
    if (this.#shown === undefined) await this.#restore(null);
    else this.#tellSurroundings();
    await this.#returnUnsent('This was not sent before.', false);
  }

  #tellSurroundings(): void {
    const { server, choices } = this.#parts;
    const { state } = server;
    const surroundings: Surroundings = {
      server: {
        kind: state.kind,
        problem: state.kind === 'failed' ? state.problem : '',
        canInstall: state.kind === 'failed' && state.canInstall,
      },
      mode: choices.mode,
      modes: MODES,
      trusted: vscode.workspace.isTrusted,
      model: choices.model ?? this.#configuredModel,
      hasFolder: (vscode.workspace.workspaceFolders ?? []).length > 0,
    };
    this.#post({ type: 'surroundings', surroundings });
  }

  #tellConversation(): void {
    const conversation = this.#shown;
    if (this.#view !== undefined) this.#view.description = conversation?.state.title ?? '';
    this.#post({ type: 'conversation', state: conversation?.state ?? null, entries: conversation?.entries ?? [] });
  }

  #post(message: ToPanel): void {
    void this.#view?.webview.postMessage(message);
  }
}

const COMMANDS = {
  chooseModel: 'steersman.ui.setModel',
  install: 'steersman.ui.server.install',
  restart: 'steersman.ui.server.restart',
  showLog: 'steersman.ui.showLog',
  newSession: 'steersman.ui.newSession',
  openSettings: 'workbench.action.openSettings',
} as const;
