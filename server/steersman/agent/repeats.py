"""A guard against going in circles: the same call, again and again, is refused before anyone is asked (DESIGN L11)."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from steersman.agent.cancel import CancelSignal
from steersman.agent.messages import JsonValue
from steersman.agent.tool import Effect, Emit, Plan, Tool, ToolResult, has_effects, parameters_schema

if TYPE_CHECKING:
    from pydantic import BaseModel


def guard_repeats(
    tools: Sequence[Tool],
    max_repeats: int = 2,
    *,
    epoch: Callable[[], object] | None = None,
    exempt: Iterable[str] = (),
) -> list[Tool]:
    """Wrap tools so that the same tool with the same arguments runs at most ``max_repeats`` times.

    Counts start anew when another call with effects succeeded, or when ``epoch()`` returns something new (the person
    changed a document): then the same call may well give another answer.

    Args:
        tools: the tools of one run.
        max_repeats: how often the same call may run; at least 1.
        epoch: names the state of the person's documents; compared with ``!=``.
        exempt: names of tools that may repeat freely.

    Returns:
        The guarded tools, sharing one memory, for one run.
    """
    if max_repeats < 1:
        raise ValueError(f"max_repeats must be at least 1, not {max_repeats}")
    memory = _Memory(max_repeats, epoch)
    free = frozenset(exempt)
    return [tool if tool.name in free else _GuardedTool(tool, memory) for tool in tools]


class _Memory:
    """How often each call was made since the world last changed."""

    def __init__(self, max_repeats: int, epoch: Callable[[], object] | None) -> None:
        self.max_repeats = max_repeats
        self._epoch = epoch
        self._last_epoch = epoch() if epoch is not None else None
        self._counts: Counter[str] = Counter()

    def count(self, key: str) -> int:
        if self._epoch is not None:
            now = self._epoch()
            if now != self._last_epoch:
                self._last_epoch = now
                self._counts.clear()
        self._counts[key] += 1
        return self._counts[key]

    def world_changed(self, by: str) -> None:
        """A call with effects succeeded: all other calls may have a new answer, this one stays counted."""
        self._counts = Counter({by: self._counts[by]})


class _GuardedTool:
    """One tool under the guard. ``prepare`` with the same argument object is the same call, worked out anew."""

    def __init__(self, inner: Tool, memory: _Memory) -> None:
        self._inner = inner
        self._memory = memory
        self._args: BaseModel | None = None
        self._key = ""

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
    def schema(self) -> Mapping[str, JsonValue]:
        return parameters_schema(self._inner)

    @property
    def effects(self) -> frozenset[Effect]:
        return self._inner.effects

    async def prepare(self, args: BaseModel) -> Plan | ToolResult:
        if args is self._args:
            return await self._inner.prepare(args)
        self._args = args
        canonical = json.dumps(args.model_dump(mode="json"), sort_keys=True, ensure_ascii=True)
        self._key = f"{self.name} {canonical}"
        if self._memory.count(self._key) > self._memory.max_repeats:
            return ToolResult(
                f"Refused: {self.name} was already called {self._memory.max_repeats} times with exactly these "
                "arguments, and nothing has changed since. Try something different or answer now.",
                is_error=True,
                repeat=True,
            )
        return await self._inner.prepare(args)

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        result = await self._inner.run(plan, signal, emit)
        if not result.is_error and has_effects(plan.effects):
            self._memory.world_changed(self._key)
        return result
