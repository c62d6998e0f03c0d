// The panel: what streams, what opens, stopping, steering; sessions; going back.
import assert from 'node:assert/strict';
import * as fs from 'node:fs';
import { scene, type Scene } from './driver/session.ts';
import { until } from './driver/until.ts';
import { fileBecomes } from './driver/workbench.ts';

const ANSWER = [
  'It reads the file **line by line** and counts the words:\n\n',
  '```python\ndef count(path: str) -> int:\n    """Return how many words a file holds."""\n    return sum(len(line.split()) for line in open(path))\n```\n\n',
  '- no image is loaded: ![diagram](https://example.invalid/x.png)\n- [the file](notes.txt)\n',
];

const STAGE = {
  settings: { 'steersman.progress': 'notification' },
  files: { 'notes.txt': 'one two three\n', 'plan.md': 'draft\n' },
  script: [
    [{ reasoning: 'The person wants to know how it counts.' }, 'Let me look.', { call: 'read_file', arguments: { path: 'notes.txt' } }],
    { items: [...ANSWER, { gate: 'streamed' }, 'That is all.'], usage: { input: 1200, output: 80 } },
    ['Counting: one, two', { gate: 'mid-stream' }, ', three.'],
    ['Slowly…', { gate: 'slow' }, 'Still here.'],
    ['Working', { gate: 'steer' }, ' on it.'],
    ['With your hint it is clear.'],
    [{ call: 'write_file', arguments: { path: 'new.txt', content: 'fresh\n' } }, { call: 'edit_file', arguments: { path: 'plan.md', old_text: 'draft', new_text: 'final' } }],
    ['Both are written.'],
  ],
};

async function rewindToWriting(here: Scene): Promise<void> {
  await here.command('Steersman: Rewind…');
  await here.pick('Write it down');
  await here.choice('1 file put back · 1 left alone').waitFor();
  await here.pick('Files and conversation');
}

