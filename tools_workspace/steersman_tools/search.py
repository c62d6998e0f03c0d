"""The tool that searches the texts of files (DESIGN W1, W7, W8, W9, W12)."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Iterable, Iterator

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolError, ToolResult
from steersman_tools.kit.globs import compile_glob
from steersman_tools.kit.matches import FileHits, Hit, show_text
from steersman_tools.kit.partial import read_part
from steersman_tools.kit.reading import check_not_git, display_prefix, payload_of, relative_pattern
from steersman_tools.kit.searching import Found, Query, Searcher
from steersman_tools.kit.workspace import FileMissingError, Location, Workspace

_DEFAULT_LIMIT = 100
_MAX_LIMIT = 1000
_MAX_CONTEXT = 10
_MAX_CHARS = 40_000
_MAX_FILES_NAMED = 20
_MANY_FILES = 1000  # are looked through in a thread
_MAX_PATTERN_CHARS = 5000
_REGEX_SIGNS = (".*", ".+", "\\b", "\\s", "\\w", "\\d", "\\(", "\\.", "|", "^", "$", "[^")


class SearchArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    pattern: str
    path: str = Field(default=".", description="A folder or a file.")
    glob: str | None = Field(default=None, description="Only files that fit, such as `*.py`.")
    literal: bool = Field(default=True, description="false: pattern is a regular expression.")
    case_sensitive: bool = True
    context: int = Field(default=0, ge=0, le=_MAX_CONTEXT, description="Lines around each match.")
    limit: int = Field(default=_DEFAULT_LIMIT, ge=1, le=_MAX_LIMIT)


class Search:
    """Searches in files."""

    name = "search"
    description = (
        "Search in files; shows the matching lines with their numbers. What git ignores is left out, unless path names "
        "it; files that may hold secrets always are."
    )
    parameters: type[BaseModel] = SearchArguments
    effects = frozenset({Effect.READ})

    def __init__(self, workspace: Workspace, searcher: Searcher) -> None:
        self._workspace = workspace
        self._searcher = searcher

    async def prepare(self, args: BaseModel) -> Plan:
        """Find the place and understand the pattern.

        Raises:
            ToolError: the path leads outside or is not there, or the pattern makes no sense.
        """
        assert isinstance(args, SearchArguments)
        _check_pattern(args.pattern)
        location = self._workspace.locate(args.path)
        check_not_git(location)
        if not await self._workspace.exists(location):
            raise FileMissingError(f"{location.display} does not exist; list_dir of “.” shows what does")
        glob = relative_pattern(args.glob, location) if args.glob and args.glob.strip() else None
        if glob:
            compile_glob(glob)
        where = "" if location.display == "." else f" in {location.display}"
        return Plan(
            title=f"search for “{args.pattern}”{where}",
            effects=self.effects,
            targets=(str(location.path),),
            payload=(location, args.model_copy(update={"glob": glob})),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Search."""
        location, args = payload_of(plan, SearchArguments)
        query = Query(
            pattern=args.pattern,
            literal=args.literal,
            case_sensitive=args.case_sensitive,
            context=args.context,
            glob=compile_glob(args.glob) if args.glob else None,
        )
        open_texts = await self._workspace.open_texts()
        roots = [root.path for root in self._workspace.roots]
        found = await self._searcher.search(query, location, open_texts, signal, roots)
        is_folder = location.path.is_dir()
        folder = location.path if is_folder else location.path.parent

        def look(hit: Hit, offset: int, size: int) -> bytes | None:
            path = folder / hit.path
            if hit.is_open:
                return open_texts[str(path)].encode("utf-8", "replace")[offset : offset + size]
            return read_part(location.root.path, path, offset, size)

        prefix = display_prefix(location) if is_folder else location.display.removesuffix(location.path.name)
        shown = None if len(found.files) > _MANY_FILES else _shown_at_once(found, args, prefix)
        if shown is None:
            shown = await asyncio.to_thread(_show, found, args, prefix, look)
        return ToolResult("\n".join([*shown, *_remarks(found, args, location)]))


