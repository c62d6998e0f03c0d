"""What a rewind keeps of a file and its buffer, and how it puts them back (DESIGN S7).

An open document is put back through the editor, and saved where it was clean and the editor can be asked to; the disk
is put back where no document is open, for then we wrote it, or the person saved what we had written and closed it.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path

from steersman.agent.tool import ToolError
from steersman.lsp.buffer_text import replaced_buffer
from steersman.lsp.documents import OpenDocument
from steersman.lsp.failures_of_edits import error_of
from steersman.lsp.merge import plain
from steersman.lsp.open_files import OpenFiles
from steersman.lsp.steps import DeleteOpenFile
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.rewinding import remove_folders, text_of
from steersman_tools.kit.workspace import Location, Snapshot

_LABEL = "Steersman: rewind"
_CHANGED = "it was changed since"


class Restoring:
    """Keeps and puts back files of one workspace."""

    def __init__(self, files: OpenFiles, disk: DiskWorkspace) -> None:
        self._files = files
        self._disk = disk

    async def snapshot(self, path: str) -> Snapshot:
        """Take what a rewind of this canonical path would need: the disk's bytes, and the buffer's text."""
        snapshot = await self._disk.snapshot(path)
        documents = self._files.at(Path(snapshot.path))
        return replace(snapshot, buffer=documents[0].text) if documents else snapshot

    async def restore(self, wanted: Snapshot, expected: Snapshot | None) -> str | None:
        """Put a path back; see ``Workspace.restore``."""
        location = self._disk.confinement.at(Path(wanted.path))
        documents = self._files.at(location.path)
        if not documents:
            return await self._disk.restore(wanted, expected)
        async with self._files.locks.hold((wanted.path,)):
            try:
                return await self._restore_open(location, documents, wanted, expected)
            except ToolError as error:
                return str(error)

    async def _restore_open(
        self, location: Location, documents: tuple[OpenDocument, ...], wanted: Snapshot, expected: Snapshot | None
    ) -> str | None:
        if expected is not None and any(not _shows(document, expected) for document in documents):
            return _CHANGED
        text = text_of(wanted)
        if wanted.data is None and wanted.buffer is None:
            return await self._remove(location, documents[0], wanted, expected)
        if text is None:
            return "what stood there before is no text, and it is open in the editor; close it there and try again"
        if not self._files.client.facts.apply_edit:
            return "it is open in an editor that cannot be asked to change it; close it there and try again"
        for document in documents:
            target = replaced_buffer(document.text, text)
            if target == document.text:
                continue
            if not await self._may_edit(location):
                return "the person did not let it be changed in the editor now"
            outcome = await self._files.edit(document, document.text, target, _LABEL)
            if outcome.kind != "confirmed":
                return str(error_of(outcome, location.display))
        await self._files.save(documents)
        return None

    async def _may_edit(self, location: Location) -> bool:
        if not self._files.client.quirks.hides_typing:
            return True
        return await self._files.client.confirm(
            f"Steersman is about to put {location.display} back in the editor. "
            "Please do not type there until it is done."
        )

    async def _remove(
        self, location: Location, document: OpenDocument, wanted: Snapshot, expected: Snapshot | None
    ) -> str | None:
        """Nothing was there: the file goes, with its buffer where the editor can close it."""
        if expected is not None and (await self._disk.snapshot(str(location.path))).data != expected.data:
            return _CHANGED
        if self._files.can("delete"):
            await DeleteOpenFile(self._files, self._disk, location, document, _LABEL).do()
            await asyncio.to_thread(remove_folders, self._disk.confinement, location.path, wanted.missing)
            return None
        return "it is open in an editor that cannot delete open files; close it there and try again"


def _shows(document: OpenDocument, expected: Snapshot) -> bool:
    text = text_of(expected)
    return text is not None and plain(text) == plain(document.text)
