"""The files that git would not ignore, by ripgrep where it reads the ignore files as git does (DESIGN W8, W9).

Ripgrep is many times faster than a walk in Python, but reads some lines differently from git (braces, character
classes, ...). So every ignore file in force is looked at first; where one holds such a line, the tree is walked here.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman_tools.kit.ignore import IGNORE_FILE, has_odd_spaces_or_mark, parse_lines
from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.repository import read_small_file
from steersman_tools.kit.ripgrep import Output, Ripgrep
from steersman_tools.kit.walk import walk_files
from steersman_tools.kit.wildmatch import name_regex

NO_GIT = ("--iglob", "!.git")
_MAX_LIST_BYTES = 256 * 1024 * 1024

# What both read alike: plain characters, single stars, question marks, sets of plain characters and ranges, escapes of
# special characters; "**" only as a whole component; no component that ends in a dot; no empty one.
_ATOM = (
    rb"(?:[A-Za-z0-9._\-+@~%=,&()$'\"#!:;<>|^` ]|[\x80-\xff]|\*(?!\*)|\?"
    rb"|\[(?:[A-Za-z0-9_](?:-[A-Za-z0-9])?)+\]|\\[#! *?\[\]])"
)
_COMPONENT = rb"(?:\*\*|" + _ATOM + rb"+(?<!\.))"
_READ_ALIKE = re.compile(rb"(?!!\Z)!?/?" + _COMPONENT + rb"(?:/" + _COMPONENT + rb")*/?")


@dataclass(frozen=True, slots=True)
class Listing:
    """Files below a folder.

    Attributes:
        paths: below the folder, with "/", sorted; names that are no Unicode hold surrogate escapes.
        is_whole: False when the time was over or the run was cancelled.
    """

    paths: tuple[str, ...]
    is_whole: bool = True


@dataclass(frozen=True, slots=True)
class Approach:
    """How ripgrep is to be called so that the ignore files in force are git's.

    Attributes:
        folder: where it is started.
        target: the path to give it.
        options: the options to give it.
        lines: the ignore lines in force at the target.
        needs_no_inner: it is right only where no other repository lies below the target.
    """

    folder: Path
    target: str
    options: tuple[str, ...]
    lines: tuple[bytes, ...]
    needs_no_inner: bool


def reads_alike(line: bytes) -> bool:
    """Whether git and ripgrep are known to read an ignore line alike."""
    return _READ_ALIKE.fullmatch(line) is not None


class Lister:
    """Lists files for the tools.

    Args:
        ripgrep: the program.
    """

    def __init__(self, ripgrep: Ripgrep) -> None:
        self._ripgrep = ripgrep

    async def files(self, root: Path, start: Path, signal: CancelSignal, names: Sequence[str] | None = None) -> Listing:
        """Return the files below ``start`` (canonical; ``root`` or below it) that git would not ignore.

        ``names`` are plain name patterns (``Glob.plain_names``) that may leave others out, and make it quicker.
        """
        rules = await asyncio.to_thread(IgnoreRules, root)
        approach = await asyncio.to_thread(approach_to, rules, start) if self._ripgrep.is_there else None
        if approach is not None:
            wanted = of_type((*names, IGNORE_FILE)) if names else []
            output = await self._list(approach, signal, *NO_GIT, *wanted)
            paths = await asyncio.to_thread(_below, output.data, approach)
            if not output.late and await self._holds(approach, signal, paths):
                return Listing(tuple(paths), is_whole=output.code is not None)
        paths = await asyncio.to_thread(lambda: sorted(walk_files(start, rules, lambda: signal.is_set)))
        return Listing(tuple(paths), is_whole=not signal.is_set)

    async def approach(self, root: Path, start: Path, signal: CancelSignal) -> Approach | None:
        """Return how to call ripgrep on the tree below ``start``, or None when it would not do as git does."""
        rules = await asyncio.to_thread(IgnoreRules, root)
        approach = await asyncio.to_thread(approach_to, rules, start) if self._ripgrep.is_there else None
        return approach if approach is not None and await self._holds(approach, signal) else None

    async def _holds(self, approach: Approach, signal: CancelSignal, listed: list[str] | None = None) -> bool:
        """Whether the ignore files below the target are read alike too; ``listed`` are the files found there."""
        if listed is not None and not approach.needs_no_inner:
            lines = await asyncio.to_thread(_read_alike, listed, approach)
            if lines is None or not any(map(_may_hide_ignore_files, (*lines, *approach.lines))):
                return lines is not None
        # One that is ignored itself is in force all the same, and only this shows it.
        wanted = ["--glob", IGNORE_FILE]
        if approach.needs_no_inner:
            wanted += ["--glob", ".git", "--glob", "**/.git/HEAD", "--glob", "!**/.git/objects"]
        output = await self._list(approach, signal, *wanted)
        found = await asyncio.to_thread(_below, output.data, approach)
        return not output.late and await asyncio.to_thread(_read_alike, found, approach) is not None

    async def _list(self, approach: Approach, signal: CancelSignal, *options: str) -> Output:
        return await self._ripgrep.run(
            [*approach.options, *options, "--files", "--null", "--", approach.target],
            folder=approach.folder,
            signal=signal,
            max_bytes=_MAX_LIST_BYTES,
        )


def approach_to(rules: IgnoreRules, start: Path) -> Approach | None:
    """Return how to call ripgrep for the tree below ``start``, unless an ignore file above it forbids that already.

    Below the top, ripgrep matches the patterns of the folders above wrongly (as if every file lay in the first folder
    itself), so they are given to it as files of its own, which it reads as if they lay where it is started.
    """
    inside, is_named = rules.at(start)
    if any(each.has_odd_spaces_or_mark or not all(map(reads_alike, each.lines)) for _, each in inside.lists):
        return None
    if any(
        (folder / IGNORE_FILE).is_symlink() for folder in (start, *start.parents) if folder.is_relative_to(rules.top)
    ):
        return None  # git does not follow it
    options = ["--hidden", "--no-messages", "--no-ignore-messages", "--no-ignore-dot", "--no-ignore-global"]
    if rules.folds_case:
        options.append("--ignore-file-case-insensitive")
    own = {start / IGNORE_FILE}
    has_repository = rules.repository is not None
    is_plain = has_repository and start == rules.top and not is_named
    if is_plain and rules.repository is not None:
        own.add(rules.repository.common_folder / "info" / "exclude")
    else:
        options += ["--no-require-git", "--no-ignore-parent", "--no-ignore-exclude"]
    top = start if is_named else rules.top
    outer = [(prefix, each) for prefix, each in reversed(inside.lists) if each.source not in own]
    if any(prefix and not each.names_only for prefix, each in outer):
        return None
    for _, each in outer:
        options += ["--ignore-file", str(each.source)]
    inner = start.relative_to(top).as_posix()
    target = "./" if inner == "." else f"./{inner}/"
    needs_no_inner = has_repository and not (is_plain and all(each.names_only for _, each in outer))
    return Approach(
        top, target, tuple(options), tuple(line for _, each in inside.lists for line in each.lines), needs_no_inner
    )


def of_type(names: Iterable[str]) -> list[str]:
    """Return options that restrict ripgrep to names: unlike ``--glob``, a type leaves the ignore rules in force."""
    return [*(f"--type-add=steersman:{name}" for name in names), "--type=steersman"]


def _read_alike(found: Iterable[str], approach: Approach) -> list[bytes] | None:
    """Return the lines of the ignore files among ``found``; None if one is not read alike or a repository is there."""
    lines: list[bytes] = []
    for path in found:
        name = path.rpartition("/")[2]
        if approach.needs_no_inner and (name == ".git" or path.endswith(".git/HEAD")):
            return None
        if name == IGNORE_FILE:
            data = read_small_file(approach.folder / approach.target / path, follow=False)
            if data is None or has_odd_spaces_or_mark(data):
                return None
            lines += parse_lines(data)
    return lines if all(map(reads_alike, lines)) else None


def _may_hide_ignore_files(line: bytes) -> bool:
    """Whether a line may ignore an ignore file; where in doubt, yes."""
    if line.startswith(b"!") or line.endswith(b"/"):
        return False
    last = line.rpartition(b"/")[2]
    regex = name_regex(last)
    return regex is not None and re.fullmatch(regex, IGNORE_FILE.encode(), re.IGNORECASE) is not None


def _below(data: bytes, approach: Approach) -> list[str]:
    """Return ripgrep's NUL-separated paths below the target, sorted."""
    text = os.fsdecode(data)
    paths = text.removeprefix(approach.target).removesuffix("\0").split(f"\0{approach.target}") if text else []
    if os.sep != "/":
        paths = [path.replace(os.sep, "/") for path in paths]
    paths.sort()
    return paths
