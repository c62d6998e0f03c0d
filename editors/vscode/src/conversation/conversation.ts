// One conversation as it is shown, made of recorded messages and of a run's events. Pure: no VS Code, no DOM, no clock.
import type { Message, OpenQuestion, Session, SteersmanEvent } from '../protocol.gen.ts';
import {
  ENDINGS,
  type AssistantEntry,
  type ConversationState,
  type Entry,
  type NoteEntry,
  type ToolEntry,
} from './entries.ts';
import { diffOf, oneLine, titleOf } from './tool_titles.ts';

type Event<T extends SteersmanEvent['type']> = Extract<SteersmanEvent, { type: T }>;

const MAX_OUTPUT_CHARS = 100_000;

export class Conversation {
  state: ConversationState;
  readonly #entries = new Map<string, Entry>();
  readonly #changed = new Set<string>();
  #answer = 0;
  #notes = 0;

  constructor(session: Pick<Session, 'id'> & Partial<Session>) {
    this.state = {
      sessionId: session.id,
      title: session.title ?? '',
      running: false,
      runId: null,
      activity: '',
      model: session.model ?? '',
      usage: session.usage ?? null,
      cost: session.cost ?? null,
    };
  }

  get entries(): readonly Entry[] {
    return [...this.#entries.values()];
  }

  /** Returns the entries that changed since the last call, in order. */
  takeChanged(): readonly Entry[] {
    const changed = this.entries.filter((entry) => this.#changed.has(entry.id));
    this.#changed.clear();
    return changed;
  }

  /** Puts in what is recorded. */
  load(messages: readonly Message[]): void {
    this.#entries.clear();
    for (const message of messages) this.#loadMessage(message);
    if (!endsWhole(messages)) {
      this.note('warning', 'This run did not come to its end.', true);
    }
  }

  /** Takes in what happened. */
  apply(event: SteersmanEvent): void {
    switch (event.type) {
      case 'run_started':
        this.#begin(event);
        break;
      case 'user_message':
        if (event.steered) this.#dequeue(event.text);
        this.#put({ kind: 'user', id: `user ${event.messageSeq}`, ...parted(event.text), origin: originOf(event), seq: event.messageSeq });
        break;
      case 'turn_started':
        this.#answer += 1;
        this.#act(`turn ${event.turn}/${event.maxTurns} · waiting for the model`);
        break;
      case 'text_delta':
        this.#stream(event, { text: event.text });
        this.#act(`turn ${event.turn} · answering`);
        break;
      case 'reasoning_delta':
        this.#stream(event, { reasoning: event.text });
        this.#act(`turn ${event.turn} · thinking`);
        break;
      case 'stream_discarded':
        this.#discard(event);
        break;
      case 'assistant_message':
        this.#commit(event);
        break;
      case 'retry_waiting':
        this.#act(`${event.reason}; trying again in ${Math.ceil(event.seconds)} s (attempt ${event.attempt})`);
        break;
      case 'usage':
        this.#count(event);
        break;
      case 'warning':
        this.note('warning', event.message);
        break;
      case 'context_trimmed':
        this.note('info', `The ${event.messagesLeftOut} oldest messages are not sent to the model any more.`);
        break;
      case 'turn_ended':
        break;
      case 'run_ended':
        this.#end(event);
        break;
      default:
        this.#applyToCall(event);
    }
  }

  /** Says what is no message: an ending, a warning. */
  note(level: NoteEntry['level'], text: string, canContinue = false): void {
    this.#notes += 1;
    this.#put({ kind: 'note', id: `note ${this.#notes}`, level, text, canContinue });
  }

  /** The run at work will be told this, as soon as its turn is over. */
  queue(text: string): void {
    if (!this.state.running) return;
    this.#notes += 1;
    this.#put({ kind: 'user', id: `queued ${this.#notes}`, text, context: '', origin: 'queued', seq: null });
  }

  /** The run's end will never be told: the server is gone. */
  lost(reason: string): void {
    if (!this.state.running) return;
    for (const entry of this.entries) {
      if (entry.kind === 'tool' && isOpen(entry)) this.#put({ ...entry, state: 'closed', question: null });
      if (entry.kind === 'assistant' && entry.tentative) this.#remove(entry.id);
    }
    const left = this.#idle();
    this.note('error', reason, true);
    this.#notDelivered(left);
  }

  rename(title: string): void {
    this.state = { ...this.state, title };
  }

  #begin(event: Event<'run_started'>): void {
    const title = this.state.title === '' ? oneLine(event.prompt, 80) : this.state.title;
    this.state = { ...this.state, title, running: true, runId: event.runId, model: event.model, activity: 'starting' };
    for (const entry of this.entries) {
      if (entry.kind === 'note' && entry.canContinue) this.#put({ ...entry, canContinue: false });
    }
  }

  #stream(event: SteersmanEvent, more: { text?: string; reasoning?: string }): void {
    const id = this.#answerId(event);
    const known = this.#entries.get(id);
    const before = known?.kind === 'assistant' ? known : emptyAnswer(id);
    const text = before.text + (more.text ?? '');
    const reasoning = before.reasoning + (more.reasoning ?? '');
    this.#put({ ...before, text, reasoning });
  }

