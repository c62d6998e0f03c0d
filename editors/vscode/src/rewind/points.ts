// What a rewind would touch and what it would do, in words. Pure.
import type { ChangeSummary, Message, RewindResult } from '../protocol.gen.ts';

/** Returns one change a file, the latest, of the messages behind a number. */
export function changesAfter(messages: readonly Message[], seq: number): readonly ChangeSummary[] {
  const latest = new Map<string, ChangeSummary>();
  for (const message of messages) {
    if (message.seq <= seq) continue;
    for (const change of message.changes ?? []) latest.set(change.uri, change);
  }
  return [...latest.values()];
}

/** Returns “1 file”, “3 files”. */
export function countFiles(count: number): string {
  return count === 1 ? '1 file' : `${count} files`;
}

/** Says in a few words what a rewind would do to files. */
export function inShort(preview: RewindResult): string {
  const parts = [preview.restored.length === 0 ? 'no file changes' : `${countFiles(preview.restored.length)} put back`];
  if (preview.conflicts.length > 0) parts.push(`${preview.conflicts.length} left alone`);
  if (preview.uncovered.length > 0) parts.push(`what ${preview.uncovered.join(', ')} did stays`);
  return parts.join(' · ');
}

/** Says what a rewind would do, or did; `name` makes a file's address short. */
export function inWords(result: RewindResult, verb: 'would be' | 'were', name: (uri: string) => string): string {
  const back = result.restored.length === 1 && verb === 'were' ? 'was' : verb;
  const names = result.restored.length <= 3 ? result.restored.map(name).join(', ') : countFiles(result.restored.length);
  const sentences = [result.restored.length === 0 ? 'No file changes.' : `${names} ${back} put back.`];
  if (result.conflicts.length > 0) {
    sentences.push(`Left alone: ${result.conflicts.map(({ uri, reason }) => `${name(uri)} (${reason})`).join('; ')}.`);
  }
  if (result.uncovered.length > 0) sentences.push(`What ${result.uncovered.join(', ')} did is not taken back.`);
  return sentences.join(' ');
}
