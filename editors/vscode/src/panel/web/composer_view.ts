// Where the person writes and chooses: the text, send and stop, the mode, the model, what it has cost so far.
import type { ConversationState } from '../../conversation/entries.ts';
import type { FromPanel, Surroundings } from '../messages.ts';
import { button, element } from './dom.ts';

export class ComposerView {
  readonly input: HTMLTextAreaElement;
  readonly #send: (message: FromPanel) => void;
  readonly #submit: HTMLButtonElement;
  readonly #stop: HTMLButtonElement;
  readonly #mode: HTMLSelectElement;
  readonly #model: HTMLButtonElement;
  readonly #spent: HTMLElement;
  #running = false;
  #ready = false;

  constructor(root: HTMLElement, send: (message: FromPanel) => void, changed: () => void) {
    this.#send = send;
    this.input = element('textarea', { rows: '3', 'aria-label': 'Task', placeholder: 'What shall be done?' });
    this.input.addEventListener('input', () => {
      this.#update();
      changed();
    });
    this.input.addEventListener('keydown', (event) => {
      if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
        event.preventDefault();
        this.#take();
      }
    });
    this.#submit = button('Send', () => this.#take(), { title: 'Send (Enter)' });
    this.#stop = button('Stop', () => send({ type: 'stop' }), { class: 'stop', title: 'Stop the run', hidden: true });
    this.#mode = element('select', { 'aria-label': 'What it may do', title: 'What it may do' });
    this.#mode.addEventListener('change', () => send({ type: 'setMode', mode: this.#mode.value }));
    this.#model = button('', () => send({ type: 'chooseModel' }), { class: 'link', title: 'Choose a model' });
    this.#spent = element('span', { class: 'spent' });
    root.append(
      this.input,
      element('div', { class: 'row' }, this.#mode, this.#model),
      element('div', { class: 'row' }, this.#spent, element('span', { class: 'actions' }, this.#stop, this.#submit)),
    );
  }

  /** Takes over what stands around the conversation. */
  surround({ mode, modes, model, trusted, server }: Surroundings): void {
    this.#ready = server.kind === 'running';
    this.#mode.replaceChildren(
      ...modes.map(({ id, label, detail }) => element('option', { value: id, selected: id === mode, title: detail }, label)),
    );
    this.#mode.value = mode;
    this.#mode.disabled = !trusted;
    this.#mode.title = trusted ? (modes.find(({ id }) => id === mode)?.detail ?? '') : 'This workspace is not trusted: Steersman only reads and answers.';
    this.#model.textContent = model === '' ? 'Choose a model' : model;
    this.#update();
  }

  /** Takes over the state of the conversation that is shown. */
  show(state: ConversationState | null): void {
    this.#running = state?.running ?? false;
    this.#stop.hidden = !this.#running;
    this.input.placeholder = this.#running ? 'Say something to the run at work…' : state === null ? 'What shall be done?' : 'Go on with…';
    this.#spent.textContent = state === null ? '' : spent(state);
    this.#update();
  }

  #take(): void {
    const text = this.input.value.trim();
    if (text === '' || !this.#ready) return;
    this.#send({ type: 'submit', text });
    this.input.value = '';
    this.input.dispatchEvent(new Event('input'));
  }

  #update(): void {
    this.#submit.disabled = this.input.value.trim() === '' || !this.#ready;
    this.#submit.textContent = this.#running ? 'Tell' : 'Send';
  }
}

/** Returns tokens and cost in words; the cost is an estimate and is called one. */
export function spent({ usage, cost }: Pick<ConversationState, 'usage' | 'cost'>): string {
  if (usage === null || usage.totalTokens === 0) return '';
  const tokens = `${usage.totalTokens.toLocaleString('en')} tokens`;
  const parts = [`${tokens} (${usage.inputTokens.toLocaleString('en')} in, ${usage.outputTokens.toLocaleString('en')} out)`];
  if (cost !== null && cost.amount > 0) parts.push(`about $${cost.amount < 0.01 ? cost.amount.toFixed(4) : cost.amount.toFixed(2)}`);
  return parts.join(' · ');
}
