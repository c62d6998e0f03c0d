"""The file system as a ``Workspace``: what is true of every document that no editor has open (DESIGN W2, W3, W7).

The LSP face lays the editor's open documents over this one; the command line uses it as it is. Whatever may take long
happens in a thread. Nothing is opened except through ``anchored``, and nothing changed except through ``staging``.
"""

from __future__ import annotations

import asyncio
import os
import stat
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.agent.changes import Change
from steersman_tools.kit.anchored import check_regular, read_regular
from steersman_tools.kit.leftovers import StoreMaker
from steersman_tools.kit.locks import PathLocks
from steersman_tools.kit.paths import Confinement, FileSystem
from steersman_tools.kit.text import decode, decoded_digest
from steersman_tools.kit.workspace import Applied, ApplyError, Document, Location, NotTextError, Root, Snapshot

if TYPE_CHECKING:
    from steersman_tools.kit.staging import Staging  # loaded at the first change, as rewinding is

MAX_FILE_BYTES = 32 * 1024 * 1024
"""The largest file that is read, edited, moved, deleted or kept for a rewind; search goes beyond."""

SMALL_FILE_BYTES = 64 * 1024
"""Read where it is asked for; more is read in a thread."""


class StagedChanges:
    """Changes that were checked and written beside their targets; now they are done or dropped.

    The LSP face confirms the open documents' edits between ``DiskWorkspace.stage`` and ``commit`` (W6).
    """

    def __init__(self, staging: Staging) -> None:
        self._staging = staging

    async def commit(self) -> Applied:
        """Make the changes; on failure none is there (``ApplyError`` says so, or what could not be put back)."""
        await asyncio.to_thread(self._staging.commit)
        return self._staging.result()

    async def discard(self) -> None:
        """Remove what was written beside the targets."""
        await asyncio.to_thread(self._staging.discard)


class DiskWorkspace:
    """The workspace folders on disk.

    Args:
        roots: all workspace folders, the run's own first.
        folder: where relative paths start; inside a root (default: the first root).
        max_bytes: the largest file that is read or changed.
        locks: shared by every workspace of the process, so that two runs never change one file at once.
        file_system: injected by tests for systems that fold names.
    """

    def __init__(
        self,
        roots: Sequence[Root],
        folder: Path | None = None,
        *,
        max_bytes: int = MAX_FILE_BYTES,
        locks: PathLocks | None = None,
        file_system: FileSystem | None = None,
    ) -> None:
        self.confinement = Confinement(roots, folder, file_system)
        self.locks = locks or PathLocks()
        self._max_bytes = max_bytes
        self._leftovers: StoreMaker | None = None

    def note_in(self, stores: StoreMaker) -> None:
        """Note the temporary files beside what is changed, so that others remove them if this process is killed."""
        self._leftovers = stores

    @property
    def roots(self) -> tuple[Root, ...]:
        """All workspace folders; the run's own first."""
        return self.confinement.roots

    @property
    def folder(self) -> Path:
        """The canonical folder that relative paths start at."""
        return self.confinement.folder

    def locate(self, path: str) -> Location:
        """Resolve a path as the model wrote it; see ``Workspace.locate``."""
        return self.confinement.locate(path)

    async def read(self, location: Location) -> Document:
        """Return the text on disk; see ``Workspace.read``."""
        if _is_small(location.path):
            return self._read(location)
        return await asyncio.to_thread(self._read, location)

    async def apply(self, changes: Sequence[Change], *, label: str) -> Applied:
        """Make all changes or none; see ``Workspace.apply``."""
        async with self.locks.hold(paths_of(changes)):
            return await self.make(changes)

    async def make(self, changes: Sequence[Change]) -> Applied:
        """Stage and commit at once, as ``apply`` does; the caller holds ``locks`` for ``paths_of(changes)``."""
        staging, is_over = self._staging(changes), False
        try:
            return await asyncio.to_thread(_made, staging, lambda: is_over)
        finally:
            is_over = True  # only for a thread that nobody waits for any more

    async def stage(self, changes: Sequence[Change]) -> StagedChanges:
        """Check all changes and write the new files beside their targets, changing nothing yet.

        The caller holds ``locks`` for ``paths_of(changes)`` until it has committed or discarded.

        Raises:
            ChangedError: a file is not what a change was worked out for.
            ToolError: a change is impossible.
        """
        staging = self._staging(changes)
        await asyncio.to_thread(staging.prepare)
        return StagedChanges(staging)

    def _staging(self, changes: Sequence[Change]) -> Staging:
        from steersman_tools.kit.staging import Staging  # noqa: PLC0415 - a run's first request changes nothing

        return Staging(self.confinement, changes, max_bytes=self._max_bytes, leftovers=self._leftovers)

    async def open_texts(self) -> dict[str, str]:
        """Nothing is open in an editor here."""
        return {}

    async def exists(self, location: Location) -> bool:
        """Whether a file or folder is there: one look, as ``locate`` takes many of just before."""
        return os.path.lexists(location.path)  # noqa: ASYNC240 - a thread would take longer than the look

    async def snapshot(self, path: str) -> Snapshot:
        """Take what a rewind would need; see ``Workspace.snapshot``."""
        from steersman_tools.kit.rewinding import take_snapshot  # noqa: PLC0415 - likewise

        location = self.confinement.at(Path(path))
        return await asyncio.to_thread(take_snapshot, self.confinement, location, self._max_bytes)

    async def restore(self, wanted: Snapshot, expected: Snapshot | None) -> str | None:
        """Put a path back; see ``Workspace.restore``."""
        from steersman_tools.kit.rewinding import put_back, wanted_on_disk  # noqa: PLC0415 - likewise

        location = self.confinement.at(Path(wanted.path))
        target = wanted_on_disk(wanted, expected)
        async with self.locks.hold((wanted.path,)):
            return await asyncio.to_thread(
                put_back, self.confinement, location, target, expected, self._max_bytes, self._leftovers
            )

    async def prepare_for_command(self) -> tuple[str, ...]:
        """Nothing is unsaved here."""
        return ()

    async def settle_after_command(self) -> None:
        """No editor has anything to reload here."""

    def _read(self, location: Location) -> Document:
        if location.path == location.root.path:
            check_regular(location.path.stat(), location.display)
        with self.confinement.parent(location.path) as folder:
            data, _ = read_regular(folder, location.path.name, location.display, self._max_bytes)
        try:
            decoded = decode(data)
        except NotTextError as error:
            raise NotTextError(f"{location.display} cannot be read as text: {error}") from None
        text, encoding, has_bom = decoded
        return Document(location, text, decoded_digest(data, decoded), encoding=encoding, has_bom=has_bom)


def _made(staging: Staging, is_over: Callable[[], bool]) -> Applied:
    """Stage and commit at once: to wake a thread twice takes longer than to write a small file."""
    staging.prepare()
    if is_over():
        staging.discard()
        raise ApplyError("the run has ended; nothing was changed")
    staging.commit()
    return staging.result()


def _is_small(path: Path) -> bool:
    """Whether a regular file is read sooner than a thread would be woken for it."""
    try:
        found = path.lstat()
    except OSError:
        return True  # so is the error
    return stat.S_ISREG(found.st_mode) and found.st_size <= SMALL_FILE_BYTES


def paths_of(changes: Sequence[Change]) -> tuple[str, ...]:
    """Return every canonical path that the changes touch, for ``PathLocks.hold``."""
    paths = {change.path for change in changes} | {change.moved_from for change in changes if change.moved_from}
    return tuple(sorted(paths))
