// Questions: shown in the diff editor, answered wherever the person is, the first answer wins.
import assert from 'node:assert/strict';
import { scene } from './driver/session.ts';
import { succeeds, until } from './driver/until.ts';
import { fileBecomes } from './driver/workbench.ts';

const APP = 'def main():\n    greet("hello")\n';
const CHANGED = 'def main():\n    greet("good day")\n';
const edit = (path: string): object => ({ call: 'edit_file', arguments: { path, old_text: 'greet("hello")', new_text: 'greet("good day")' } });
const PATCH = '*** Begin Patch\n*** Update File: one.txt\n@@\n-one\n+eins\n*** Update File: two.txt\n@@\n-two\n+zwei\n*** End Patch\n';

const STAGE = {
  files: { 'a.py': APP, 'b.py': APP, 'c.py': APP, 'd.py': APP, 'e.py': APP, 'one.txt': 'one\n', 'two.txt': 'two\n' },
  script: [
    ['I will greet properly.', edit('a.py')],
    ['Now it says **good day**.'],
    [edit('b.py')],
    ['Both edits stand.'],
    [edit('c.py')],
    ['As you wish.'],
    [{ call: 'apply_patch', arguments: { patch: PATCH } }],
    ['Both are German now.'],
    ['', { gate: 'before-d' }, edit('d.py')],
    ['Done with d.'],
    ['', { gate: 'before-e' }, edit('e.py')],
  ],
};

scene('a person decides on changes', STAGE, async (here, step) => {
  const diff = here.page.locator('.tab', { hasText: 'present ↔ proposed' });
  const allow = here.page.getByRole('button', { name: 'Allow', exact: true }).first();

  await step('a change is shown in the diff editor and allowed there; the file is saved; one undo takes it back', async () => {
    await here.openFile('a.py');
    await here.runTask('be polite');
    await diff.waitFor();
    await here.page.locator('.monaco-diff-editor .view-line', { hasText: 'good day' }).first().waitFor();
    await here.statusBar('Steersman asks').waitFor();
    await here.panel.locator('.question').waitFor();
    assert.equal(here.read('a.py'), APP, 'nothing is written before the answer');
    await here.picture('diff-light');
    await diff.click();
    await allow.click();
    await fileBecomes(here.path('a.py'), CHANGED);
    await diff.waitFor({ state: 'detached' });
    await here.panel.locator('.assistant', { hasText: 'Now it says good day.' }).waitFor();
    await here.panel.locator('.tool', { hasText: 'allowed' }).waitFor();
    await here.openFile('a.py');
    assert.equal(await here.page.locator('.tab.dirty').count(), 0, 'a file that was clean is saved');
    await here.focusEditor();
    await here.page.keyboard.press('Control+Z');
    await until('one undo takes the change back', async () => (await here.lines()).some((line) => line.includes('greet("hello")')));
    await here.page.keyboard.press('Control+S');
    await fileBecomes(here.path('a.py'), APP);
  });

  await step('a change in a file with unsaved edits leaves it unsaved', async () => {
    await here.openFile('b.py');
    await here.focusEditor();
    await here.page.keyboard.press('Control+Home');
    await here.page.keyboard.type('# mine');
    await here.page.keyboard.press('Enter');
    await here.page.locator('.tab.dirty').waitFor();
    await here.runTask('be polite there too');
    await here.panel.locator('.question').getByRole('button', { name: 'Allow once' }).click();
    await here.panel.locator('.assistant', { hasText: 'Both edits stand.' }).waitFor();
    await here.openFile('b.py');
    await until('both edits stand in the editor', async () => {
      const lines = await here.lines();
      return lines.some((line) => line.includes('# mine')) && lines.some((line) => line.includes('good day'));
    });
    assert.equal(await here.page.locator('.tab.dirty').count(), 1);
    assert.equal(here.read('b.py'), APP, 'the disk is the person’s to change');
  });

  await step('a change is rejected with a reason, which the model is told', async () => {
    await here.runTask('and there');
    await diff.waitFor();
    await here.command('Steersman: Reject with a Reason');
    await here.answerBox('Why not?', 'we say hello here');
    await here.panel.locator('.assistant', { hasText: 'As you wish.' }).waitFor();
    const row = here.panel.locator('.tool', { hasText: 'rejected' });
    await row.locator('.call > summary').click();
    await row.locator('pre', { hasText: 'we say hello here' }).waitFor();
    assert.equal(here.read('c.py'), APP);
    await here.picture('rejected');
  });

  await step('several files are asked about in one go', async () => {
    await here.runTask('in German, please');
    await diff.waitFor();
    await here.page.locator('.multiDiffEntry .view-line', { hasText: 'zwei' }).first().waitFor();
    await here.picture('several-files');
    await allow.click();
    await fileBecomes(here.path('one.txt'), 'eins\n');
    await fileBecomes(here.path('two.txt'), 'zwei\n');
    await here.panel.locator('.assistant', { hasText: 'Both are German now.' }).waitFor();
    await diff.waitFor({ state: 'detached' });
  });

  await step('somebody who does not see the conversation is asked by a notification, and told the end', async () => {
    await here.runTask('now d');
    await here.reached('before-d');
    await here.command('View: Close Primary Side Bar');
    here.pass('before-d');
    await here.toast('Steersman wants to edit d.py (+1 −1)').waitFor();
    await here.picture('question-notification');
    await here.press('Steersman wants to edit d.py', 'Allow');
    await fileBecomes(here.path('d.py'), CHANGED);
    await here.toast('Steersman: Done with d.').waitFor();
  });

  await step('a question goes away when its run is stopped, and a late answer changes nothing', async () => {
    await here.runTask('now e');
    await here.reached('before-e');
    await here.command('View: Close Primary Side Bar');
    here.pass('before-e');
    await here.toast('Steersman wants to edit e.py').waitFor();
    await here.command('Steersman: Stop');
    await here.ready();
    await diff.waitFor({ state: 'detached' });
    const late = here.button('Steersman wants to edit e.py', 'Allow');
    if ((await late.count()) > 0) await succeeds(() => late.click({ timeout: 4_000 }));
    await here.command('Steersman: Open the Conversation');
    await here.panel.locator('.note', { hasText: 'Stopped' }).waitFor();
    assert.equal(here.read('e.py'), APP);
  });
});

const TRAP = 'echo [see](command:workbench.action.toggleZenMode)';

scene('a command looks like a link', { files: { 'a.txt': 'one\n' }, script: [['', { gate: 'before' }, { call: 'run_command', arguments: { command: TRAP } }]] }, async (here, step) => {
  await step('nothing in its question can be clicked but the answers', async () => {
    await here.runTask('count');
    await here.reached('before');
    await here.command('View: Close Primary Side Bar');
    here.pass('before');
    const toast = here.toast('Steersman wants to run');
    await toast.waitFor();
    assert.equal(await toast.locator('.notification-list-item-message a').count(), 0);
    assert.match(await toast.innerText(), /\[see\] \(command:/);
    await here.press('Steersman wants to run', 'Reject');
  });
});