  #commit(event: Event<'assistant_message'>): void {
    const id = this.#answerId(event);
    const known = this.#entries.get(id);
    const reasoning = known?.kind === 'assistant' ? known.reasoning : '';
    if (event.content === '' && reasoning === '' && !event.truncated) {
      this.#remove(id);
      return;
    }
    this.#put({ kind: 'assistant', id, text: event.content, reasoning, tentative: false, truncated: event.truncated, seq: event.messageSeq });
  }

  #discard(event: Event<'stream_discarded'>): void {
    this.#remove(this.#answerId(event));
    // Who stopped it knows why.
    if (event.reason !== 'cancelled') this.note('info', `The answer that had begun was discarded: ${event.reason}`);
  }

  #applyToCall(
    event: Event<'tool_call' | 'approval_requested' | 'approval_decided' | 'tool_started' | 'tool_output' | 'tool_result'>,
  ): void {
    switch (event.type) {
      case 'tool_call':
        this.#put(newCall(`${event.runId} ${event.turn} ${event.callId}`, event.callId, event.tool, event.arguments));
        break;
      case 'approval_requested':
        this.#ask(event);
        break;
      case 'approval_decided':
        this.#change(event, () => ({ state: 'waiting', question: null, decision: decisionOf(event), reason: event.reason ?? '' }));
        break;
      case 'tool_started':
        this.#change(event, () => ({ state: 'running', title: event.title }));
        this.#act(`turn ${event.turn} · ${event.title}`);
        break;
      case 'tool_output':
        this.#change(event, (call) => ({ output: clipped(call.output + event.text) }));
        break;
      case 'tool_result':
        this.#change(event, (call) => ({
          state: event.outcome === 'returned' ? (event.isError ? 'failed' : 'done') : 'closed',
          content: event.content,
          durationMs: event.durationMs,
          changes: event.changes,
          question: null,
          output: call.output,
        }));
        break;
    }
  }

  #ask(event: Event<'approval_requested'>): void {
    const { runId, sessionId, callId, tool, title, changes, command, options } = event;
    const question: OpenQuestion = { runId, sessionId, callId, tool, title, changes, command, options };
    const diff = changes.map((change) => change.diff).join('\n');
    this.#change(event, (call) => ({ state: 'asking', title, question, diff: diff === '' ? call.diff : diff }));
    this.#act(`waiting for you: ${title}`);
  }

  #end(event: Event<'run_ended'>): void {
    for (const entry of this.entries) {
      if (entry.kind === 'assistant' && entry.tentative) this.#remove(entry.id);
    }
    const left = this.#idle();
    if (event.error !== undefined) {
      this.note('error', event.error.message, true);
      this.#notDelivered(left);
      return;
    }
    const reason = event.stopReason ?? 'complete';
    const files = event.result.changes.length;
    const turns = `${event.result.turns} ${event.result.turns === 1 ? 'turn' : 'turns'}`;
    const changed = files === 0 ? '' : ` · ${files} ${files === 1 ? 'file' : 'files'} changed`;
    this.note(reason === 'complete' ? 'info' : 'warning', `${ENDINGS[reason] as string | undefined ?? reason} · ${turns}${changed}`, reason !== 'complete');
    this.#notDelivered([...left, ...event.result.undelivered.filter((text) => !left.includes(text))]);
  }

  #count(event: Event<'usage'>): void {
    const { usage, cost } = this.state;
    const sum = {
      inputTokens: (usage?.inputTokens ?? 0) + event.inputTokens,
      cachedInputTokens: (usage?.cachedInputTokens ?? 0) + event.cachedInputTokens,
      outputTokens: (usage?.outputTokens ?? 0) + event.outputTokens,
      totalTokens: (usage?.totalTokens ?? 0) + event.totalTokens,
    };
    const total = event.cost === null ? cost : { ...event.cost, amount: (cost?.amount ?? 0) + event.cost.amount };
    this.state = { ...this.state, usage: sum, cost: total };
  }

  #loadMessage(message: Message): void {
    if (message.role === 'user') {
      const origin = message.origin ?? 'person';
      this.#put({ kind: 'user', id: `user ${message.seq}`, ...parted(message.content), origin, seq: message.seq });
    } else if (message.role === 'assistant') {
      this.#loadAnswer(message);
    } else {
      const call = this.entries.findLast((entry) => entry.kind === 'tool' && entry.callId === message.toolCallId);
      if (call?.kind !== 'tool') return;
      const returned = (message.outcome ?? 'returned') === 'returned';
      const state = returned ? (message.isError === true ? 'failed' : 'done') : 'closed';
      this.#put({ ...call, state, content: message.content, changes: message.changes ?? [] });
    }
  }

  #loadAnswer(message: Message): void {
    const { seq, content: text, reasoning = '', truncated = false, toolCalls = [] } = message;
    if (text !== '' || reasoning !== '' || truncated) {
      this.#put({ kind: 'assistant', id: `answer ${seq}`, text, reasoning, tentative: false, truncated, seq });
    }
    for (const call of toolCalls) this.#put(newCall(`call ${seq} ${call.id}`, call.id, call.name, call.arguments));
  }

  #change(event: { runId: string; turn: number; callId: string }, edit: (call: ToolEntry) => Partial<ToolEntry>): void {
    const call = this.#entries.get(`${event.runId} ${event.turn} ${event.callId}`);
    if (call?.kind === 'tool') this.#put({ ...call, ...edit(call) });
  }

  #answerId(event: { runId: string; turn: number }): string {
    return `${event.runId} ${event.turn} answer ${this.#answer}`;
  }

  #notDelivered(texts: readonly string[]): void {
    for (const text of texts) this.note('warning', `Not delivered: ${text}`);
  }

  #dequeue(text?: string): string[] {
    const queued = this.entries.filter((entry) => entry.kind === 'user' && entry.origin === 'queued');
    const gone = text === undefined ? queued : queued.filter((entry) => entry.kind === 'user' && entry.text === text).slice(0, 1);
    for (const entry of gone) this.#remove(entry.id);
    return gone.flatMap((entry) => (entry.kind === 'user' ? [entry.text] : []));
  }

  #act(activity: string): void {
    this.state = { ...this.state, activity };
  }

  // Returns what the run was told and did not come to.
  #idle(): string[] {
    this.state = { ...this.state, running: false, runId: null, activity: '' };
    return this.#dequeue();
  }

  #put(entry: Entry): void {
    this.#entries.set(entry.id, entry);
    this.#changed.add(entry.id);
  }

  // What is gone is told as an empty answer, so that a view that has it can take it away.
  #remove(id: string): void {
    if (!this.#entries.delete(id)) return;
    this.removed.push(id);
    this.#changed.delete(id);
  }

  /** Ids of entries that went away; emptied by whoever shows them. */
  readonly removed: string[] = [];
}

