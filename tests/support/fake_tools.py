"""Tools for tests of the loop: each does one simple thing, at gates where a test wants to look."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from pydantic import BaseModel, ConfigDict

from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change
from steersman.agent.tool import Effect, Emit, Plan, ToolError, ToolResult
from steersman.models.gates import EventGates

READ = frozenset({Effect.READ})
EDIT = frozenset({Effect.EDIT})


class NoArguments(BaseModel):
    """Takes nothing."""

    model_config = ConfigDict(extra="forbid")


class AddArguments(BaseModel):
    """Two numbers."""

    model_config = ConfigDict(extra="forbid")

    a: int
    b: int


class TextArguments(BaseModel):
    """One text."""

    model_config = ConfigDict(extra="forbid")

    text: str = ""


@dataclass
class FakeTool:
    """A tool made of functions. ``runs`` counts how often it really ran, ``prepared`` how often it was prepared."""

    name: str = "echo"
    description: str = "Return the text."
    parameters: type[BaseModel] = TextArguments
    effects: frozenset[Effect] = READ
    result: Callable[[BaseModel], ToolResult | Awaitable[ToolResult]] | None = None
    plan: Callable[[BaseModel, int], Plan | ToolResult] | None = None
    gates: EventGates = field(default_factory=EventGates)
    runs: int = 0
    prepared: int = 0

    async def prepare(self, args: BaseModel) -> Plan | ToolResult:
        self.prepared += 1
        if self.plan is not None:
            return self.plan(args, self.prepared)
        return Plan(f"{self.name} it", self.effects, payload=args)

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        self.runs += 1
        if self.result is None:
            return ToolResult(str(getattr(plan.payload, "text", "done")))
        assert isinstance(plan.payload, BaseModel)
        outcome = self.result(plan.payload)
        return outcome if isinstance(outcome, ToolResult) else await outcome


def adder() -> FakeTool:
    """``add``: two numbers."""

    def add(args: BaseModel) -> ToolResult:
        assert isinstance(args, AddArguments)
        return ToolResult(str(args.a + args.b))

    return FakeTool("add", "Add two numbers.", AddArguments, result=add)


def failing(error: BaseException, name: str = "crash") -> FakeTool:
    """A tool that raises when it runs."""

    def crash(_: BaseModel) -> ToolResult:
        raise error

    return FakeTool(name, "Fail.", NoArguments, EDIT, result=crash)


def refusing(message: str, name: str = "picky") -> FakeTool:
    """A tool that refuses in ``prepare`` with words for the model."""

    def plan(_: BaseModel, _count: int) -> Plan:
        raise ToolError(message)

    return FakeTool(name, "Refuse.", TextArguments, plan=plan)


def gated(gate: str = "tool", name: str = "slow", *, obeys: bool = True) -> FakeTool:
    """A tool that stands at its gate while it runs; ``obeys``: the cancel signal ends it with a partial result."""
    tool = FakeTool(name, "Wait.", NoArguments, EDIT)

    async def run(plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        tool.runs += 1
        emit("working")
        gates = tool.gates[gate]
        if not obeys:
            await gates.go_through()
            return ToolResult("finished late")
        import asyncio

        opened = asyncio.ensure_future(gates.go_through())
        stopped = asyncio.ensure_future(signal.wait())
        await asyncio.wait({opened, stopped}, return_when=asyncio.FIRST_COMPLETED)
        done = opened.done()
        opened.cancel()
        stopped.cancel()
        return ToolResult("finished" if done else "stopped half-way", is_error=not done)

    tool.run = run  # type: ignore[method-assign]
    return tool


def editing(versions: list[tuple[str, str]], name: str = "edit") -> FakeTool:
    """A tool whose n-th ``prepare`` plans the n-th (before, after) of one file; the last one stays."""

    def plan(args: BaseModel, count: int) -> Plan:
        before, after = versions[min(count, len(versions)) - 1]
        change = Change("/ws/a.py", "edit", before, before, after, display="a.py")
        return Plan("edit a.py", EDIT, ("/ws/a.py",), (change,), payload=args)

    return FakeTool(name, "Edit a file.", NoArguments, EDIT, plan=plan)
