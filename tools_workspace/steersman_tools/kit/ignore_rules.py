"""Ignore files in force at each place of a tree: which count, in which order, and from where (DESIGN W8)."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from steersman_tools.kit.ignore import IGNORE_FILE, IgnoreList
from steersman_tools.kit.repository import Repository, find_repository, read_ignore_settings, read_small_file

_LISTS_KEPT = 64
_MAX_KEPT_BYTES = 64 * 1024


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules for what lies in one folder.

    Attributes:
        prefix: the folder below the tree's top, with "/" at the end; empty for the top itself.
        lists: ignore lists, each with the prefix of the folder that it counts from; the first that decides, decides.
    """

    prefix: bytes
    lists: tuple[tuple[bytes, IgnoreList], ...]

    def ignores(self, name: bytes, *, is_folder: bool) -> bool:
        """Whether git would ignore an entry of the folder."""
        path = self.prefix + name
        for prefix, patterns in self.lists:
            inner = path[len(prefix) :]
            decision = patterns.decide_folder(inner) if is_folder else patterns.decide(inner, is_folder=False)
            if decision is not None:
                return decision
        return False


class IgnoreRules:
    """Git's ignore rules for the tree that a workspace folder is in.

    Args:
        root: canonical path of the workspace folder. Without a repository, ignore files count from here.
        environ: where git finds the user's settings (default: the process's).

    Attributes:
        repository: the one that the root is in, or None.
        top: the folder from which ignore files count.
        excludes_file: the user's ``core.excludesFile``, or None.
        folds_case: patterns match without regard to case.
    """

    def __init__(self, root: Path, environ: Mapping[str, str] | None = None) -> None:
        self.repository: Repository | None = find_repository(root)
        self.top = self.repository.top if self.repository else root
        settings = read_ignore_settings(self.repository, os.environ if environ is None else environ)
        self.excludes_file = settings.excludes_file
        self.folds_case = settings.folds_case
        self._user = self._lists_in(settings.excludes_file)

    def at(self, folder: Path) -> tuple[Rules, bool]:
        """Return the rules for what lies in a folder at or below the root, and whether it is itself ignored.

        An ignored folder was named on purpose: in it only the ignore files from there on count.
        """
        rules = self._rules(b"", self.top, (*self._excludes(self.repository), *self._user), ())
        here, is_ignored = self.top, False
        for name in folder.relative_to(self.top).parts:
            is_ignored = is_ignored or rules.ignores(os.fsencode(name), is_folder=True)
            here /= name
            rules = self.enter(rules, here)
        if is_ignored:
            rules = self._rules(rules.prefix, folder, (), ())
        return rules, is_ignored

    def enter(self, rules: Rules, folder: Path, *, has_ignore_file: bool = True, has_git: bool = True) -> Rules:
        """Return the rules inside a folder, given those of the folder around it.

        In a repository, one inside it (a submodule) starts anew. The last two say what a caller knows of the folder's
        entries, and save looking.
        """
        prefix = rules.prefix + os.fsencode(folder.name) + b"/"
        if has_git and self.repository and os.path.lexists(folder / ".git"):
            inner = find_repository(folder)
            if inner is not None and inner.top == folder:
                return self._rules(prefix, folder, (*self._excludes(inner), *self._user), ())
        if not has_ignore_file:
            return Rules(prefix, rules.lists)
        return self._rules(prefix, folder, (), rules.lists)

    def is_ignored(self, path: Path, *, is_folder: bool = False) -> bool:
        """Whether git would ignore a path below the root, or a folder that it lies in."""
        rules, is_inside_ignored = self.at(path.parent)
        return is_inside_ignored or rules.ignores(os.fsencode(path.name), is_folder=is_folder)

    def not_ignored(self, files: Iterable[Path]) -> Iterator[Path]:
        """Yield the files below the root that git would not ignore; what holds in a folder is read but once."""
        folders: dict[Path, tuple[Rules, bool]] = {}
        for file in files:
            if file.parent not in folders:
                folders[file.parent] = self.at(file.parent)
            rules, is_inside_ignored = folders[file.parent]
            if not is_inside_ignored and not rules.ignores(os.fsencode(file.name), is_folder=False):
                yield file

    def _rules(
        self,
        prefix: bytes,
        folder: Path,
        base: tuple[IgnoreList, ...],
        outer: tuple[tuple[bytes, IgnoreList], ...],
    ) -> Rules:
        own = self._lists_in(folder / IGNORE_FILE, follow=False)
        return Rules(prefix, (*((prefix, each) for each in (*own, *base)), *outer))

    def _excludes(self, repository: Repository | None) -> tuple[IgnoreList, ...]:
        return self._lists_in(repository.common_folder / "info" / "exclude") if repository else ()

    def _lists_in(self, file: Path | None, *, follow: bool = True) -> tuple[IgnoreList, ...]:
        data = read_small_file(file, follow=follow) if file else None
        if not file or not data:
            return ()
        make = _kept_list if len(data) <= _MAX_KEPT_BYTES else IgnoreList
        return (make(data, file, folds_case=self.folds_case),)


_kept_list = lru_cache(_LISTS_KEPT)(IgnoreList)
"""Every search reads the same few files anew."""
