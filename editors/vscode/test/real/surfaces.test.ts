// Where the person already is: code actions on other extensions' problems, lenses, menus, the palette, untrusted folders.
import assert from 'node:assert/strict';
import { scene } from './driver/session.ts';
import { doUntilSeen } from './driver/until.ts';
import { fileBecomes } from './driver/workbench.ts';

const BROKEN = '{\n  "name": "x",\n}\n';
const LENS = '# steersman: say goodbye at the end\nprint("hello")\n';

const STAGE = {
  files: { 'broken.json': BROKEN, 'lens.py': LENS },
  script: [
    ['JSON allows no comma there.'],
    [{ call: 'edit_file', arguments: { path: 'broken.json', old_text: '"x",', new_text: '"x"' } }],
    ['The comma is gone.'],
    [{ call: 'edit_file', arguments: { path: 'lens.py', old_text: LENS, new_text: 'print("hello")\nprint("goodbye")\n' } }],
    ['It says goodbye.'],
    ['It greets.'],
  ],
};

scene('it is at hand where the person works', STAGE, async (here, step) => {
  const { panel } = here;
  const allow = (): Promise<void> => panel.locator('.question').getByRole('button', { name: 'Allow once' }).click();

  await step('a problem is asked about where problems are listed', async () => {
    await here.openFile('broken.json');
    await here.page.locator('.squiggly-error').first().waitFor();
    await here.command('Problems: Focus on Problems View');
    const problem = here.page.locator('.markers-panel .monaco-list-row', { hasText: 'Trailing comma' });
    await problem.click();
    const action = here.page.locator('.context-view .action-item, .shadow-root-host .action-item').filter({ hasText: 'Steersman: ask about “Trailing comma”…' });
    await doUntilSeen('the menu of the light bulb is open', () => here.page.keyboard.press('Control+.'), action);
    await here.picture('problem');
    await doUntilSeen('it asks what about', () => action.click({ timeout: 2_000 }), here.inputBox('Say what shall be done'));
    await here.answerBox('Say what shall be done', 'Why is that wrong?');
    await panel.getByText('JSON allows no comma there.').waitFor();
    await panel.locator('.user details summary').click();
    await panel.locator('.user details', { hasText: 'Trailing comma' }).waitFor();
    await here.command('View: Toggle Panel Visibility');
    await problem.waitFor({ state: 'hidden' });
  });

  await step('a problem that another extension reports is fixed by a code action', async () => {
    await here.openFile('broken.json');
    await here.page.locator('.squiggly-error').first().waitFor();
    await here.focusEditor();
    await here.command('Go to Next Problem (Error, Warning, Info)');
    const action = here.page.locator('.action-widget .monaco-list-row', { hasText: 'Steersman: fix “Trailing comma”' });
    // The jump to the problem may still be under way: what was pressed too early is pressed again.
    const press = async (): Promise<void> => {
      await here.page.keyboard.press('Escape');
      await here.page.keyboard.press('Control+.');
    };
    await doUntilSeen('the menu of the light bulb is open', press, action);
    await here.picture('code-action');
    await action.click();
    await panel.locator('.user', { hasText: 'Fix this problem in broken.json, line 2: Trailing comma' }).waitFor();
    await allow();
    await fileBecomes(here.path('broken.json'), '{\n  "name": "x"\n}\n');
    await panel.getByText('The comma is gone.').waitFor();
  });

  await step('the lens above an instruction comment does what it says', async () => {
    await here.openFile('lens.py');
    const lens = here.page.locator('.codelens-decoration a', { hasText: '▶ Steersman' });
    await lens.waitFor();
    await here.picture('lens');
    await lens.click();
    await panel.locator('.user', { hasText: 'say goodbye at the end' }).waitFor();
    await allow();
    await fileBecomes(here.path('lens.py'), 'print("hello")\nprint("goodbye")\n');
    await panel.getByText('It says goodbye.').waitFor();
  });

  await step('a selection is asked about from the menu', async () => {
    await here.openFile('lens.py');
    await here.focusEditor();
    await here.page.keyboard.press('Control+A');
    const line = here.page.locator('.editor-instance .view-line span').first();
    await here.menu(line, 'Ask Steersman about This', here.inputBox('Say what shall be done'));
    await here.answerBox('Say what shall be done', 'What does this do?');
    await panel.getByText('It greets.').waitFor();
  });

  await step('every command is in the palette, under one name', async () => {
    await here.page.keyboard.press('F1');
    const input = here.page.locator('.quick-input-widget:visible input').first();
    for (const title of ['Run Task…', 'New Session', 'Rewind…', 'Show the Log', 'Choose a Model…']) {
      await input.fill(`>Steersman: ${title}`);
      await here.choice(`Steersman: ${title}`).first().waitFor();
    }
    await input.fill('>Steersman:');
    await here.choice('Steersman: ').first().waitFor();
    await here.picture('palette');
    assert.equal(await here.choice('Steersman: Allow').count(), 0, 'nothing waits for an answer');
    await here.page.keyboard.press('Escape');
  });

  await step('the keys open the box for a task, and Escape closes it', async () => {
    const box = here.inputBox('Say what shall be done');
    await doUntilSeen('the box opens', () => here.page.keyboard.press('Control+Alt+s'), box);
    await here.page.keyboard.press('Escape');
    await box.waitFor({ state: 'hidden' });
  });

  await step('a model is chosen', async () => {
    await here.command('Steersman: Choose a Model');
    await here.choice('demo/rules').first().waitFor();
    await here.pick('demo/rules');
    await panel.getByRole('button', { name: 'demo/rules' }).waitFor();
  });

  await step('the first steps open', async () => {
    await here.command('Steersman: First Steps');
    await here.page.getByText('Decide on each change').first().waitFor();
    await here.picture('walkthrough');
  });
});

