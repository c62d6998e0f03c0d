// One entry of the conversation as elements.
import type { AssistantEntry, Entry, NoteEntry, ToolEntry, ToolState, UserEntry } from '../../conversation/entries.ts';
import { readArguments } from '../../conversation/tool_titles.ts';
import { titled } from '../../words.ts';
import { button, element } from './dom.ts';
import type { EntryParts } from './entry_parts.ts';
import { questionView } from './question_view.ts';

/** Returns the element of an entry. */
export function entryView(entry: Entry, parts: EntryParts): HTMLElement {
  switch (entry.kind) {
    case 'user':
      return userView(entry, parts);
    case 'assistant':
      return assistantView(entry, parts);
    case 'tool':
      return toolView(entry, parts);
    case 'note':
      return noteView(entry, parts);
  }
}

const SPEAKERS = { person: 'You', steered: 'You, in mid-run', queued: 'You: will be told', host: 'Steersman' } as const;

function userView(entry: UserEntry, { send }: EntryParts): HTMLElement {
  const { seq } = entry;
  const head = element('div', { class: 'head' }, SPEAKERS[entry.origin]);
  if (seq !== null && entry.origin === 'person') {
    const rewind = button('Rewind to before this', () => send({ type: 'rewind', seq: seq - 1 }), { class: 'quiet' });
    head.append(rewind);
  }
  const view = element('article', { class: `entry user ${entry.origin}`, 'aria-label': SPEAKERS[entry.origin] }, head, element('div', { class: 'text' }, entry.text));
  if (entry.context !== '') {
    view.append(element('details', { class: 'reasoning' }, element('summary', {}, 'Told along with it'), element('div', { class: 'text' }, entry.context)));
  }
  return view;
}

function assistantView(entry: AssistantEntry, { markdown }: EntryParts): HTMLElement {
  // A screen reader waits for the whole of it.
  const busy = entry.tentative ? 'true' : undefined;
  const view = element('article', { class: `entry assistant${entry.tentative ? ' tentative' : ''}`, 'aria-label': 'Answer', 'aria-busy': busy });
  if (entry.reasoning !== '') {
    const details = element('details', { class: 'reasoning' }, element('summary', {}, 'Reasoning'), element('div', { class: 'text' }, entry.reasoning));
    view.append(details);
  }
  if (entry.text !== '') view.append(element('div', { class: 'markdown' }, markdown(entry.text)));
  if (entry.truncated) view.append(element('p', { class: 'hint' }, 'Cut off by the output limit.'));
  return view;
}

const STATES: Readonly<Record<ToolState, readonly [sign: string, words: string]>> = {
  waiting: ['◌', 'waiting'],
  asking: ['?', 'asks you'],
  running: ['▸', 'running'],
  done: ['✓', 'done'],
  failed: ['✗', 'failed'],
  closed: ['–', 'did not run to its end'],
};

function toolView(entry: ToolEntry, parts: EntryParts): HTMLElement {
  const [sign, words] = STATES[entry.state];
  const size = changesOf(entry);
  const summary = element(
    'summary',
    {},
    element('span', { class: 'sign', 'aria-hidden': 'true' }, sign),
    element('span', { class: 'title' }, titled(entry.title)),
    ...(size === '' ? [] : [element('span', { class: 'size' }, size)]),
    element('span', { class: 'state' }, entry.decision === '' ? words : entry.decision),
  );
  const details = element('details', { class: 'call' }, summary, ...callDetails(entry, parts));
  const view = element('article', { class: `entry tool ${entry.state}`, 'aria-label': `${entry.title}: ${words}` }, details);
  if (entry.question !== null) view.append(questionView(entry, entry.question, parts));
  return view;
}

function callDetails(entry: ToolEntry, { send }: EntryParts): HTMLElement[] {
  const parts: HTMLElement[] = [];
  if (entry.reason !== '') parts.push(element('h4', {}, 'Decision'), element('p', {}, entry.reason));
  if (entry.diff !== '') parts.push(element('h4', {}, 'Change'), diffView(entry.diff));
  parts.push(argumentsView(entry));
  if (entry.output !== '') parts.push(element('h4', {}, 'Output'), element('pre', { tabindex: '0' }, entry.output));
  if (entry.content !== '') parts.push(element('h4', {}, 'Result'), element('pre', { tabindex: '0' }, entry.content));
  for (const change of entry.changes) {
    const unsaved = change.saved ? '' : ' (not saved yet)';
    parts.push(button(`Open ${fileName(change.uri)}${unsaved}`, () => send({ type: 'openFile', uri: change.uri }), { class: 'link' }));
  }
  if (entry.durationMs !== null) parts.push(element('p', { class: 'hint' }, `${(entry.durationMs / 1000).toFixed(1)} s`));
  return parts;
}

/** Returns a diff with its lines marked; the marks stay in the text, so that colour alone says nothing. */
export function diffView(diff: string): HTMLElement {
  const view = element('pre', { class: 'diff', tabindex: '0' });
  for (const line of diff.replace(/\n$/, '').split('\n')) {
    const isPlace = /^(@@|\+\+\+ |--- )/.test(line);
    const kind = isPlace ? 'place' : line.startsWith('+') ? 'added' : line.startsWith('-') ? 'removed' : 'same';
    view.append(element('span', { class: kind }, `${line}\n`));
  }
  return view;
}

function noteView(entry: NoteEntry, { send }: EntryParts): HTMLElement {
  const view = element('article', { class: `entry note ${entry.level}`, 'aria-label': 'Note' }, element('span', {}, entry.text));
  if (entry.canContinue) view.append(button('Continue', () => send({ type: 'continue' })));
  return view;
}

function changesOf(entry: ToolEntry): string {
  const counted = entry.changes.length > 0 ? entry.changes : (entry.question?.changes ?? []);
  if (counted.length === 0) return '';
  const added = counted.reduce((sum, change) => sum + change.added, 0);
  const removed = counted.reduce((sum, change) => sum + change.removed, 0);
  return `+${added} −${removed}`;
}

// Texts as they are, not as JSON writes them; behind a change, which says the same, they are folded.
function argumentsView(entry: ToolEntry): HTMLElement {
  const title = `Arguments of ${entry.tool}`;
  const given = Object.entries(readArguments(entry.arguments));
  const fields =
    given.length === 0
      ? [element('pre', { tabindex: '0' }, entry.arguments)]
      : given.flatMap(([name, value]) => [
          element('h5', {}, name),
          element('pre', { tabindex: '0' }, typeof value === 'string' ? value : JSON.stringify(value, null, 2)),
        ]);
  if (entry.diff === '') return element('div', { class: 'arguments' }, element('h4', {}, title), ...fields);
  return element('details', { class: 'arguments' }, element('summary', {}, title), ...fields);
}

function fileName(uri: string): string {
  const path = uri.split('/').at(-1) ?? uri;
  try {
    return decodeURIComponent(path);
  } catch {
    return path;
  }
}
