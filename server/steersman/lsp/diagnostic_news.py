"""After an edit of its own, the model hears which problems are new (PROTOCOL §6, ``diagnostics``)."""

from __future__ import annotations

import asyncio
import contextlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.agent.tool import Effect, Tool
from steersman.lsp.contracts import ClientError
from steersman.lsp.diagnostics import Diagnostics, Findings, Problem, listed
from steersman_tools.kit.workspace import Workspace

if TYPE_CHECKING:
    from pydantic import BaseModel

    from steersman.agent.cancel import CancelSignal
    from steersman.agent.tool import Emit, Plan, ToolResult

SETTLE_S = 1.0
"""How long the editor's language servers get to look at an edit."""

_CHANGES = frozenset({Effect.EDIT, Effect.DELETE, Effect.MOVE})
_TOLD = frozenset({"error", "warning"})


def with_news(
    tools: Sequence[Tool], diagnostics: Diagnostics, workspace: Workspace, *, settle_s: float | None = None
) -> list[Tool]:
    """Return the tools; those that change files tell in their results which problems came with it."""
    wait_s = SETTLE_S if settle_s is None else settle_s
    return [_TellingTool(tool, diagnostics, workspace, wait_s) if tool.effects & _CHANGES else tool for tool in tools]


class _TellingTool:
    """A tool that does what the inner one does, and looks at the diagnostics before and after."""

    def __init__(self, inner: Tool, diagnostics: Diagnostics, workspace: Workspace, settle_s: float) -> None:
        self._inner = inner
        self._diagnostics = diagnostics
        self._workspace = workspace
        self._settle_s = settle_s

    @property
    def name(self) -> str:
        return self._inner.name

    @property
    def description(self) -> str:
        return self._inner.description

    @property
    def parameters(self) -> type[BaseModel]:
        return self._inner.parameters

    @property
    def effects(self) -> frozenset[Effect]:
        return self._inner.effects

    async def prepare(self, args: BaseModel) -> Plan | ToolResult:
        return await self._inner.prepare(args)

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        paths = [Path(change.path) for change in plan.changes if change.kind != "delete"]
        before = await self._findings(paths)
        result = await self._inner.run(plan, signal, emit)
        if before is None or not before.is_watched or not result.changes or signal.is_set:
            return result
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._settle_s):
                await signal.wait()
        after = await self._findings(paths)
        new = _new_problems(before.problems, after.problems if after is not None else [])
        if not new:
            return result
        news = f"\n\nNew problems that the editor reports after this change:\n{listed(new, self._workspace)}"
        return replace(result, content=result.content + news)

    async def _findings(self, paths: list[Path]) -> Findings | None:
        """Return the errors and warnings of the files; None when the client does not tell."""
        if not paths:
            return None
        try:
            found = await self._diagnostics.findings(paths)
        except (ClientError, TimeoutError):
            return None
        return replace(found, problems=[each for each in found.problems if each.severity in _TOLD])


def _new_problems(before: list[Problem], after: list[Problem]) -> list[Problem]:
    """Return what was not there before, wherever it stands now: an edit moves old problems to other lines."""
    known = Counter(_essence(problem) for problem in before)
    new: list[Problem] = []
    for problem in after:
        if known[_essence(problem)]:
            known[_essence(problem)] -= 1
        else:
            new.append(problem)
    return new


def _essence(problem: Problem) -> tuple[str, str, str, str]:
    return problem.uri, problem.severity, problem.message, problem.source