scene(
  'in a workspace that is not trusted it only reads',
  {
    files: { 'a.txt': 'a\n', '.vscode/settings.json': '{"steersman.server.path": "/nowhere", "steersman.mode": "auto", "steersman.model": "evil/model"}' },
    settings: { 'security.workspace.trust.enabled': true },
    script: [[{ call: 'write_file', arguments: { path: 'a.txt', content: 'changed\n' } }], ['I may not.']],
  },
  async (here) => {
    await here.page.getByText('Restricted Mode').first().waitFor();
    await here.runTask('change it');
    await here.panel.getByText('I may not.').waitFor();
    assert.equal(here.read('a.txt'), 'a\n');
    const mode = here.panel.getByRole('combobox', { name: 'What it may do' });
    assert.equal(await mode.isDisabled(), true);
    assert.equal(await mode.inputValue(), 'plan');
    await here.picture('untrusted');
  },
);

scene(
  'with several folders it works in the one that is looked at, and knows the others',
  {
    roots: ['client', 'server'],
    files: { 'client/page.txt': 'client\n', 'server/app.txt': 'server\n' },
    script: [
      [{ call: 'edit_file', arguments: { path: 'app.txt', old_text: 'server', new_text: 'SERVER' } }],
      ['Done there.'],
      [{ call: 'edit_file', arguments: { path: 'server/app.txt', old_text: 'SERVER', new_text: 'twice' } }],
      ['Done in the other one.'],
    ],
  },
  async (here, step) => {
    const { panel } = here;
    const allow = (): Promise<void> => panel.locator('.question').getByRole('button', { name: 'Allow once' }).click();

    await step('a run works in the folder of the file that is open', async () => {
      await here.openFile('app.txt');
      await here.runTask('shout');
      await allow();
      await fileBecomes(here.path('server/app.txt'), 'SERVER\n');
      assert.equal(here.read('client/page.txt'), 'client\n');
      await panel.getByText('Done there.').waitFor();
    });

    await step('a run in one folder reaches the other by its name, and both are in the list of sessions', async () => {
      await here.openFile('page.txt');
      await here.command('Steersman: New Session');
      await panel.getByRole('heading', { name: 'What shall be done?' }).waitFor();
      await here.runTask('and the other');
      await allow();
      await fileBecomes(here.path('server/app.txt'), 'twice\n');
      await panel.getByText('Done in the other one.').waitFor();
      await here.page.locator('.pane-header', { hasText: 'Sessions' }).click();
      for (const title of ['shout', 'and the other']) await here.page.locator('.pane .monaco-list-row', { hasText: title }).waitFor();
      await here.picture('several-folders');
    });
  },
);
