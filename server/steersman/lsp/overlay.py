r"""The workspace of one run with the editor's open documents laid over the disk (DESIGN W1, W2).

What is open is read from its buffer and changed through the editor; everything else is ``DiskWorkspace``'s.

What no care of ours makes possible, with the editors there are (said to the model or the person where it shows):

- Typing that an editor tells only later and does not count in its versions (plain eglot) can be hit by an edit that
  arrives in that moment. An edit there waits for an answered question and 0.7 quiet seconds; what hits other text all
  the same is seen in the changes that follow, unless the editor tells only where they ended.
- Moves and deletes of open files carry no version: what is typed while one is on its way goes with the buffer. Neovim
  is made to show first that nothing unsent is there.
- A document that is closed and opened again in the middle of an edit counts its versions anew: the edit is called
  unconfirmed, whatever the text shows.
- What an editor forces on a buffer is its own: Neovim's final newline, and its ``\n`` for lines that are inserted
  between mixed line ends.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from steersman.agent.changes import Change
from steersman.agent.tool import ToolError
from steersman.lsp.buffer_text import presented
from steersman.lsp.open_files import OpenFiles
from steersman.lsp.restoring import Restoring
from steersman.lsp.transaction import Transaction
from steersman_tools.kit.disk import DiskWorkspace, paths_of
from steersman_tools.kit.leftovers import StoreMaker
from steersman_tools.kit.workspace import Applied, Document, Location, Root, Snapshot

RELOAD_S = 1.0
"""How long the editor gets after a command to reload what changed on disk (W1)."""

_BREATH = 32
"""After so many documents that were looked at, everything else of the process gets its turn (DESIGN §9)."""


class EditorWorkspace:
    """Implements ``Workspace``. ``files`` is shared by all runs of the connection; ``roots`` are the run's."""

    sees_buffers: Literal[True] = True
    """See ``workspace.SeesBuffers``."""

    def __init__(self, files: OpenFiles, roots: Sequence[Root], folder: Path | None = None) -> None:
        self._files = files
        self._disk = DiskWorkspace(roots, folder, locks=files.locks)

    def note_in(self, stores: StoreMaker) -> None:
        """Note the temporary files beside what is changed on disk; see ``DiskWorkspace.note_in``."""
        self._disk.note_in(stores)

    @property
    def roots(self) -> tuple[Root, ...]:
        """All workspace folders; the run's own first."""
        return self._disk.roots

    @property
    def disk(self) -> DiskWorkspace:
        """What is below."""
        return self._disk

    def locate(self, path: str) -> Location:
        """Resolve a path as the model wrote it; see ``Workspace.locate``."""
        return self._disk.locate(path)

    async def read(self, location: Location) -> Document:
        """Return the present text, of the buffer where it is open; see ``Workspace.read``."""
        return await self._files.read(location, self._disk)

    async def apply(self, changes: Sequence[Change], *, label: str) -> Applied:
        """Make all changes or none; see ``Workspace.apply``."""
        async with self._files.locks.hold(paths_of(changes)):
            return await Transaction(self._files, self._disk, changes, label).run()

    async def open_texts(self) -> dict[str, str]:
        """Canonical path -> text of every open document whose text differs from the disk; see ``Workspace``."""
        texts: dict[str, str] = {}
        documents = self._files.documents
        for number, document in enumerate(documents.all(), 1):
            if number % _BREATH == 0:
                await asyncio.sleep(0)
            if document.path is None or documents.get_exactly(document.uri) is not document:  # closed meanwhile
                continue
            if self._files.truth.state(document) not in {"dirty", "conflict"}:
                continue
            if self._name_of(document.path) is not None:
                texts[str(document.path)] = presented(document.text, None)
        return texts

    async def exists(self, location: Location) -> bool:
        """Whether a file, folder or open document is there."""
        return bool(self._files.at(location.path)) or await self._disk.exists(location)

    async def snapshot(self, path: str) -> Snapshot:
        """Take what a rewind of this path would need; see ``Workspace.snapshot``."""
        return await Restoring(self._files, self._disk).snapshot(path)

    async def restore(self, wanted: Snapshot, expected: Snapshot | None) -> str | None:
        """Put a path back; see ``Workspace.restore``."""
        return await Restoring(self._files, self._disk).restore(wanted, expected)

    async def prepare_for_command(self) -> tuple[str, ...]:
        """Save what may be saved; return what stays unsaved of our edits; see ``Workspace.prepare_for_command``."""
        await self._files.save(self._files.unsaved())
        return self._unsaved_names()

    async def save_for_command(self) -> tuple[str, ...]:
        """Save all documents with edits of ours, as the person said (*Save and go on*); return what stays unsaved."""
        await self._files.save(self._files.unsaved(), dirty_before=True)
        return self._unsaved_names()

    async def settle_after_command(self) -> None:
        """Give the editor its second to reload what changed on disk."""
        await self._files.settle(RELOAD_S)

    def _unsaved_names(self) -> tuple[str, ...]:
        names = [self._name_of(document.path) for document in self._files.unsaved() if document.path is not None]
        return tuple(dict.fromkeys(name for name in names if name is not None))

    def _name_of(self, path: Path) -> str | None:
        """The path as the model sees it; None for what lies outside this run's folders."""
        try:
            return self._disk.confinement.at(path).display
        except ToolError:
            return None
