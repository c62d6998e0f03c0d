"""One answer in OpenAI's form: whole, or as a stream of chunks."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from steersman.agent.messages import ToolCall
from steersman.agent.model import FinishReason, Usage
from steersman.mock_llm.wire import to_bytes, usage_json
from steersman.rules.pieces import split_pieces

DONE = b"data: [DONE]\n\n"
"""The end mark of a stream."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What is common to all parts of one answer.

    Attributes:
        id: of the completion.
        created: seconds since the epoch.
        model: the model's name, as it was asked for.
    """

    id: str
    created: int
    model: str

    def whole(self, text: str, calls: tuple[ToolCall, ...], finish: FinishReason, usage: Usage) -> bytes:
        """Return the answer as one object."""
        message: dict[str, Any] = {"role": "assistant", "content": text or None, "refusal": None}
        if calls:
            message["tool_calls"] = [_call(call) for call in calls]
        choice = {"index": 0, "message": message, "logprobs": None, "finish_reason": finish}
        return to_bytes({**self._head("chat.completion"), "choices": [choice], "usage": usage_json(usage)})

    def chunk(self, delta: dict[str, Any], finish: FinishReason | None = None) -> bytes:
        """Return one event of the stream."""
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish}
        return _event({**self._head("chat.completion.chunk"), "choices": [choice]})

    def usage_chunk(self, usage: Usage) -> bytes:
        """Return the event that reports the usage, which comes last and holds no choice."""
        return _event({**self._head("chat.completion.chunk"), "choices": [], "usage": usage_json(usage)})

    def chunks(self, text: str, calls: tuple[ToolCall, ...], finish: FinishReason) -> Iterator[bytes]:
        """Return the events of the stream, but for its usage and its end mark: a few characters each."""
        yield self.chunk({"role": "assistant", "content": "" if text or not calls else None})
        for piece in split_pieces(text):
            yield self.chunk({"content": piece})
        for index, call in enumerate(calls):
            yield self.chunk({"tool_calls": [{"index": index, **_call(ToolCall(call.id, call.name, ""))}]})
            for piece in split_pieces(call.arguments):
                yield self.chunk({"tool_calls": [{"index": index, "function": {"arguments": piece}}]})
        yield self.chunk({}, finish)

    def _head(self, kind: str) -> dict[str, Any]:
        return {"id": self.id, "object": kind, "created": self.created, "model": self.model}


def _call(call: ToolCall) -> dict[str, Any]:
    return {"id": call.id, "type": "function", "function": {"name": call.name, "arguments": call.arguments}}


def _event(value: dict[str, Any]) -> bytes:
    return b"data: " + to_bytes(value) + b"\n\n"
