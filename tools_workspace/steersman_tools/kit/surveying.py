"""Whether ripgrep leaves out of a small tree what git would, by a look of our own at its ignore files (DESIGN W8, W9).

To start a second ripgrep for that takes longer than to walk through a few hundred folders, and the two would be in each
other's way. Where git and ripgrep are known to read every ignore file alike on the way down, both see the same folders.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from steersman_tools.kit.ignore import IGNORE_FILE, IgnoreList
from steersman_tools.kit.ignore_rules import IgnoreRules, Rules
from steersman_tools.kit.walk import GIT

_MAX_FOLDERS = 400
_MAX_ENTRIES = 5000
_SPECIAL = frozenset({IGNORE_FILE, GIT})


@dataclass(frozen=True, slots=True)
class Survey:
    """How to look at a tree.

    Attributes:
        rules: the ignore rules of the tree.
        is_alike: whether git and ripgrep read an ignore list alike.
        needs_no_inner: another repository anywhere below makes a difference.
        depth: how many parts the path of what is asked for has at most, from the folder that is begun in; None for any.
        is_stopped: asked at each folder.
    """

    rules: IgnoreRules
    is_alike: Callable[[IgnoreList], bool]
    needs_no_inner: bool
    depth: int | None
    is_stopped: Callable[[], bool]

    def holds(self, start: Path) -> bool | None:
        """Whether ripgrep does as git does below ``start``; None when that is too much to look at. Blocks briefly."""
        waiting: list[tuple[str, Rules, int]] = [(str(start), self.rules.at(start)[0], 0)]
        entries = 0
        for _ in range(_MAX_FOLDERS):
            if not waiting:
                return True
            if entries > _MAX_ENTRIES or self.is_stopped():
                return None
            path, outer, level = waiting.pop()
            listed = _entries(path)
            entries += len(listed)
            inside = self._inside(path, outer, listed, is_start=level == 0)
            if inside is None:
                return False
            if self.depth is None or level + 1 < self.depth:
                waiting += [
                    (each.path, inside, level + 1)
                    for each in listed
                    if each.is_dir(follow_symlinks=False)
                    and not inside.ignores(os.fsencode(each.name), is_folder=True)
                    and each.name.lower() != GIT
                ]
        return None

    def _inside(self, path: str, outer: Rules, listed: Iterable[os.DirEntry[str]], *, is_start: bool) -> Rules | None:
        """Return the rules inside a folder, given those around it; None when ripgrep would not have the same."""
        special = {each.name: each for each in listed if each.name in _SPECIAL}
        ignore_file, git = special.get(IGNORE_FILE), special.get(GIT)
        if ignore_file is not None and not ignore_file.is_file(follow_symlinks=False):
            return None  # ripgrep follows a link of this name, and git does not
        if git is not None and self.needs_no_inner and _may_be_repository(git):
            return None
        if is_start:
            return outer
        if not special:
            return Rules(outer.prefix + os.fsencode(path.rpartition(os.sep)[2]) + b"/", outer.lists)
        inside = self.rules.enter(outer, Path(path), has_ignore_file=ignore_file is not None, has_git=git is not None)
        new = (each for prefix, each in inside.lists if prefix == inside.prefix)
        return inside if all(map(self.is_alike, new)) else None


def _entries(path: str) -> list[os.DirEntry[str]]:
    """Return a folder's entries; ripgrep sees none either of one that cannot be read."""
    try:
        with os.scandir(path) as entries:
            return list(entries)
    except OSError:
        return []


def _may_be_repository(git: os.DirEntry[str]) -> bool:
    return not git.is_dir(follow_symlinks=False) or os.path.lexists(f"{git.path}{os.sep}HEAD")
