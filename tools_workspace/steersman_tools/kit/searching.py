"""Searching the files that git would not ignore, by ripgrep (DESIGN W7, W8, W9).

What may hold secrets is never shown, nor told whether it matches: one could ask for it letter by letter. Open documents
whose text differs from the disk are searched as the editor has them.
"""

from __future__ import annotations

import asyncio
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeAlias

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError
from steersman_tools.kit.globs import Glob
from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.laid_out import laid_out
from steersman_tools.kit.leftovers import StoreMaker
from steersman_tools.kit.listing import NO_GIT, Approach, Lister, Listing, Way, narrowed
from steersman_tools.kit.matches import MAX_COLUMNS, FileHits, HitParser
from steersman_tools.kit.narrowing import EVERYTHING, Narrowing, narrow
from steersman_tools.kit.protected_paths import ProtectedPaths
from steersman_tools.kit.ripgrep import Output, Ripgrep
from steersman_tools.kit.workspace import Location

_MAX_OUTPUT_BYTES = 1024 * 1024
_MAX_ARGUMENT_BYTES = 24_000 if os.name == "nt" else 200_000
_MANY_FILES = 1000  # are looked through in a thread
_MOST_BY_PIPE = 8
"""More open texts than these are searched as files of a folder that is gone afterwards."""

_FORMAT = (
    "--null",
    "--no-heading",
    "--with-filename",
    "--line-number",
    "--column",
    "--byte-offset",
    "--color=never",
    "--no-context-separator",
    f"--max-columns={MAX_COLUMNS}",
    "--max-columns-preview",
    "--no-messages",
    "--crlf",
)
IsSecret: TypeAlias = Callable[[str], bool]
"""Whether a path below the folder that is searched, with "/", may hold secrets."""

_RUST_SPECIAL = re.compile(r"[\\.+*?()|\[\]{}^$#&\-~]")


@dataclass(frozen=True, slots=True)
class Query:
    """What is looked for.

    Attributes:
        pattern: a text, or a regular expression.
        literal: it is a text.
        case_sensitive: case counts.
        context: how many lines around each match.
        glob: which files, or None for all.
    """

    pattern: str
    literal: bool = True
    case_sensitive: bool = True
    context: int = 0
    glob: Glob | None = None

    def takes(self, path: str) -> bool:
        """Whether the glob lets a path (below the folder that is searched) in."""
        return self.glob is None or self.glob.matches(path)

    def options(self) -> list[str]:
        """Return ripgrep's options for it."""
        options = [*_FORMAT, f"--context={self.context}"]
        if not self.case_sensitive:
            options.append("--ignore-case")
        pattern = self.pattern
        if "\n" in pattern or (not self.literal and "\\n" in pattern):
            options.append("--multiline")
        if self.literal and "\n" in pattern:
            lines = re.split(r"\r?\n", pattern)
            pattern = r"\r?\n".join(_RUST_SPECIAL.sub(r"\\\g<0>", line) for line in lines)
        elif self.literal:
            options.append("--fixed-strings")
        return [*options, f"--regexp={pattern}"]


@dataclass(slots=True)
class Found:
    """What a search found.

    Attributes:
        files: matching lines and their context, by path.
        is_whole: False when there may be more.
        reason: why there may be more.
    """

    files: list[FileHits] = field(default_factory=list[FileHits])
    is_whole: bool = True
    reason: str = ""


