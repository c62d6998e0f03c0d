// What passes through the panel's glass. Everything that comes out of the web view is checked before it is believed.
import type { ConversationState, Entry } from '../conversation/entries.ts';
import type { Mode } from '../protocol.gen.ts';

/** What the panel shows besides the conversation. */
export interface Surroundings {
  readonly server: { readonly kind: 'stopped' | 'starting' | 'running' | 'failed'; readonly problem: string; readonly canInstall: boolean };
  readonly mode: Mode;
  readonly modes: readonly { readonly id: Mode; readonly label: string; readonly detail: string }[];
  readonly trusted: boolean;
  /** The chosen model, or what the server is configured for. */
  readonly model: string;
  readonly hasFolder: boolean;
}

export type ToPanel =
  | { readonly type: 'surroundings'; readonly surroundings: Surroundings }
  | { readonly type: 'conversation'; readonly state: ConversationState | null; readonly entries: readonly Entry[] }
  | { readonly type: 'change'; readonly state: ConversationState; readonly entries: readonly Entry[]; readonly removed: readonly string[] }
  | { readonly type: 'refused'; readonly text: string; readonly problem: string }
  | { readonly type: 'focus' };

export type FromPanel =
  | { readonly type: 'ready'; readonly sessionId: string | null }
  | { readonly type: 'submit'; readonly text: string }
  | { readonly type: 'stop' }
  | { readonly type: 'continue' }
  | { readonly type: 'setMode'; readonly mode: string }
  | { readonly type: 'chooseModel' }
  | { readonly type: 'answer'; readonly runId: string; readonly callId: string; readonly optionId: string; readonly reason: string }
  | { readonly type: 'showQuestion'; readonly callId: string }
  | { readonly type: 'openFile'; readonly uri: string }
  | { readonly type: 'openLink'; readonly href: string }
  | { readonly type: 'rewind'; readonly seq: number }
  | { readonly type: 'install' | 'restart' | 'showLog' | 'newSession' | 'openSettings' };

const FIELDS: Readonly<Record<FromPanel['type'], Readonly<Record<string, 'string' | 'number' | 'string?'>>>> = {
  ready: { sessionId: 'string?' },
  submit: { text: 'string' },
  stop: {},
  continue: {},
  setMode: { mode: 'string' },
  chooseModel: {},
  answer: { runId: 'string', callId: 'string', optionId: 'string', reason: 'string' },
  showQuestion: { callId: 'string' },
  openFile: { uri: 'string' },
  openLink: { href: 'string' },
  rewind: { seq: 'number' },
  install: {},
  restart: {},
  showLog: {},
  newSession: {},
  openSettings: {},
};

/** Returns a message of the panel, or undefined for what is none. */
export function readMessage(value: unknown): FromPanel | undefined {
  if (typeof value !== 'object' || value === null || !('type' in value) || typeof value.type !== 'string') return undefined;
  if (!Object.hasOwn(FIELDS, value.type)) return undefined;
  const message = value as Readonly<Record<string, unknown>>;
  const fits = Object.entries(FIELDS[value.type as FromPanel['type']]).every(([name, kind]) => {
    const given = message[name];
    return kind === 'string?' ? given === null || typeof given === 'string' : typeof given === kind;
  });
  return fits ? (value as FromPanel) : undefined;
}
