// The panel's script: shows what the extension tells, tells what the person does.
import type { ConversationState } from '../../conversation/entries.ts';
import type { FromPanel, Surroundings, ToPanel } from '../messages.ts';
import { ComposerView } from './composer_view.ts';
import { ConversationView } from './conversation_view.ts';
import { button, element } from './dom.ts';
import { createMarkdown } from './markdown.ts';

interface Kept {
  readonly sessionId: string | null;
  readonly draft: string;
}

interface Host {
  postMessage(message: FromPanel): void;
  getState(): Kept | undefined;
  setState(state: Kept): void;
}

declare function acquireVsCodeApi(): Host;

function start(): void {
  const host = acquireVsCodeApi();
  const send = (message: FromPanel): void => host.postMessage(message);
  const byId = (id: string): HTMLElement => document.getElementById(id) ?? document.body;
  let shown: ConversationState | null = null;
  let surroundings: Surroundings | undefined;
  const keep = (): void => host.setState({ sessionId: shown?.sessionId ?? null, draft: composer.input.value });
  const composer = new ComposerView(byId('composer'), send, keep);
  const conversation = new ConversationView(byId('conversation'), { send, markdown: createMarkdown(window) });
  const kept = host.getState();
  composer.input.value = kept?.draft ?? '';

  const show = (state: ConversationState | null): void => {
    shown = state;
    composer.show(state);
    byId('status').textContent = state?.activity ?? '';
    keep();
  };

  const take = (message: ToPanel): void => {
    switch (message.type) {
      case 'surroundings':
        surroundings = message.surroundings;
        composer.surround(surroundings);
        if (shown === null) conversation.replace([], emptyView(surroundings, send));
        break;
      case 'conversation':
        conversation.replace(message.entries, emptyView(surroundings, send));
        show(message.state);
        break;
      case 'change':
        conversation.update(message.entries, message.removed);
        show(message.state);
        break;
      case 'refused':
        composer.input.value = [message.text, composer.input.value].filter((text) => text !== '').join('\n');
        composer.input.dispatchEvent(new Event('input'));
        byId('status').textContent = message.problem;
        break;
      case 'focus':
        composer.input.focus();
        break;
    }
  };

  window.addEventListener('message', (event: MessageEvent<ToPanel>) => take(event.data));
  document.addEventListener('click', (event) => follow(event, send));
  send({ type: 'ready', sessionId: kept?.sessionId ?? null });
}

// Links and copy buttons of answers; nothing navigates. VS Code's own listener, one level up, must not see a link: it
// would open it too, and a relative one as a page of its own.
function follow(event: MouseEvent, send: (message: FromPanel) => void): void {
  if (!(event.target instanceof Element)) return;
  const link = event.target.closest('a[href]');
  if (link !== null) {
    event.preventDefault();
    event.stopPropagation();
    send({ type: 'openLink', href: link.getAttribute('href') ?? '' });
  }
  const copy = event.target.closest<HTMLElement>('button[data-copy]');
  const code = copy?.parentElement?.querySelector('pre')?.textContent;
  if (copy !== null && code !== undefined) {
    void navigator.clipboard.writeText(code).then(() => {
      copy.textContent = 'Copied';
    });
  }
}

function emptyView(surroundings: Surroundings | undefined, send: (message: FromPanel) => void): HTMLElement {
  const view = element('div', { class: 'empty' });
  if (surroundings?.server.kind === 'failed') {
    view.append(element('h2', {}, 'Steersman cannot start'), element('p', {}, surroundings.server.problem));
    if (surroundings.server.canInstall) view.append(button('Install the Server', () => send({ type: 'install' })));
    view.append(
      button('Try Again', () => send({ type: 'restart' }), { class: 'secondary' }),
      button('Open the Settings', () => send({ type: 'openSettings' }), { class: 'secondary' }),
      button('Show the Log', () => send({ type: 'showLog' }), { class: 'secondary' }),
    );
    return view;
  }
  view.append(
    element('h2', {}, 'What shall be done?'),
    element('p', {}, 'Say it below. Steersman reads, proposes and asks; you see each change before it is made, and can take it back.'),
  );
  if (surroundings?.hasFolder === false) view.append(element('p', {}, 'No folder is open: there is nothing that Steersman could read or change.'));
  if (surroundings?.trusted === false) view.append(element('p', { class: 'warning' }, 'This workspace is not trusted: Steersman only reads and answers.'));
  return view;
}

start();
