// What goes wrong: a reload during a run, a server that dies.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import * as fs from 'node:fs';
import { scene } from './driver/session.ts';
import { until } from './driver/until.ts';

const WAITS = ['Working on it', { gate: 'mid-stream' }, '.'];

const STAGE = {
  files: { 'a.txt': 'a\n', 'evil/steersman': '#!/bin/sh\ntouch "$(dirname "$0")/started"\n' },
  script: [WAITS, WAITS, WAITS],
};

/** The process of the scene's server: the only one with its state folder in its environment. */
function serverOf(state: string): number {
  const found = execFileSync('sh', ['-c', 'grep -lsz -- "^STEERSMAN_STATE_DIR=$0\\$" /proc/[0-9]*/environ || true', state], { encoding: 'utf8' });
  const ids = found.split('\n').flatMap((line) => /\/proc\/(\d+)\//.exec(line)?.[1] ?? []);
  const [id] = ids;
  assert.ok(id !== undefined, 'the server runs');
  return Number(id);
}

scene('nothing hangs when something breaks', STAGE, async (here, step) => {
  const { panel } = here;

  await step('after a reload during a run the conversation is there, and can be continued', async () => {
    await here.runTask('take your time');
    await here.reached('mid-stream');
    await panel.getByText('Working on it').waitFor();
    await here.page.reload();
    await here.ready();
    await here.command('Steersman: Open the Conversation');
    await panel.locator('.user', { hasText: 'take your time' }).waitFor();
    await panel.locator('.note', { hasText: 'did not come to its end' }).getByRole('button', { name: 'Continue' }).waitFor();
    assert.equal(await panel.getByText('Working on it').count(), 0);
    await here.picture('after-reload');
  });

  await step('a server that dies is noticed, explained and started again; no run hangs', async () => {
    await panel.getByRole('button', { name: 'Continue' }).click();
    await panel.getByText('Working on it').waitFor();
    process.kill(serverOf(here.state), 'SIGKILL');
    await here.toast('The Steersman server ended by itself and was started again').waitFor();
    await panel.locator('.note', { hasText: 'The server ended by itself' }).waitFor();
    assert.equal(await panel.getByRole('button', { name: 'Stop' }).isVisible(), false);
    await here.ready();
    await here.picture('after-crash');
    await panel.getByRole('button', { name: 'Continue' }).last().click();
    await panel.getByText('Working on it').waitFor();
    await panel.getByRole('button', { name: 'Stop' }).click();
    await panel.locator('.note', { hasText: 'Stopped' }).waitFor();
  });

  await step('a program inside the workspace is not started; that is said plainly, and mended by a setting', async () => {
    fs.chmodSync(here.path('evil/steersman'), 0o755);
    here.configure({ 'steersman.server.path': here.path('evil/steersman') });
    await here.toast('is inside the workspace; no program is started from there').waitFor();
    await here.statusBar('Steersman').locator('.codicon-warning').waitFor();
    await here.command('Steersman: New Session');
    await panel.getByRole('heading', { name: 'Steersman cannot start' }).waitFor();
    await here.picture('cannot-start');
    assert.equal(await here.page.locator('.notifications-toasts .notification-list-item', { hasText: 'Sending' }).count(), 0);
    here.configure({});
    await here.ready();
    assert.ok(!fs.existsSync(here.path('evil/started')));
    await until('the panel is itself again', async () => (await panel.getByRole('heading', { name: 'What shall be done?' }).count()) === 1);
  });
});

scene('a person starts the server again', { files: { 'a.txt': 'a\n' }, script: [WAITS, WAITS] }, async (here, step) => {
  const { panel } = here;

  await step('in the middle of a run: it is over, and says so', async () => {
    await here.runTask('take your time');
    await here.reached('mid-stream');
    await panel.getByText('Working on it').waitFor();
    await here.command('Steersman: Restart the Server');
    await panel.locator('.note', { hasText: 'The server was stopped.' }).getByRole('button', { name: 'Continue' }).waitFor();
    await here.ready();
    assert.equal(await panel.getByRole('button', { name: 'Stop' }).isVisible(), false);
  });

  await step('because it does not answer: what was written meanwhile is there again', async () => {
    process.kill(serverOf(here.state), 'SIGSTOP');
    const box = panel.getByRole('textbox').last();
    await box.fill('never lose this');
    await box.press('Enter');
    await until('it is on its way', async () => (await box.inputValue()) === '');
    await box.fill('begun meanwhile');
    await here.command('Steersman: Restart the Server');
    await until('what was written is there again', async () => (await box.inputValue()) === 'never lose this\nbegun meanwhile');
    await here.ready();
  });
});

const HELD = { files: { 'a.txt': 'a\n' }, script: [['First.'], ['Mine now.']] };

scene('a session that another program holds', HELD, async (here, step) => {
  const { panel } = here;
  const script = here.path('other.jsonl');
  fs.writeFileSync(script, `${JSON.stringify([{ gate: 'holding' }, 'Never said.'])}\n`);

  await step('is taken over only when the person says so, and nothing that was written is lost', async () => {
    await here.runTask('begin');
    await panel.getByText('First.').waitFor();
    await panel.locator('.note', { hasText: '1 turn' }).waitFor();
    const [program, ...before] = here.commandLine();
    const environment = { ...process.env, STEERSMAN_STATE_DIR: here.state };
    const other = spawn(program, [...before, 'run', '--continue', '-C', here.folder, '--model', `scripted/${script}`, 'hold it'], { env: environment, stdio: 'ignore' });
    const ended = new Promise<number | null>((resolve) => other.once('exit', resolve));
    try {
      await until('the other program holds it', () => fs.existsSync(`${script}.gates/holding.reached`));
      const box = panel.getByRole('textbox').last();
      await box.fill('go on here');
      await box.press('Enter');
      const dialog = here.page.locator('.monaco-dialog-box');
      await dialog.getByText('pid', { exact: false }).first().waitFor();
      await here.picture('take-over');
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await until('what was written is there again', async () => (await box.inputValue()) === 'go on here');
      assert.equal(other.exitCode, null, 'the other program was left alone');
      await box.press('Enter');
      await dialog.getByRole('button', { name: 'Take It Over' }).click();
      await panel.getByText('Mine now.').waitFor();
      fs.writeFileSync(`${script}.gates/holding.open`, '');
      assert.notEqual(await ended, 0);
      assert.equal(await panel.getByText('Never said.').count(), 0);
    } finally {
      other.kill('SIGKILL');
    }
  });
});
