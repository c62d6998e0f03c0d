// Opens what a conversation points to: files of the workspace, and addresses, which VS Code asks about itself.
import * as vscode from 'vscode';
import { inform } from '../tell.ts';

/** Opens a file that was changed; a deleted one is said to be gone. */
export async function openFile(uri: string): Promise<void> {
  const file = vscode.Uri.parse(uri, true);
  if (file.scheme !== 'file') return;
  try {
    await vscode.commands.executeCommand('vscode.open', file, { preview: true });
  } catch {
    void inform(`${vscode.workspace.asRelativePath(file)} is not there any more.`);
  }
}

/** Opens a link of a model's answer: an address in the browser, a relative path in the workspace; nothing else. */
export async function openLink(href: string): Promise<void> {
  if (/^https?:\/\//i.test(href)) {
    await vscode.env.openExternal(vscode.Uri.parse(href, true));
    return;
  }
  if (/^[a-z][a-z\d+.-]*:/i.test(href)) return;
  const [path = '', fragment = ''] = href.split('#', 2);
  const line = /^L(\d+)/.exec(fragment)?.[1];
  for (const folder of vscode.workspace.workspaceFolders ?? []) {
    const file = vscode.Uri.joinPath(folder.uri, decodeURI(path));
    if (!file.path.startsWith(`${folder.uri.path}/`)) continue;
    const found = await vscode.workspace.fs.stat(file).then(() => true, () => false);
    if (!found) continue;
    const start = new vscode.Position(Math.max(0, Number(line ?? '1') - 1), 0);
    await vscode.window.showTextDocument(file, { preview: true, selection: new vscode.Range(start, start) });
    return;
  }
}
