"""Which protected paths there are below the workspace folders, so that a sandbox can keep them as they are (W7, W10).

Looks at the shallow folders first and stops at a limit: what it did not get to is said, not assumed.
"""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

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
_MAX_FOUND = 300


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


class ProtectedWalk:
    """Looks through the roots; folders that did not change since are not read again.

    Args:
        roots: canonical paths of the workspace folders.
        max_entries: how many files and folders are looked at.
    """

    def __init__(self, roots: Sequence[Path], *, max_entries: int = _MAX_ENTRIES) -> None:
        self._roots = tuple(roots)
        self._protected = ProtectedPaths(self._roots)
        self._max_entries = max_entries
        self._folders: dict[str, tuple[int, list[str], list[str], int]] = {}
        self._names: dict[str, bool] = {}

    def find(self) -> ProtectedFound:
        """Return what is protected now. Blocks; call it in a thread."""
        whole = [root for root in self._roots if self._protected.of_name(str(root)) is not None]
        found: dict[str, None] = dict.fromkeys(map(str, whole))
        left = self._max_entries
        queue = deque(str(root) for root in self._roots if root not in whole)
        while queue and left > 0 and len(found) < _MAX_FOUND:
            protected, folders, count = self._read(queue.popleft())
            left -= count
            found.update(dict.fromkeys(protected))
            queue.extend(folders)
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

    def _read(self, folder: str) -> tuple[list[str], list[str], int]:
        """Return a folder's protected entries, its folders to go on with, and how many entries it has."""
        try:
            changed = Path(folder).stat().st_mtime_ns
        except OSError:
            return [], [], 0
        known = self._folders.get(folder)
        if known is None or known[0] != changed:
            protected: list[str] = []
            folders: list[str] = []
            count = 0
            for entry in _entries(folder):
                count += 1
                if self._is_protected(entry):
                    if not entry.is_symlink():
                        protected.append(entry.path)
                elif entry.is_dir(follow_symlinks=False) and entry.name not in _BULKY:
                    folders.append(entry.path)
                if count > self._max_entries:
                    break
            known = self._folders[folder] = (changed, protected, folders, count)
        return known[1], known[2], known[3]

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


def _entries(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except OSError:
        return []
