// Work-done progress with a Cancel button: the language client's own has none.
import * as vscode from 'vscode';
import {
  WorkDoneProgressCancelNotification,
  type LanguageClient,
  type ProgressToken,
  type WorkDoneProgressBegin,
  type WorkDoneProgressEnd,
  type WorkDoneProgressReport,
} from 'vscode-languageclient/node';
import { plain, titled } from '../words.ts';

type Step = WorkDoneProgressBegin | WorkDoneProgressReport | WorkDoneProgressEnd;

interface Shown {
  readonly report: (message: string) => void;
  readonly end: () => void;
}

export class RunProgress implements vscode.Disposable {
  readonly #client: () => LanguageClient | undefined;
  readonly #isConversationVisible: () => boolean;
  readonly #shown = new Map<ProgressToken, Shown>();

  constructor(client: () => LanguageClient | undefined, isConversationVisible: () => boolean) {
    this.#client = client;
    this.#isConversationVisible = isConversationVisible;
  }

  /** Shows one step; the language client's middleware `handleWorkDoneProgress`. */
  readonly handle = (token: ProgressToken, step: Step): void => {
    switch (step.kind) {
      case 'begin':
        this.#begin(token, step);
        break;
      case 'report':
        this.#shown.get(token)?.report(step.message ?? '');
        break;
      case 'end':
        this.#shown.get(token)?.end();
        break;
    }
  };

  /** Ends what is shown: the server is gone and will not do it. */
  clear(): void {
    for (const shown of [...this.#shown.values()]) shown.end();
  }

  dispose(): void {
    this.clear();
  }

  #begin(token: ProgressToken, step: WorkDoneProgressBegin): void {
    const options = { location: this.#location(), title: step.title, cancellable: step.cancellable ?? false };
    void vscode.window.withProgress(
      options,
      (progress, cancelled) =>
        new Promise<void>((resolve) => {
          const stop = cancelled.onCancellationRequested(() => {
            void this.#client()?.sendNotification(WorkDoneProgressCancelNotification.type, { token });
          });
          this.#shown.set(token, {
            report: (message) => progress.report({ message: plain(titled(message)) }),
            end: () => {
              stop.dispose();
              this.#shown.delete(token);
              resolve();
            },
          });
          progress.report({ message: plain(titled(step.message ?? '')) });
        }),
    );
  }

  #location(): vscode.ProgressLocation {
    const wanted = vscode.workspace.getConfiguration('steersman').get<string>('progress', 'auto');
    const asNotification = wanted === 'notification' || (wanted === 'auto' && !this.#isConversationVisible());
    return asNotification ? vscode.ProgressLocation.Notification : vscode.ProgressLocation.Window;
  }
}
