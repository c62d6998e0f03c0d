// What a rewind would touch, read off the recorded messages. Pure.
import type { ChangeSummary, Message } from './protocol.gen.ts';

/** Returns one change a file, the latest, of the messages behind a number. */
export function changesAfter(messages: readonly Message[], seq: number): readonly ChangeSummary[] {
  const latest = new Map<string, ChangeSummary>();
  for (const message of messages) {
    if (message.seq <= seq) continue;
    for (const change of message.changes ?? []) latest.set(change.uri, change);
  }
  return [...latest.values()];
}
