"""New repositories that a command made, and what in them would give orders to the person's git (DESIGN W7, W10).

A sandbox cannot keep a path from coming to be whose name nobody knows before: a clone, a new work tree, a submodule. So
afterwards what is new is looked at, and a hook or a setting that could make git run a program is given another name.
Nothing is lost, and git does not obey it. No git program is run.
"""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from steersman_tools.kit.git_folders import git_folder_of, links, submodules, worktrees
from steersman_tools.kit.repository import read_small_file

ASIDE = ".set-aside"
"""What is added to the name of a file that git shall not obey."""

HEAD = "HEAD"
_EXECUTES = re.compile(rb"^[ \t]*(?:x|exec)[ \t]", re.MULTILINE)
_GOES_ON_WITH = {
    "rebase-merge/git-rebase-todo": _EXECUTES,
    "rebase-merge/git-rebase-todo.backup": _EXECUTES,
    "rebase-merge/strategy": re.compile(rb"/"),  # git runs a program of that name
    "sequencer/opts": re.compile(rb"strategy[^\n]*/"),
}
_HEADER = re.compile(r'\s*\[([A-Za-z0-9-]+)(?: +"((?:[^"\\]|\\["\\])*)")?\]\s*')
_SETTING = re.compile(r"\s*([A-Za-z][A-Za-z0-9-]*)\s*=\s*(.*?)\s*")
_NOTHING = re.compile(r"\s*(?:[#;].*)?")
_ANY_TEXT = {
    "core": "repositoryformatversion bare logallrefupdates worktree sharedrepository abbrev compression eol",
    "user": "name email",
    "branch": "remote merge rebase pushremote description",
    "remote": "fetch tagopt mirror prune prunetags promisor partialclonefilter skipdefaultupdate",
    "submodule": "active branch ignore fetchrecursesubmodules shallow",
    "extensions": "objectformat worktreeconfig partialclone noop preciousobjects refstorage compatobjectformat",
    "init": "defaultbranch",
    "lfs": "repositoryformatversion",
}
_SWITCHES = {
    "core": "filemode ignorecase precomposeunicode symlinks autocrlf safecrlf sparsecheckout sparsecheckoutcone "
    "quotepath untrackedcache splitindex commitgraph multipackindex protectntfs protecthfs",
    "index": "sparse threads version",
    "gc": "auto autodetach",
    "pull": "rebase ff",
    "push": "default autosetupremote",
    "commit": "gpgsign",
    "tag": "gpgsign",
    "maintenance": "auto",
}
_URLS = {"remote": "url pushurl", "submodule": "url"}
_SWITCH = re.compile(r"(?i)true|false|yes|no|on|off|input|warn|only|merges|simple|current|upstream|nothing|\d+")
_URL = re.compile(r"(?!-)(?!.*::).+")


def identities(dot_gits: Iterable[Path], repositories: Sequence[Path]) -> frozenset[tuple[int, int]]:
    """Return what tells repositories from others, whatever they are called later; those of each ``.git`` too."""
    led_to = [folder for path in dot_gits if (folder := git_folder_of(path)) is not None]
    linked = [link for repository in repositories for link in links(repository)]
    return frozenset(found for path in (*led_to, *repositories, *linked) if (found := identity(path)) is not None)


def identity(path: Path) -> tuple[int, int] | None:
    """Return a path's device and number, or None when it is not there."""
    try:
        status = path.lstat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def rebase_orders(repositories: Iterable[Path]) -> dict[Path, bytes]:
    """Return what makes rebases and cherry-picks that are under way run programs when they go on."""
    found: dict[Path, bytes] = {}
    for repository in repositories:
        for name, orders in _GOES_ON_WITH.items():
            text = read_small_file(repository / name) or b""
            if orders.search(text):
                found[repository / name] = text
    return found


def disarm(
    dot_gits: Iterable[Path],
    repositories: Sequence[Path],
    known: frozenset[tuple[int, int]],
    *,
    within: Sequence[Path],
    but_in: Sequence[Path],
) -> tuple[Path, ...]:
    """Set aside what would give orders in repositories that were not there. Return what it was called. Blocks.

    Args:
        dot_gits: every ``.git``, folder or file, that came to be.
        repositories: those that could be changed; new work trees and submodules in them are looked at.
        known: ``identities`` of what was there.
        within: the workspace folders; what lies outside nobody can have made.
        but_in: every ``.git`` that was there: what is in it was either held, or is one of the ``repositories``.
    """
    aside: list[Path] = []
    seen: set[tuple[int, int] | None] = {*known}
    for repository in repositories:
        aside += _disarm_inside(repository, seen)
    for dot_git in dot_gits:
        own = git_folder_of(dot_git)
        if own is None or identity(own) in seen or not _is_in(own, within) or _is_in(own, but_in):
            continue
        aside += _set_aside(_orders_of_repository(own))
        aside += _disarm_inside(own, seen)
    return tuple(aside)


