"""A process to be killed: one scripted run that stands still at a named phase, and tells each commit on its output.

Started as ``python -P -m support.victim FOLDER STATE GATES PHASE``; phases are those of ``PHASES``. With the phase
``none`` it runs through, again and again, until it is killed.
"""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from steersman.agent.approval import ApprovalRequest, Approved, Decision
from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change, text_digest
from steersman.agent.events import AssistantMessageCommitted, Event, ToolResultCommitted, UserMessageAdded
from steersman.agent.messages import Message, ToolCall
from steersman.agent.tool import Effect, Emit, Plan, ToolResult
from steersman.models.gates import FileGates
from steersman.models.scripted import AtGate, ScriptedModel, call, reply
from steersman.runs import RunRegistry, RunRequest
from steersman.sessions.store import SessionHandle
from support.fake_tools import NoArguments
from support.run_parts import FakeParts

PHASES = (
    "in-stream",
    "question",
    "before-checkpoint",
    "after-checkpoint",
    "marker",
    "tool",
    "result",
    "before-append",
    "after-append",
)


class GatedHandle:
    """A session's handle that stands still before and after what it does."""

    def __init__(self, handle: SessionHandle, stop_at: Any) -> None:
        self._handle = handle
        self._stop_at = stop_at

    def __getattr__(self, name: str) -> Any:
        return getattr(self._handle, name)

    def append(self, message: Message) -> int:
        if message.role == "tool":
            self._stop_at("result")
        if message.role == "assistant":
            self._stop_at("before-append")
        seq = self._handle.append(message)
        if message.role == "assistant":
            self._stop_at("after-append")
        return seq

    async def checkpoint(self, call: ToolCall, changes: tuple[Change, ...]) -> None:
        self._stop_at("before-checkpoint")
        await self._handle.checkpoint(call, changes)
        self._stop_at("after-checkpoint")

    def mark_started(self, call: ToolCall, *, durable: bool) -> None:
        self._handle.mark_started(call, durable=durable)
        self._stop_at("marker")


class AppendingTool:
    """``note``: adds a line to notes.txt in two steps, with a place to be killed between them."""

    name = "note"
    description = "Add a line."
    parameters: type[BaseModel] = NoArguments
    effects = frozenset({Effect.EDIT})

    def __init__(self, folder: Path, stop_at: Any) -> None:
        self._file = folder / "notes.txt"
        self._stop_at = stop_at

    async def prepare(self, args: BaseModel) -> Plan:
        before = self._file.read_text() if self._file.exists() else ""
        change = Change(str(self._file), "edit", text_digest(before), before, before + "line\n", display="notes.txt")
        return Plan("edit notes.txt", self.effects, (change.path,), (change,))

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        with self._file.open("a") as file:
            file.write("li")
            file.flush()
            self._stop_at("tool")
            file.write("ne\n")
        return ToolResult("added")


def tell(event: Event) -> None:
    """Report what is committed, so that whoever kills can check that it is there."""
    body = event.body
    match body:
        case UserMessageAdded(text=text):
            said = ["user", text]
        case AssistantMessageCommitted(content=content):
            said = ["assistant", content]
        case ToolResultCommitted(content=content):
            said = ["tool", content]
        case _:
            return
    print(json.dumps(said), flush=True)


async def main(folder: Path, state: Path, gates: FileGates, phase: str) -> None:
    """Run until killed."""

    def stop_at(name: str) -> None:
        if name == phase:
            gates.block_at(name)

    async def hook(_request: ApprovalRequest, /) -> Decision:
        if phase == "question":
            await gates.go_through("question")
        return Approved()

    def replies() -> Any:
        while True:
            yield reply("I note ", *([AtGate("in-stream")] if phase == "in-stream" else []), call("note"), call("note"))
            yield reply("Noted.")

    client = ScriptedModel(replies(), gates)
    parts = FakeParts(folder, state, client, [AppendingTool(folder.resolve(), stop_at)], hook)
    store = parts.stores.of(folder.resolve())
    acquire = store.acquire
    store.acquire = lambda *args, **options: GatedHandle(acquire(*args, **options), stop_at)  # type: ignore[method-assign]
    registry = RunRegistry(parts)
    while True:
        await registry.start(RunRequest("note it", continue_latest=True), tell).wait()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]), Path(sys.argv[2]), FileGates(Path(sys.argv[3])), sys.argv[4]))
