// What is told by notification. The only place that shows any: VS Code would make links that run commands of them.
import * as vscode from 'vscode';
import { plain } from './words.ts';

/** Tells something; returns the button that was pressed, if any. */
export function inform(text: string, ...buttons: readonly string[]): Thenable<string | undefined> {
  return vscode.window.showInformationMessage(plain(text), ...buttons);
}

/** Warns of something; returns the button that was pressed, if any. */
export function warn(text: string, ...buttons: readonly string[]): Thenable<string | undefined> {
  return vscode.window.showWarningMessage(plain(text), ...buttons);
}

/** Tells what went wrong; returns the button that was pressed, if any. */
export function alarm(text: string, ...buttons: readonly string[]): Thenable<string | undefined> {
  return vscode.window.showErrorMessage(plain(text), ...buttons);
}

/** Asks in the middle of the window whether to do something; says whether that is wanted. */
export async function confirm(text: string, detail: string, button: string): Promise<boolean> {
  return (await vscode.window.showWarningMessage(plain(text), { modal: true, detail }, button)) === button;
}
