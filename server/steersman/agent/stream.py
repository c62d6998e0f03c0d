"""Collects one model response; until it is whole, all of it is tentative (DESIGN L4)."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace

from steersman.agent.arguments import UNNAMED
from steersman.agent.emitting import Emitter
from steersman.agent.errors import ContentFilterError, EmptyResponseError, StreamBrokenError
from steersman.agent.events import ReasoningDelta, RetryWaiting, TextDelta
from steersman.agent.messages import AssistantMessage, Message, ToolCall
from steersman.agent.model import (
    CallPiece,
    Finish,
    ModelClient,
    ModelRequest,
    ReasoningPiece,
    TextPiece,
    ToolSpec,
    Usage,
    Waiting,
)

_CHARS_A_TOKEN = 4
_MAX_NAME_CHARS = 200
_BREATH = 32
"""After so many pieces that came without a wait, everything else of the process gets its turn (DESIGN §9)."""


@dataclass(slots=True)
class Response:
    """What a stream has produced so far, and how it ended."""

    text: list[str] = field(default_factory=list[str])
    reasoning: list[str] = field(default_factory=list[str])
    calls: list[ToolCall] = field(default_factory=list[ToolCall])
    finish: Finish | None = None

    @property
    def began(self) -> bool:
        """Whether any output arrived."""
        return bool(self.text or self.reasoning or self.calls)

    def message(self, model: str) -> AssistantMessage:
        """Return it as the message to commit; call ids are made unique within it, absurd names mended."""
        finish = self.finish or Finish("stop")
        return AssistantMessage(
            "".join(self.text),
            _with_fit_names(_with_unique_ids(self.calls)),
            "".join(self.reasoning),
            truncated=finish.reason == "length",
            model=model,
            provider_data=finish.provider_data,
        )

    def usage(self, sent_chars: int) -> Usage:
        """Return its usage; what the provider did not report is estimated from what was sent, and marked (L13)."""
        if self.finish is not None and self.finish.usage is not None:
            return self.finish.usage
        got = sum(map(len, self.text)) + sum(map(len, self.reasoning))
        got += sum(len(call.name) + len(call.arguments) for call in self.calls)
        return Usage(
            input_tokens=-(-sent_chars // _CHARS_A_TOKEN), output_tokens=-(-got // _CHARS_A_TOKEN), estimated=True
        )


async def collect_response(client: ModelClient, request: ModelRequest, into: Response, emit: Emitter) -> None:
    """Stream one response into ``into``, emitting its deltas.

    Raises:
        EmptyResponseError: it ended with neither text nor calls.
        ContentFilterError: the provider's filter ended it.
        StreamBrokenError: it ended without the provider's end mark.
        ModelError: whatever the client raises.
    """
    pieces = 0
    async with aclosing(client.stream(request)) as stream:
        async for event in stream:
            pieces += 1
            if pieces % _BREATH == 0:
                await asyncio.sleep(0)
            match event:
                case TextPiece(text):
                    into.text.append(text)
                    emit(TextDelta(text))
                case ReasoningPiece(text):
                    into.reasoning.append(text)
                    emit(ReasoningDelta(text))
                case CallPiece(call):
                    into.calls.append(call)
                case Waiting(reason, seconds, attempt):
                    emit(RetryWaiting(reason, seconds, attempt))
                case Finish():
                    into.finish = event
    _check_whole(client.model, into)


def _check_whole(model: str, response: Response) -> None:
    if response.finish is None:
        raise StreamBrokenError(f"The answer of {model} broke off before its end.", hint="Run again to try once more.")
    if response.finish.reason == "content_filter":
        raise ContentFilterError(
            f"The provider of {model} stopped the answer by its content filter.",
            hint="Rephrase the task, or use another model.",
        )
    if not response.calls and not "".join(response.text).strip():
        cut = response.finish.reason == "length"
        raise EmptyResponseError(
            f"{model} answered with neither text nor a tool call"
            + (" before its output limit was reached." if cut else "."),
            hint="Raise maxOutputTokens." if cut else "Run again, or use another model.",
        )


def tools_chars(tools: Sequence[ToolSpec]) -> int:
    """Return what tools take of a request, in characters."""
    return sum(len(tool.description) + len(json.dumps(dict(tool.parameters))) for tool in tools)


def with_fit_names(message: Message) -> Message:
    """Return a recorded message with calls whose names a request may hold; the message itself where they do already."""
    if not isinstance(message, AssistantMessage):
        return message
    calls = _with_fit_names(message.tool_calls)
    return message if calls == message.tool_calls else replace(message, tool_calls=calls)


def _with_fit_names(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Give a call that names nothing a name, and cut nonsense short; no tool is named so that this would change it."""
    return tuple(replace(call, name=name) if (name := _fit_name(call.name)) != call.name else call for call in calls)


def _fit_name(name: str) -> str:
    if not any(char.isprintable() and not char.isspace() for char in name):
        return UNNAMED
    shown = "".join(char if char.isprintable() else "_" for char in name[:_MAX_NAME_CHARS])
    return shown if len(name) <= _MAX_NAME_CHARS else f"{shown}…"


def _with_unique_ids(calls: Sequence[ToolCall]) -> tuple[ToolCall, ...]:
    """Give a call without an id, or with one already used in this message, an id of its own."""
    used: set[str] = set()
    unique: list[ToolCall] = []
    for index, call in enumerate(calls):
        wanted = call.id or f"call_{index}"
        name, number = wanted, 2
        while name in used:
            name, number = f"{wanted}_{number}", number + 1
        used.add(name)
        unique.append(call if name == call.id else replace(call, id=name))
    return tuple(unique)
