"""The tool that finds files by a pattern of their names (DESIGN W1, W8, W9, W12)."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path, PurePath

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolResult
from steersman_tools.kit.choosing import smallest
from steersman_tools.kit.globs import Glob, compile_glob
from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.listing import Lister, Listing
from steersman_tools.kit.narrowing import EVERYTHING, Narrowing, narrow
from steersman_tools.kit.reading import check_folder, display_prefix, payload_of, relative_pattern
from steersman_tools.kit.workspace import Location, Workspace

_DEFAULT_LIMIT = 200
_MAX_LIMIT = 2000
_LONG_CHARS = 128 * 1024
_SMALL_TREE = 5_000
"""So many files are listed as quickly as a few of them; where there were no more, they are listed once, not twice."""


class FindFilesArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    pattern: str = Field(
        description="`*.py` finds names at any depth, `src/**/*.ts` paths below the folder, `{a,b}/` folders."
    )
    path: str = "."
    limit: int = Field(default=_DEFAULT_LIMIT, ge=1, le=_MAX_LIMIT)


class FindFiles:
    """Finds files by name."""

    name = "find_files"
    description = "Find files by a glob. Hidden files are found, what git ignores is not."
    parameters: type[BaseModel] = FindFilesArguments
    effects = frozenset({Effect.READ})

    def __init__(self, workspace: Workspace, lister: Lister) -> None:
        self._workspace = workspace
        self._lister = lister
        self._counts: dict[Path, int] = {}

    async def prepare(self, args: BaseModel) -> Plan:
        """Find the folder and understand the pattern.

        Raises:
            ToolError: the folder leads outside or is none, or the pattern makes no sense.
        """
        assert isinstance(args, FindFilesArguments)
        location = self._workspace.locate(args.path)
        check_folder(location)
        pattern = relative_pattern(args.pattern, location)
        compile_glob(pattern)
        where = "" if location.display == "." else f" in {location.display}"
        return Plan(
            title=f"find “{args.pattern}”{where}",
            effects=self.effects,
            targets=(str(location.path),),
            payload=(location, args.model_copy(update={"pattern": pattern})),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Find them."""
        location, args = payload_of(plan, FindFilesArguments)
        glob = compile_glob(args.pattern)
        found, first, remark, is_whole = await self._find(location, glob, args.limit, signal)
        before, behind = display_prefix(location), "/" * glob.folders_only
        shown = [f"{before}{path}{behind}".encode("utf-8", "replace").decode("utf-8") for path in first]
        remarks = [remark] if remark else []
        if found > args.limit:
            remarks.append(f"[the first {args.limit:,} of {found:,}; make the pattern narrower, or raise limit]")
        if not is_whole:
            remarks.append("[stopped before the end; there may be more]")
        return ToolResult("\n".join([*shown, *remarks]))

    async def _find(
        self, location: Location, glob: Glob, limit: int, signal: CancelSignal
    ) -> tuple[int, list[str], str, bool]:
        """Return how many there are, the first, a remark on them, and whether they are all."""
        narrowing = narrow(glob)
        if glob.folders_only:
            narrowing = Narrowing(narrowing.folder)
        elif any(not end.startswith("/") for end in glob.ends):
            narrowing = EVERYTHING  # such an ending, as of a kind of file, is told sooner here than by ripgrep
        is_small = self._counts.get(location.path, _SMALL_TREE + 1) <= _SMALL_TREE
        if narrowing != EVERYTHING and not is_small:  # the quick way, which cannot tell what else there is
            listing = await self._list(location, glob, signal, narrowing)
            count, first, _ = await _chosen(glob, listing, limit, in_any_case=False)
            if count or not listing.is_whole:
                return count, first, "", listing.is_whole
        listing = await self._list(location, glob, signal)
        if listing.is_whole:
            self._counts[location.path] = listing.count
        return *await _chosen(glob, listing, limit, in_any_case=True), listing.is_whole

    async def _list(
        self, location: Location, glob: Glob, signal: CancelSignal, narrowing: Narrowing = EVERYTHING
    ) -> Listing:
        listing = await self._lister.files(location.root.path, location.path, signal, narrowing)
        open_texts = await self._workspace.open_texts()
        return await asyncio.to_thread(_with_new, listing, location, glob, open_texts) if open_texts else listing


def _with_new(listing: Listing, location: Location, glob: Glob, open_texts: Iterable[str]) -> Listing:
    """Add the documents below the folder that only the editor has, and git would not ignore. Blocks briefly."""
    inside = [Path(path) for path in open_texts if PurePath(path).is_relative_to(location.path)]
    new = [path for path in inside if not path.exists()]
    if not new:
        return listing
    rules = IgnoreRules(location.root.path)
    listed = set(listing.joined.split("\0"))
    paths = (path.relative_to(location.path).as_posix() for path in rules.not_ignored(new))
    more = [path for path in paths if path not in listed and (not listing.is_exact or glob.matches(path))]
    return replace(listing, joined="".join([listing.joined, *(f"{path}\0" for path in more)]))


async def _chosen(glob: Glob, listing: Listing, limit: int, *, in_any_case: bool) -> tuple[int, list[str], str]:
    """Return what ``_first`` does; of a long listing from a thread, so that nothing else has to wait."""
    if len(listing.joined) <= _LONG_CHARS:
        return _first(glob, listing, limit, in_any_case=in_any_case)
    return await asyncio.to_thread(_first, glob, listing, limit, in_any_case=in_any_case)


def _first(glob: Glob, listing: Listing, limit: int, *, in_any_case: bool) -> tuple[int, list[str], str]:
    """Return how many fit (if none and so wanted, without regard to case), the first of them, and a remark."""
    (found, first), remark = _choose(glob, listing, limit), ""
    if not found and in_any_case:
        any_case = compile_glob(glob.pattern + "/" * glob.folders_only, ignores_case=True)
        found, first = _choose(any_case, listing, limit)
        remark = "[none fits exactly; these do when case does not count]"
        if not found:
            remark = f"[no file fits “{glob.pattern}”, of {listing.count:,} looked at]"
    return found, first, remark


def _choose(glob: Glob, listing: Listing, limit: int) -> tuple[int, list[str]]:
    if glob.folders_only:
        return glob.first_in("\0".join(["", *_folders(listing), ""]), limit)
    if listing.is_exact:
        found = listing.joined[1:-1].split("\0") if listing.count else []
        return len(found), smallest(found, limit, len(found))
    return glob.first_in(listing.joined, limit)


def _folders(listing: Listing) -> set[str]:
    """Return the folders that files lie in, at any depth, without the one that all lie in."""
    folders = {path.rpartition("/")[0] for path in listing.joined.split("\0")}
    above = folders
    while above := {folder.rpartition("/")[0] for folder in above} - folders:
        folders |= above
    return folders - {""}
