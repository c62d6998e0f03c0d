// Made by scripts/protocol_types.py from the server's own code. Do not edit: `make vscode-protocol` writes it anew.

export interface AnswerParams {
  runId: string;
  callId: string;
  optionId: string;
  reason?: string | null;
}

export interface CancelParams {
  sessionId?: string | null;
  runId?: string | null;
  force?: boolean;
}

export interface CommandParams {
}

export interface DiagnosticParams {
  range: RangeParams;
  message: string;
  severity?: number | null;
  source?: string | null;
  code?: number | string | null;
}

export interface PositionParams {
  line: number;
  character: number;
}

export interface RangeParams {
  start: PositionParams;
  end: PositionParams;
}

export interface ContextParams {
  uri: string;
  selection?: RangeParams | null;
  diagnostics?: readonly (DiagnosticParams)[] | null;
}

export interface ExportSessionParams {
  sessionId: string;
  format?: 'json' | 'markdown' | 'html';
  path?: string | null;
  force?: boolean;
  files?: boolean;
  keepSecrets?: boolean;
}

export interface FolderParams {
  folder?: string | null;
}

export interface ForkSessionParams {
  sessionId: string;
  atMessage?: number | null;
}

export interface GetSessionParams {
  sessionId: string;
  after?: number | null;
  limit?: number | null;
}

export interface LimitsParams {
  maxTokens?: number | null;
  maxCost?: number | null;
  deadlineSeconds?: number | null;
}

export interface ListSessionsParams {
  folder?: string | null;
  query?: string | null;
  limit?: number;
  offset?: number;
}

export interface Nothing {
}

export interface RenameSessionParams {
  sessionId: string;
  title: string;
}

export interface RewindParams {
  sessionId: string;
  toMessage: number;
  files?: boolean;
  conversation?: boolean;
  force?: boolean;
  dryRun?: boolean;
  preview?: string | null;
}

export interface RunParams {
  prompt: string;
  sessionId?: string | null;
  continue?: boolean;
  takeOver?: boolean;
  folder?: string | null;
  context?: ContextParams | null;
  mode?: 'plan' | 'ask' | 'accept-edits' | 'auto' | null;
  model?: string | null;
  maxTurns?: number | null;
  limits?: LimitsParams | null;
}

export interface SearchSessionsParams {
  query: string;
  folder?: string | null;
  limit?: number;
}

export interface SessionParams {
  sessionId: string;
}

export interface SetModeParams {
  mode: 'plan' | 'ask' | 'accept-edits' | 'auto';
  sessionId?: string | null;
}

export interface SteerParams {
  sessionId: string;
  text: string;
}

export interface UndoRewindParams {
  rewindId: string;
  force?: boolean;
}

export interface WaitParams {
  runId: string;
}

export interface ClientPart {
  events?: boolean;
  approvals?: boolean;
  saveDocuments?: boolean;
  diagnostics?: boolean;
}

export interface LimitsPart {
  maxTokens?: number | null;
  maxCost?: number | null;
  deadlineSeconds?: number | null;
}

export type Mode = 'plan' | 'ask' | 'accept-edits' | 'auto';

export interface PermissionPart {
  tool: string;
  match?: string;
  action: 'allow' | 'ask' | 'deny';
}

export interface SettingsPart {
  model?: string | null;
  mode?: Mode | null;
  maxTurns?: number | null;
  maxOutputTokens?: number | null;
  limits?: LimitsPart | null;
  contextMaxChars?: number | null;
  providers?: Readonly<Record<string, Readonly<Record<string, unknown>>>> | null;
  permissions?: readonly (PermissionPart)[] | null;
  showAnswer?: 'auto' | 'message' | 'document' | 'none' | null;
  client?: ClientPart | null;
  durability?: 'normal' | 'full' | null;
  sandboxNetwork?: boolean | null;
}

export type StopReason = 'complete' | 'max_turns' | 'aborted' | 'timeout' | 'budget' | 'no_progress' | 'truncated';

export interface Usage {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly estimated?: true;
}

export interface ChangeSummary {
  readonly uri: string;
  readonly kind: 'edit' | 'create' | 'delete' | 'move';
  readonly added: number;
  readonly removed: number;
  readonly saved: boolean;
  readonly from?: string;
}

export interface RunResult {
  readonly sessionId: string;
  readonly runId: string;
  readonly stopReason: 'complete' | 'max_turns' | 'aborted' | 'timeout' | 'budget' | 'no_progress' | 'truncated' | null;
  readonly answer: string;
  readonly turns: number;
  readonly usage: {
    readonly inputTokens: number;
    readonly cachedInputTokens: number;
    readonly outputTokens: number;
    readonly totalTokens: number;
    readonly cacheWriteTokens?: number;
    readonly reasoningTokens?: number;
    readonly estimated?: true;
  };
  readonly cost: {
    readonly amount: number;
    readonly currency: string;
    readonly estimate: true;
  } | null;
  readonly toolCalls: Readonly<Record<string, number>>;
  readonly changes: readonly ({
    readonly uri: string;
    readonly kind: 'edit' | 'create' | 'delete' | 'move';
    readonly added: number;
    readonly removed: number;
    readonly saved: boolean;
    readonly from?: string;
  })[];
  readonly undelivered: readonly (string)[];
  readonly refused: readonly ({
    readonly callId: string;
    readonly tool: string;
    readonly arguments: string;
    readonly reason: string;
  })[];
}

