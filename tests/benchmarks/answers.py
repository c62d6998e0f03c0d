"""What the scripted model says, in the bytes of three wire formats: Chat Completions, Responses, Anthropic's Messages.

Bytes are made before they are asked for, so that what is measured is the one who reads them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
USAGE = 100, 10


@dataclass(frozen=True, slots=True)
class Wire:
    """One format.

    Attributes:
        call: the stream of one call: name, arguments as JSON text, id.
        text: the stream of a text in these pieces.
        opening: how a stream begins.
        piece: one piece of text in it.
    """

    call: Callable[[str, str, str], bytes]
    text: Callable[[Sequence[str]], bytes]
    opening: Callable[[], bytes]
    piece: Callable[[str], bytes]


def wire_of(path: str) -> Wire | None:
    """Return the format that a request's path asks for."""
    path = path.partition("?")[0]
    if path.endswith("/chat/completions"):
        return CHAT
    if path.endswith("/responses"):
        return RESPONSES
    return MESSAGES if path.endswith("/messages") else None


def _data(value: Json) -> bytes:
    return b"data: " + json.dumps(value, separators=(",", ":")).encode() + b"\n\n"


def _named(value: Json) -> bytes:
    return b"event: " + str(value["type"]).encode() + b"\n" + _data(value)


# Chat Completions


def _chunk(delta: Json, finish: str | None = None) -> bytes:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return _data({"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted", "choices": [choice]})


def _chat_end(finish: str) -> bytes:
    counts = {"prompt_tokens": USAGE[0], "completion_tokens": USAGE[1], "total_tokens": sum(USAGE)}
    head = {"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "scripted"}
    return _chunk({}, finish) + _data({**head, "choices": [], "usage": counts}) + b"data: [DONE]\n\n"


def _chat_opening() -> bytes:
    return _chunk({"role": "assistant", "content": ""})


def _chat_piece(text: str) -> bytes:
    return _chunk({"content": text})


def _chat_call(name: str, arguments: str, call_id: str) -> bytes:
    function = {"name": name, "arguments": arguments}
    call = {"index": 0, "id": call_id, "type": "function", "function": function}
    return _chat_opening() + _chunk({"tool_calls": [call]}) + _chat_end("tool_calls")


def _chat_text(pieces: Sequence[str]) -> bytes:
    return _chat_opening() + b"".join(map(_chat_piece, pieces)) + _chat_end("stop")


CHAT = Wire(_chat_call, _chat_text, _chat_opening, _chat_piece)

# Responses


def _response(status: str, output: Sequence[Json]) -> Json:
    counts = {"input_tokens": USAGE[0], "output_tokens": USAGE[1], "total_tokens": sum(USAGE)}
    details = {"input_tokens_details": {"cached_tokens": 0}, "output_tokens_details": {"reasoning_tokens": 0}}
    usage = counts | details if status == "completed" else None
    return {"id": "resp", "object": "response", "status": status, "output": list(output), "usage": usage}


def _responses_opening() -> bytes:
    return _named({"type": "response.created", "response": _response("in_progress", [])})


def _responses_item(item: Json, between: bytes = b"") -> bytes:
    place = {"output_index": 0, "item": item}
    added = _named({"type": "response.output_item.added", **place})
    done = _named({"type": "response.output_item.done", **place})
    completed = _named({"type": "response.completed", "response": _response("completed", [item])})
    return _responses_opening() + added + between + done + completed


def _responses_call(name: str, arguments: str, call_id: str) -> bytes:
    item = {"type": "function_call", "id": f"fc_{call_id}", "call_id": call_id, "name": name, "arguments": arguments}
    return _responses_item({**item, "status": "completed"})


def _responses_piece(text: str) -> bytes:
    place = {"item_id": "m", "output_index": 0, "content_index": 0}
    return _named({"type": "response.output_text.delta", **place, "delta": text})


def _responses_text(pieces: Sequence[str]) -> bytes:
    content: list[Json] = [{"type": "output_text", "text": "".join(pieces), "annotations": []}]
    item: Json = {"type": "message", "id": "m", "role": "assistant", "status": "completed", "content": content}
    return _responses_item(item, b"".join(map(_responses_piece, pieces)))


RESPONSES = Wire(_responses_call, _responses_text, _responses_opening, _responses_piece)

# Anthropic's Messages


def _messages_opening() -> bytes:
    usage = {"input_tokens": USAGE[0], "output_tokens": 1}
    message: Json = {"id": "msg", "type": "message", "role": "assistant", "model": "scripted", "content": []}
    more = {"stop_reason": None, "stop_sequence": None, "usage": usage}
    return _named({"type": "message_start", "message": message | more})


def _messages_block(block: Json, deltas: bytes, stop: str) -> bytes:
    start = _named({"type": "content_block_start", "index": 0, "content_block": block})
    ended = {"stop_reason": stop, "stop_sequence": None}
    delta = _named({"type": "message_delta", "delta": ended, "usage": {"output_tokens": USAGE[1]}})
    closed = _named({"type": "content_block_stop", "index": 0})
    return _messages_opening() + start + deltas + closed + delta + _named({"type": "message_stop"})


def _messages_call(name: str, arguments: str, call_id: str) -> bytes:
    delta = {"type": "input_json_delta", "partial_json": arguments}
    piece = _named({"type": "content_block_delta", "index": 0, "delta": delta})
    return _messages_block({"type": "tool_use", "id": call_id, "name": name, "input": {}}, piece, "tool_use")


def _messages_piece(text: str) -> bytes:
    return _named({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": text}})


def _messages_text(pieces: Sequence[str]) -> bytes:
    return _messages_block({"type": "text", "text": ""}, b"".join(map(_messages_piece, pieces)), "end_turn")


MESSAGES = Wire(_messages_call, _messages_text, _messages_opening, _messages_piece)
