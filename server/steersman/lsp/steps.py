"""The steps of a change that involves open documents, each done, confirmed, and taken back by itself (DESIGN W6)."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from pathlib import Path
from typing import Protocol, TypeAlias

from steersman.agent.tool import ToolError
from steersman.lsp.apply_edit import Outcome
from steersman.lsp.documents import OpenDocument
from steersman.lsp.editor_client import DeleteFile, RenameFile, ResourceOperation
from steersman.lsp.failures_of_edits import error_of
from steersman.lsp.merge import plain, rebase, shows_change
from steersman.lsp.open_files import OpenFiles
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.workspace import ApplyError, ChangedError, Location, PathRefusedError, Snapshot

_LOOK_AGAIN_S = 0.05


_Check: TypeAlias = Callable[[], bool]


class Step(Protocol):
    """One step."""

    @property
    def name(self) -> str:
        """The file, as the model sees it."""
        ...

    async def do(self) -> None:
        """Do it. Raises ``ToolError`` when it is not confirmed; it may have happened all the same."""
        ...

    async def take_back(self) -> bool:
        """Undo it; whether that is confirmed."""
        ...


class EditBuffer:
    """Change the text of an open document.

    Attributes:
        document: the document.
        notes: what the model must be told, once it is done.
        brings_up_to_date: the buffer lagged behind the disk, and the edit contains what it lacks (W1).
    """

    def __init__(
        self, files: OpenFiles, disk: DiskWorkspace, location: Location, document: OpenDocument, after: str, label: str
    ) -> None:
        self.name = location.display
        self.document = document
        self.notes: list[str] = []
        self.brings_up_to_date = False
        self._files = files
        self._disk = disk
        self._location = location
        self._before = document.text
        self._after = after
        self._label = label
        self._outcome: Outcome | None = None

    async def do(self) -> None:
        """Have the editor make the edit, and see it in the document."""
        outcome = await self._files.edit(self.document, self._before, self._after, self._label)
        self._outcome = outcome
        if outcome.kind == "closed" and await self._was_saved(outcome):
            self.notes.append(f"{self.name} was saved and closed in the editor meanwhile.")
        elif outcome.kind != "confirmed":
            raise error_of(outcome, self.name)
        elif outcome.sent is not None and outcome.now is not None and self._is_gone(outcome):
            self.notes.append(f"{self.name} was changed again in the editor right after the edit; read it again.")

    async def take_back(self) -> bool:
        """Take our change out of the present text, keeping what was typed since."""
        outcome = self._outcome
        document = self._files.documents.get_exactly(self.document.uri)
        if outcome is None or outcome.sent is None or document is None:
            return outcome is None or outcome.sent is None
        if outcome.kind == "refuted":
            return True
        target = rebase(outcome.sent.expected, outcome.sent.before, document.text)
        if outcome.kind != "confirmed" or target is None:
            return False
        back = await self._files.edit(document, document.text, target, f"{self._label} (taken back)")
        return back.kind == "confirmed"

    def _is_gone(self, outcome: Outcome) -> bool:
        assert outcome.sent is not None
        sent, now = outcome.sent, plain(outcome.now or "")
        if shows_change(plain(sent.before), plain(sent.expected), now):
            return False
        return rebase(plain(sent.expected), plain(sent.before), now) is None

    async def _was_saved(self, outcome: Outcome) -> bool:
        if outcome.sent is None:
            return False
        try:
            text = plain((await self._disk.read(self._location)).text)
        except ToolError:
            return False
        return shows_change(plain(outcome.sent.before), plain(outcome.sent.expected), text)


class MoveOpenFile:
    """Move a file that is open, by the editor, so that its buffer goes with it."""

    def __init__(
        self,
        files: OpenFiles,
        disk: DiskWorkspace,
        source: Location,
        target: Location,
        document: OpenDocument,
        label: str,
    ) -> None:
        self.name = source.display
        self._files = files
        self._disk = disk
        self._source = source
        self._target = target
        self._uri = document.uri
        self._label = label

    async def do(self) -> None:
        """Have the editor move it, and see it moved."""
        for path in (self._source.path, self._target.path):
            _check_unmoved(self._disk, path)
        if _is_there(self._target.path):
            raise ChangedError(f"cannot move to {self._target.display}: a file is there; nothing was changed")
        await self._operate(RenameFile(self._uri, self._target.path), self._source.path, self._target.path)
        self._files.moved(self._uri, self._target.path)

    async def take_back(self) -> bool:
        """Move it back."""
        if not _is_there(self._target.path):
            return _is_there(self._source.path)
        moved = self._files.at(self._target.path)
        uri = moved[0].uri if moved else self._target.path.as_uri()
        try:
            await self._operate(RenameFile(uri, self._source.path), self._target.path, self._source.path)
        except ToolError:
            return False
        return True

    async def _operate(self, operation: RenameFile, source: Path, target: Path) -> None:
        said = await _operated(self._files, operation, self._label, lambda: not _is_there(source) and _is_there(target))
        if said is not None:
            raise ApplyError(f"the editor did not move {self._source.display} to {self._target.display}{said}")


class DeleteOpenFile:
    """Delete a file that is open, by the editor, so that its buffer goes too."""

    def __init__(
        self, files: OpenFiles, disk: DiskWorkspace, location: Location, document: OpenDocument, label: str
    ) -> None:
        self.name = location.display
        self._files = files
        self._disk = disk
        self._path = location.path
        self._document = document
        self._label = label
        self._kept: Snapshot | None = None

    async def do(self) -> None:
        """Have the editor delete it, and see it gone."""
        _check_unmoved(self._disk, self._path)
        fence = await self._files.fence(self._document)
        if fence is not None and fence.kind != "confirmed":
            raise error_of(fence, self.name)
        self._kept = await self._disk.snapshot(str(self._path))
        said = await _operated(
            self._files, DeleteFile(self._document.uri), self._label, lambda: not _is_there(self._path)
        )
        if said is not None:
            raise ApplyError(f"the editor did not delete {self.name}{said}")

    async def take_back(self) -> bool:
        """Write the file again; its buffer stays closed."""
        if self._kept is None or _is_there(self._path):
            return True
        return await self._disk.restore(self._kept, None) is None


def _check_unmoved(disk: DiskWorkspace, path: Path) -> None:
    """Raise ``PathRefusedError`` unless the canonical path still leads to itself (W7)."""
    if disk.locate(str(path)).path != path:
        raise PathRefusedError(f"path “{path}” was turned into a link meanwhile; it is not followed")


def _is_there(path: Path) -> bool:
    return os.path.lexists(path)


async def _operated(files: OpenFiles, operation: ResourceOperation, label: str, is_done: _Check) -> str | None:
    """Send a resource operation and wait until the disk shows it. None, or what to say of the failure."""
    timing = files.timing
    waiting = timing.ask_s if files.client.quirks.may_ask else timing.confirm_s
    answer = await files.client.operate(operation, label=label, timeout_s=waiting)
    deadline = asyncio.get_running_loop().time() + (timing.settle_s if answer.said == "refused" else timing.confirm_s)
    while not is_done():
        if asyncio.get_running_loop().time() >= deadline:
            return f" ({answer.reason})" if answer.reason else ""
        await asyncio.sleep(_LOOK_AGAIN_S)
    return None
