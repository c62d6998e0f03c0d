// The list of entries, kept up piece by piece: what is open stays open, and the place is kept where a person reads.
import type { Entry } from '../../conversation/entries.ts';
import { element } from './dom.ts';
import type { EntryParts } from './entry_parts.ts';
import { entryView } from './entry_views.ts';

/** So near to the end counts as being at the end. */
const END_PX = 40;

export class ConversationView {
  readonly #root: HTMLElement;
  readonly #list: HTMLElement;
  readonly #parts: EntryParts;
  readonly #views = new Map<string, HTMLElement>();
  #isAtEnd = true;

  constructor(root: HTMLElement, parts: EntryParts) {
    this.#root = root;
    this.#parts = parts;
    this.#list = element('div', { class: 'entries', role: 'log', 'aria-live': 'polite', 'aria-relevant': 'additions' });
    root.append(this.#list);
    root.addEventListener('scroll', () => {
      this.#isAtEnd = root.scrollHeight - root.scrollTop - root.clientHeight < END_PX;
    });
    // What is below may grow, and the list too when what is in it is laid out: who reads the end goes on reading it.
    const follow = new ResizeObserver(() => this.#follow());
    follow.observe(root);
    follow.observe(this.#list);
  }

  /** Shows other entries than before. */
  replace(entries: readonly Entry[], whenEmpty: HTMLElement): void {
    this.#views.clear();
    this.#list.replaceChildren();
    if (entries.length === 0) this.#list.append(whenEmpty);
    this.#isAtEnd = true;
    this.update(entries, []);
  }

  /** Takes in what changed. */
  update(entries: readonly Entry[], removed: readonly string[]): void {
    for (const id of removed) {
      this.#views.get(id)?.remove();
      this.#views.delete(id);
    }
    if (entries.length > 0) this.#list.querySelector('.empty')?.remove();
    for (const entry of entries) this.#put(entry);
    this.#follow();
  }

  #follow(): void {
    if (this.#isAtEnd) this.#root.scrollTop = this.#root.scrollHeight;
  }

  #put(entry: Entry): void {
    const view = entryView(entry, this.#parts);
    const before = this.#views.get(entry.id);
    if (before === undefined) {
      this.#list.append(view);
    } else {
      keepState(before, view);
      const focused = focusPath(before);
      before.replaceWith(view);
      restoreFocus(view, focused);
    }
    this.#views.set(entry.id, view);
  }
}

// What the person opened stays open, and what they typed stays typed.
function keepState(before: HTMLElement, after: HTMLElement): void {
  const opened = [...before.querySelectorAll('details')].map((each) => each.open);
  after.querySelectorAll('details').forEach((each, index) => {
    each.open = opened[index] ?? each.open;
  });
  for (const input of before.querySelectorAll<HTMLInputElement>('input[data-keep]')) {
    const key = input.dataset['keep'];
    const same = [...after.querySelectorAll<HTMLInputElement>('input[data-keep]')].find((each) => each.dataset['keep'] === key);
    if (same !== undefined) same.value = input.value;
  }
}

const FOCUSABLE = 'button, input, summary, pre[tabindex], a[href]';

function focusPath(view: HTMLElement): number {
  const { activeElement } = document;
  return activeElement === null ? -1 : [...view.querySelectorAll(FOCUSABLE)].indexOf(activeElement);
}

function restoreFocus(view: HTMLElement, index: number): void {
  if (index >= 0) view.querySelectorAll<HTMLElement>(FOCUSABLE)[index]?.focus({ preventScroll: true });
}