scene('a person talks with it', STAGE, async (here, step) => {
  const { panel } = here;
  const composer = panel.getByRole('textbox', { name: 'Task' });
  const say = async (text: string): Promise<void> => {
    await composer.fill(text);
    await composer.press('Enter');
  };

  await step('an answer streams in as Markdown, with its reasoning folded and its calls as rows', async () => {
    await here.command('Steersman: Open the Conversation');
    await say('How does it count?');
    await here.reached('streamed');
    await panel.locator('.assistant.tentative .hljs-keyword', { hasText: 'def' }).waitFor();
    await here.statusBar('answering').waitFor();
    here.pass('streamed');
    await panel.locator('.note', { hasText: 'Complete' }).waitFor();
    assert.equal(await panel.locator('img').count(), 0);
    await panel.getByText('diagram (image not loaded)').waitFor();
    assert.equal(await panel.locator('details.reasoning').count(), 1);
    assert.equal(await panel.locator('details.reasoning[open]').count(), 0);
    const row = panel.locator('.tool', { hasText: 'read notes.txt' });
    await row.locator('.call > summary').press('Enter');
    await row.locator('pre', { hasText: 'one two three' }).waitFor();
    await panel.locator('.spent', { hasText: 'tokens' }).waitFor();
    await here.picture('answer');
  });

  await step('a link to a file opens it', async () => {
    await panel.getByRole('link', { name: 'the file' }).click();
    await here.page.locator('.tab.active', { hasText: 'notes.txt' }).waitFor();
  });

  await step('it stops in mid-stream, and what was not recorded goes away', async () => {
    await say('Count aloud');
    await here.reached('mid-stream');
    await panel.getByText('Counting: one, two').waitFor();
    await panel.getByRole('button', { name: 'Stop' }).click();
    await panel.locator('.note', { hasText: 'Stopped' }).waitFor();
    assert.equal(await panel.getByText('Counting: one, two').count(), 0);
    await panel.locator('.note', { hasText: 'Stopped' }).getByRole('button', { name: 'Continue' }).waitFor();
  });

  await step('the progress of a run has a Cancel that works', async () => {
    await say('Once more, slowly');
    await here.reached('slow');
    const progress = here.toast('turn 1/40');
    await progress.waitFor();
    await here.picture('progress');
    await progress.locator('.monaco-button', { hasText: 'Cancel' }).click();
    await until('a second run was stopped', async () => (await panel.locator('.note', { hasText: 'Stopped' }).count()) === 2);
    await progress.waitFor({ state: 'detached' });
  });

  await step('a run at work is told something', async () => {
    await say('Work');
    await here.reached('steer');
    await say('Mind the gap');
    await panel.locator('.user.queued', { hasText: 'Mind the gap' }).waitFor();
    here.pass('steer');
    await panel.locator('.user.steered', { hasText: 'Mind the gap' }).waitFor();
    await panel.getByText('With your hint it is clear.').waitFor();
  });

  await step('the mode is picked, and edits are free in accept-edits', async () => {
    await panel.getByRole('combobox', { name: 'What it may do' }).selectOption('accept-edits');
    await say('Write it down');
    await fileBecomes(here.path('new.txt'), 'fresh\n');
    await fileBecomes(here.path('plan.md'), 'final\n');
    await panel.getByText('Both are written.').waitFor();
  });

  await step('a rewind shows what each file would become before anything is done, and nothing is when it is not wanted', async () => {
    await until('the run has ended', async () => (await panel.locator('.note', { hasText: '2 files changed' }).count()) === 1);
    fs.writeFileSync(here.path('plan.md'), 'mine\n');
    await rewindToWriting(here);
    await here.tab('now ↔ rewound').waitFor();
    await here.page.locator('.monaco-diff-editor .view-line', { hasText: 'fresh' }).first().waitFor();
    await here.toast('new.txt would be removed. plan.md: changed since').waitFor();
    await here.picture('rewind-preview');
    await here.page.getByRole('button', { name: 'Do Not Rewind' }).first().click();
    await here.tab('now ↔ rewound').waitFor({ state: 'detached' });
    assert.deepEqual([here.read('new.txt'), here.read('plan.md')], ['fresh\n', 'mine\n']);
  });

  await step('a conflict is overwritten when that is wanted and was seen; what changes meanwhile is shown again; all of it can be undone', async () => {
    await rewindToWriting(here);
    await here.press('plan.md: changed since', 'Overwrite Too…');
    await here.page.locator('.multiDiffEntry .view-line', { hasText: 'draft' }).first().waitFor();
    await here.picture('rewind-preview-several');
    fs.writeFileSync(here.path('plan.md'), 'mine again\n');
    const confirm = here.page.getByRole('button', { name: 'Rewind as Shown' }).first();
    await confirm.click();
    await here.toast('Something changed meanwhile; nothing was done.').waitFor();
    await here.page.locator('.multiDiffEntry .view-line', { hasText: 'mine again' }).first().waitFor();
    assert.equal(here.read('plan.md'), 'mine again\n');
    await confirm.click();
    await fileBecomes(here.path('plan.md'), 'draft\n');
    await here.toast('Rewound. ').waitFor();
    assert.ok(!fs.existsSync(here.path('new.txt')));
    await panel.getByText('Both are written.').waitFor({ state: 'detached' });
    fs.writeFileSync(here.path('plan.md'), 'mine since\n');
    await here.press('Rewound. ', 'Undo the Rewind');
    await fileBecomes(here.path('new.txt'), 'fresh\n');
    assert.equal(here.read('plan.md'), 'mine since\n');
    await here.press('The rewind was taken back. ', 'Overwrite Too');
    await fileBecomes(here.path('plan.md'), 'mine again\n');
    await panel.getByText('Both are written.').waitFor();
  });

  await step('sessions are listed, renamed, forked, searched and deleted', async () => {
    await here.page.locator('.pane-header', { hasText: 'Sessions' }).click();
    const row = (text: string) => here.page.locator('.pane .monaco-list-row', { hasText: text });
    await row('How does it count?').waitFor();
    await row('How does it count?').hover();
    await row('How does it count?').getByRole('button', { name: 'Rename Session' }).click();
    const box = here.page.locator('.quick-input-widget:visible input').first();
    await box.fill('Counting words');
    await here.page.keyboard.press('Enter');
    await row('Counting words').waitFor();
    await here.command('Steersman: Fork Session');
    await until('two sessions are listed', async () => (await here.page.locator('.pane .monaco-list-row', { hasText: 'ago' }).count()) + (await here.page.locator('.pane .monaco-list-row', { hasText: 'now' }).count()) >= 2);
    await panel.getByText('Both are written.').waitFor();
    await here.picture('sessions');
    await here.command('Steersman: Search Sessions');
    await here.page.locator('.quick-input-widget:visible input').first().fill('Counting');
    await here.choice('Counting words').first().click();
    await panel.getByText('Both are written.').waitFor();
    const sure = here.page.locator('.monaco-dialog-box .monaco-button', { hasText: 'Delete' });
    await here.menu(row('Counting words').last(), 'Delete Session', sure);
    await sure.click();
    await until('one session is left', async () => (await row('Counting words').count()) <= 1);
  });

  await step('a session is exported', async () => {
    await here.command('Steersman: Export Session');
    await here.pick('Markdown');
    const target = here.path('told.md');
    await until('the dialog for the file is open', async () => (await here.quickBox.inputValue()).endsWith('session.md'));
    await here.quickBox.fill(target);
    await here.quickBox.press('Enter');
    await here.toast(`The session is exported to ${target}.`).waitFor();
    assert.match(here.read('told.md'), /It reads the file \*\*line by line\*\*/);
    await here.press('The session is exported', 'Open');
    await here.tab('told.md').waitFor();
  });

  await step('a new session begins empty', async () => {
    await here.command('Steersman: New Session');
    await panel.getByRole('heading', { name: 'What shall be done?' }).waitFor();
  });
});
