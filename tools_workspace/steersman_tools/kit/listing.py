"""The files that git would not ignore, by ripgrep where it reads the ignore files as git does (DESIGN W8, W9).

Ripgrep is many times faster than a walk in Python, but reads some lines differently from git (braces, character
classes, ...). So every ignore file in force is looked at first; where one holds such a line, the tree is walked here.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import re
import tempfile
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, TypeVar

from steersman.agent.cancel import CancelSignal
from steersman_tools.kit.ignore import IGNORE_FILE, IgnoreList, has_odd_spaces_or_mark, parse_lines
from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.narrowing import EVERYTHING, Narrowing
from steersman_tools.kit.repository import read_small_file
from steersman_tools.kit.ripgrep import Output, Ripgrep
from steersman_tools.kit.surveying import Survey
from steersman_tools.kit.walk import GIT, walk_files
from steersman_tools.kit.wildmatch import name_regex

NO_GIT = ("--iglob", "!.git")
HERE = "./"
_PLAIN_PATH = re.compile(r"(?:[\w+@~%=-]+/)*", re.ASCII)
_MAX_LIST_BYTES = 256 * 1024 * 1024
_LINES_KEPT = 4096
_MUCH_BYTES = 256 * 1024

Result = TypeVar("Result")

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
        joined: their paths below the folder, with "/", each between NUL characters, in no order: a hundred thousand
            are quicker looked through as one text. Names that are no Unicode hold surrogate escapes.
        is_whole: False when the time was over or the run was cancelled.
        is_exact: all of them are what the narrowing asked for, not only may be.
    """

    joined: str
    is_whole: bool = True
    is_exact: bool = False

    @property
    def paths(self) -> tuple[str, ...]:
        """The paths, sorted."""
        return tuple(sorted(self.joined[1:-1].split("\0"))) if self.count else ()

    @property
    def count(self) -> int:
        """How many there are."""
        return self.joined.count("\0") - 1


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


