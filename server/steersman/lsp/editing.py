"""The editor's documents and the workspaces laid over them, put together for one client."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.lsp.client_quirks import quirks_of
from steersman.lsp.contracts import Client, ClientFacts
from steersman.lsp.documents import Documents
from steersman.lsp.editor_texts import EditorTexts
from steersman.lsp.file_uris import canonical_path
from steersman.lsp.text_sync import TextSync

if TYPE_CHECKING:
    from steersman.agent.tool import Plan, Tool
    from steersman_tools.kit.workspace import Root, Workspace

HIDES_TYPING = "This editor does not tell what you typed in the last moment, so edits of open files are always asked."


class Editing:
    """Everything about the client's documents."""

    def __init__(self, client: Client) -> None:
        self._client = client
        self.documents = Documents(canonical_path)
        self.sync = TextSync(self.documents)
        self.texts = EditorTexts(self.documents)

    def configure(self, facts: ClientFacts) -> None:
        """Take over what was agreed on in ``initialize``."""
        self.documents.configure(facts.position_encoding, quirks_of(facts))

    def open_workspace(self, roots: Sequence[Root]) -> Workspace:
        """Return the workspace of one run."""
        from steersman_tools.kit.disk import DiskWorkspace  # noqa: PLC0415 - only when a run starts

        return DiskWorkspace(roots)

    def must_ask(self, plan: Plan) -> str | None:
        """Say why a plan has to be asked in every mode, or None (DESIGN §8: stale edits)."""
        if not self.documents.quirks.hides_typing:
            return None
        touched = [path for change in plan.changes for path in (change.path, change.moved_from) if path is not None]
        is_open = any(self.documents.at(Path(path)) for path in touched)
        return HIDES_TYPING if is_open else None

    def extra_tools(self, workspace: Workspace) -> Sequence[Tool]:
        """Return the tools that only this editor can offer."""
        if not self._client.facts.options.diagnostics:
            return ()
        from steersman.lsp.diagnostics import GetDiagnostics  # noqa: PLC0415 - brings pydantic

        return (GetDiagnostics(self._client, workspace),)
