// The first start on a machine that has no server: one click, and the rule-based model answers.
import * as path from 'node:path';
import { scene } from './driver/session.ts';
import { fileBecomes } from './driver/workbench.ts';

scene(
  'on a machine without the server one click installs it, and a first task is done',
  { files: { 'greeting.txt': 'hello world\n' }, settings: { 'steersman.server.path': '' }, waitsForServer: false },
  async (here, step) => {
    await step('the server is missing, and is installed into an environment of its own', async () => {
      const missing = here.toast('The Steersman server is not installed on this machine');
      await missing.waitFor();
      await here.command('Steersman: Open the Conversation');
      await here.panel.getByRole('heading', { name: 'Steersman cannot start' }).waitFor();
      await here.picture('first-start');
      await here.panel.getByRole('button', { name: 'Install the Server' }).click();
      await here.toast('Installing the Steersman server').waitFor();
      await here.ready(180_000);
    });

    await step('a task of the rule-based model changes a file once it is allowed', async () => {
      await here.runTask('replace "hello" by "good day" in greeting.txt');
      await here.panel.locator('.question').getByRole('button', { name: 'Allow once' }).click();
      await fileBecomes(path.join(here.folder, 'greeting.txt'), 'good day world\n');
      await here.panel.locator('.note', { hasText: 'Complete · 2 turns · 1 file changed' }).waitFor();
      await here.picture('first-task');
    });
  },
);
