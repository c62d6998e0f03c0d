// A first task, with the model that is there when nothing is configured.
import assert from 'node:assert/strict';
import { scene } from './driver/session.ts';
import { fileBecomes } from './driver/workbench.ts';

scene('a task of the rule-based model changes a file once it is allowed', { files: { 'greeting.txt': 'hello world\n' } }, async (here) => {
  await here.openFile('greeting.txt');
  await here.runTask('replace "hello" by "good day" in greeting.txt');
  const question = here.panel.locator('.question');
  await question.waitFor();
  await here.picture('question');
  assert.equal(here.read('greeting.txt'), 'hello world\n', 'nothing is written before the answer');
  await question.getByRole('button', { name: 'Allow once' }).click();
  await fileBecomes(here.path('greeting.txt'), 'good day world\n');
  await here.panel.locator('.note', { hasText: 'Complete' }).waitFor();
  await here.picture('answer');
});
