import assert from 'node:assert/strict';
import * as path from 'node:path';
import { test } from 'node:test';
import { isInside, locateServer, type Machine, type Places } from '../../src/server/locate.ts';

function machine(programs: readonly string[], links: Readonly<Record<string, string>> = {}, platform: NodeJS.Platform = 'linux'): Machine {
  const realPath = (file: string): string => {
    const link = Object.keys(links).find((each) => file === each || file.startsWith(`${each}/`));
    return link === undefined ? file : (links[link] ?? '') + file.slice(link.length);
  };
  return { platform, path: platform === 'win32' ? path.win32 : path.posix, isProgram: (file) => programs.includes(file), realPath };
}

const PLACES: Places = {
  setting: '',
  privateEnvironment: '/home/me/storage/server',
  searchPath: '/usr/local/bin:/usr/bin',
  workspaceFolders: ['/home/me/work'],
};

function found(here: Machine, places: Partial<Places> = {}): string {
  const located = locateServer(here, { ...PLACES, ...places });
  return 'launch' in located ? [located.launch.command, ...located.launch.args].join(' ') : located.problem;
}

test('the setting comes first, then the private environment, then the PATH', () => {
  const own = '/home/me/storage/server/bin/python';
  const all = ['/opt/steersman', own, '/usr/bin/steersman'];
  assert.equal(found(machine(all), { setting: '/opt/steersman' }), '/opt/steersman lsp');
  assert.equal(found(machine(all)), `${own} -P -m steersman lsp`);
  assert.equal(found(machine(['/usr/bin/steersman'])), '/usr/bin/steersman lsp');
});

test('a Python is started with -P, whatever its version is called', () => {
  for (const name of ['python', 'python3', 'python3.12']) {
    assert.equal(found(machine([`/opt/${name}`]), { setting: `/opt/${name}` }), `/opt/${name} -P -m steersman lsp`);
  }
});

test('a program inside the workspace is never chosen, from wherever it is named', () => {
  const inside = '/home/me/work/.venv/bin/steersman';
  assert.match(found(machine([inside]), { setting: inside }), /inside the workspace/);
  assert.match(found(machine([inside]), { searchPath: '/home/me/work/.venv/bin' }), /is inside the workspace/);
  assert.match(found(machine(['/home/me/work/s/bin/python']), { privateEnvironment: '/home/me/work/s' }), /not installed/);
});

test('a program behind a link into the workspace is never chosen', () => {
  const here = machine(['/usr/bin/steersman'], { '/usr/bin/steersman': '/home/me/work/evil' });
  assert.match(found(here), /not installed/);
  assert.ok(isInside(machine([], { '/tmp/link': '/home/me/work' }), '/tmp/link/x', ['/home/me/work']));
  assert.ok(isInside(machine([], { '/ws': '/home/me/work' }), '/home/me/work/x', ['/ws']));
});

test('a relative entry of the PATH is passed over', () => {
  assert.match(found(machine(['./steersman', 'steersman', 'bin/steersman']), { searchPath: '.:bin:' }), /not installed/);
});

test('a folder that merely begins with the same letters is another one', () => {
  assert.ok(!isInside(machine([]), '/home/me/workshop/x', ['/home/me/work']));
  assert.ok(isInside(machine([]), '/home/me/work', ['/home/me/work']));
  assert.ok(isInside(machine([]), '/home/me/work/..x', ['/home/me/work']));
});

test('on Windows and macOS letters are the same in both cases', () => {
  const windows = machine([], {}, 'win32');
  assert.ok(isInside(windows, 'C:\\Work\\x.exe', ['c:\\work']));
  assert.ok(!isInside(windows, 'D:\\work\\x.exe', ['c:\\work']));
  assert.ok(isInside(machine([], {}, 'darwin'), '/Users/Me/Work/x', ['/users/me/work']));
});

test('what is wrong with the setting is said', () => {
  assert.match(found(machine([]), { setting: 'steersman' }), /not an absolute path/);
  assert.match(found(machine([]), { setting: '/opt/nothing' }), /there is no program/);
});
