"""How calls that did not run to their own result are closed, so that a history is always valid (DESIGN L6, S3)."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal

from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage

CLOSING_TEXTS: dict[Literal["aborted", "failed", "skipped", "interrupted"], str] = {
    "aborted": "aborted before execution",
    "failed": "tool execution failed",
    "skipped": "not executed after an earlier failure",
    "interrupted": "interrupted: outcome unknown",
}
"""What the model reads. Never the text of an exception: it may hold secrets."""


def close_call(call: ToolCall, outcome: Literal["aborted", "failed", "skipped", "interrupted"]) -> ToolMessage:
    """Return the result that closes a call which has none of its own."""
    return ToolMessage(call.id, CLOSING_TEXTS[outcome], is_error=True, outcome=outcome)


def open_calls(messages: Sequence[Message]) -> list[ToolCall]:
    """Return the calls of the last assistant message that no result answers yet, in order."""
    answered: set[str] = set()
    for message in reversed(messages):
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
        elif isinstance(message, AssistantMessage):
            return [call for call in message.tool_calls if call.id not in answered]
        else:
            return []
    return []


def close_open_calls(messages: Sequence[Message], started_ids: Collection[str]) -> list[ToolMessage]:
    """Close what a process that died left open.

    Args:
        messages: the history as recorded.
        started_ids: ids of calls of the last assistant message for which a start marker was found.

    Returns:
        The results to append: unknown outcome for a call that had started, not executed for one that had not.
    """
    return [close_call(call, "interrupted" if call.id in started_ids else "aborted") for call in open_calls(messages)]
