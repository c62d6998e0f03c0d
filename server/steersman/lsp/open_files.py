"""The open documents of workspace files: read, checked and edited by path (DESIGN W1, W2).

One of these serves a whole connection; every run's ``EditorWorkspace`` shares it, and with it the locks that let one
change a time into a file.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.changes import text_digest
from steersman.lsp.answered import AnsweredChanges
from steersman.lsp.apply_edit import DocumentEditor, Outcome, Timing
from steersman.lsp.buffer_text import is_lossy, presented
from steersman.lsp.disk_truth import DiskTruth
from steersman.lsp.documents import DocumentListeners, Documents, OpenDocument
from steersman.lsp.editor_client import EditorClient
from steersman.lsp.merge import plain
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.locks import PathLocks
from steersman_tools.kit.workspace import (
    ApplyError,
    Document,
    DocumentState,
    FileMissingError,
    Location,
    NotTextError,
)

_NOTES: dict[DocumentState, str] = {
    "stale": "It was changed on disk while it was open, unchanged, in the editor; this is the text on disk.",
    "conflict": "It has unsaved changes in the editor and was changed on disk too; this is the editor's text. "
    "It cannot be edited until the person saves or reloads it.",
}


@dataclass(frozen=True, slots=True)
class OpenFile:
    """What an open document's file is now.

    Attributes:
        location: where it is.
        documents: its open documents, all with the same text; more than one when the client spells it differently.
        state: how buffer and disk stand to each other.
        text: as tools see it.
        disk: the document on disk; None when nothing is there or it is no text.
        is_missing: nothing is on disk.
    """

    location: Location
    documents: tuple[OpenDocument, ...]
    state: DocumentState
    text: str
    disk: Document | None
    is_missing: bool


class OpenFiles:
    """See the module.

    Args:
        documents: the mirror of the editor's documents.
        client: the editor.
        truth: what the disk held when each document was opened or saved; listens to the documents itself.
        answered: what a person was asked and allowed.
        timing: how long to wait for the editor.
    """

    def __init__(
        self,
        documents: Documents,
        client: EditorClient,
        truth: DiskTruth,
        answered: AnsweredChanges,
        timing: Timing | None = None,
    ) -> None:
        self.documents = documents
        self.client = client
        self.truth = truth
        self.answered = answered
        self.locks = PathLocks()
        self.timing = timing or Timing()
        self._editor = DocumentEditor(documents, client, self.timing)
        self._ours: dict[str, bool] = {}
        self._came = asyncio.Event()
        documents.listen(DocumentListeners(self._on_event, self._on_event, self._forget, self._forget))

    def can(self, operation: str) -> bool:
        """Whether the editor takes this resource operation: "rename" or "delete"."""
        facts = self.client.facts
        return facts.apply_edit and facts.document_changes and operation in facts.resource_operations

    # --- reading ------------------------------------------------------------------------------------------------

    def at(self, path: Path) -> tuple[OpenDocument, ...]:
        """Return the open documents of a canonical path."""
        return self.documents.at(path)

    async def look(self, location: Location, disk: DiskWorkspace) -> OpenFile | None:
        """Return what an open file is now; None when it is not open.

        Raises:
            ApplyError: it is open under two spellings with different texts.
            NotTextError: the editor itself could not read it.
            ToolError: the file on disk is something that no tool reads.
        """
        if not self.at(location.path):
            return None
        on_disk, data = await _on_disk(location, disk)
        documents = self.at(location.path)
        if not documents:  # closed meanwhile
            return None
        first = documents[0]
        if any(plain(other.text) != plain(first.text) for other in documents[1:]):
            raise ApplyError(
                f"{location.display} is open in the editor under two names with different texts; "
                "ask the person to save or close one of them."
            )
        if is_lossy(first.text, on_disk.text if on_disk is not None else data):
            raise NotTextError(
                f"{location.display} cannot be read as text: the editor shows characters of it as U+FFFD, so it has "
                "read it in the wrong encoding; saving it would destroy them"
            )
        state = self.truth.state(first)
        is_missing = on_disk is None and data is None
        if state in {"clean", "stale"} and on_disk is not None:
            return OpenFile(location, documents, state, on_disk.text, on_disk, is_missing)
        text = presented(first.text, on_disk.text if on_disk is not None else None)
        return OpenFile(location, documents, state, text, on_disk, is_missing)

    async def read(self, location: Location, disk: DiskWorkspace) -> Document:
        """Return the present text of a file, open or not (W1); see ``Workspace.read``."""
        found = await self.look(location, disk)
        if found is None:
            return await disk.read(location)
        if found.state == "stale" and found.is_missing:
            raise FileMissingError(f"{location.display} does not exist any more (the editor still shows its text).")
        encoding, has_bom = (found.disk.encoding, found.disk.has_bom) if found.disk is not None else ("utf-8", False)
        digest, note = text_digest(found.text), _NOTES.get(found.state)
        return Document(location, found.text, digest, found.state, encoding, has_bom, note)

    # --- writing ------------------------------------------------------------------------------------------------

    async def edit(self, document: OpenDocument, before: str, after: str, label: str) -> Outcome:
        """Change an open document; the caller holds its lock."""
        was_dirty = self.truth.state(document) == "dirty"
        outcome = await self._editor.edit(document.uri, before, after, label=label)
        if outcome.kind == "confirmed":
            self._ours.setdefault(document.uri, was_dirty)
        return outcome

    async def fence(self, document: OpenDocument) -> Outcome | None:
        """Make sure that nothing unsent was typed, where the client lets us; None where it does not."""
        if not self.client.quirks.skips_version_zero:
            return None
        return await self._editor.touch(document.uri)

    def moved(self, uri: str, path: Path) -> None:
        """An open document went to another path, edits of ours and all."""
        was_dirty = self._ours.pop(uri, None)
        for document in self.at(path):
            if was_dirty is not None:
                self._ours.setdefault(document.uri, was_dirty)

    def unsaved(self) -> tuple[OpenDocument, ...]:
        """Return the open documents that hold edits of ours and are not saved."""
        mine = (self.documents.get_exactly(uri) for uri in tuple(self._ours))
        return tuple(document for document in mine if document is not None and self.truth.state(document) != "clean")

    async def save(self, documents: Sequence[OpenDocument], *, dirty_before: bool = False) -> None:
        """Have the client save documents, if it can; those that were dirty before our edit only when told so."""
        uris = [document.uri for document in documents if dirty_before or not self._ours.get(document.uri, True)]
        if uris and self.client.facts.options.save_documents:
            await self.client.save(uris)

    async def settle(self, timeout_s: float) -> None:
        """Give the editor time to reload the documents that changed on disk (W1)."""
        loop = asyncio.get_running_loop()
        deadline = loop.time() + timeout_s
        while any(self.truth.state(document) == "stale" for document in self.documents.all() if document.path):
            self._came.clear()
            try:
                async with asyncio.timeout_at(deadline):
                    await self._came.wait()
            except TimeoutError:
                return

    def _on_event(self, _document: OpenDocument) -> None:
        self._came.set()

    def _forget(self, document: OpenDocument) -> None:
        self._ours.pop(document.uri, None)
        self._came.set()


async def _on_disk(location: Location, disk: DiskWorkspace) -> tuple[Document | None, bytes | None]:
    """Return the document on disk, and the bytes when they are no text."""
    try:
        return await disk.read(location), None
    except FileMissingError:
        return None, None
    except NotTextError:
        return None, (await disk.snapshot(str(location.path))).data
