"""``run_agent`` with the parts a test leaves out, and checks that hold for every run."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from steersman.agent.events import Event
from steersman.agent.loop import run_agent
from steersman.agent.messages import AssistantMessage, Message, ToolMessage
from steersman.agent.model import ModelClient
from steersman.agent.result import RunResult
from steersman.agent.tool import Tool


async def run(client: ModelClient, *tools: Tool, user: str = "Do it.", max_turns: int = 10, **parts: Any) -> RunResult:
    """Run the loop with the given client and tools."""
    return await run_agent(
        client=client, system="You are a test.", tools=tools, user=user, max_turns=max_turns, **parts
    )


def results(messages: Sequence[Message]) -> list[str]:
    """Return the contents of all tool results."""
    return [message.content for message in messages if isinstance(message, ToolMessage)]


def shape(messages: Sequence[Message]) -> str:
    """Return the roles, such as "user assistant tool assistant"."""
    return " ".join(message.role for message in messages)


def check_closed(messages: Sequence[Message]) -> None:
    """Check that each committed call has exactly one result, right after its message, in order."""
    index = 0
    while index < len(messages):
        message = messages[index]
        index += 1
        if isinstance(message, AssistantMessage):
            ids = [call.id for call in message.tool_calls]
            following = messages[index : index + len(ids)]
            assert [m.tool_call_id for m in following if isinstance(m, ToolMessage)] == ids
            index += len(ids)
        else:
            assert not isinstance(message, ToolMessage), "a result without a call"


_OPENS = {
    "RunStarted": "RunEnded",
    "TurnStarted": "TurnEnded",
    "ToolCallBegan": "ToolResultCommitted",
    "ApprovalRequested": "ApprovalDecided",
}


def check_nesting(events: Sequence[Event]) -> None:
    """Check that events are numbered in order and that every start has its end, properly nested (DESIGN L9)."""
    assert [event.seq for event in events] == list(range(len(events)))
    open_now: list[str] = []
    for event in events:
        name = type(event.body).__name__
        if name in _OPENS:
            open_now.append(name)
        elif name in _OPENS.values():
            assert _OPENS[open_now.pop()] == name
    assert open_now == []