class Way(NamedTuple):
    """Where to look for files, and how.

    Attributes:
        rules: the ignore rules.
        start: the folder.
        prefix: what stands before the paths of what is found there; "" or ends in "/".
        approach: how ripgrep is to be called; None when it would not do as git does.
    """

    rules: IgnoreRules
    start: Path
    prefix: str
    approach: Approach | None

    def leads_to(self, narrowing: Narrowing) -> bool:
        """Whether it begins in the narrowing's folder."""
        return bool(self.prefix) or not narrowing.folder


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
        self._large: set[Path] = set()

    async def files(self, root: Path, start: Path, signal: CancelSignal, narrowing: Narrowing = EVERYTHING) -> Listing:
        """Return the files below ``start`` (canonical; ``root`` or below it) that git would not ignore.

        ``narrowing`` may leave out what it does not ask for, and makes it quicker; paths count from ``start`` still.
        """
        way = self.way(root, start, narrowing)
        if way.approach is not None:
            with narrowed(way, narrowing, IGNORE_FILE) as options:
                output = await self._list(way.approach, signal, *options, *NO_GIT)
            joined, lines = await _worked_out(_taken, output.data, way.approach)
            if lines is not None and not output.late and await self.holds(way, narrowing, signal, lines):
                if not narrowing.takes_ignore_files:
                    joined = without_ignore_files(joined)
                return Listing(
                    joined.replace("\0", f"\0{way.prefix}").removesuffix(way.prefix) if way.prefix else joined,
                    is_whole=output.code is not None,
                    is_exact=narrowing.is_exact and way.leads_to(narrowing),
                )
        paths = await asyncio.to_thread(lambda: list(walk_files(way.start, way.rules, lambda: signal.is_set)))
        return Listing("\0".join(["", *(way.prefix + path for path in paths), ""]), is_whole=not signal.is_set)

    def way(self, root: Path, start: Path, narrowing: Narrowing) -> Way:
        """Return the way to the narrowing's folder, where it is as good as the one to ``start``. Reads a few files."""
        rules = IgnoreRules(root)
        is_there = self._ripgrep.is_there
        inner = _enter(rules, start, narrowing.folder) if narrowing.folder else None
        if inner is not None:
            approach = approach_to(rules, inner) if is_there else None
            if approach is not None or not is_there:
                return Way(rules, inner, f"{narrowing.folder}/", approach)
        return Way(rules, start, "", approach_to(rules, start) if is_there else None)

    async def holds(
        self, way: Way, narrowing: Narrowing, signal: CancelSignal, lines: Sequence[bytes] | None = None
    ) -> bool:
        """Whether ripgrep does on a way as git does: whether the ignore files there are read alike too.

        Args:
            way: the way.
            narrowing: how deep it goes.
            signal: ends the looking.
            lines: of the ignore files that were found there already and are read alike; None when nobody has looked.
        """
        approach = way.approach
        if approach is None:
            return False
        has_seen_all = lines is not None and not any(map(_may_hide_ignore_files, (*lines, *approach.lines)))
        if has_seen_all and not approach.needs_no_inner:
            return True
        if way.start not in self._large:
            depth = None if narrowing.depth is None else narrowing.depth + 1 - way.prefix.count("/")
            survey = Survey(way.rules, is_alike, approach.needs_no_inner, depth, lambda: signal.is_set)
            holds = await asyncio.to_thread(survey.holds, way.start)
            if holds is not None:
                return holds
            self._large.add(way.start)
        # One that is ignored itself is in force all the same, and only this shows it.
        wanted = ["--glob", IGNORE_FILE]
        if approach.needs_no_inner:
            wanted += ["--glob", ".git", "--glob", "**/.git/HEAD", "--glob", "!**/.git/objects"]
        if narrowing.depth is not None:  # a repository that deep has its HEAD one part deeper
            wanted.append(_max_depth(way, narrowing.depth + 1))
        output = await self._list(approach, signal, *approach.options, *wanted)
        return not output.late and (await _worked_out(_taken, output.data, approach))[1] is not None

    async def _list(self, approach: Approach, signal: CancelSignal, *options: str) -> Output:
        target = [] if approach.target == HERE else ["--", approach.target]  # unnamed, no path begins with it
        return await self._ripgrep.run(
            [*options, "--files", "--null", *target],
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
    if not all(is_alike(each) for _, each in inside.lists):
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
    target = HERE if inner == "." else f"./{inner}/"
    needs_no_inner = has_repository and not (is_plain and all(each.names_only for _, each in outer))
    return Approach(
        top, target, tuple(options), tuple(line for _, each in inside.lists for line in each.lines), needs_no_inner
    )


def is_alike(patterns: IgnoreList) -> bool:
    """Whether git and ripgrep are known to read a whole ignore file alike."""
    return not patterns.has_odd_spaces_or_mark and all(map(reads_alike, patterns.lines))


@contextlib.contextmanager
def narrowed(way: Way, narrowing: Narrowing, *more_names: str) -> Generator[list[str], None, None]:
    """Give ripgrep's options for a way so narrowed: unlike ``--glob``, they leave the ignore rules in force.

    What they let in that is not asked for is what an ignore file takes out again, and ``more_names``. Blocks briefly.
    """
    assert way.approach is not None
    options = list(way.approach.options)
    if narrowing.depth is not None:
        options.append(_max_depth(way, narrowing.depth))
    if not narrowing.shapes:
        names = [f"--type-add=steersman:{name}" for name in (*narrowing.names, *more_names)]
        yield [*options, *names, "--type=steersman"] if narrowing.names else options
        return
    inner = way.approach.target.removeprefix("./")
    at = f"/{inner}" if _PLAIN_PATH.fullmatch(inner) else "/**/"
    wanted = [*(at + shape for shape in narrowing.shapes), *more_names]
    with tempfile.TemporaryDirectory(prefix="steersman-", ignore_cleanup_errors=True) as folder:
        file = Path(folder) / "wanted"
        file.write_text("".join(["*\n!*/\n", *(f"!{line}\n" for line in wanted)]), encoding="utf-8")
        yield [f"--ignore-file={file}", *options]  # the first of several counts least


async def _worked_out(function: Callable[[bytes, Approach], Result], data: bytes, approach: Approach) -> Result:
    """Return what the function gives; for much ``data`` in a thread, so that nothing else has to wait."""
    if len(data) < _MUCH_BYTES:
        return function(data, approach)
    return await asyncio.to_thread(function, data, approach)


def _max_depth(way: Way, depth: int) -> str:
    return f"--max-depth={depth - way.prefix.count('/')}"


def without_ignore_files(joined: str) -> str:
    """Return paths that are joined by NUL characters without those of ignore files."""
    kept: list[str] = []
    position = 0
    for start, end in _ignore_files(joined):
        kept.append(joined[position:start])
        position = end
    return "".join([*kept, joined[position:]]) if kept else joined


def _enter(rules: IgnoreRules, start: Path, inner: str) -> Path | None:
    """Return a folder below ``start``, or None where naming it is another thing than coming to it. Blocks briefly.

    So it is if it is ignored, a link, git's own or no folder, or if its name is written otherwise.
    """
    here = start
    for name in inner.split("/"):
        try:
            with os.scandir(here) as entries:
                is_there = any(each.name == name and each.is_dir(follow_symlinks=False) for each in entries)
        except (OSError, ValueError):
            return None
        if not is_there or name.lower() == GIT:
            return None
        here /= name
    return None if rules.at(here)[1] else here


def _ignore_files(joined: str) -> Iterator[tuple[int, int]]:
    """Yield where the path of each ignore file begins (at the NUL before it) and ends."""
    for found in re.finditer(rf"{re.escape(IGNORE_FILE)}(?=\0)", joined):
        if joined[found.start() - 1] in "/\0":
            yield joined.rindex("\0", 0, found.start()), found.end()


def _read_alike(joined: str, approach: Approach) -> list[bytes] | None:
    """Return the lines of the ignore files among ``joined``; None if one is not read alike or a repository is there."""
    if approach.needs_no_inner and re.search(r"[/\0]\.git\0|\.git/HEAD\0", joined):
        return None
    lines: list[bytes] = []
    for start, end in _ignore_files(joined):
        data = read_small_file(approach.folder / approach.target / joined[start + 1 : end], follow=False)
        if data is None or has_odd_spaces_or_mark(data):
            return None
        lines += parse_lines(data)
    return lines if all(map(reads_alike, lines)) else None


@lru_cache(_LINES_KEPT)
def _may_hide_ignore_files(line: bytes) -> bool:
    """Whether a line may ignore an ignore file; where in doubt, yes."""
    if line.startswith(b"!") or line.endswith(b"/"):
        return False
    last = line.rpartition(b"/")[2]
    regex = name_regex(last)
    return regex is not None and re.fullmatch(regex, IGNORE_FILE.encode(), re.IGNORECASE) is not None


def _taken(data: bytes, approach: Approach) -> tuple[str, list[bytes] | None]:
    """Return ripgrep's paths as ``Listing.joined`` has them, and the lines of the ignore files among them."""
    text = "\0" + os.fsdecode(data[: data.rfind(b"\0") + 1])
    if os.sep != "/":
        text = text.replace(os.sep, "/")
    joined = text if approach.target == HERE else text.replace(f"\0{approach.target}", "\0")
    return joined, _read_alike(joined, approach)
