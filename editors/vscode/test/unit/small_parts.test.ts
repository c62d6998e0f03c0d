import assert from 'node:assert/strict';
import { test } from 'node:test';
import { diffOf, oneLine, titleOf } from '../../src/conversation/tool_titles.ts';
import { page } from '../../src/panel/html.ts';
import { readMessage } from '../../src/panel/messages.ts';
import { spent } from '../../src/panel/web/composer_view.ts';
import type { Message, RewindResult } from '../../src/protocol.gen.ts';
import { changesAfter, inShort, whatItDid, whatItWouldDo } from '../../src/rewind/points.ts';
import { asFailure, ServerFailure } from '../../src/server/failure.ts';
import { timeAgo } from '../../src/sessions/time_ago.ts';

test('a call is named by its tool and what it is about', () => {
  assert.equal(titleOf('read_file', '{"path":"src/app.py"}'), 'read src/app.py');
  assert.equal(titleOf('run_command', '{"command":"pytest\\n -q"}'), 'run pytest -q');
  assert.equal(titleOf('search', 'not JSON'), 'search');
  assert.equal(titleOf('search', '["path"]'), 'search');
});

test('an edit shows what it takes and what it gives', () => {
  assert.equal(diffOf('edit_file', '{"old_text":"a\\nb\\n","new_text":"c\\n"}'), '-a\n-b\n+c\n');
  assert.equal(diffOf('write_file', '{"content":"x"}'), '+x\n');
  assert.equal(diffOf('read_file', '{"path":"a"}'), '');
  assert.equal(diffOf('edit_file', '{"old_text":3}'), '');
});

test('long texts are clipped on one line', () => {
  assert.equal(oneLine('  a\n\n b ', 10), 'a b');
  assert.equal(oneLine('abcdef', 4), 'abc…');
});

test('only messages of the right shape come out of the panel', () => {
  assert.deepEqual(readMessage({ type: 'submit', text: 'x' }), { type: 'submit', text: 'x' });
  for (const odd of [null, 1, 'stop', {}, { type: 'submit' }, { type: 'submit', text: 1 }, { type: 'toString' }, { type: 'rewind', seq: '1' }]) {
    assert.equal(readMessage(odd), undefined, JSON.stringify(odd));
  }
});

test('the page loads its own script and style and nothing else', () => {
  const html = page({ cspSource: 'https://here', nonce: 'NONCE', script: 'https://here/panel.js', style: 'https://here/panel.css' });
  const policy = /content="([^"]*)"/.exec(html)?.[1] ?? '';
  assert.match(policy, /default-src 'none'/);
  assert.match(policy, /script-src 'nonce-NONCE'(;|$)/);
  assert.match(policy, /img-src 'none'/);
  assert.doesNotMatch(policy, /unsafe/);
  assert.equal([...html.matchAll(/<script(?! nonce="NONCE")/g)].length, 0);
});

test('tokens are counted and the cost is called an estimate', () => {
  const usage = { inputTokens: 1200, cachedInputTokens: 0, outputTokens: 34, totalTokens: 1234 };
  assert.equal(spent({ usage, cost: null }), '1,234 tokens (1,200 in, 34 out)');
  assert.equal(spent({ usage, cost: { amount: 0.0012, currency: 'USD', estimate: true } }), '1,234 tokens (1,200 in, 34 out) · about $0.0012');
  assert.equal(spent({ usage: null, cost: null }), '');
});

test('times are told in few words', () => {
  const minute = 60_000;
  const ago = (minutes: number): string => timeAgo(0, minutes * minute);
  assert.deepEqual([ago(0), ago(5), ago(59), ago(60), ago(24 * 60), ago(15 * 24 * 60)], ['now', '5 min ago', '59 min ago', '1 h ago', '1 d ago', '2 w ago']);
  assert.equal(timeAgo(Number.NaN, 0), 'now');
});

test('a rewind would touch each file that was changed behind the point, once', () => {
  const change = (uri: string, kind: 'edit' | 'create') => ({ uri, kind, added: 1, removed: 0, saved: true });
  const tool = (seq: number, ...changes: ReturnType<typeof change>[]): Message => ({ seq, role: 'tool', content: '', createdAt: '', changes });
  const messages = [tool(1, change('a', 'create')), tool(3, change('a', 'edit'), change('b', 'edit')), tool(5, change('b', 'edit'))];
  assert.deepEqual(changesAfter(messages, 1).map(({ uri }) => uri), ['a', 'b']);
  assert.deepEqual(changesAfter(messages, 5), []);
  assert.equal(changesAfter(messages, -1).length, 2);
});

test('what a rewind would do, and did, is said in words', () => {
  const nothing: RewindResult = { restored: [], conflicts: [], uncovered: [] };
  const file = (uri: string, kind: 'edit' | 'delete', conflict?: string) => ({
    uri, kind, added: 1, removed: 1, before: '', after: '', diff: '', ...(conflict === undefined ? {} : { conflict }),
  });
  const changed = 'changed since; left as it is';
  const all: RewindResult = {
    restored: ['a', 'c'],
    conflicts: [{ uri: 'b', reason: changed }],
    uncovered: ['run_command'],
    files: [file('a', 'edit'), file('b', 'edit', changed), file('c', 'delete')],
  };
  const name = (uri: string): string => `${uri}.txt`;
  assert.equal(inShort(nothing), 'no file changes');
  assert.equal(inShort(all), '2 files put back · 1 left alone · what run_command did stays');
  assert.equal(whatItWouldDo(nothing, name), 'No file would change.');
  const stays = 'b.txt: changed since; left as it is. What run_command did is not taken back.';
  assert.equal(whatItWouldDo(all, name), `a.txt would be put back; c.txt would be removed. ${stays}`);
  assert.equal(whatItDid(nothing, name), 'No file changed.');
  assert.equal(whatItDid(all, name), `Put back: a.txt, c.txt. ${stays}`);
  assert.equal(whatItDid({ ...nothing, restored: ['a', 'b', 'c', 'd'] }, name), 'Put back: 4 files.');
});

test('a failure says what happened and what to do', () => {
  const error = Object.assign(new Error('It is busy.'), { data: { kind: 'session_busy', hint: 'Wait for it.' } });
  assert.deepEqual([asFailure(error).kind, asFailure(error).sentence], ['session_busy', 'It is busy. Wait for it.']);
  assert.equal(asFailure('odd').sentence, 'odd');
  assert.equal(asFailure(new ServerFailure('x')).kind, 'internal');
});
