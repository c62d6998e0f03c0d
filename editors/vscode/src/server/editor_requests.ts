// What the server asks the editor for, beyond the LSP: to save documents, to tell what other servers find wrong.
import * as vscode from 'vscode';
import type { LanguageClient } from 'vscode-languageclient/node';

/** Answers these requests of a client. */
export function answerEditorRequests(client: LanguageClient): vscode.Disposable {
  return vscode.Disposable.from(
    client.onRequest('steersman/saveDocuments', (params: { readonly uris: readonly string[] }) => save(client, params.uris)),
    client.onRequest('steersman/diagnostics', (params: { readonly uris?: readonly string[] }) => tell(client, params.uris)),
  );
}

async function save(client: LanguageClient, uris: readonly string[]): Promise<{ saved: string[] }> {
  const saved: string[] = [];
  for (const uri of uris) {
    const wanted = client.protocol2CodeConverter.asUri(uri).toString();
    const document = vscode.workspace.textDocuments.find((each) => each.uri.toString() === wanted);
    if (document !== undefined && (!document.isDirty || (await document.save()))) saved.push(uri);
  }
  return { saved };
}

function tell(client: LanguageClient, uris: readonly string[] | undefined): { items: unknown[] } {
  const found: readonly (readonly [vscode.Uri, readonly vscode.Diagnostic[]])[] =
    uris === undefined
      ? vscode.languages.getDiagnostics()
      : uris.map((uri) => {
          const file = client.protocol2CodeConverter.asUri(uri);
          return [file, vscode.languages.getDiagnostics(file)] as const;
        });
  const items = found
    .filter(([, diagnostics]) => diagnostics.length > 0)
    .map(([uri, diagnostics]) => ({
      uri: client.code2ProtocolConverter.asUri(uri),
      diagnostics: diagnostics.map((each) => client.code2ProtocolConverter.asDiagnostic(each)),
    }));
  return { items };
}
