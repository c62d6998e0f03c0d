"""Which protected paths there are below the workspace folders, so that a sandbox can keep them as they are (W7, W10).

Looks at the shallow folders first and stops at a limit: what it did not get to is said, not assumed. Folders that other
programs fill and remove as a whole (``node_modules``) could not be removed any more if something in them were held; so
what is protected there is only watched: its changes are told.
"""

from __future__ import annotations

import os
import stat
import time
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeAlias

from steersman_tools.kit.git_folders import GIT
from steersman_tools.kit.protected import protection_of
from steersman_tools.kit.protected_paths import ProtectedPaths

_BULKY = frozenset(
    {
        *("node_modules", "site-packages", "vendor", "target", "dist", "build", ".next", ".nuxt", ".gradle"),
        *("__pycache__", ".venv", "venv", ".tox", ".nox", ".mypy_cache", ".ruff_cache", ".pytest_cache", ".terraform"),
    }
)
_WATCHED = (".git", ".vscode", ".idea", ".steersman")
_MAX_ENTRIES = 20_000
_MAX_WATCHED_ENTRIES = 10_000
_MAX_FOUND = 300
_MAX_SIGNED = 200
_CROWD = 4
_SETTLED_NS = 50_000_000
"""How long a folder must have been unchanged for its times to tell of the next change: clocks of files are coarse."""

Signature: TypeAlias = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class ProtectedFound:
    """What is protected now.

    Attributes:
        paths: existing protected files and folders, shallow ones first; nothing inside another one of them. With
            what tells each from another that takes its place.
        absent: folders at the top of a root that would be protected, and are not there.
        is_complete: everything was looked at.
    """

    paths: Mapping[Path, tuple[int, int]]
    absent: tuple[Path, ...]
    is_complete: bool


@dataclass(frozen=True, slots=True)
class Watched:
    """What is protected in folders that other programs fill.

    Attributes:
        paths: with what changes when any of it does.
        unseen: those of the folders in which not everything was looked at.
    """

    paths: Mapping[Path, Signature]
    unseen: tuple[Path, ...] = ()


@dataclass(frozen=True, slots=True)
class _Read:
    """A folder as it was read: what tells whether it changed, and what is in it."""

    moment: Signature
    read_ns: int
    protected: list[str]
    folders: list[str]
    bulky: list[str]
    count: int


