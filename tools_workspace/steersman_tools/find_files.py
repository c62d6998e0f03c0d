"""The tool that finds files by a pattern of their names (DESIGN W1, W8, W9, W12)."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path, PurePath

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolResult
from steersman_tools.kit.globs import Glob, compile_glob
from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.listing import Lister, Listing
from steersman_tools.kit.reading import check_folder, display_prefix, payload_of, relative_pattern
from steersman_tools.kit.workspace import Location, Workspace

_DEFAULT_LIMIT = 200
_MAX_LIMIT = 2000


class FindFilesArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    pattern: str = Field(
        description="A glob: “*.py” finds names at any depth, “src/**/*.ts” paths below the folder, “{a,b}” is either; "
        "ending in “/” it finds folders."
    )
    path: str = Field(default=".", description="The folder to look in.")
    limit: int = Field(default=_DEFAULT_LIMIT, ge=1, le=_MAX_LIMIT, description="How many paths to show.")


class FindFiles:
    """Finds files by name."""

    name = "find_files"
    description = "Find files by a glob of their names or paths. Hidden files are found, what git ignores is not."
    parameters: type[BaseModel] = FindFilesArguments
    effects = frozenset({Effect.READ})

    def __init__(self, workspace: Workspace, lister: Lister) -> None:
        self._workspace = workspace
        self._lister = lister

    async def prepare(self, args: BaseModel) -> Plan:
        """Find the folder and understand the pattern.

        Raises:
            ToolError: the folder leads outside or is none, or the pattern makes no sense.
        """
        assert isinstance(args, FindFilesArguments)
        location = self._workspace.locate(args.path)
        await asyncio.to_thread(check_folder, location)
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
        found, remark, is_whole = await self._find(location, args.pattern, signal)
        prefix = display_prefix(location)
        shown = [(prefix + path).encode("utf-8", "replace").decode("utf-8") for path in found[: args.limit]]
        remarks = [remark] if remark else []
        if len(found) > args.limit:
            remarks.append(f"[the first {args.limit:,} of {len(found):,}; make the pattern narrower, or raise limit]")
        if not is_whole:
            remarks.append("[stopped before the end; there may be more]")
        return ToolResult("\n".join([*shown, *remarks]))

    async def _find(self, location: Location, pattern: str, signal: CancelSignal) -> tuple[list[str], str, bool]:
        """Return the paths, a remark on them, and whether they are all."""
        glob = compile_glob(pattern)
        names = None if glob.folders_only else glob.last_names()
        if names:  # the quick way, which cannot tell what else there is
            listing = await self._list(location, signal, names)
            found = await asyncio.to_thread(glob.choose, listing.paths)
            if found or not listing.is_whole:
                return found, "", listing.is_whole
        listing = await self._list(location, signal)
        found, remark = await asyncio.to_thread(_choose, glob, listing.paths)
        return found, remark, listing.is_whole

    async def _list(self, location: Location, signal: CancelSignal, names: list[str] | None = None) -> Listing:
        listing = await self._lister.files(location.root.path, location.path, signal, names)
        new = await asyncio.to_thread(_new_documents, location, self._workspace.open_texts())
        return Listing(tuple(sorted({*listing.paths, *new})), listing.is_whole) if new else listing


def _new_documents(location: Location, open_texts: dict[str, str]) -> list[str]:
    """Return documents below the folder that only the editor has, and git would not ignore. Blocks briefly."""
    inside = [Path(path) for path in open_texts if PurePath(path).is_relative_to(location.path)]
    new = [path for path in inside if not path.exists()]
    if not new:
        return []
    rules = IgnoreRules(location.root.path)
    return [path.relative_to(location.path).as_posix() for path in new if not rules.is_ignored(path)]


def _choose(glob: Glob, paths: Sequence[str]) -> tuple[list[str], str]:
    candidates = _folders(paths) if glob.folders_only else paths
    found = glob.choose(candidates)
    if found:
        return _marked(glob, found), ""
    found = compile_glob(glob.pattern, ignores_case=True).choose(candidates)
    if found:
        return _marked(glob, found), "[none fits exactly; these do when case does not count]"
    return [], f"[no file fits “{glob.pattern}”, of {len(paths):,} looked at]"


def _folders(paths: Sequence[str]) -> list[str]:
    folders = {parent.as_posix() for path in paths for parent in PurePath(path).parents}
    return sorted(folders - {"."})


def _marked(glob: Glob, found: list[str]) -> list[str]:
    return [f"{path}/" for path in found] if glob.folders_only else found
