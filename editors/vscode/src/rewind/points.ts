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

/** Says what a rewind would do; `name` makes a file's address short. */
export function whatItWouldDo(preview: RewindResult, name: (uri: string) => string): string {
  const files = (preview.files ?? []).filter(({ conflict }) => conflict === undefined);
  const gone = files.filter(({ kind }) => kind === 'delete').map(({ uri }) => uri);
  const back = files.filter(({ kind }) => kind !== 'delete').map(({ uri }) => uri);
  const parts = [];
  if (back.length > 0) parts.push(`${few(back, name)} would be put back`);
  if (gone.length > 0) parts.push(`${few(gone, name)} would be removed`);
  return [`${parts.length === 0 ? 'No file would change' : parts.join('; ')}.`, ...whatStays(preview, name)].join(' ');
}

/** Says what a rewind did. */
export function whatItDid(result: RewindResult, name: (uri: string) => string): string {
  const { restored } = result;
  const done = restored.length === 0 ? 'No file changed.' : `Put back: ${few(restored, name)}.`;
  return [done, ...whatStays(result, name)].join(' ');
}

function whatStays({ conflicts, uncovered }: RewindResult, name: (uri: string) => string): string[] {
  const sentences = conflicts.map(({ uri, reason }) => `${name(uri)}: ${reason}.`);
  if (uncovered.length > 0) sentences.push(`What ${uncovered.join(', ')} did is not taken back.`);
  return sentences;
}

function few(uris: readonly string[], name: (uri: string) => string): string {
  return uris.length <= 3 ? uris.map(name).join(', ') : countFiles(uris.length);
}
