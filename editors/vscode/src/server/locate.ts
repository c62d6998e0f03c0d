// Where the server is. A program inside a workspace folder is never chosen: a clone must not name what is started.
// Knows nothing of VS Code; the file system comes in through `Machine`, so that every system can be tested on any.
import type { PlatformPath } from 'node:path';

export interface Machine {
  readonly platform: NodeJS.Platform;
  readonly path: PlatformPath;
  /** Whether a file is there that can be started. */
  isProgram(file: string): boolean;
  /** The file behind all links, or the name itself when there is nothing. */
  realPath(file: string): string;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  /** Where it was found, for people. */
  readonly source: 'setting' | 'private environment' | 'PATH';
}

export interface Places {
  /** The machine-scoped setting, or "". */
  readonly setting: string;
  /** The folder of the extension's own environment. */
  readonly privateEnvironment: string;
  /** The PATH variable. */
  readonly searchPath: string;
  /** Canonical or not, the workspace's folders. */
  readonly workspaceFolders: readonly string[];
}

/** What was found, or why nothing was, in a sentence that says what to do. */
export type Located = { readonly launch: Launch } | { readonly problem: string; readonly canInstall: boolean };

export function locateServer(machine: Machine, places: Places): Located {
  if (places.setting !== '') return fromSetting(machine, places);
  const own = privateProgram(machine, places.privateEnvironment);
  if (machine.isProgram(own) && !isInWorkspace(machine, own, places)) {
    return { launch: launchOf(machine, own, 'private environment') };
  }
  const passedOver: string[] = [];
  for (const folder of places.searchPath.split(machine.path.delimiter)) {
    if (!machine.path.isAbsolute(folder)) continue;
    for (const name of programNames(machine, 'steersman')) {
      const file = machine.path.join(folder, name);
      if (!machine.isProgram(file)) continue;
      if (!isInWorkspace(machine, file, places)) return { launch: launchOf(machine, file, 'PATH') };
      passedOver.push(file);
    }
  }
  const [inside] = passedOver;
  const but = inside === undefined ? '' : ` (${inside} is inside the workspace, where no program is started from.)`;
  return { problem: `The Steersman server is not installed on this machine.${but}`, canInstall: true };
}

/** Whether a file is inside one of the folders, whatever links lead there and however it is spelled. */
export function isInside(machine: Machine, file: string, folders: readonly string[]): boolean {
  return folders.some((folder) => {
    const pairs = [
      [file, folder],
      [machine.realPath(file), machine.realPath(folder)],
    ] as const;
    return pairs.some(([inner, outer]) => contains(machine, outer, inner));
  });
}

/** The program in the extension's own environment. */
export function privateProgram(machine: Machine, environment: string): string {
  return machine.platform === 'win32'
    ? machine.path.join(environment, 'Scripts', 'python.exe')
    : machine.path.join(environment, 'bin', 'python');
}

/** The names a program may have on this system. */
export function programNames(machine: Machine, name: string): readonly string[] {
  return machine.platform === 'win32' ? [`${name}.exe`] : [name];
}

function fromSetting(machine: Machine, places: Places): Located {
  const file = places.setting;
  const name = 'The setting steersman.server.path';
  if (!machine.path.isAbsolute(file)) {
    return { problem: `${name} is “${file}”, which is not an absolute path.`, canInstall: false };
  }
  if (!machine.isProgram(file)) {
    return { problem: `${name} names ${file}, where there is no program.`, canInstall: false };
  }
  if (isInWorkspace(machine, file, places)) {
    return {
      problem: `${name} names ${file}, which is inside the workspace; no program is started from there.`,
      canInstall: false,
    };
  }
  return { launch: launchOf(machine, file, 'setting') };
}

// A virtual environment's python is a link to the system's: both the link and what it leads to must be outside.
function isInWorkspace(machine: Machine, file: string, places: Places): boolean {
  return isInside(machine, file, places.workspaceFolders);
}

function contains(machine: Machine, outer: string, inner: string): boolean {
  const fold = machine.platform === 'win32' || machine.platform === 'darwin';
  const [from, to] = fold ? [outer.toLowerCase(), inner.toLowerCase()] : [outer, inner];
  const way = machine.path.relative(from, to);
  return way === '' || (way !== '..' && !way.startsWith(`..${machine.path.sep}`) && !machine.path.isAbsolute(way));
}

// -P keeps Python from loading modules of the folder it is started in.
function launchOf(machine: Machine, file: string, source: Launch['source']): Launch {
  const isPython = /^(python|pypy)[\d.]*w?(\.exe)?$/i.test(machine.path.basename(file));
  const args = isPython ? ['-P', '-m', 'steersman', 'lsp'] : ['lsp'];
  return { command: file, args, source };
}
