"""The editor's documents and the workspaces laid over them, put together for one client."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.lsp.client_quirks import quirks_of
from steersman.lsp.contracts import Client, ClientFacts
from steersman.lsp.disk_truth import DiskTruth
from steersman.lsp.documents import DocumentListeners, Documents
from steersman.lsp.editor_texts import EditorTexts
from steersman.lsp.file_uris import canonical_path
from steersman.lsp.text_sync import TextSync

if TYPE_CHECKING:
    from steersman.agent.tool import Plan, Tool
    from steersman.lsp.open_files import OpenFiles
    from steersman.permissions.question import Asker
    from steersman_tools.kit.workspace import Root, Workspace

HIDES_TYPING = "This editor does not tell what you typed in the last moment, so edits of open files are always asked."


class Editing:
    """Everything about the client's documents."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.documents = Documents(canonical_path)
        self.sync = TextSync(self.documents)
        self.texts = EditorTexts(self.documents)
        self._truth = DiskTruth(ignores_final_newline=lambda: self.documents.quirks.owns_final_newline)
        self._files: OpenFiles | None = None
        self.documents.listen(
            DocumentListeners(opened=self._truth.opened, saved=self._truth.saved, closed=self._truth.closed)
        )

    def configure(self, facts: ClientFacts) -> None:
        """Take over what was agreed on in ``initialize``."""
        self.documents.configure(facts.position_encoding, quirks_of(facts))

    def open_workspace(self, roots: Sequence[Root]) -> Workspace:
        """Return the workspace of one run."""
        from steersman.lsp.overlay import EditorWorkspace  # noqa: PLC0415 - only when a run starts

        return EditorWorkspace(self._open_files(), roots)

    def remembering(self, asker: Asker) -> Asker:
        """Return an asker that remembers which changes a person allowed, for editors that need a question first."""
        from steersman.lsp.answered import RememberingAsker  # noqa: PLC0415 - likewise

        return RememberingAsker(asker, self._open_files().answered)

    def must_ask(self, plan: Plan) -> str | None:
        """Say why a plan has to be asked in every mode, or None (DESIGN §8: stale edits)."""
        if not self.documents.quirks.hides_typing:
            return None
        touched = [path for change in plan.changes for path in (change.path, change.moved_from) if path is not None]
        is_open = any(self.documents.at(Path(path)) for path in touched)
        return HIDES_TYPING if is_open else None

    def fit_tools(self, workspace: Workspace, tools: Sequence[Tool]) -> Sequence[Tool]:
        """Return a run's tools as this editor can serve them: with those that only it has, and with its news."""
        if not self._client.facts.options.diagnostics:
            return tools
        from steersman.lsp.diagnostic_news import with_news  # noqa: PLC0415 - brings pydantic
        from steersman.lsp.diagnostics import Diagnostics, GetDiagnostics  # noqa: PLC0415 - likewise

        diagnostics = Diagnostics(self._client, self.documents.path_of, self._uri_of)
        return [*with_news(tools, diagnostics, workspace), GetDiagnostics(diagnostics, workspace)]

    def saver(self, workspace: Workspace) -> Callable[[tuple[str, ...]], Awaitable[None]] | None:
        """Return what saves the documents with edits of ours before a command, where the client can (DESIGN W2)."""
        from steersman.lsp.overlay import EditorWorkspace  # noqa: PLC0415 - only when a run starts

        if not self._client.facts.options.save_documents or not isinstance(workspace, EditorWorkspace):
            return None

        async def save(_documents: tuple[str, ...]) -> None:
            await workspace.save_for_command()

        return save

    def _uri_of(self, path: Path) -> str:
        return next((document.uri for document in self.documents.at(path)), path.as_uri())

    def _open_files(self) -> OpenFiles:
        if self._files is None:
            from steersman.lsp.answered import AnsweredChanges  # noqa: PLC0415 - not needed by an idle editor
            from steersman.lsp.client_edits import LspEditorClient  # noqa: PLC0415 - likewise
            from steersman.lsp.open_files import OpenFiles  # noqa: PLC0415 - likewise

            self._files = OpenFiles(self.documents, LspEditorClient(self._client), self._truth, AnsweredChanges())
        return self._files
