"""Stores for tests: a clock that ticks, ids that count, messages of every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import (
    AssistantMessage,
    JsonValue,
    Message,
    ProviderData,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from steersman.sessions.store import SessionStore


@dataclass
class TickingClock:
    """Each look at it is a second later; a test may set it."""

    now: float = 1_700_000_000.0

    def __call__(self) -> float:
        self.now += 1
        return self.now


@dataclass
class CountingIds:
    """s1, s2, s3, …"""

    prefix: str = "s"
    count: int = 0

    def __call__(self) -> str:
        self.count += 1
        return f"{self.prefix}{self.count}"


@dataclass
class Stores:
    """Opens stores in one state folder, and closes them all at the end."""

    state_dir: Path
    folder: Path
    clock: TickingClock = field(default_factory=TickingClock)
    new_id: CountingIds = field(default_factory=CountingIds)
    opened: list[SessionStore] = field(default_factory=list[SessionStore])

    def open(self, **options: Any) -> SessionStore:
        """Open the store of the folder once more."""
        store = SessionStore.open(self.state_dir, self.folder, clock=self.clock, new_id=self.new_id, **options)
        self.opened.append(store)
        return store

    def in_memory(self) -> SessionStore:
        """Open a store in memory."""
        store = SessionStore.in_memory(self.folder, clock=self.clock, new_id=self.new_id)
        self.opened.append(store)
        return store

    def close(self) -> None:
        """Close all of them."""
        for store in self.opened:
            store.close()


def call(number: int = 1, name: str = "read_file", arguments: str = '{"path":"src/app.py"}') -> ToolCall:
    """Return a tool call with the id c<number>."""
    return ToolCall(f"c{number}", name, arguments)


def turn(number: int, text: str = "looking", result: str = "found") -> list[Message]:
    """Return an assistant message with one call, and its result."""
    return [AssistantMessage(text, (call(number),), model="demo/rules"), ToolMessage(f"c{number}", result)]


def append_all(store: SessionStore, session_id: str, messages: list[Message]) -> list[int]:
    """Record messages in a run of their own; return their numbers."""
    with store.acquire(session_id, "test") as handle:
        handle.load()
        return [handle.append(message) for message in messages]


def shape(messages: list[Message]) -> str:
    """Return the roles, one letter each."""
    return "".join(message.role[0] for message in messages)


any_text = st.text(st.characters(codec=None), max_size=40)
"""Any text, lone surrogates and control characters included."""

any_json: st.SearchStrategy[JsonValue] = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | any_text,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(any_text, inner, max_size=3),
    max_leaves=6,
)

any_change = st.builds(
    ChangeSummary,
    path=any_text,
    kind=st.sampled_from(["edit", "create", "delete", "move"]),
    added=st.integers(0, 10**6),
    removed=st.integers(0, 10**6),
    saved=st.booleans(),
    moved_from=st.none() | any_text,
)

any_user = st.builds(UserMessage, any_text, origin=st.sampled_from(["person", "steered", "host"]))

any_assistant = st.builds(
    AssistantMessage,
    any_text,
    tool_calls=st.lists(st.builds(ToolCall, any_text, any_text, any_text), max_size=3).map(tuple),
    reasoning=any_text,
    truncated=st.booleans(),
    model=any_text,
    provider_data=st.none() | st.builds(ProviderData, any_text, st.dictionaries(any_text, any_json, max_size=3)),
)

any_tool = st.builds(
    ToolMessage,
    any_text,
    any_text,
    is_error=st.booleans(),
    outcome=st.sampled_from(["returned", "aborted", "failed", "skipped", "interrupted"]),
    seen=st.dictionaries(any_text, any_text, max_size=3),
    changes=st.lists(any_change, max_size=2).map(tuple),
)

any_message: st.SearchStrategy[Message] = any_user | any_assistant | any_tool


@st.composite
def any_history(draw: Callable[..., Any]) -> list[Message]:
    """Return a valid history: every call of an assistant message has its result right behind it."""
    history: list[Message] = [draw(any_user)]
    for _ in range(draw(st.integers(0, 4))):
        assistant: AssistantMessage = draw(any_assistant)
        calls = tuple(
            ToolCall(f"{index}{each.id}", each.name, each.arguments) for index, each in enumerate(assistant.tool_calls)
        )
        history.append(
            AssistantMessage(
                assistant.content,
                calls,
                reasoning=assistant.reasoning,
                truncated=assistant.truncated,
                model=assistant.model,
                provider_data=assistant.provider_data,
            )
        )
        for each in calls:
            result: ToolMessage = draw(any_tool)
            history.append(
                ToolMessage(each.id, result.content, result.is_error, result.outcome, dict(result.seen), result.changes)
            )
        if draw(st.booleans()):
            history.append(draw(any_user))
    return history