class Searcher:
    """Searches for the tools.

    Args:
        ripgrep: the program.
        lister: lists files where ripgrep's own choice would not be git's.
        leftovers: gives the store where the folder for unsaved documents is noted, or None.
    """

    def __init__(self, ripgrep: Ripgrep, lister: Lister, leftovers: StoreMaker | None = None) -> None:
        self._ripgrep = ripgrep
        self._lister = lister
        self._leftovers = leftovers

    async def search(
        self,
        query: Query,
        location: Location,
        open_texts: Mapping[str, str],
        signal: CancelSignal,
        roots: Sequence[Path],
    ) -> Found:
        """Search a folder, or one file.

        Args:
            query: what.
            location: where; for one file the glob does not count.
            open_texts: canonical path -> text of each open document that differs from the disk.
            signal: ends the search.
            roots: the workspace folders, for what is protected.

        Raises:
            ToolError: the pattern makes no sense.
        """
        is_folder = location.path.is_dir()
        protected = ProtectedPaths(roots)
        query = query if is_folder else replace(query, glob=None)
        scope = _Scope(location.path if is_folder else location.path.parent, location, open_texts)
        # Looked at when ripgrep has been started, and has something to wait for.
        guarding = asyncio.ensure_future(asyncio.to_thread(_guard, location, protected, scope.folder))
        search = _Search(self._ripgrep, query, scope, signal, self._leftovers)
        try:
            if is_folder:
                await self._search_folder(search, query, location, signal)
            elif str(location.path) not in open_texts:
                await search.run(location.path.parent, ["--", f"./{location.path.name}"])
        finally:
            is_secret = await guarding  # whatever else went wrong, nothing is told of what is never searched
        if open_texts:
            await search.run_open(is_secret)
        if len(search.found.files) > _MANY_FILES:
            await asyncio.to_thread(search.sift, is_secret)
        else:
            search.sift(is_secret)
        return search.found

    async def _search_folder(self, search: _Search, query: Query, location: Location, signal: CancelSignal) -> None:
        root, start = location.root.path, location.path
        narrowing = narrow(query.glob) if query.glob else EVERYTHING
        if query.glob is None or narrowing.is_exact or (narrowing.shapes and query.glob.literal is None):
            way = self._lister.way(root, start, narrowing)
            if way.leads_to(narrowing) and await self._search_below(search, way, narrowing, signal):
                return
            search.start_anew()
        listing = await self._lister.files(root, start, signal, narrowing)
        chosen = await asyncio.to_thread(_chosen, query, listing)
        for batch in _batches(chosen):
            await search.run(start, ["--", *batch])
            if not search.found.is_whole:
                return

    async def _search_below(self, search: _Search, way: Way, narrowing: Narrowing, signal: CancelSignal) -> bool:
        """Search what ripgrep chooses, and look meanwhile whether git would choose the same; return whether it fits."""
        if way.approach is None:
            return False
        holding = asyncio.ensure_future(self._lister.holds(way, narrowing, signal))
        try:
            await search.run_below(way, way.approach, narrowing)
            is_flooded = search.is_flooded and narrowing.shapes  # maybe with what does not fit the glob
            return await holding and not is_flooded
        finally:
            if not holding.done():
                holding.cancel()
                await asyncio.wait([holding])


@dataclass(frozen=True, slots=True)
class _Scope:
    """Where is searched: paths are below ``folder``."""

    folder: Path
    location: Location
    open_texts: Mapping[str, str]

    def open_documents(self, query: Query, is_secret: IsSecret) -> list[tuple[str, str]]:
        """Return path and text of the open documents to search. Blocks briefly."""
        named = self.open_texts.get(str(self.location.path))
        if named is not None:
            return [(self.location.path.name, named)]
        inside = [path for path in map(Path, self.open_texts) if path.is_relative_to(self.location.path)]
        if not inside:
            return []
        found: list[tuple[str, str]] = []
        for path in IgnoreRules(self.location.root.path).not_ignored(inside):
            inner = path.relative_to(self.folder).as_posix()
            if query.takes(inner) and not is_secret(inner):
                found.append((inner, self.open_texts[str(path)]))
        return found


