import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import * as path from 'node:path';
import { test } from 'node:test';
import { Unsent } from '../../src/panel/unsent.ts';
import { plain, titled, visible } from '../../src/words.ts';

test('no link that runs a command and no icon comes out of a text that others chose', () => {
  assert.equal(plain('edit [app.py](command:evil?1) $(check)'), 'edit [app.py] (command:evil?1) $ (check)');
});

test('what cannot be seen, or turns the text around, is written out', () => {
  assert.equal(visible('a\u202Eb\u0000c\u001B[8m'), 'a⟨U+202E⟩b⟨U+0000⟩c⟨U+001B⟩[8m');
  assert.equal(visible('é\r\nb\tc'), 'é\r\nb\tc');
  assert.equal(visible('👩\u200D👩 ❤\uFE0F a\u200Db'), '👩\u200D👩 ❤\uFE0F a⟨U+200D⟩b');
  assert.equal(visible('\uD800x'), '⟨U+D800⟩x');
});

test('a title stays on its line', () => {
  assert.equal(titled('edit a\n\nAllow\r\nb\tc'), 'edit a⏎⏎Allow⏎b⇥c');
});

test('notifications are shown by one module, which takes the links out', () => {
  const source = path.join(import.meta.dirname, '../../src');
  const files = fs.readdirSync(source, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts') && name !== 'tell.ts');
  assert.ok(files.length > 30);
  const others = files.filter((name) => /\bshow(Information|Warning|Error)Message\b/.test(fs.readFileSync(path.join(source, name), 'utf8')));
  assert.deepEqual(others, []);
});

class Memory {
  readonly kept = new Map<string, unknown>();

  get(key: string): unknown {
    return this.kept.get(key);
  }

  update(key: string, value: unknown): Promise<void> {
    this.kept.set(key, value);
    return Promise.resolve();
  }
}

test('a text is kept while it is sent, and as long as it was not taken', async () => {
  const memory = new Memory();
  const unsent = new Unsent(memory);
  await unsent.sending('taken', () => Promise.resolve());
  assert.deepEqual(unsent.texts, []);
  await assert.rejects(unsent.sending('refused', () => Promise.reject(new Error('no'))));
  assert.deepEqual(unsent.texts, ['refused']);
  let answer = (): void => undefined;
  const answered = new Promise<void>((resolve) => (answer = resolve));
  const sending = unsent.sending('on its way', () => answered);
  assert.deepEqual(unsent.texts, ['refused'], 'what is on its way is not given back');
  assert.deepEqual(new Unsent(memory).texts, ['refused', 'on its way'], 'after a reload nobody knows whether it came');
  answer();
  await sending;
  await unsent.drop('refused');
  assert.deepEqual(new Unsent(memory).texts, []);
});

test('memory that holds something else is not believed', () => {
  const memory = new Memory();
  memory.kept.set('unsent', ['a', 3, null]);
  assert.deepEqual(new Unsent(memory).texts, ['a']);
  memory.kept.set('unsent', 'a');
  assert.deepEqual(new Unsent(memory).texts, []);
});
