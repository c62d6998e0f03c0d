"""What a valid history is, as a check: the rule that every provider enforces in its own words (DESIGN L6, M7).

The loop never needs it, for it builds nothing else; the models that tests talk to use it to catch the loop, a store or
a client that does. Pure; must never mend what it finds.
"""

from __future__ import annotations

from collections.abc import Sequence

from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage


class InvalidHistoryError(AssertionError):
    """A history that a provider would reject. An ``AssertionError``, so that it fails the test that sent it.

    Attributes:
        index: position of the message at fault; the history's length when something is missing at its end.
        problem: what is wrong, without the position.
    """

    def __init__(self, index: int, problem: str) -> None:
        super().__init__(f"messages[{index}]: {problem}")
        self.index = index
        self.problem = problem


def check_history(messages: Sequence[Message]) -> None:
    """Check that a history may be sent: it begins with a user message and every call has exactly one result.

    Args:
        messages: as in ``ModelRequest.messages``; no system message.

    Raises:
        InvalidHistoryError: it is empty, does not begin with a user message, holds an empty user or assistant message,
            a call without its result before the next message of another role, a result without its call, two calls of
            one id in one message, or a call without id or name.
    """
    if not messages:
        raise InvalidHistoryError(0, "the history is empty")
    if not isinstance(messages[0], UserMessage):
        raise InvalidHistoryError(0, f"the first message must be a user message, not {messages[0].role}")
    open_ids: list[str] = []
    for index, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            if message.tool_call_id not in open_ids:
                raise InvalidHistoryError(index, f"result {message.tool_call_id!r} answers no open tool call")
            open_ids.remove(message.tool_call_id)
            continue
        if open_ids:
            raise InvalidHistoryError(index, _unanswered(open_ids))
        open_ids = _ids(index, message)
    if open_ids:
        raise InvalidHistoryError(len(messages), _unanswered(open_ids))


def _ids(index: int, message: UserMessage | AssistantMessage) -> list[str]:
    """Return the ids of the message's calls, having looked at the message itself."""
    if isinstance(message, UserMessage):
        if not message.content:
            raise InvalidHistoryError(index, "the user message is empty")
        return []
    if not message.content and not message.tool_calls:
        raise InvalidHistoryError(index, "the assistant message holds neither text nor tool calls")
    ids = [call.id for call in message.tool_calls]
    if len(set(ids)) < len(ids):
        raise InvalidHistoryError(index, f"two tool calls of one message have the same id: {', '.join(ids)}")
    if not all(call.id and call.name for call in message.tool_calls):
        raise InvalidHistoryError(index, "a tool call has no id or no name")
    return ids


def _unanswered(ids: Sequence[str]) -> str:
    return f"tool calls without a result: {', '.join(ids)}"
