"""How often a turn waits for the store (DESIGN §9): once for each thing that must be there before the next (S2, S3)."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from typing import Any

from steersman.agent.events import Event, ToolResultCommitted, ToolStarted, UsageReported
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.runs.ledger import Timeline
from steersman.sessions.store import SessionStore
from support.session_store import CountingIds, TickingClock


def test_a_turn_with_a_call_is_three_transactions(tmp_path: Path):
    """Its message with the tokens, the marker before the tool starts, and the result: each has to be there at once."""
    said: list[str] = []

    def connect(*args: Any, **options: Any) -> sqlite3.Connection:
        connection = sqlite3.connect(*args, **options)
        connection.set_trace_callback(said.append)
        return connection

    store = SessionStore.open(tmp_path, None, clock=TickingClock(), new_id=CountingIds(), connect=connect)
    session = store.create("go")
    with store.acquire(session.id, "test") as handle:
        handle.append(UserMessage("go"))
        said.clear()
        call = ToolCall("c1", "read_file", "{}")
        timeline = Timeline(handle)
        timeline.add(Event("r", 0, 1, 0.0, UsageReported(Usage(10), None)))
        handle.append(AssistantMessage("", (call,)))
        timeline.add(Event("r", 1, 1, 1.0, ToolStarted("c1", "read_file", "read")))
        handle.mark_started(call, durable=False)
        handle.append(ToolMessage("c1", "text"))
        timeline.add(
            Event(
                "r",
                2,
                1,
                2.0,
                ToolResultCommitted("c1", "read_file", "text", is_error=False, outcome="returned", duration_ms=1),
            )
        )
        assert [each for each in said if each.split()[0] in {"BEGIN", "COMMIT"}] == ["BEGIN IMMEDIATE", "COMMIT"] * 3
    store.close()
