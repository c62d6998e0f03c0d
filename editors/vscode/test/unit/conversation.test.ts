import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Conversation } from '../../src/conversation/conversation.ts';
import type { Message, RunResult, SteersmanEvent } from '../../src/protocol.gen.ts';

const USAGE = { inputTokens: 10, cachedInputTokens: 0, outputTokens: 5, totalTokens: 15 };
type Body = SteersmanEvent extends infer E ? (E extends SteersmanEvent ? Omit<E, 'runId' | 'sessionId' | 'seq' | 'turn' | 'time'> : never) : never;

class Play {
  readonly conversation = new Conversation({ id: 's' });
  turn = 0;
  #seq = 0;

  happen(...bodies: readonly Body[]): this {
    for (const body of bodies) {
      if (body.type === 'turn_started') this.turn += 1;
      this.#seq += 1;
      this.conversation.apply({ runId: 'r', sessionId: 's', seq: this.#seq, turn: this.turn, time: '', ...body });
    }
    return this;
  }

  begin(): this {
    return this.happen(
      { type: 'run_started', prompt: 'do it', model: 'demo/rules', mode: 'ask', folder: '' },
      { type: 'user_message', messageSeq: 0, text: 'do it', steered: false },
      { type: 'turn_started', maxTurns: 40 },
    );
  }

  shown(): readonly string[] {
    return this.conversation.entries.map((entry) => {
      switch (entry.kind) {
        case 'tool':
          return `tool ${entry.title}: ${entry.state}`;
        case 'note':
          return `note ${entry.text}`;
        default:
          return `${entry.kind} ${entry.text}`;
      }
    });
  }
}

function result(more: Partial<RunResult> = {}): RunResult {
  return { sessionId: 's', runId: 'r', stopReason: 'complete', answer: '', turns: 1, usage: USAGE, cost: null, toolCalls: {}, changes: [], undelivered: [], refused: [], ...more };
}

const CALL: Body = { type: 'tool_call', callId: 'c', tool: 'edit_file', arguments: '{"path":"a.py","old_text":"x","new_text":"y"}' };
const ASKED: Body = { type: 'approval_requested', callId: 'c', tool: 'edit_file', title: 'edit a.py', changes: [], command: null, options: [] };

test('text streams in, and is what was recorded in the end', () => {
  const play = new Play().begin().happen({ type: 'text_delta', text: 'Hal' }, { type: 'text_delta', text: 'lo' });
  assert.deepEqual(play.shown(), ['user do it', 'assistant Hallo']);
  const before = play.conversation.entries[1];
  assert.ok(before?.kind === 'assistant' && before.tentative);
  play.happen({ type: 'assistant_message', messageSeq: 1, content: 'Hallo.', toolCalls: [], truncated: false });
  const after = play.conversation.entries[1];
  assert.ok(after?.kind === 'assistant' && !after.tentative && after.id === before.id);
  assert.equal(after.text, 'Hallo.');
});

test('what was streamed and discarded goes away', () => {
  const play = new Play().begin().happen({ type: 'text_delta', text: 'Hal' });
  play.conversation.takeChanged();
  play.happen({ type: 'stream_discarded', reason: 'broken' });
  assert.equal(play.conversation.removed.length, 1);
  assert.deepEqual(play.shown(), ['user do it', 'note The answer that had begun was discarded: broken']);
});

test('reasoning stays with its answer', () => {
  const play = new Play().begin().happen({ type: 'reasoning_delta', text: 'Hm.' }, { type: 'assistant_message', messageSeq: 1, content: 'Yes.', toolCalls: [], truncated: false });
  const answer = play.conversation.entries[1];
  assert.ok(answer?.kind === 'assistant');
  assert.equal(answer.reasoning, 'Hm.');
});

test('a call goes through its states', () => {
  const play = new Play().begin().happen(CALL);
  assert.equal(play.shown()[1], 'tool edit a.py: waiting');
  play.happen(ASKED);
  assert.equal(play.shown()[1], 'tool edit a.py: asking');
  assert.equal(play.conversation.state.activity, 'waiting for you: edit a.py');
  play.happen({ type: 'approval_decided', callId: 'c', decision: 'allow_once', by: 'person', reason: null });
  play.happen({ type: 'tool_started', callId: 'c', tool: 'edit_file', title: 'edit a.py' }, { type: 'tool_output', callId: 'c', text: 'out' });
  assert.equal(play.shown()[1], 'tool edit a.py: running');
  play.happen({ type: 'tool_result', callId: 'c', tool: 'edit_file', content: 'ok', isError: false, outcome: 'returned', durationMs: 5, changes: [] });
  const call = play.conversation.entries[1];
  assert.ok(call?.kind === 'tool');
  assert.deepEqual([call.state, call.output, call.content, call.decision, call.question], ['done', 'out', 'ok', 'allowed', null]);
});

test('a rejection shows its reason', () => {
  const play = new Play().begin().happen(CALL, ASKED, { type: 'approval_decided', callId: 'c', decision: 'reject', by: 'person', reason: 'not now' });
  const call = play.conversation.entries[1];
  assert.ok(call?.kind === 'tool');
  assert.deepEqual([call.decision, call.reason], ['rejected', 'not now']);
});

test('calls of the same id in different turns are different rows', () => {
  const play = new Play().begin().happen(CALL, { type: 'turn_ended' }, { type: 'turn_started', maxTurns: 40 }, CALL);
  assert.equal(play.conversation.entries.filter((entry) => entry.kind === 'tool').length, 2);
});

test('the end is told in words, and complete is not called success', () => {
  const play = new Play().begin().happen({ type: 'run_ended', stopReason: 'complete', result: result() });
  assert.equal(play.shown().at(-1), 'note Complete · 1 turn');
  assert.equal(play.conversation.state.running, false);
});

test('what was stopped can be continued, what is complete cannot', () => {
  const stopped = new Play().begin().happen({ type: 'text_delta', text: 'Hal' }, { type: 'run_ended', stopReason: 'aborted', result: result({ stopReason: 'aborted' }) });
  const note = stopped.conversation.entries.at(-1);
  assert.ok(note?.kind === 'note' && note.canContinue);
  assert.deepEqual(stopped.shown(), ['user do it', 'note Stopped · 1 turn']);
  const complete = new Play().begin().happen({ type: 'run_ended', stopReason: 'complete', result: result() }).conversation.entries.at(-1);
  assert.ok(complete?.kind === 'note' && !complete.canContinue);
});

test('a failure is told in the server\'s words', () => {
  const play = new Play().begin().happen({ type: 'run_ended', result: result({ stopReason: null }), error: { kind: 'provider_auth', message: 'The key is wrong.' } });
  assert.equal(play.shown().at(-1), 'note The key is wrong.');
});

test('texts that found no turn are told', () => {
  const play = new Play().begin().happen({ type: 'run_ended', stopReason: 'aborted', result: result({ stopReason: 'aborted', undelivered: ['also this'] }) });
  assert.equal(play.shown().at(-1), 'note Not delivered: also this');
});

test('what a run at work will be told is shown until it is told', () => {
  const play = new Play().begin();
  play.conversation.queue('also this');
  assert.equal(play.shown().at(-1), 'user also this');
  play.happen({ type: 'user_message', messageSeq: 5, text: 'also this', steered: true });
  assert.deepEqual(play.shown(), ['user do it', 'user also this']);
  const told = play.conversation.entries.at(-1);
  assert.ok(told?.kind === 'user' && told.origin === 'steered');
});

test('what a run was told and did not come to is there to be read when it fails or its server is lost', () => {
  const failed = new Play().begin();
  failed.conversation.queue('also this');
  failed.happen({ type: 'run_ended', error: { kind: 'internal', message: 'It broke.' }, result: result({ stopReason: null }) });
  assert.deepEqual(failed.shown().slice(-2), ['note It broke.', 'note Not delivered: also this']);
  const lost = new Play().begin();
  lost.conversation.queue('and that');
  lost.conversation.lost('The server is gone.');
  assert.deepEqual(lost.shown().slice(-2), ['note The server is gone.', 'note Not delivered: and that']);
});

test('tokens and cost add up over all responses', () => {
  const cost = { amount: 0.5, currency: 'USD', estimate: true as const };
  const play = new Play().begin().happen({ type: 'usage', ...USAGE, cost }, { type: 'usage', ...USAGE, cost });
  assert.equal(play.conversation.state.usage?.totalTokens, 30);
  assert.equal(play.conversation.state.cost?.amount, 1);
});

test('when the server is lost, what was open is closed and nothing runs', () => {
  const play = new Play().begin().happen(CALL, ASKED);
  play.conversation.lost('The server is gone.');
  assert.deepEqual(play.shown(), ['user do it', 'tool edit a.py: closed', 'note The server is gone.']);
  assert.equal(play.conversation.state.running, false);
});

const RECORDED: readonly Message[] = [
  { seq: 0, role: 'user', content: 'do it', createdAt: '' },
  { seq: 1, role: 'assistant', content: '', createdAt: '', toolCalls: [{ id: 'c', name: 'read_file', arguments: '{"path":"a.py"}' }] },
  { seq: 2, role: 'tool', content: 'text', createdAt: '', toolCallId: 'c', isError: false, outcome: 'returned', changes: [] },
  { seq: 3, role: 'assistant', content: 'Done.', createdAt: '', toolCalls: [] },
];

test('a recorded conversation looks as it did when it happened', () => {
  const conversation = new Conversation({ id: 's', title: 'do it' });
  conversation.load(RECORDED);
  assert.deepEqual(conversation.entries.map((entry) => entry.kind), ['user', 'tool', 'assistant']);
  const call = conversation.entries[1];
  assert.ok(call?.kind === 'tool');
  assert.deepEqual([call.title, call.state, call.content], ['read a.py', 'done', 'text']);
});

test('a recorded run that did not come to its end can be continued', () => {
  for (const length of [1, 2, 3]) {
    const conversation = new Conversation({ id: 's' });
    conversation.load(RECORDED.slice(0, length));
    const note = conversation.entries.at(-1);
    assert.ok(note?.kind === 'note' && note.canContinue, `${length} messages`);
  }
});

test('what was told along with a prompt stands apart from it', () => {
  const conversation = new Conversation({ id: 's' });
  conversation.load([{ seq: 0, role: 'user', content: 'fix it\n\n<context>\nopen: a.py\n</context>', createdAt: '' }]);
  const prompt = conversation.entries[0];
  assert.ok(prompt?.kind === 'user');
  assert.deepEqual([prompt.text, prompt.context], ['fix it', 'open: a.py']);
});

test('only what changed is told', () => {
  const play = new Play().begin();
  assert.equal(play.conversation.takeChanged().length, 1);
  assert.equal(play.conversation.takeChanged().length, 0);
  play.happen({ type: 'text_delta', text: 'a' }, { type: 'text_delta', text: 'b' });
  assert.deepEqual(play.conversation.takeChanged().map((entry) => entry.kind), ['assistant']);
});
