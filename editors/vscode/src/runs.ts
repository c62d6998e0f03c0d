// The conversations that are known, and what is at work in them, kept up by the server's events.
import * as vscode from 'vscode';
import { Conversation } from './conversation/conversation.ts';
import type { Entry } from './conversation/entries.ts';
import type { RunEndedEvent, SteersmanEvent } from './protocol.gen.ts';
import type { Execute } from './server/commands.ts';

export interface ConversationChange {
  readonly conversation: Conversation;
  readonly entries: readonly Entry[];
  readonly removed: readonly string[];
}

/** A view is told at most so often. */
const INTERVAL_MS = 40;

export class Runs implements vscode.Disposable {
  readonly #execute: Execute;
  readonly #conversations = new Map<string, Conversation>();
  readonly #touched = new Set<Conversation>();
  readonly #changed = new vscode.EventEmitter<ConversationChange>();
  readonly #began = new vscode.EventEmitter<Conversation>();
  readonly #ended = new vscode.EventEmitter<{ readonly conversation: Conversation; readonly event: RunEndedEvent }>();
  #timer: ReturnType<typeof setTimeout> | undefined;

  readonly onDidChange = this.#changed.event;
  readonly onDidBegin = this.#began.event;
  readonly onDidEnd = this.#ended.event;

  constructor(execute: Execute) {
    this.#execute = execute;
  }

  get running(): readonly Conversation[] {
    return [...this.#conversations.values()].filter((each) => each.state.running);
  }

  /** Returns a conversation that is known already. */
  find(sessionId: string): Conversation | undefined {
    return this.#conversations.get(sessionId);
  }

  /** Returns a conversation; what is recorded of it is loaded first. Rejects with a `ServerFailure`. */
  async open(sessionId: string): Promise<Conversation> {
    const known = this.#conversations.get(sessionId);
    return known ?? this.reload(sessionId);
  }

  /** Returns a conversation as it is recorded now. */
  async reload(sessionId: string): Promise<Conversation> {
    const { session, messages } = await this.#execute('steersman.sessions.get', { sessionId });
    const known = this.#conversations.get(sessionId);
    if (known?.state.running === true) return known;
    const conversation = new Conversation(session);
    conversation.load(messages);
    this.#conversations.set(sessionId, conversation);
    return conversation;
  }

  forget(sessionId: string): void {
    this.#conversations.delete(sessionId);
  }

  /** Takes in an event of the server. */
  readonly take = (event: SteersmanEvent): void => {
    const conversation = this.#of(event);
    conversation.apply(event);
    if (event.type === 'run_started') this.#began.fire(conversation);
    this.#touch(conversation);
    if (event.type === 'run_ended') {
      this.#flush();
      this.#ended.fire({ conversation, event });
    }
  };

  /** A run at work was told something; it is shown at once. */
  queue(sessionId: string, text: string): void {
    const conversation = this.#conversations.get(sessionId);
    if (conversation === undefined) return;
    conversation.queue(text);
    this.#touch(conversation);
  }

  /** The server is gone: what was at work will not tell its end. */
  lose(reason: string): void {
    for (const conversation of this.running) {
      conversation.lost(reason);
      this.#touch(conversation);
    }
    this.#flush();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#changed.dispose();
    this.#began.dispose();
    this.#ended.dispose();
  }

  #of(event: SteersmanEvent): Conversation {
    const known = this.#conversations.get(event.sessionId);
    if (known !== undefined) return known;
    const conversation = new Conversation({ id: event.sessionId });
    this.#conversations.set(event.sessionId, conversation);
    return conversation;
  }

  #touch(conversation: Conversation): void {
    this.#touched.add(conversation);
    this.#timer ??= setTimeout(() => this.#flush(), INTERVAL_MS);
  }

  #flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    for (const conversation of this.#touched) {
      const entries = conversation.takeChanged();
      this.#changed.fire({ conversation, entries, removed: conversation.removed.splice(0) });
    }
    this.#touched.clear();
  }
}
