// Goes back to a point of a conversation: the point is picked, what would change is shown, then exactly that is done.
import * as vscode from 'vscode';
import { oneLine } from '../conversation/tool_titles.ts';
import type { Panel } from '../panel/panel.ts';
import type { Message, RewindParams, RewindResult } from '../protocol.gen.ts';
import type { Runs } from '../runs.ts';
import type { Server } from '../server/server.ts';
import type { SessionTree } from '../sessions/tree.ts';
import { inform, warn } from '../tell.ts';
import { plain } from '../words.ts';
import { changesAfter, countFiles, inShort, whatItDid, whatItWouldDo } from './points.ts';
import type { RewindReview } from './review.ts';

interface Point {
  readonly sessionId: string;
  /** The number of the last message that stays; -1 for before all. */
  readonly seq: number;
}

interface What {
  readonly label: string;
  readonly detail: string;
  readonly files: boolean;
  readonly conversation: boolean;
}

const CONVERSATION_ONLY: What = { label: 'Conversation only', detail: 'The files stay as they are.', files: false, conversation: true };

export interface RewindParts {
  readonly server: Server;
  readonly runs: Runs;
  readonly panel: Panel;
  readonly tree: SessionTree;
  readonly review: RewindReview;
}

interface Rewound {
  readonly sessionId: string;
  readonly rewindId: string;
}

export class Rewinds {
  readonly #server: Server;
  readonly #runs: Runs;
  readonly #panel: Panel;
  readonly #tree: SessionTree;
  readonly #review: RewindReview;
  #last: Rewound | undefined;

  constructor({ server, runs, panel, tree, review }: RewindParts) {
    this.#server = server;
    this.#runs = runs;
    this.#panel = panel;
    this.#tree = tree;
    this.#review = review;
  }

  /** Goes back; asks for the point unless one is given. */
  async rewind(given: unknown): Promise<void> {
    const sessionId = sessionOf(given) ?? this.#panel.sessionId;
    if (sessionId === undefined) {
      void inform('There is no conversation to go back in. Continue a session first.');
      return;
    }
    const { messages } = await this.#server.execute('steersman.sessions.get', { sessionId });
    const seq = isPoint(given) ? given.seq : await this.#pickPoint(messages);
    if (seq === undefined) return;
    const what = await this.#pickWhat({ sessionId, seq });
    if (what === undefined) return;
    const done = await this.#reviewed({ sessionId, seq }, what);
    if (done === undefined) return;
    await this.#done(sessionId, done.rewindId);
    await this.#tell(done);
  }

  async undo(): Promise<void> {
    const last = this.#last;
    if (last === undefined) return;
    const result = await this.#undo(last, false);
    if (result.conflicts.length === 0) {
      void inform(`The rewind was taken back. ${whatItDid(result, nameOf)}`);
      return;
    }
    const choice = await warn(`The rewind was taken back. ${whatItDid(result, nameOf)}`, 'Overwrite Too');
    if (choice === undefined) return;
    void inform(`The rewind was taken back, over later changes too. ${whatItDid(await this.#undo(last, true), nameOf)}`);
  }

  async #undo({ sessionId, rewindId }: Rewound, force: boolean): Promise<RewindResult> {
    const result = await this.#server.execute('steersman.rewind.undo', { rewindId, force });
    await this.#done(sessionId, undefined);
    return result;
  }

  // What is shown is what is done: should something have changed meanwhile, it is shown again.
  async #reviewed(point: Point, what: What): Promise<RewindResult | undefined> {
    let force = false;
    let preview = await this.#ask(point, what, { dryRun: true });
    let before = '';
    for (;;) {
      if (preview.restored.length > 0 || preview.conflicts.length > 0) {
        const decision = await this.#review.ask(preview, `${before}Rewind? ${whatItWouldDo(preview, nameOf)}`);
        if (decision === undefined) return undefined;
        if (decision === 'overwrite') {
          force = true;
          before = '';
          preview = await this.#ask(point, what, { dryRun: true, force });
          continue;
        }
      }
      const answer = await this.#ask(point, what, { force, ...(preview.preview === undefined ? {} : { preview: preview.preview }) });
      if (answer.rewindId !== undefined) return answer;
      before = 'Something changed meanwhile; nothing was done. ';
      preview = answer;
    }
  }

  #ask({ sessionId, seq }: Point, { files, conversation }: What, how: Partial<RewindParams>): Promise<RewindResult> {
    return this.#server.execute('steersman.rewind', { sessionId, toMessage: seq, files, conversation, ...how });
  }

  async #done(sessionId: string, rewindId: string | undefined): Promise<void> {
    this.#last = rewindId === undefined ? undefined : { sessionId, rewindId };
    void vscode.commands.executeCommand('setContext', 'steersman.canUndoRewind', this.#last !== undefined);
    const conversation = await this.#runs.reload(sessionId);
    if (this.#panel.sessionId === sessionId) this.#panel.show(conversation);
    this.#tree.refresh();
  }

  async #tell(done: RewindResult): Promise<void> {
    const show = done.conflicts.length === 0 ? inform : warn;
    const choice = await show(`Rewound. ${whatItDid(done, nameOf)}`, 'Undo the Rewind');
    if (choice === 'Undo the Rewind') await this.undo();
  }

  async #pickPoint(messages: readonly Message[]): Promise<number | undefined> {
    const prompts = messages.filter((message) => message.role === 'user' && (message.origin ?? 'person') === 'person');
    const items = prompts.reverse().map((message) => ({
      label: plain(`Before “${oneLine(message.content, 70)}”`),
      description: countFiles(changesAfter(messages, message.seq - 1).length),
      seq: message.seq - 1,
    }));
    const picked = await vscode.window.showQuickPick(items, { title: 'Rewind to', placeHolder: 'What comes after this point is taken back' });
    return picked?.seq;
  }

  async #pickWhat(point: Point): Promise<What | undefined> {
    const both: What = { label: 'Files and conversation', detail: '', files: true, conversation: true };
    const preview = await this.#ask(point, both, { dryRun: true });
    const short = `${inShort(preview)}.`;
    const choices: What[] = [
      { ...both, detail: `${short.slice(0, 1).toUpperCase()}${short.slice(1)}` },
      { label: 'Files only', detail: 'The conversation goes on, and the model is told.', files: true, conversation: false },
      CONVERSATION_ONLY,
    ];
    const touchesFiles = preview.restored.length > 0 || preview.conflicts.length > 0;
    const items = touchesFiles ? choices : [{ ...CONVERSATION_ONLY, detail: 'No file would change.' }];
    const placeHolder = touchesFiles ? 'You see what each file would become before anything is done' : 'It can be undone';
    return vscode.window.showQuickPick(items, { title: 'What shall be taken back?', placeHolder });
  }
}

function sessionOf(given: unknown): string | undefined {
  if (typeof given !== 'object' || given === null) return undefined;
  if ('sessionId' in given && typeof given.sessionId === 'string') return given.sessionId;
  return 'id' in given && typeof given.id === 'string' ? given.id : undefined;
}

function isPoint(given: unknown): given is { readonly seq: number } {
  return typeof given === 'object' && given !== null && 'seq' in given && typeof given.seq === 'number';
}

function nameOf(uri: string): string {
  return vscode.workspace.asRelativePath(vscode.Uri.parse(uri));
}
