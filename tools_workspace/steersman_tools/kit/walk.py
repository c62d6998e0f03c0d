"""Listing a tree as git would, in Python: for small listings, and where ripgrep reads an ignore line differently.

Links are never followed, so that a loop is no loop and nothing outside is seen. This module opens ignore files only.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from steersman_tools.kit.ignore import IGNORE_FILE
from steersman_tools.kit.ignore_rules import IgnoreRules, Rules

GIT = ".git"


@dataclass(frozen=True, slots=True)
class Entry:
    """Something in a folder.

    Attributes:
        path: below the folder that the walk began in, with "/".
        name: its name.
        is_folder: it is a folder (not a link to one).
        is_link: it is a symbolic link.
        is_file: it is a regular file.
    """

    path: str
    name: str
    is_folder: bool
    is_link: bool
    is_file: bool


@dataclass(frozen=True, slots=True)
class FolderEntries:
    """A folder's entries that git would not ignore, sorted by name, with the rules inside it.

    Attributes:
        entries: the entries.
        rules: for going on below.
        ignored: how many entries were left out.
    """

    entries: tuple[Entry, ...]
    rules: Rules
    ignored: int


def read_folder(folder: Path, rules: Rules, prefix: str) -> FolderEntries:
    """Return what git would not ignore of a folder; ``.git`` is never there.

    Args:
        folder: absolute path.
        rules: the rules inside the folder.
        prefix: of the entries' paths, with "/" at the end, or empty.

    Raises:
        OSError: the folder cannot be read.
    """
    kept: list[Entry] = []
    ignored = 0
    with os.scandir(folder) as found:
        for each in found:
            if each.name.lower() == GIT:
                continue
            is_folder = each.is_dir(follow_symlinks=False)
            if rules.ignores(os.fsencode(each.name), is_folder=is_folder):
                ignored += 1
                continue
            is_file = each.is_file(follow_symlinks=False)
            kept.append(Entry(prefix + each.name, each.name, is_folder, each.is_symlink(), is_file))
    kept.sort(key=lambda entry: entry.name)
    return FolderEntries(tuple(kept), rules, ignored)


def walk_files(start: Path, rules: IgnoreRules, is_stopped: Callable[[], bool]) -> Iterator[str]:
    """Yield the regular files below ``start`` that git would not ignore, as paths below it.

    Unreadable folders are left out. ``is_stopped`` is asked at each folder, and ends the walk.
    """
    waiting: list[tuple[Path, str, Rules]] = [(start, "", rules.at(start)[0])]
    while waiting and not is_stopped():
        folder, prefix, inside = waiting.pop()
        try:
            listed = read_folder(folder, inside, prefix)
        except OSError:
            continue
        for entry in listed.entries:
            if entry.is_file:
                yield entry.path
            elif entry.is_folder:
                inner = folder / entry.name
                waiting.append((inner, f"{entry.path}/", enter(rules, inside, inner)))


def enter(rules: IgnoreRules, inside: Rules, folder: Path) -> Rules:
    """Return the rules inside a folder, looking first whether it has anything to say."""
    has_git = os.path.lexists(folder / GIT)
    return rules.enter(inside, folder, has_ignore_file=os.path.lexists(folder / IGNORE_FILE), has_git=has_git)
