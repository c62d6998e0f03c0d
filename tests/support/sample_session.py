"""A session with everything in it: two runs, edits, a refusal, an error, retries, approvals."""

from __future__ import annotations

import json
from dataclasses import dataclass

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.sessions.handle import SessionHandle
from steersman.sessions.records import Timing
from steersman.sessions.store import SessionStore


@dataclass
class SetClock:
    """Stands still until it is moved."""

    now: float = 1_790_000_000.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Teller:
    """Records turns one after the other, with times that add up."""

    handle: SessionHandle
    clock: SetClock
    run_id: str = "r1"
    turn: int = 0

    def answer(self, message: AssistantMessage, *, wait_s: float = 3.0, cost: float | None = 0.01) -> None:
        """Record an assistant message after a wait for the model."""
        self.turn += 1
        started = self.clock.now
        self.clock.now += wait_s
        self.handle.append(message)
        self.handle.add_usage(
            Usage(1000 * self.turn, 600 * self.turn, 0, 120), cost, run_id=self.run_id, turn=self.turn
        )
        self._keep("model", started)

    def result(
        self, message: ToolMessage, *, asked_s: float | None = None, ran_s: float = 1.0, label: str = ""
    ) -> None:
        """Record a result, after a question if ``asked_s`` is given."""
        if asked_s is not None:
            started = self.clock.now
            self.clock.now += asked_s
            self._keep("approval", started, message.tool_call_id, "allow_once")
        started = self.clock.now
        self.clock.now += ran_s
        self._keep("tool", started, message.tool_call_id, label)
        self.handle.append(message)

    def _keep(self, kind: str, started: float, call_id: str | None = None, label: str = "") -> None:
        self.handle.record_timing(
            Timing(self.run_id, self.turn, kind, started, self.clock.now, call_id, label)  # pyright: ignore[reportArgumentType]
        )


def tool_call(number: int, name: str, **arguments: str) -> ToolCall:
    """Return a call with these arguments."""
    return ToolCall(f"c{number}", name, json.dumps(arguments))


def record_sample(store: SessionStore, clock: SetClock, folder: str) -> str:
    """Record the session; return its id."""
    session = store.create("Make the parser survive missing temperatures", "anthropic/claude")
    changed = f"{folder}/src/forecast.py"
    edit = tool_call(2, "edit_file", path="src/forecast.py", old_text="a = 1\nb = 2\n", new_text="a = 1\nb = 3\n")
    patch = (
        "*** Begin Patch\n*** Update File: tests/test_x.py\n@@\n-from x import y\n+from src.x import y\n*** End Patch\n"
    )
    with store.acquire(session.id, "test") as handle:
        teller, began = Teller(handle, clock), clock.now
        handle.append(UserMessage("Make the parser survive **missing** temperatures.\n\n```python\nparse('x')\n```"))
        read = tool_call(1, "read_file", path="src/forecast.py")
        teller.answer(
            AssistantMessage("I look at `parse`.", (read,), reasoning="Temp may be absent.", model="anthropic/claude")
        )
        teller.result(ToolMessage("c1", "a = 1\nb = 2\n"), label="read src/forecast.py")
        teller.answer(AssistantMessage("", (edit,), model="anthropic/claude"))
        teller.result(ToolMessage("c2", "Edited.", changes=(ChangeSummary(changed, "edit", 1, 1),)), asked_s=6.5)
        handle.record_timing(Timing("r1", 3, "retry", clock.now, clock.now + 2, None, "rate limited"))
        teller.answer(AssistantMessage("Now the tests.", (tool_call(3, "run_command", command="pytest -q"),)))
        teller.result(ToolMessage("c3", "F\nImportError", is_error=True), label="run pytest -q")
        teller.answer(AssistantMessage("", (tool_call(4, "apply_patch", patch=patch),)))
        teller.result(
            ToolMessage("c4", "Patched.", changes=(ChangeSummary(f"{folder}/tests/test_x.py", "edit", 1, 1),))
        )
        teller.answer(AssistantMessage("Done.\n\n## What changed\n\n- one\n- two", model="anthropic/claude"))
        handle.record_timing(Timing("r1", 0, "run", began, clock.now, None, "complete"))
    clock.now += 90_000
    with store.acquire(session.id, "test") as handle:
        teller, began = Teller(handle, clock, "r2"), clock.now
        handle.append(UserMessage("And the wind?", "person"))
        teller.answer(AssistantMessage("A cut reply", truncated=True))
        handle.append(UserMessage("Go on.", "host"))
        handle.record_timing(Timing("r2", 1, "error", began, began, None, "note"))
        handle.record_timing(Timing("r2", 0, "run", began, clock.now, None, "stream_broken"))
    return session.id
