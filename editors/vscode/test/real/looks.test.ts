// How it looks in each kind of theme: pictures that somebody is to look at.
import assert from 'node:assert/strict';
import { scene, type Scene } from './driver/session.ts';
import { isSoonSeen, until } from './driver/until.ts';

const THEMES = [
  ['light', 'Default Light Modern', '.vs:not(.vs-dark)'],
  ['dark', 'Default Dark Modern', '.vs-dark'],
  ['high-contrast', 'Default High Contrast', '.hc-black'],
  ['high-contrast-light', 'Default High Contrast Light', '.hc-light'],
] as const;

const BEFORE = 'def greet(name):\n    print("hello " + name)\n\n\ngreet("Ada")\n';
const STAGE = {
  files: { 'greet.py': BEFORE, 'README.md': '# Greeter\n' },
  script: [
    ['Let me look at the file first.', { call: 'read_file', arguments: { path: 'greet.py' } }],
    {
      items: [
        'The greeting is built with `+`. An f-string reads better:\n\n```python\nprint(f"Good day, {name}!")\n```\n\nI will change it, and run it once:',
        { call: 'edit_file', arguments: { path: 'greet.py', old_text: '    print("hello " + name)', new_text: '    print(f"Good day, {name}!")' } },
        { call: 'run_command', arguments: { command: 'python3 greet.py' } },
      ],
      usage: { input: 2210, output: 96 },
    },
    ['Done: it prints `Good day, Ada!`'],
  ],
};

/** Changes the theme. VS Code may miss one change of its settings that comes soon after another: then it is told again. */
async function dress(here: Scene, theme: string, sign: string): Promise<void> {
  let told = 0;
  await until(`the theme is ${theme}`, async () => {
    told += 1;
    here.configure({ 'workbench.colorTheme': theme, 'tests.told': told });
    return isSoonSeen(here.page.locator(`.monaco-workbench${sign}`));
  });
}

scene('it looks as its surroundings in every theme', STAGE, async (here) => {
  await here.openFile('greet.py');
  await here.runTask('Greet more politely');
  const diff = here.page.locator('.tab', { hasText: 'present ↔ proposed' });
  await diff.waitFor();
  await here.panel.locator('.question').waitFor();
  for (const [name, theme, sign] of THEMES) {
    await dress(here, theme, sign);
    await here.picture(`question-${name}`);
  }
  await dress(here, THEMES[0][1], THEMES[0][2]);
  await here.panel.getByRole('button', { name: 'Allow once' }).click();
  await here.panel.locator('.question pre', { hasText: 'python3 greet.py' }).waitFor();
  await here.picture('command-question');
  // Without a mouse, and without eyes: each control has a name, is reached by the Tab key and works by Enter.
  const controls = here.panel.locator('button, input, select, textarea, summary');
  const nameless = await controls.evaluateAll((all) => all.filter((each) => (each.getAttribute('aria-label') ?? each.textContent).trim() === '').map((each) => each.outerHTML));
  assert.deepEqual(nameless, []);
  await here.panel.getByRole('textbox', { name: 'Reason for rejecting' }).focus();
  const allow = here.panel.getByRole('button', { name: 'Allow once' });
  await until('the Tab key leads back to the button', async () => {
    await here.page.keyboard.press('Shift+Tab');
    return allow.evaluate((button) => button === button.ownerDocument.activeElement);
  });
  await here.page.keyboard.press('Enter');
  await here.panel.locator('.note', { hasText: 'Complete' }).waitFor();
  await here.panel.locator('.tool', { hasText: 'edit greet.py' }).locator('.call > summary').click();
  await here.page.locator('.pane-header', { hasText: 'Sessions' }).click();
  await here.page.locator('.pane .monaco-list-row', { hasText: 'Greet more politely' }).waitFor();
  const edit = here.panel.locator('.tool', { hasText: 'edit greet.py' });
  await edit.evaluate((row) => row.scrollIntoView({ block: 'start' }));
  for (const [name, theme, sign] of THEMES) {
    await dress(here, theme, sign);
    await here.picture(`conversation-${name}`);
  }
  await here.command('Steersman: Rewind…');
  await here.pick('Greet more politely');
  await here.pick('Files and conversation');
  await here.tab('now ↔ rewound').waitFor();
  await here.toast('greet.py would be put back').waitFor();
  for (const [name, theme, sign] of THEMES.toReversed()) {
    await dress(here, theme, sign);
    await here.picture(`rewind-${name}`);
  }
  await here.page.getByRole('button', { name: 'Rewind as Shown' }).first().click();
  await until('the file is as it was', () => here.read('greet.py') === BEFORE);
});
