"""The protected list as a file system really has it: links with protected names protect what they lead to (DESIGN W7).

A repository may bring ``.vscode`` as a link to ``conf``; then ``conf/settings.json`` is what the editor reads. Links at
the top of each workspace folder, and in the hidden and protected folders there, are looked at anew for each question;
so is where git's configuration leads to, as hooks and settings may lie under any name.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path, PurePath

from steersman_tools.kit.git_folders import GIT, git_folder_of, shared_folder
from steersman_tools.kit.protected import Protection, SecretFinder, protection_of
from steersman_tools.kit.repository import read_settings

_DEPTH = 3
_MAX_ENTRIES = 2000
_GIT_LEADS_TO = frozenset({"core.hookspath", "core.attributesfile"})
_LARGE = frozenset({"objects", "refs", "logs", "lfs", "modules"})  # git's own, which git alone writes


class ProtectedPaths:
    """Says of a canonical absolute path why it always asks, or None.

    Args:
        roots: canonical paths of the workspace folders.
    """

    def __init__(self, roots: Iterable[Path]) -> None:
        self._roots = tuple(roots)

    def __call__(self, path: str) -> Protection | None:
        """Return the protection of a path; see ``protected.protection_of``."""
        found = self.of_name(path)
        if found is not None:
            return found
        return _below(path, self.linked())

    def now(self) -> Callable[[str], Protection | None]:
        """Look at the links once, and return what answers for many paths as of this moment."""
        linked = tuple(self.linked())
        return lambda path: protection_of(path, self._roots) or _below(path, linked)

    def secret_finder(self, folder: Path) -> Callable[[str], bool]:
        """Return what says of very many paths below a folder which may hold secrets, as of this moment."""
        by_name = SecretFinder(folder, self._roots)
        hidden = [target for target, protection in self.linked() if protection.is_secret]
        if not hidden:
            return by_name
        return lambda path: by_name(path) or any((folder / path).is_relative_to(target) for target in hidden)

    def of_name(self, path: str) -> Protection | None:
        """Return the protection that a path has by its names alone."""
        return protection_of(path, self._roots)

    def linked(self) -> Iterator[tuple[PurePath, Protection]]:
        """Yield what the links with protected names lead to, in the workspace folders."""
        for root in self._roots:
            yield from self._linked_in(root, _DEPTH)
            yield from self._led_to_by_git(root)

    def _led_to_by_git(self, root: Path) -> Iterator[tuple[PurePath, Protection]]:
        own = git_folder_of(root / GIT)
        protection = protection_of(GIT)
        if own is not None and protection is not None:
            for target in _led_to(shared_folder(own) / "config", root, _DEPTH):
                if not self._holds_a_root(target):
                    yield target, protection

    def _linked_in(self, folder: Path, depth: int) -> Iterator[tuple[PurePath, Protection]]:
        for entry in _entries(folder):
            if entry.is_symlink():
                protection = protection_of(entry.path, self._roots)
                target = Path(os.path.realpath(entry.path)) if protection is not None else None
                if protection is not None and target is not None and not self._holds_a_root(target):
                    yield target, protection
            elif depth > 1 and entry.name not in _LARGE and _is_folder(entry):
                if depth < _DEPTH or protection_of(entry.path, self._roots) is not None:
                    yield from self._linked_in(Path(entry.path), depth - 1)
                elif entry.name.startswith("."):  # not protected itself, but ``.github`` holds ``workflows``
                    yield from self._linked_in(Path(entry.path), 1)

    def _holds_a_root(self, target: Path) -> bool:
        return any(root.is_relative_to(target) for root in self._roots)


def _led_to(config: Path, top: Path, depth: int) -> Iterator[Path]:
    """Yield what a configuration file names: other such files, with what those name, hooks and attributes."""
    for name, value in read_settings(config):
        is_included = name == "include.path" or (name.startswith("includeif.") and name.endswith(".path"))
        if not value or not (is_included or name in _GIT_LEADS_TO):
            continue
        base = config.parent if is_included else top
        target = Path(os.path.realpath(base / os.path.expanduser(value)))  # noqa: PTH111 - may be no home
        yield target
        if is_included and depth > 1:
            yield from _led_to(target, top, depth - 1)


def _below(path: str, linked: Iterable[tuple[PurePath, Protection]]) -> Protection | None:
    pure = PurePath(path)
    return next((protection for target, protection in linked if pure.is_relative_to(target)), None)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir(follow_symlinks=False)
    except OSError:
        return False


def _entries(folder: Path) -> Iterator[os.DirEntry[str]]:
    """Yield a folder's entries; of a huge one only the first, none of one that cannot be read."""
    try:
        with os.scandir(folder) as entries:
            for _, entry in zip(range(_MAX_ENTRIES), entries, strict=False):
                yield entry
    except OSError:
        return
