// “Ask about this problem” where a problem is: in the light bulb of the editor and of the Problems view, which has no menu
// that extensions could add to.
import * as vscode from 'vscode';
import { oneLine } from './conversation/tool_titles.ts';

export class ProblemActions implements vscode.CodeActionProvider {
  static readonly kinds: vscode.CodeActionProviderMetadata = { providedCodeActionKinds: [vscode.CodeActionKind.QuickFix] };

  provideCodeActions(document: vscode.TextDocument, _range: vscode.Range, { diagnostics }: vscode.CodeActionContext): vscode.CodeAction[] {
    return diagnostics.map((problem) => {
      const title = `Steersman: ask about “${oneLine(problem.message, 60)}”…`;
      const action = new vscode.CodeAction(title, vscode.CodeActionKind.QuickFix);
      action.diagnostics = [problem];
      action.command = { command: 'steersman.ui.ask', title, arguments: [document.uri, problem.range] };
      return action;
    });
  }
}