@dataclass(slots=True)
class _Search:
    """One search over several runs of ripgrep."""

    ripgrep: Ripgrep
    query: Query
    scope: _Scope
    signal: CancelSignal
    leftovers: StoreMaker | None
    found: Found = field(default_factory=Found)
    room: int = _MAX_OUTPUT_BYTES
    is_flooded: bool = False

    async def run(self, folder: Path, arguments: Sequence[str], *, skipped: str = "./", prefix: str = "") -> None:
        """Search files; ``prefix`` stands before their paths in place of ``skipped``, which ripgrep puts there."""
        length = len(os.fsencode(skipped))
        parser = self._parser(lambda raw: prefix + os.fsdecode(raw[length:]).replace(os.sep, "/"))
        output = await self.ripgrep.run(
            [*self.query.options(), *arguments],
            folder=folder,
            signal=self.signal,
            max_bytes=self.room,
            take=parser.feed,
        )
        self._take(output, parser)

    async def run_below(self, way: Way, approach: Approach, narrowing: Narrowing) -> None:
        """Search what ripgrep chooses on a way, which may be more than the query's glob takes."""
        with narrowed(way, narrowing) as options:
            await self.run(
                approach.folder,
                [*options, *NO_GIT, "--", approach.target],
                skipped=approach.target,
                prefix=way.prefix,
            )

    def start_anew(self) -> None:
        """Forget what was found."""
        self.found = Found()
        self.room = _MAX_OUTPUT_BYTES
        self.is_flooded = False

    async def run_open(self, is_secret: IsSecret) -> None:
        """Search what the editor has otherwise than the disk: a few texts one by one, many at once."""
        documents = await asyncio.to_thread(self.scope.open_documents, self.query, is_secret)
        if len(documents) > _MOST_BY_PIPE:
            paths = [path for path, _ in documents]
            async with laid_out([text for _, text in documents], self.signal, self.leftovers) as folder:
                parser = self._parser(lambda raw: paths[int(raw[2:])], is_open=True)
                await self._run_open(parser, ["--no-ignore", "--hidden", "--", "./"], folder)
            return
        for path, text in documents:
            parser = self._parser(lambda _, path=path: path, is_open=True)
            await self._run_open(parser, ["-"], self.scope.folder, text.encode("utf-8", "replace"))
            if self.signal.is_set:
                return

    async def _run_open(
        self, parser: HitParser, arguments: Sequence[str], folder: Path, stdin: bytes | None = None
    ) -> None:
        output = await self.ripgrep.run(
            [*self.query.options(), "--text", "--encoding=none", *arguments],
            folder=folder,
            signal=self.signal,
            max_bytes=self.room,
            stdin=stdin,
            take=parser.feed,
        )
        self._take(output, parser)

    def _parser(self, to_path: Callable[[bytes], str], *, is_open: bool = False) -> HitParser:
        return HitParser(to_path, has_context=self.query.context > 0, is_open=is_open)

    def _take(self, output: Output, parser: HitParser) -> None:
        self._take_note(output)
        self.found.files += parser.end()

    def sift(self, is_secret: IsSecret) -> None:
        """Leave out what may hold secrets and what the editor has otherwise, and sort the rest."""
        folder = self.scope.folder
        old = {Path(path).relative_to(folder).as_posix() for path in self.scope.open_texts if _is_below(path, folder)}
        self.found.files = [
            file
            for file in sorted(self.found.files, key=lambda file: file.path)
            if not is_secret(file.path) and (file.is_open or file.path not in old) and self.query.takes(file.path)
        ]

    def _take_note(self, output: Output) -> None:
        if output.code == 2 and output.errors:
            raise ToolError(_explain(output.errors, self.query))
        self.room = max(self.room - output.size, 1)
        self.is_flooded = self.is_flooded or output.cut
        if output.code is None:
            self.found.is_whole = False
            self.found.reason = _reason(output)


def _chosen(query: Query, listing: Listing) -> list[str]:
    """Return the files to search, sorted."""
    if query.glob is None or listing.is_exact:
        return list(listing.paths)
    return sorted(query.glob.find_in(listing.joined))


def _is_below(path: str, folder: Path) -> bool:
    return Path(path).is_relative_to(folder)


def _guard(location: Location, protected: ProtectedPaths, folder: Path) -> IsSecret:
    """Return what says of paths below the folder which may hold secrets. Blocks briefly.

    Raises:
        ToolError: the location may hold some itself.
    """
    protection = protected(str(location.path))
    if protection is not None and protection.is_secret:
        raise ToolError(
            f"{location.display} may hold secrets, so it is never searched; read_file asks the person first"
        )
    return protected.secret_finder(folder)


def _reason(output: Output) -> str:
    if output.cancelled:
        return "the run was cancelled"
    return "it took too long" if output.late else "there are very many"


def _batches(paths: Sequence[str]) -> Iterator[list[str]]:
    """Yield the paths in command lines that every system takes."""
    batch: list[str] = []
    size = 0
    for path in paths:
        argument = f"./{path}"
        length = len(os.fsencode(argument)) + 1
        if batch and size + length > _MAX_ARGUMENT_BYTES:
            yield batch
            batch, size = [], 0
        batch.append(argument)
        size += length
    if batch:
        yield batch


def _explain(errors: str, query: Query) -> str:
    reason = errors.removeprefix("rg: ").strip()
    hint = "" if query.literal else "\nliteral=true searches for the pattern as plain text."
    return f"“{query.pattern}” cannot be searched for: {reason}{hint}"
