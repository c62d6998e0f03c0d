"""One change on its way to disk: made ready beside its target, done, and taken back if a later one fails (DESIGN W6).

Every step leaves what it replaced within reach until all are done. Nothing here decides whether a change is allowed or
fits: ``staging`` has checked that.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import Protocol

from steersman_tools.kit.anchored import Folder
from steersman_tools.kit.leftovers import Leftover
from steersman_tools.kit.paths import Confinement
from steersman_tools.kit.placing import Original, place_new, remove_quietly, replace, write_beside
from steersman_tools.kit.workspace import ChangedError

Token = Callable[[], str]


class Step(Protocol):
    """What can be done with a planned change. All of it blocks and raises ``OSError`` or ``ToolError``."""

    path: Path

    def make_ready(self, made: list[str]) -> None:
        """Write what is needed beside the target; folders made on the way are added to ``made``."""
        ...

    def do(self) -> None:
        """Change the target."""
        ...

    def take_back(self) -> None:
        """Undo ``do``, after it or after it failed half-way."""
        ...

    def finish(self) -> None:
        """All steps are done: let go of what was kept to take this one back."""
        ...

    def discard(self) -> None:
        """It will not be done: remove what ``make_ready`` wrote."""
        ...

    def leftover(self) -> Leftover | None:
        """Return what would be left beside the target if this process were killed."""
        ...


def temporary_name(token: Token) -> str:
    """Return a name for a file of ours that lives for a moment."""
    return f".steersman-{token()}.tmp"


class WriteStep:
    """Write a file: a new one, or over an existing one."""

    def __init__(
        self,
        confinement: Confinement,
        path: Path,
        data: bytes,
        *,
        temp: str,
        old: bytes | None = None,
        status: os.stat_result | None = None,
        origin: Path | None = None,
        is_first: bool = True,
    ) -> None:
        """Plan it.

        Args:
            confinement: opens the folders.
            path: canonical path.
            data: the whole new content.
            temp: a free name beside the target.
            old: the content it replaces; None for a new file.
            status: the file's status when its content was checked; None when an earlier step makes the file.
            origin: where the file to take mode and attributes from is now, when not at ``path``.
            is_first: no earlier step touched the path, so its status must still be ``status``.
        """
        self.path = path
        self._confinement = confinement
        self._data = data
        self._old = old
        self._status = status
        self._origin = origin or path
        self._expected = status if is_first else None
        self._temp = temp
        self._is_beside = False
        self._has_begun = False

    def make_ready(self, made: list[str]) -> None:
        """Write the new content beside the target."""
        with self._confinement.parent(self.path, made) as folder:
            if self._status is None:
                self._is_beside = write_beside(folder, self._temp, self._data, None)
                return
            is_at_home = self._origin.parent == self.path.parent
            with nullcontext(folder) if is_at_home else self._confinement.parent(self._origin) as home:
                original = Original(home, self._origin.name, self._status)
                self._is_beside = write_beside(folder, self._temp, self._data, original)

    def do(self) -> None:
        """Rename it over the target, or write in place."""
        with self._confinement.parent(self.path) as folder:
            if self._old is None:
                place_new(folder, self._temp, folder, self.path.name)
                self._has_begun, self._is_beside = True, False
            else:
                check_unmoved(folder.lstat(self.path.name), self._expected, self._confinement.display(self.path))
                self._has_begun = True
                temp, self._is_beside = (self._temp if self._is_beside else None), False
                replace(folder, self.path.name, temp, self._data)
            folder.sync()

    def take_back(self) -> None:
        """Write the old content again, or remove the new file."""
        if not self._has_begun:
            return
        with self._confinement.parent(self.path) as folder:
            if self._old is None:
                folder.unlink(self.path.name)
                return
            there = folder.lstat(self.path.name)
            original = Original(folder, self.path.name, there) if there else None
            is_beside = write_beside(folder, self._temp, self._old, original)
            replace(folder, self.path.name, self._temp if is_beside else None, self._old)
            _restore_times(self._status, folder, self.path.name)

    def finish(self) -> None:
        """Nothing is kept: the old content was in memory."""

    def leftover(self) -> Leftover | None:
        """Return the temporary file."""
        return Leftover("temporary", str(self.path.parent / self._temp))

    def discard(self) -> None:
        """Remove the temporary file."""
        if self._is_beside:
            with self._confinement.parent(self.path) as folder:
                remove_quietly(folder, self._temp)


class DeleteStep:
    """Delete a file: set aside under a temporary name first, so that it can come back as it was."""

    def __init__(self, confinement: Confinement, path: Path, *, temp: str, status: os.stat_result | None) -> None:
        self.path = path
        self._confinement = confinement
        self._temp = temp
        self._status = status
        self._is_aside = False

    def make_ready(self, made: list[str]) -> None:
        """Nothing is written."""

    def do(self) -> None:
        """Set it aside."""
        with self._confinement.parent(self.path) as folder:
            check_unmoved(folder.lstat(self.path.name), self._status, self._confinement.display(self.path))
            folder.rename(self.path.name, folder, self._temp)
            self._is_aside = True

    def take_back(self) -> None:
        """Give it its name back."""
        if self._is_aside:
            with self._confinement.parent(self.path) as folder:
                place_new(folder, self._temp, folder, self.path.name)

    def finish(self) -> None:
        """Delete it."""
        with self._confinement.parent(self.path) as folder:
            folder.unlink(self._temp)
            folder.sync()

    def discard(self) -> None:
        """Nothing was written."""

    def leftover(self) -> Leftover | None:
        """Return the file itself under another name: it gets its own back."""
        return Leftover("aside", str(self.path.parent / self._temp), str(self.path))


class MoveStep:
    """Give a file another name, in another folder too; its content stays."""

    def __init__(
        self,
        confinement: Confinement,
        source: Path,
        path: Path,
        *,
        status: os.stat_result | None,
        is_respelling: bool = False,
    ) -> None:
        self.path = path
        self._confinement = confinement
        self._source = source
        self._status = status
        self._is_respelling = is_respelling
        self._is_done = False

    def make_ready(self, made: list[str]) -> None:
        """Make the target's folders."""
        with self._confinement.parent(self.path, made):
            pass

    def do(self) -> None:
        """Move it."""
        self._move(self._source, self.path, self._status)
        self._is_done = True

    def take_back(self) -> None:
        """Move it back."""
        if self._is_done:
            self._move(self.path, self._source, None)

    def finish(self) -> None:
        """Nothing is kept."""

    def discard(self) -> None:
        """Nothing was written."""

    def leftover(self) -> Leftover | None:
        """Nothing is left: a file has one name or the other."""
        return None

    def _move(self, source: Path, target: Path, expected: os.stat_result | None) -> None:
        with self._confinement.parent(source) as old, self._confinement.parent(target) as new:
            check_unmoved(old.lstat(source.name), expected, self._confinement.display(source))
            if self._is_respelling:
                old.rename(source.name, new, target.name)
            else:
                place_new(old, source.name, new, target.name)
            new.sync()
            old.sync()


def check_unmoved(found: os.stat_result | None, expected: os.stat_result | None, shown: str) -> None:
    """Raise ``ChangedError`` unless a file is the very one that was checked a moment ago."""
    if expected is None:
        return
    if found is None or not os.path.samestat(found, expected) or _moment(found) != _moment(expected):
        raise ChangedError(f"{shown} was changed by somebody else just now: read it again")


def _moment(status: os.stat_result) -> tuple[int, int]:
    return status.st_size, status.st_mtime_ns


def _restore_times(status: os.stat_result | None, folder: Folder, name: str) -> None:
    if status is not None:
        with contextlib.suppress(OSError, NotImplementedError):
            folder.set_times(name, status.st_atime_ns, status.st_mtime_ns)