// What the person said, and what was told along with it.
function parted(content: string): { text: string; context: string } {
  const found = /\n\n<context>\n([\s\S]*)\n<\/context>\s*$/.exec(content);
  return found === null ? { text: content, context: '' } : { text: content.slice(0, found.index), context: found[1] ?? '' };
}

function endsWhole(messages: readonly Message[]): boolean {
  const last = messages.at(-1);
  return last === undefined || (last.role === 'assistant' && (last.toolCalls ?? []).length === 0) || last.origin === 'host';
}

function originOf(event: Event<'user_message'>): 'person' | 'steered' {
  return event.steered ? 'steered' : 'person';
}

function emptyAnswer(id: string): AssistantEntry {
  return { kind: 'assistant', id, text: '', reasoning: '', tentative: true, truncated: false, seq: null };
}

function newCall(id: string, callId: string, tool: string, argumentsText: string): ToolEntry {
  return {
    kind: 'tool',
    id,
    callId,
    tool,
    title: titleOf(tool, argumentsText),
    arguments: argumentsText,
    state: 'waiting',
    output: '',
    content: '',
    durationMs: null,
    changes: [],
    diff: diffOf(tool, argumentsText),
    question: null,
    decision: '',
    reason: '',
  };
}

function isOpen(call: ToolEntry): boolean {
  return call.state === 'waiting' || call.state === 'asking' || call.state === 'running';
}

function decisionOf(event: Event<'approval_decided'>): ToolEntry['decision'] {
  if (event.by !== 'person') return '';
  if (event.decision === 'withdrawn') return 'withdrawn';
  return event.decision === 'reject' ? 'rejected' : 'allowed';
}

function clipped(text: string): string {
  return text.length <= MAX_OUTPUT_CHARS ? text : `…${text.slice(-MAX_OUTPUT_CHARS)}`;
}