def _check_pattern(pattern: str) -> None:
    if not pattern:
        raise ToolError("the pattern is empty; give the text to look for, or use find_files to list files")
    if len(pattern) > _MAX_PATTERN_CHARS:
        raise ToolError(f"the pattern is {len(pattern)} characters long; {_MAX_PATTERN_CHARS} is the limit")
    if "\0" in pattern or (not pattern.isprintable() and any("\ud800" <= char <= "\udfff" for char in pattern)):
        raise ToolError("the pattern holds a NUL character or half a surrogate pair, which no text file holds")


class _LookError(Exception):
    """A line is so long that its file has to be looked at."""


def _shown_at_once(found: Found, args: SearchArguments, prefix: str) -> list[str] | None:
    """Return what ``_show`` does, or None where it would have to read a file, which few lines need."""

    def look(_hit: Hit, _offset: int, _size: int) -> bytes | None:
        raise _LookError

    try:
        return _show(found, args, prefix, look)
    except _LookError:
        return None


def _show(found: Found, args: SearchArguments, prefix: str, look: Callable[[Hit, int, int], bytes | None]) -> list[str]:
    """Return the hits by file, up to the limits, and a line that tells what is left out. May read files."""
    counts = Counter({file.path: file.matches for file in found.files})
    left = counts.copy()
    lines: list[str] = []
    chars = 0
    for file, hits in _limited(found.files, args):
        if chars > _MAX_CHARS:
            break
        lines.append((prefix + file.path).encode("utf-8", "replace").decode("utf-8"))
        last: int | None = None
        for hit in hits:
            if chars > _MAX_CHARS:
                break
            if args.context and last is not None and hit.line > last + 1:
                lines.append("  …")
            lines.append(f"  {hit.line}{':' if hit.is_match else '-'} {show_text(hit, look)}")
            chars += len(lines[-1]) + 1
            left[file.path] -= hit.is_match
            last = hit.line
    return [*lines, *_counted(counts, +left, prefix, is_whole=found.is_whole)]


def _counted(counts: Counter[str], left: Counter[str], prefix: str, *, is_whole: bool) -> list[str]:
    """Return the lines that tell how many matches there are, and where those are that are not shown."""
    total, missing = counts.total(), left.total()
    least = "" if is_whole else "at least "
    if not missing:
        return (
            [f"[{least}{total:,} matching line{'' if total == 1 else 's'} in {_files(len(counts))}]"] if total else []
        )
    where = [f"{prefix}{path} ({count:,})" for path, count in list(left.items())[:_MAX_FILES_NAMED]]
    more = f" and {_files(len(left) - len(where))} more" if len(left) > len(where) else ""
    return [
        f"[{total - missing:,} of {least}{total:,} matching lines; narrow path, glob or pattern, or raise limit]",
        f"[not shown: {', '.join(where)}{more}]",
    ]


def _limited(files: Iterable[FileHits], args: SearchArguments) -> Iterator[tuple[FileHits, Iterator[Hit]]]:
    """Yield the files and their hits up to the limit of matches, with the context behind the last."""
    room = args.limit
    for file in files:
        if room <= 0:
            return
        yield file, file.hits() if file.matches <= room else _first_hits(file.hits(), room, args.context)
        room -= file.matches


def _first_hits(hits: Iterable[Hit], room: int, context: int) -> Iterator[Hit]:
    """Yield the hits up to so many matches, with the context behind the last."""
    end: int | None = None
    for hit in hits:
        if end is not None and (hit.is_match or hit.line > end):
            return
        yield hit
        room -= hit.is_match
        if room == 0 and hit.is_match:
            end = hit.line + context


def _remarks(found: Found, args: SearchArguments, location: Location) -> list[str]:
    remarks: list[str] = []
    if not any(file.matches for file in found.files):
        where = "" if location.display == "." else f" in {location.display}"
        which = f" ({args.glob})" if args.glob else ""
        hints = ["case counts; case_sensitive=false ignores it"] if args.case_sensitive else []
        if args.literal and any(sign in args.pattern for sign in _REGEX_SIGNS):
            hints.append("the pattern was taken as plain text; literal=false makes it a regular expression")
        remarks.append(f"[no match for “{args.pattern}”{where}{which}{'; ' if hints else ''}{'; '.join(hints)}]")
    if not found.is_whole:
        remarks.append(f"[stopped before the end: {found.reason}]")
    return remarks


def _files(count: int) -> str:
    return f"{count:,} file{'' if count == 1 else 's'}"
