"""The tool that shows what is in a folder (DESIGN W8, W9, W12)."""

from __future__ import annotations

import asyncio
import os
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolResult
from steersman_tools.kit.anchored import reason_of
from steersman_tools.kit.ignore_rules import IgnoreRules, Rules
from steersman_tools.kit.reading import check_folder, payload_of
from steersman_tools.kit.walk import Entry, enter, read_folder
from steersman_tools.kit.workspace import Location, Workspace

_MAX_ENTRIES = 500
_MAX_DEPTH = 10


class ListDirArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    path: str = "."
    depth: int = Field(default=1, ge=1, le=_MAX_DEPTH, description="How many levels.")


class ListDir:
    """Shows a folder's entries."""

    name = "list_dir"
    description = (
        "List a folder: folders end in `/`, links show where they lead. Hidden files are shown, "
        "what git ignores is not."
    )
    parameters: type[BaseModel] = ListDirArguments
    effects = frozenset({Effect.READ})

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def prepare(self, args: BaseModel) -> Plan:
        """Find the folder.

        Raises:
            ToolError: it leads outside, or is no folder.
        """
        assert isinstance(args, ListDirArguments)
        location = self._workspace.locate(args.path)
        check_folder(location)
        return Plan(
            title=f"list {location.display}",
            effects=self.effects,
            targets=(str(location.path),),
            payload=(location, args),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Show it."""
        location, args = payload_of(plan, ListDirArguments)
        unsaved: defaultdict[Path, list[Path]] = defaultdict(list)
        for path in map(Path, await self._workspace.open_texts()):
            unsaved[path.parent].append(path)
        shown = await asyncio.to_thread(_Showing(location, args.depth, signal, unsaved).show)
        return ToolResult(shown)


@dataclass(slots=True)
class _Showing:
    """One listing, level by level, so that a bound cuts the deepest first."""

    location: Location
    depth: int
    signal: CancelSignal
    unsaved: Mapping[Path, Sequence[Path]]
    lines: list[str] = field(default_factory=list[str])
    ignored: int = 0
    left_out: int = 0
    unreadable: list[str] = field(default_factory=list[str])

    def show(self) -> str:
        rules = IgnoreRules(self.location.root.path)
        level = [(self.location.path, "", rules.at(self.location.path)[0])]
        for _ in range(self.depth):
            level = [inner for folder in level for inner in self._show_folder(rules, *folder)]
            if not level or self.signal.is_set or self.left_out:
                break
        self.lines.sort(key=lambda line: line.casefold())
        return "\n".join([*self.lines, *self._remarks()])

    def _show_folder(
        self, rules: IgnoreRules, folder: Path, prefix: str, inside: Rules
    ) -> list[tuple[Path, str, Rules]]:
        if self.signal.is_set:
            return []
        try:
            listed = read_folder(folder, inside, prefix)
        except OSError as error:
            if folder == self.location.path:
                raise reason_of(error, f"list {self.location.display}") from None
            self.unreadable.append(prefix)
            return []
        self.ignored += listed.ignored
        there = {entry.name for entry in listed.entries}
        for path in self.unsaved.get(folder, ()):
            if path.name not in there and not os.path.lexists(path):
                self._add(f"{prefix}{path.name} (new in the editor, not saved)")
        below: list[tuple[Path, str, Rules]] = []
        for entry in listed.entries:
            self._add(_line(entry, folder))
            if entry.is_folder:
                inner = folder / entry.name
                below.append((inner, f"{entry.path}/", enter(rules, inside, inner)))
        return below

    def _add(self, line: str) -> None:
        if len(self.lines) < _MAX_ENTRIES:
            self.lines.append(line.encode("utf-8", "replace").decode("utf-8"))
        else:
            self.left_out += 1

    def _remarks(self) -> list[str]:
        remarks: list[str] = []
        if not self.lines:
            remarks.append(f"[{self.location.display} is empty]" if not self.ignored else "[nothing but ignored files]")
        if self.left_out:
            remarks.append(f"[{self.left_out:,} more, and what is below them; list a folder in it, or use find_files]")
        if self.ignored:
            remarks.append(f"[{self.ignored:,} ignored by git: not shown]")
        if self.unreadable:
            remarks.append(f"[cannot be read: {', '.join(self.unreadable[:10])}]")
        if self.signal.is_set:
            remarks.append("[stopped before the end: the run was cancelled]")
        return remarks


def _line(entry: Entry, folder: Path) -> str:
    if entry.is_folder:
        return f"{entry.path}/"
    if entry.is_link:
        try:
            return f"{entry.path} -> {(folder / entry.name).readlink()}"
        except OSError:
            return f"{entry.path} (a link)"
    return entry.path if entry.is_file else f"{entry.path} (not a regular file)"
