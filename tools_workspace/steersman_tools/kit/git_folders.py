"""What gives orders in a repository's own folder, and how a command that changes it is kept from that (DESIGN W7, W10).

Git must write there: objects, branches, the index, a rebase. But hooks, configuration, attributes, and where all that
is looked for (``commondir``) make later git commands run programs or read other settings. They stay as they are, those
that are not there do not come to be, and no folder around them can be renamed. Only looks; no git program is run.
"""

from __future__ import annotations

import os
import stat
from collections import deque
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steersman_tools.kit.leftovers import Leftover
from steersman_tools.kit.repository import read_settings, read_small_file

GIT = ".git"
SHARED = ".\n"
"""What ``commondir`` says where a repository shares nothing: the same as no such file."""

_PINNED = ("objects", "objects/info", "info", "worktrees", "modules")
_ORDER_FOLDERS = ("hooks", "info", "objects/info")
_ORDER_FILES = {"config.worktree": "", "commondir": SHARED, "info/attributes": "", "objects/info/alternates": ""}
_KEPT = ("config", "hooks", "info/exclude", "info/grafts", "branches", "remotes", *_ORDER_FILES)
_WORKTREE_KEPT = ("commondir", "gitdir", "config.worktree")
_NOT_WRITTEN_THROUGH = frozenset({"objects", "refs", "lfs"})
_MAX_LINK_ENTRIES = 5000
_MAX_REPOSITORIES = 8
_MAX_FOLDERS = 12
_MAX_DEPTH = 4


@dataclass(slots=True)
class GitHold:
    """How repositories are held while a command may change them.

    Attributes:
        writable: their folders outside the workspace folders.
        pinned: folders that stay where they are.
        protected: what is there and gives orders.
        absent: what is not there and would.
        known: the repositories' and work trees' own folders.
        is_whole: all of them can be changed; otherwise some stay as they are: there are too many, or links in them.
    """

    writable: list[Path] = field(default_factory=list[Path])
    pinned: list[Path] = field(default_factory=list[Path])
    protected: list[Path] = field(default_factory=list[Path])
    absent: list[Leftover] = field(default_factory=list[Leftover])
    known: list[Path] = field(default_factory=list[Path])
    is_whole: bool = True


def hold_repositories(dot_gits: Sequence[Path], roots: Sequence[Path], folder: Path) -> GitHold:
    """Return how the repositories with these ``.git`` are held. Blocks.

    Args:
        dot_gits: folders or files of that name below the roots.
        folder: where the command starts. Where there are many, the repositories around it and the topmost ones can be
            changed, and the others stay as they are: each needs several mounts.
        roots: the workspace folders. A repository outside them counts only if it names the very working tree, as
            those of linked work trees and of submodules do.
    """
    hold = GitHold()
    nearest = sorted(dot_gits, key=lambda path: (not folder.is_relative_to(path.parent), len(path.parts), path))
    hold.protected += nearest[_MAX_REPOSITORIES:]
    hold.is_whole = len(nearest) <= _MAX_REPOSITORIES
    for dot_git in nearest[:_MAX_REPOSITORIES]:
        if dot_git.is_dir():
            _add_repository(hold, dot_git)
            continue
        hold.protected.append(dot_git)
        common = common_folder_of(dot_git)
        if common is None or any(common == known or common.is_relative_to(known) for known in hold.known):
            continue
        if not any(common.is_relative_to(root) for root in roots):
            hold.writable.append(common)
        _add_repository(hold, common)
    return hold


def common_folder_of(dot_git: Path) -> Path | None:
    """Return the shared folder of the repository that a ``.git`` file leads to, if that knows of this working tree."""
    own = git_folder_of(dot_git)
    if own is None:
        return None
    back = _line(own / "gitdir")
    if back is not None:  # a linked work tree's
        common = _line(own / "commondir")
        if common is None or _real(own / back) != dot_git:
            return None
        return _real(own / common)
    worktree = next((value for name, value in read_settings(own / "config") if name == "core.worktree"), None)
    return own if worktree is not None and _real(own / worktree) == dot_git.parent else None


