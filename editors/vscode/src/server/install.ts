// Installs the server into the extension's own private environment, when the person asks for it.
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import * as path from 'node:path';
import { promisify } from 'node:util';
import * as vscode from 'vscode';
import { isInside, privateProgram, programNames } from './locate.ts';
import { thisMachine } from './machine.ts';

const run = promisify(execFile);

const PYTHONS = ['python3', 'python', 'python3.14', 'python3.13', 'python3.12', 'python3.11'];
const IS_NEW_ENOUGH = 'import sys; sys.exit(sys.version_info < (3, 11))';

export interface InstallParts {
  readonly log: vscode.LogOutputChannel;
  /** The folder that holds the server as the extension brought it along. */
  readonly wheels: vscode.Uri;
  readonly environment: string;
}

/** Makes the environment and puts the server into it. Rejects with an `Error` whose message is for people. */
export async function installServer(parts: InstallParts): Promise<void> {
  const options = { location: vscode.ProgressLocation.Notification, title: 'Installing the Steersman server', cancellable: true };
  await vscode.window.withProgress(options, async (progress, cancelled) => {
    await mkdir(path.dirname(parts.environment), { recursive: true });
    const abort = new AbortController();
    cancelled.onCancellationRequested(() => abort.abort());
    const call = (file: string, args: readonly string[]): Promise<void> => callProgram(parts, file, args, abort.signal);
    progress.report({ message: 'looking for Python…' });
    const python = await findPython(abort.signal);
    const wheel = await findWheel(parts.wheels);
    progress.report({ message: 'making an environment of its own…' });
    await call(python, ['-I', '-m', 'venv', '--clear', parts.environment]);
    progress.report({ message: 'installing…' });
    const own = privateProgram(thisMachine, parts.environment);
    await call(own, ['-I', '-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', wheel]);
  });
}

async function findPython(signal: AbortSignal): Promise<string> {
  const workspace = (vscode.workspace.workspaceFolders ?? []).map((each) => each.uri.fsPath);
  const folders = (process.env['PATH'] ?? '').split(path.delimiter).filter((each) => path.isAbsolute(each));
  for (const name of PYTHONS.flatMap((each) => programNames(thisMachine, each))) {
    for (const file of folders.map((folder) => path.join(folder, name))) {
      if (!thisMachine.isProgram(file) || isInside(thisMachine, file, workspace)) continue;
      const fits = await run(file, ['-I', '-c', IS_NEW_ENOUGH], { signal }).then(() => true, () => false);
      if (fits) return file;
    }
  }
  throw new Error('Python 3.11 or newer was not found on the PATH. Install it, then try again.');
}

async function findWheel(folder: vscode.Uri): Promise<string> {
  const names = await vscode.workspace.fs.readDirectory(folder).then((entries) => entries.map(([name]) => name), () => []);
  const wheel = names.find((name) => name.endsWith('.whl'));
  if (wheel === undefined) throw new Error('This build of the extension brings no server along. Install it yourself and set steersman.server.path.');
  return vscode.Uri.joinPath(folder, wheel).fsPath;
}

async function callProgram(parts: InstallParts, file: string, args: readonly string[], signal: AbortSignal): Promise<void> {
  parts.log.info(`${file} ${args.join(' ')}`);
  try {
    const { stdout, stderr } = await run(file, args, { signal, cwd: path.dirname(parts.environment), maxBuffer: 16 * 1024 * 1024 });
    parts.log.info(stdout);
    if (stderr !== '') parts.log.warn(stderr);
  } catch (error) {
    parts.log.error(error instanceof Error ? error : String(error));
    if (signal.aborted) throw new Error('The installation was cancelled.', { cause: error });
    throw new Error(`The server could not be installed: ${path.basename(file)} failed. The log tells more.`, { cause: error });
  }
}
