"""Conversations with the rule-based model, without a loop: a task, and what each call brings back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.rules import Reply, Variant, next_reply


def converse(
    task: str | UserMessage,
    tools: Sequence[ToolSpec],
    result: Callable[[ToolCall], str | ToolMessage] = lambda _: "done",
    *,
    before: Sequence[Message] = (),
    variant: Variant = "mock",
    max_turns: int = 50,
    notice: str = "",
) -> tuple[list[Message], list[Reply]]:
    """Talk until the model answers without a call, or ``max_turns`` are over. Returns the history and the replies."""
    messages: list[Message] = [*before, task if isinstance(task, UserMessage) else UserMessage(task)]
    replies: list[Reply] = []
    while len(replies) < max_turns:
        reply = next_reply(ModelRequest("You are a test.", tuple(messages), tuple(tools)), variant, notice=notice)
        replies.append(reply)
        messages.append(AssistantMessage(reply.text, reply.calls))
        if not reply.calls:
            break
        for call in reply.calls:
            told = result(call)
            message = told if isinstance(told, ToolMessage) else ToolMessage(call.id, told)
            messages.append(replace(message, tool_call_id=call.id))
    return messages, replies


def calls_of(replies: Sequence[Reply]) -> list[str]:
    """Return all calls, such as ``add({"a":1,"b":2})``."""
    return [f"{call.name}({call.arguments})" for reply in replies for call in reply.calls]
