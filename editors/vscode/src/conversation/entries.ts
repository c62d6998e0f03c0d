// What a conversation is made of, as it is shown. Plain data: the same on both sides of the panel's glass.
import type { ChangeSummary, OpenQuestion, Session, StopReason, Usage } from '../protocol.gen.ts';

export interface UserEntry {
  readonly kind: 'user';
  readonly id: string;
  readonly text: string;
  /** What the model is told of what the person looked at, or "". */
  readonly context: string;
  /** Who wrote it: the person, the person in mid-run (told, or waiting for its turn), or Steersman itself. */
  readonly origin: 'person' | 'steered' | 'queued' | 'host';
  /** Its number in the session; null as long as it is not recorded. */
  readonly seq: number | null;
}

export interface AssistantEntry {
  readonly kind: 'assistant';
  readonly id: string;
  readonly text: string;
  readonly reasoning: string;
  /** What streams in is tentative until the whole of it is recorded. */
  readonly tentative: boolean;
  readonly truncated: boolean;
  readonly seq: number | null;
}

export type ToolState = 'waiting' | 'asking' | 'running' | 'done' | 'failed' | 'closed';

export interface ToolEntry {
  readonly kind: 'tool';
  readonly id: string;
  readonly callId: string;
  readonly tool: string;
  /** Short, for people: “edit src/app.py”. */
  readonly title: string;
  /** As the model wrote them. */
  readonly arguments: string;
  readonly state: ToolState;
  readonly output: string;
  readonly content: string;
  readonly durationMs: number | null;
  readonly changes: readonly ChangeSummary[];
  readonly diff: string;
  readonly question: OpenQuestion | null;
  /** What became of the question, for people. */
  readonly decision: '' | 'allowed' | 'rejected' | 'withdrawn';
  /** Why it was decided so, as the model is told. */
  readonly reason: string;
}

export interface NoteEntry {
  readonly kind: 'note';
  readonly id: string;
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
  /** Whether the run can be taken up again from here. */
  readonly canContinue: boolean;
}

export type Entry = UserEntry | AssistantEntry | ToolEntry | NoteEntry;

/** What stands above and below the entries. */
export interface ConversationState {
  readonly sessionId: string;
  readonly title: string;
  readonly running: boolean;
  readonly runId: string | null;
  /** What the run does now, for people; "" when none is at work. */
  readonly activity: string;
  readonly model: string;
  readonly usage: Usage | null;
  readonly cost: Session['cost'];
}

export const ENDINGS: Readonly<Record<StopReason, string>> = {
  complete: 'Complete',
  max_turns: 'Turn limit reached',
  aborted: 'Stopped',
  timeout: 'Time limit reached',
  budget: 'Budget used up',
  no_progress: 'Stopped: it went in circles',
  truncated: 'Cut off by the output limit',
};