def git_folder_of(dot_git: Path) -> Path | None:
    """Return the folder that a ``.git`` file or folder stands for, canonical."""
    if dot_git.is_dir():
        return _real(dot_git)
    text = _line(dot_git)
    if text is None or not text.startswith("gitdir:"):
        return None
    folder = _real(dot_git.parent / text.removeprefix("gitdir:").strip())
    return folder if folder.is_dir() else None


def shared_folder(git_folder: Path) -> Path:
    """Return what a work tree's own folder shares with others: hooks and configuration are there."""
    common = _line(git_folder / "commondir")
    return _real(git_folder / common) if common is not None else git_folder


def submodules(repository: Path) -> Iterator[Path]:
    """Yield the repositories of a repository's submodules; those inside them are theirs."""
    yield from _repositories_in(repository / "modules", _MAX_DEPTH)


def links(repository: Path) -> Iterator[Path]:
    """Yield the links in a repository's folder that git would write through, or take what they lead to for its own.

    A log that is a link to a shell's start-up file would have the person's git write lines there.
    """
    left = _MAX_LINK_ENTRIES
    queue = deque([str(repository)])
    while queue and left > 0:
        for entry in _entries_in(queue.popleft()):
            left -= 1
            if entry.is_symlink():
                yield Path(entry.path)
            elif entry.name not in _NOT_WRITTEN_THROUGH and entry.is_dir(follow_symlinks=False):
                queue.append(entry.path)


def worktrees(repository: Path) -> Iterator[Path]:
    """Yield the own folders of a repository's linked work trees."""
    yield from _folders_in(repository / "worktrees")


def _add_repository(hold: GitHold, folder: Path) -> None:
    if any((folder / name).is_symlink() for name in (*_PINNED, *_KEPT)):
        hold.protected.append(folder)  # a link cannot be kept from being replaced
        hold.is_whole = False
        return
    hold.known.append(folder)
    hold.pinned.append(folder)
    hold.pinned += (folder / name for name in _PINNED if _is_folder(folder / name))
    hold.protected += (folder / name for name in _KEPT if os.path.lexists(folder / name))
    for name in _ORDER_FOLDERS:
        if not os.path.lexists(folder / name):
            hold.absent.append(Leftover("place", str(folder / name)))
    for name, text in _ORDER_FILES.items():
        if not os.path.lexists(folder / name) and (folder / name).parent.is_dir():
            hold.absent.append(Leftover("place", str(folder / name), text))
    _add_worktrees(hold, folder)
    _add_submodules(hold, folder)


def _add_worktrees(hold: GitHold, folder: Path) -> None:
    there = list(worktrees(folder))
    if len(there) > _MAX_FOLDERS:
        hold.protected.append(folder / "worktrees")
        hold.is_whole = False
        return
    for each in there:
        hold.known.append(each)
        hold.pinned.append(each)
        hold.protected += (each / name for name in _WORKTREE_KEPT if os.path.lexists(each / name))
        if not os.path.lexists(each / "config.worktree"):
            hold.absent.append(Leftover("place", str(each / "config.worktree"), ""))


def _add_submodules(hold: GitHold, folder: Path) -> None:
    there = list(submodules(folder))
    if len(hold.known) + len(there) > _MAX_FOLDERS:
        hold.protected.append(folder / "modules")
        hold.is_whole = False
        return
    for each in there:
        between = each.parent
        while between != folder / "modules" and between not in hold.pinned:
            hold.pinned.append(between)
            between = between.parent
        _add_repository(hold, each)


def _repositories_in(folder: Path, depth: int) -> Iterator[Path]:
    for each in _folders_in(folder):
        if os.path.lexists(each / "HEAD"):
            yield each
        elif depth > 1:
            yield from _repositories_in(each, depth - 1)


def _entries_in(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except OSError:
        return []


def _folders_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir(follow_symlinks=False))
    except OSError:
        return []


def _is_folder(path: Path) -> bool:
    try:
        return stat.S_ISDIR(path.lstat().st_mode)
    except OSError:
        return False


def _line(path: Path) -> str | None:
    text = (read_small_file(path) or b"").decode("utf-8", "surrogateescape").strip()
    return text or None


def _real(path: Path) -> Path:
    return Path(os.path.realpath(path))