export interface Session {
  readonly id: string;
  readonly title: string;
  readonly folder: string | null;
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly messages: number;
  readonly model: string;
  readonly running: boolean;
  readonly parentId: string | null;
  readonly usage: {
    readonly inputTokens: number;
    readonly cachedInputTokens: number;
    readonly outputTokens: number;
    readonly totalTokens: number;
    readonly cacheWriteTokens?: number;
    readonly reasoningTokens?: number;
    readonly estimated?: true;
  };
  readonly cost: {
    readonly amount: number;
    readonly currency: string;
    readonly estimate: true;
  } | null;
}

export interface Message {
  readonly seq: number;
  readonly role: 'user' | 'assistant' | 'tool';
  readonly content: string;
  readonly createdAt: string;
  readonly origin?: 'steered' | 'host';
  readonly toolCalls?: readonly ({
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  })[];
  readonly reasoning?: string;
  readonly truncated?: true;
  readonly toolCallId?: string;
  readonly isError?: boolean;
  readonly outcome?: 'returned' | 'aborted' | 'failed' | 'skipped' | 'interrupted';
  readonly changes?: readonly ({
    readonly uri: string;
    readonly kind: 'edit' | 'create' | 'delete' | 'move';
    readonly added: number;
    readonly removed: number;
    readonly saved: boolean;
    readonly from?: string;
  })[];
}

export interface FailureData {
  readonly kind: string;
  readonly hint?: string;
  readonly sessionId?: string;
  readonly runId?: string;
  readonly turns?: number;
  readonly usage?: {
    readonly inputTokens: number;
    readonly cachedInputTokens: number;
    readonly outputTokens: number;
    readonly totalTokens: number;
    readonly cacheWriteTokens?: number;
    readonly reasoningTokens?: number;
    readonly estimated?: true;
  };
  readonly changes?: readonly ({
    readonly uri: string;
    readonly kind: 'edit' | 'create' | 'delete' | 'move';
    readonly added: number;
    readonly removed: number;
    readonly saved: boolean;
    readonly from?: string;
  })[];
  readonly undelivered?: readonly (string)[];
}

export interface OpenQuestion {
  readonly runId: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly changes: readonly ({
    readonly uri: string;
    readonly kind: 'edit' | 'create' | 'delete' | 'move';
    readonly added: number;
    readonly removed: number;
    readonly from?: string;
    readonly diff: string;
  })[];
  readonly command: string | null;
  readonly options: readonly ({
    readonly id: string;
    readonly label: string;
  })[];
  readonly warning?: string;
}

export interface ApprovalParams {
  readonly runId: string;
  readonly sessionId: string;
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly changes: readonly ({
    readonly uri: string;
    readonly kind: 'edit' | 'create' | 'delete' | 'move';
    readonly added: number;
    readonly removed: number;
    readonly from?: string;
    readonly before: string | null;
    readonly after: string | null;
    readonly diff: string;
  })[];
  readonly command: string | null;
  readonly options: readonly ({
    readonly id: string;
    readonly label: string;
  })[];
  readonly warning?: string;
}

export interface Status {
  readonly version: string;
  readonly model: string;
  readonly mode: string;
  readonly stateDir: string;
  readonly folders: readonly (string)[];
  readonly runs: readonly ({
    readonly runId: string;
    readonly sessionId: string;
    readonly turn: number;
    readonly activity: string;
    readonly startedAt: string;
  })[];
  readonly warnings: readonly (string)[];
}

export interface Model {
  readonly id: string;
  readonly contextWindow?: number;
  readonly inputPrice?: number;
  readonly outputPrice?: number;
}

export interface RewindResult {
  readonly restored: readonly (string)[];
  readonly conflicts: readonly ({
    readonly uri: string;
    readonly reason: string;
    readonly neverSaved?: true;
  })[];
  readonly uncovered: readonly (string)[];
  readonly rewindId?: string;
  readonly preview?: string;
  readonly files?: readonly ({
    readonly uri: string;
    readonly kind: 'edit' | 'create' | 'delete' | 'move';
    readonly added: number;
    readonly removed: number;
    readonly from?: string;
    readonly before: string | null;
    readonly after: string | null;
    readonly diff: string;
    readonly conflict?: string;
  })[];
  readonly messages?: number;
}

export type RunStartedEvent = {
  readonly prompt: string;
  readonly model: string;
  readonly mode: string;
  readonly folder: string;
};

