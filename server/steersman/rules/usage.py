"""Tokens, as the rule-based model counts them: four characters each, the same every time."""

from __future__ import annotations

from steersman.agent.messages import AssistantMessage, ToolCall
from steersman.agent.model import ModelRequest, Usage

CHARS_A_TOKEN = 4


def count_usage(request: ModelRequest, text: str, calls: tuple[ToolCall, ...]) -> Usage:
    """Return the usage of one response.

    The system prompt and the messages count as input; the tools' schemas do not, so that small budgets can be tried
    out with small conversations.
    """
    sent = len(request.system)
    for message in request.messages:
        sent += len(message.content)
        if isinstance(message, AssistantMessage):
            sent += _call_chars(message.tool_calls)
    return Usage(input_tokens=_tokens(sent), output_tokens=_tokens(len(text) + _call_chars(calls)))


def _call_chars(calls: tuple[ToolCall, ...]) -> int:
    return sum(len(call.name) + len(call.arguments) for call in calls)


def _tokens(chars: int) -> int:
    return -(-chars // CHARS_A_TOKEN)
