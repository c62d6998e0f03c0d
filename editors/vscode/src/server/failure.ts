// What went wrong, in words for a person. Knows nothing of VS Code.
import type { FailureData } from '../protocol.gen.ts';

/** A command that failed: the server's own words, with what it suggests to do. */
export class ServerFailure extends Error {
  readonly kind: string;
  readonly hint: string | undefined;
  readonly sessionId: string | undefined;

  constructor(message: string, data: Partial<FailureData> = {}) {
    super(message);
    this.kind = data.kind ?? 'internal';
    this.hint = data.hint;
    this.sessionId = data.sessionId;
  }

  /** What is shown: what happened, and what to do next. */
  get sentence(): string {
    return this.hint === undefined ? this.message : `${this.message} ${this.hint}`;
  }
}

/** Returns any error as a failure; what the server sent along is kept. */
export function asFailure(error: unknown): ServerFailure {
  if (error instanceof ServerFailure) return error;
  if (!(error instanceof Error)) return new ServerFailure(String(error));
  const data: unknown = 'data' in error ? error.data : undefined;
  return new ServerFailure(error.message, isFailureData(data) ? data : {});
}

function isFailureData(data: unknown): data is FailureData {
  return typeof data === 'object' && data !== null && 'kind' in data && typeof data.kind === 'string';
}