export type UserMessageEvent = {
  readonly messageSeq: number;
  readonly text: string;
  readonly steered: boolean;
};

export type TurnStartedEvent = {
  readonly maxTurns: number;
};

export type TextDeltaEvent = {
  readonly text: string;
};

export type ReasoningDeltaEvent = {
  readonly text: string;
};

export type StreamDiscardedEvent = {
  readonly reason: string;
};

export type RetryWaitingEvent = {
  readonly reason: string;
  readonly seconds: number;
  readonly attempt: number;
};

export type AssistantMessageEvent = {
  readonly messageSeq: number | null;
  readonly content: string;
  readonly toolCalls: readonly ({
    readonly id: string;
    readonly name: string;
    readonly arguments: string;
  })[];
  readonly truncated: boolean;
};

export type ToolCallEvent = {
  readonly callId: string;
  readonly tool: string;
  readonly arguments: string;
};

export type ApprovalRequestedEvent = {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
  readonly changes: readonly ({
    readonly uri: string;
    readonly kind: 'edit' | 'create' | 'delete' | 'move';
    readonly added: number;
    readonly removed: number;
    readonly from?: string;
    readonly diff: string;
  })[];
  readonly command: string | null;
  readonly options: readonly ({
    readonly id: string;
    readonly label: string;
  })[];
};

export type ApprovalDecidedEvent = {
  readonly callId: string;
  readonly decision: string;
  readonly by: 'policy' | 'rule' | 'person';
  readonly reason: string | null;
};

export type ToolStartedEvent = {
  readonly callId: string;
  readonly tool: string;
  readonly title: string;
};

export type ToolOutputEvent = {
  readonly callId: string;
  readonly text: string;
};

export type ToolResultEvent = {
  readonly callId: string;
  readonly tool: string;
  readonly content: string;
  readonly isError: boolean;
  readonly outcome: 'returned' | 'aborted' | 'failed' | 'skipped' | 'interrupted';
  readonly durationMs: number;
  readonly changes: readonly ({
    readonly uri: string;
    readonly kind: 'edit' | 'create' | 'delete' | 'move';
    readonly added: number;
    readonly removed: number;
    readonly saved: boolean;
    readonly from?: string;
  })[];
};

export type ContextTrimmedEvent = {
  readonly messagesLeftOut: number;
  readonly chars: number;
};

export type UsageEvent = {
  readonly inputTokens: number;
  readonly cachedInputTokens: number;
  readonly outputTokens: number;
  readonly totalTokens: number;
  readonly cacheWriteTokens?: number;
  readonly reasoningTokens?: number;
  readonly cost: {
    readonly amount: number;
    readonly currency: string;
    readonly estimate: true;
  } | null;
  readonly estimated?: true;
};

export type WarningEvent = {
  readonly kind: string;
  readonly message: string;
};

export type TurnEndedEvent = {
};

export type RunEndedEvent = {
  readonly stopReason?: 'complete' | 'max_turns' | 'aborted' | 'timeout' | 'budget' | 'no_progress' | 'truncated';
  readonly result: RunResult;
  readonly error?: {
    readonly kind: string;
    readonly message: string;
  };
};

export interface EventEnvelope {
  readonly runId: string;
  readonly sessionId: string;
  readonly seq: number;
  readonly turn: number;
  readonly time: string;
}

export type SteersmanEvent = EventEnvelope & (
  | ({ readonly type: 'run_started' } & RunStartedEvent)
  | ({ readonly type: 'user_message' } & UserMessageEvent)
  | ({ readonly type: 'turn_started' } & TurnStartedEvent)
  | ({ readonly type: 'text_delta' } & TextDeltaEvent)
  | ({ readonly type: 'reasoning_delta' } & ReasoningDeltaEvent)
  | ({ readonly type: 'stream_discarded' } & StreamDiscardedEvent)
  | ({ readonly type: 'retry_waiting' } & RetryWaitingEvent)
  | ({ readonly type: 'assistant_message' } & AssistantMessageEvent)
  | ({ readonly type: 'tool_call' } & ToolCallEvent)
  | ({ readonly type: 'approval_requested' } & ApprovalRequestedEvent)
  | ({ readonly type: 'approval_decided' } & ApprovalDecidedEvent)
  | ({ readonly type: 'tool_started' } & ToolStartedEvent)
  | ({ readonly type: 'tool_output' } & ToolOutputEvent)
  | ({ readonly type: 'tool_result' } & ToolResultEvent)
  | ({ readonly type: 'context_trimmed' } & ContextTrimmedEvent)
  | ({ readonly type: 'usage' } & UsageEvent)
  | ({ readonly type: 'warning' } & WarningEvent)
  | ({ readonly type: 'turn_ended' } & TurnEndedEvent)
  | ({ readonly type: 'run_ended' } & RunEndedEvent)
);