def disarm_bare(heads: Iterable[Path], *, but_in: Sequence[Path]) -> tuple[Path, ...]:
    """Set aside new files that make a folder a bare repository with orders in it. Return what they were called. Blocks.

    Git takes any folder with ``HEAD``, ``objects`` and ``refs`` for one. The rest of it may be the person's own.
    """
    armed = [
        head
        for head in heads
        if not _is_in(head, but_in)
        and (head.parent / "objects").is_dir()
        and (head.parent / "refs").is_dir()
        and next(_orders_of_repository(head.parent), None) is not None
    ]
    return tuple(_set_aside(armed))


def _is_in(path: Path, folders: Iterable[Path]) -> bool:
    return any(path.is_relative_to(folder) for folder in folders)


def _disarm_inside(repository: Path, seen: set[tuple[int, int] | None]) -> Iterator[Path]:
    """Look at what is new in a repository; what was looked at once is not new any more, whatever it is called now."""
    yield from _set_aside(link for link in links(repository) if _is_new(link, seen))
    for each in worktrees(repository):
        if _is_new(each, seen):
            yield from _set_aside(_orders_of_worktree(each, repository))
    for each in submodules(repository):
        if _is_new(each, seen):
            yield from _set_aside(_orders_of_repository(each))
        yield from _disarm_inside(each, seen)


def _is_new(path: Path, seen: set[tuple[int, int] | None]) -> bool:
    found = identity(path)
    is_new = found not in seen
    seen.add(found)
    return is_new


def _set_aside(orders: Iterable[Path]) -> Iterator[Path]:
    for path in list(orders):
        with contextlib.suppress(OSError):
            path.rename(_free_name(path))
            yield path


def _free_name(path: Path) -> Path:
    names = (path.with_name(f"{path.name}{ASIDE}{number or ''}") for number in range(1000))
    return next(name for name in names if not os.path.lexists(name))


def _orders_of_repository(folder: Path) -> Iterator[Path]:
    hooks = folder / "hooks"
    if hooks.is_symlink():
        yield hooks
    else:
        yield from _hooks_in(hooks)
    for name in ("config", "config.worktree"):
        if os.path.lexists(folder / name) and not is_harmless(folder / name):
            yield folder / name
    if os.path.lexists(folder / "commondir") and _target(folder / "commondir", folder) != folder:
        yield folder / "commondir"


def _orders_of_worktree(folder: Path, repository: Path) -> Iterator[Path]:
    if os.path.lexists(folder / "config.worktree") and not is_harmless(folder / "config.worktree"):
        yield folder / "config.worktree"
    if os.path.lexists(folder / "commondir") and _target(folder / "commondir", folder) != repository:
        yield folder / "commondir"


def _hooks_in(folder: Path) -> list[Path]:
    try:
        with os.scandir(folder) as entries:
            return [Path(entry.path) for entry in entries if not entry.name.endswith((".sample", ASIDE))]
    except OSError:
        return []


def _target(file: Path, folder: Path) -> Path | None:
    if file.is_symlink():
        return None
    text = (read_small_file(file) or b"").decode("utf-8", "surrogateescape").strip()
    return Path(os.path.realpath(folder / text)) if text else None


def is_harmless(config: Path) -> bool:
    """Whether a configuration file holds only settings of which none names a program or another file to read.

    Read more strictly than git does: a line that is not plainly one thing is not harmless.
    """
    data = read_small_file(config, follow=False)
    if data is None:
        return False
    section = ""
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        header = _HEADER.fullmatch(line)
        if header is not None:
            section = header[1].lower()
            continue
        setting = _SETTING.fullmatch(line)
        if setting is not None:
            if line.endswith("\\") or not _is_harmless_setting(section, setting[1].lower(), setting[2].strip('"')):
                return False
        elif _NOTHING.fullmatch(line) is None:
            return False
    return True


def _is_harmless_setting(section: str, name: str, value: str) -> bool:
    if name in _ANY_TEXT.get(section, "").split():
        return True
    if (section, name) == ("core", "fsmonitor"):  # git's own, or the name of a program
        return value.lower() in {"true", "false"}
    if name in _SWITCHES.get(section, "").split():
        return _SWITCH.fullmatch(value) is not None
    return name in _URLS.get(section, "").split() and _URL.fullmatch(value) is not None