class ProtectedWalk:
    """Looks through the roots; folders that did not change since are not read again.

    Args:
        roots: canonical paths of the workspace folders.
        max_entries: how many files and folders are looked at.
        max_watched_entries: how many more in the folders that other programs fill.
        clock_ns: the time, as files have it.
    """

    def __init__(
        self,
        roots: Sequence[Path],
        *,
        max_entries: int = _MAX_ENTRIES,
        max_watched_entries: int = _MAX_WATCHED_ENTRIES,
        clock_ns: Callable[[], int] = time.time_ns,
    ) -> None:
        self._roots = tuple(roots)
        self._protected = ProtectedPaths(self._roots)
        self._max_entries = max_entries
        self._max_watched_entries = max_watched_entries
        self._clock_ns = clock_ns
        self._folders: dict[str, _Read] = {}
        self._names: dict[str, bool] = {}
        self._bulky: list[str] = []
        self._last: Watched | None = None

    def find(self) -> ProtectedFound:
        """Return what is protected now. Blocks; call it in a thread."""
        whole = [root for root in self._roots if self._protected.of_name(str(root)) is not None]
        found: dict[str, None] = dict.fromkeys(map(str, whole))
        bulky: list[str] = []
        left = self._max_entries
        queue = deque(str(root) for root in self._roots if root not in whole)
        while queue and left > 0 and len(found) < _MAX_FOUND:
            read = self._read(queue.popleft())
            left -= read.count
            found.update(dict.fromkeys(read.protected))
            queue.extend(read.folders)
            bulky += read.bulky
        self._bulky = bulky
        for target, _ in self._protected.linked():
            if os.path.lexists(target) and any(target.is_relative_to(root) for root in self._roots):
                found[str(target)] = None
        absent = tuple(
            root / name
            for root in self._roots
            for name in _WATCHED
            if not os.path.lexists(root / name) and self._protected.of_name(str(root / name)) is not None
        )
        paths = {path: _identity(path) for path in map(Path, found)}
        return ProtectedFound(paths, absent, is_complete=not queue)

    def watch(self) -> Watched:
        """Return what is protected now in the folders that other programs fill, which ``find`` has met. Blocks."""
        found: dict[Path, Signature] = {}
        unseen: list[Path] = []
        left = self._max_watched_entries
        for folder in self._bulky:
            queue = deque([folder])
            while queue and left > 0:
                read = self._read(queue.popleft())
                left -= read.count
                found.update((Path(path), _signature(path)) for path in read.protected)
                queue.extend((*read.folders, *read.bulky))
            if queue:
                unseen.append(Path(folder))
        self._last = Watched(found, tuple(unseen))
        return self._last

    def unseen(self) -> tuple[Path, ...]:
        """Return the folders in which not everything is watched, as of the last look."""
        return (self._last or self.watch()).unseen

    def crowded(self, paths: Iterable[Path]) -> tuple[tuple[Path, ...], tuple[Path, ...]]:
        """Return those of the paths that are worth a name, and the filled folders in which there are too many."""
        alone: list[Path] = []
        inside: dict[Path, list[Path]] = {}
        for path in paths:
            folder = next((each for each in map(Path, self._bulky) if path.is_relative_to(each)), None)
            (alone if folder is None else inside.setdefault(folder, [])).append(path)
        alone += (path for found in inside.values() if len(found) < _CROWD for path in found)
        return tuple(alone), tuple(folder for folder, found in inside.items() if len(found) >= _CROWD)

    def _read(self, folder: str) -> _Read:
        """Return what is in a folder, read anew if it may have changed."""
        try:
            status = Path(folder).stat()
        except OSError:
            return _Read((), 0, [], [], [], 0)
        moment = (status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns)
        known = self._folders.get(folder)
        if known is not None and known.moment == moment and known.read_ns - status.st_ctime_ns > _SETTLED_NS:
            return known
        read = _Read(moment, self._clock_ns(), [], [], [], 0)
        self._folders[folder] = read = self._entries_of(folder, read)
        return read

    def _entries_of(self, folder: str, read: _Read) -> _Read:
        count = 0
        for entry in _entries(folder):
            count += 1
            if self._is_protected(entry):
                if not entry.is_symlink():
                    read.protected.append(entry.path)
            elif entry.is_dir(follow_symlinks=False):
                (read.bulky if entry.name in _BULKY else read.folders).append(entry.path)
            if count > self._max_entries:
                break
        return replace(read, count=count)

    def _is_protected(self, entry: os.DirEntry[str]) -> bool:
        """Judge by the name, which is remembered; by the whole path where names of folders count as well."""
        if entry.name not in self._names:
            self._names[entry.name] = protection_of(entry.name) is not None
        if self._names[entry.name]:
            return True
        parent = os.path.basename(os.path.dirname(entry.path))  # noqa: PTH119, PTH120 - many, and quick
        grandparent = os.path.basename(os.path.dirname(os.path.dirname(entry.path)))  # noqa: PTH119, PTH120
        if not parent.startswith(".") and not grandparent.startswith(".") and not parent.lower().endswith(".git"):
            return False
        return self._protected.of_name(entry.path) is not None


def _identity(path: Path) -> tuple[int, int]:
    try:
        status = path.lstat()
    except OSError:
        return 0, 0
    return status.st_dev, status.st_ino


def _signature(path: str) -> Signature:
    """Return what changes when a file does, or anything in a folder; of ``.git`` only what gives orders counts."""
    if os.path.basename(path) != GIT:  # noqa: PTH119 - many, and quick
        return tuple(_signed(path, _MAX_SIGNED))
    orders = ("", "/config", "/config.worktree", "/commondir", "/hooks")
    return tuple(part for name in orders for part in _signed(path + name, _MAX_SIGNED if name else 0))


def _signed(path: str, left: int) -> Iterator[Signature]:
    try:
        status = Path(path).lstat()
    except OSError:
        return
    if not stat.S_ISDIR(status.st_mode):
        yield path, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
        return
    yield path, status.st_ino
    for entry in _entries(path)[:left]:
        yield from _signed(entry.path, left // 2)


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
