// A question where it arises: what it is about, its buttons, and a place for a reason.
import type { ToolEntry } from '../../conversation/entries.ts';
import type { OpenQuestion } from '../../protocol.gen.ts';
import { titled, visible } from '../../words.ts';
import { button, element } from './dom.ts';
import type { EntryParts } from './entry_parts.ts';

/** Returns the question. */
export function questionView(entry: ToolEntry, question: OpenQuestion, { send }: EntryParts): HTMLElement {
  const answer = (optionId: string, reason = ''): void =>
    send({ type: 'answer', runId: question.runId, callId: question.callId, optionId, reason });
  const reason = element('input', { type: 'text', placeholder: 'Why not? (Enter rejects)', 'aria-label': 'Reason for rejecting', 'data-keep': `reason ${entry.id}` });
  reason.addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && !event.isComposing) answer('reject', reason.value);
  });
  const buttons = question.options.map(({ id, label }) =>
    id === 'reject'
      ? button(label, () => answer(id, reason.value), { class: 'secondary' })
      : button(label, () => answer(id), id === 'allow_once' ? {} : { class: 'secondary' }),
  );
  const isShort = (index: number): boolean => ['allow_once', 'reject'].includes(question.options[index]?.id ?? '');
  // What it is about stands in the longer labels: those get a line each.
  const short = buttons.filter((_, index) => isShort(index)).sort((one) => (one.classList.contains('secondary') ? 1 : -1));
  const long = buttons.filter((_, index) => !isShort(index));
  const show = button(question.command === null ? 'Show the change' : 'Show the command', () => send({ type: 'showQuestion', callId: question.callId }), {
    class: 'link',
  });
  return element(
    'section',
    { class: 'question', role: 'group', 'aria-label': `Question: ${titled(question.title)}` },
    element('p', {}, `May Steersman ${titled(question.title)}?`),
    ...(question.command === null ? [] : [element('pre', { tabindex: '0' }, visible(question.command))]),
    ...(question.warning === undefined ? [] : [element('p', { class: 'warning' }, visible(question.warning))]),
    element('div', { class: 'buttons' }, ...short, show),
    ...(long.length === 0 ? [] : [element('div', { class: 'buttons lines' }, ...long)]),
    element('div', { class: 'buttons' }, reason),
  );
}
