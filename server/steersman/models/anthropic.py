"""Anthropic Messages, for Anthropic and for the servers that speak it (DESIGN M2, M3, M8).

Pure translation. Requests carry cache marks, so that a long run reads its prefix from the cache. Thinking goes back
signed and in its place, to the model that thought it and to no other.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterable, Iterator, Mapping

from steersman.agent.messages import AssistantMessage, JsonValue, Message, ProviderData, ToolCall, ToolMessage
from steersman.agent.model import (
    CallPiece,
    Finish,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ReasoningPiece,
    TextPiece,
    Usage,
)
from steersman.models.call_pieces import CallJoiner, OpenCall
from steersman.models.history import IdFitter, arguments_object, fit_name, own_data
from steersman.models.json_values import SurrogateJoiner, as_count, as_object, as_text
from steersman.models.layout import LayoutRecorder, TextPart, arranged
from steersman.models.sse import ServerSentEvent
from steersman.models.transcript import Entry, Transcript
from steersman.models.wire_format import HISTORY, BrokenStreamError, ReportedError, parse_event

_UNFIT_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_ID = 64
_CACHED_MESSAGES = 2
_LARGE_OUTPUT, _SMALL_OUTPUT = 32_000, 8_192
_SMALL_MODELS = re.compile(r"claude-(?:2|instant|3-)")
_CACHE_MARK: JsonValue = {"type": "ephemeral"}

_FINISH: Mapping[str, FinishReason] = {
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
    "refusal": "content_filter",
}


class AnthropicMessages:
    """The format for one model of one provider; see ``OpenAIChat`` for the arguments."""

    path = "/v1/messages"
    headers: Mapping[str, str] = {"anthropic-version": "2023-06-01"}

    def __init__(self, *, provider: str, model: str, extra_body: Mapping[str, JsonValue] | None = None) -> None:
        self._provider = provider
        self._model = model
        self._extra = dict(extra_body or {})
        self._output_limit = _SMALL_OUTPUT if _SMALL_MODELS.match(model) else _LARGE_OUTPUT
        self._cache_marks = True
        self._thinking_back = True

    def frame(self, request: ModelRequest) -> dict[str, JsonValue]:
        """Map what stands around the history."""
        tools: list[dict[str, JsonValue]] = [
            {"name": tool.name, "description": tool.description, "input_schema": dict(tool.parameters)}
            for tool in request.tools
        ]
        system: list[dict[str, JsonValue]] = (
            [{"type": "text", "text": request.system}] if request.system.strip() else []
        )
        if self._cache_marks:
            tools, system = _with_mark(tools), _with_mark(system)
        limit = self._output_limit if request.max_output_tokens is None else request.max_output_tokens
        body: dict[str, JsonValue] = {"model": self._model, "max_tokens": limit, "stream": True, "messages": HISTORY}
        if system:
            body["system"] = [*system]
        if tools:
            body["tools"] = [*tools]
        return body | self._extra

    def transcript(self, system: str) -> MessagesTranscript:
        """Return an empty history; the system prompt stands apart."""
        del system
        return MessagesTranscript(
            self._provider, self._model, thinking_back=self._thinking_back, cache_marks=self._cache_marks
        )

    def adapt(self, said: str) -> bool:
        """Give in to an endpoint that wants a smaller output, or takes no cache marks or no thinking."""
        largest = re.search(r"max_tokens: \d+ > (\d+)", said)
        if largest and 0 < int(largest.group(1)) < self._output_limit:
            self._output_limit = int(largest.group(1))
            return True
        if "cache_control" in said and self._cache_marks:
            self._cache_marks = False
            return True
        if re.search(r"thinking|signature", said) and self._thinking_back:
            self._thinking_back = False
            return True
        return False

    def reader(self, request: ModelRequest) -> MessagesReader:
        """Return a reader for the response to this request."""
        del request
        return MessagesReader(self._provider)


class MessagesTranscript(Transcript):
    """The messages of one history; what belongs to one role and stands side by side is one of them.

    Args:
        provider: as for ``OpenAIChat``.
        model: likewise.
        thinking_back: send thinking back.
        cache_marks: mark the last two messages of the user: the last but one is where the request before ended, and
            what that one wrote to the cache is read from there.
    """

    def __init__(self, provider: str, model: str, *, thinking_back: bool, cache_marks: bool) -> None:
        super().__init__()
        self._provider = provider
        self._model = model
        self._thinking_back = thinking_back
        self._cache_marks = cache_marks
        self._ids = IdFitter(_UNFIT_IN_ID, _MAX_ID)
        self._role = ""
        self._open: list[Entry] = []  # the blocks of the last message
        self._users: deque[tuple[int, list[Entry]]] = deque(maxlen=_CACHED_MESSAGES)

    def add(self, message: Message) -> None:
        """Take over the next message."""
        blocks = self._blocks(self._ids.fit(message))
        if not blocks:
            return
        role = "assistant" if isinstance(message, AssistantMessage) else "user"
        if role == self._role:
            self._open.extend(blocks)
            self._put_instead({"role": role, "content": [*self._open]})
            return
        self._role, self._open = role, blocks
        self._put({"role": role, "content": [*blocks]})
        if role == "user":
            self._users.append((self._last_place, blocks))

    def marked(self) -> Mapping[int, Entry]:
        """Set cache marks on the last messages of the user."""
        if not self._cache_marks:
            return {}
        return {place: {"role": "user", "content": [*_with_mark(blocks)]} for place, blocks in self._users}

    def _blocks(self, message: Message) -> list[Entry]:
        if isinstance(message, AssistantMessage):
            data = own_data(message, self._provider, self._model) if self._thinking_back else {}
            blocks = [_assistant_block(part) for part in arranged(message, data)]
            says = any(block["type"] in {"text", "tool_use"} for block in blocks)
            return blocks if says else []
        if isinstance(message, ToolMessage):
            result: Entry = {"type": "tool_result", "tool_use_id": message.tool_call_id}
            if message.content.strip():
                result["content"] = message.content
            return [result | {"is_error": True} if message.is_error else result]
        return [{"type": "text", "text": message.content if message.content.strip() else "(empty)"}]


def _assistant_block(part: TextPart | ToolCall | dict[str, JsonValue]) -> dict[str, JsonValue]:
    if isinstance(part, TextPart):
        return {"type": "text", "text": part.text}
    if isinstance(part, ToolCall):
        arguments: JsonValue = arguments_object(part.arguments) or {}
        return {"type": "tool_use", "id": part.id, "name": fit_name(part.name), "input": arguments}
    return part


def _with_mark(blocks: list[Entry]) -> list[Entry]:
    """Return the blocks with a cache mark on the last, if there is one."""
    return [*blocks[:-1], blocks[-1] | {"cache_control": _CACHE_MARK}] if blocks else []


class MessagesReader:
    """Reads one response."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._calls = CallJoiner()
        self._text = SurrogateJoiner()
        self._thought = SurrogateJoiner()
        self._layout = LayoutRecorder()
        self._open_calls: dict[int, OpenCall] = {}
        self._thinking: list[str] | None = None  # pieces of the open thinking block
        self._signature = ""
        self._usage: dict[str, JsonValue] = {}
        self._stop_reason = ""
        self._calls_begun = 0
        self._done = False

    @property
    def is_done(self) -> bool:
        """``message_stop`` was read."""
        return self._done

    @property
    def is_certain(self) -> bool:
        """The same: nothing else ends a message."""
        return self._done

    def read(self, event: ServerSentEvent) -> Iterator[ModelEvent]:
        """Yield text and thinking as it comes; calls are kept until the end mark."""
        if self._done or not event.data.strip():
            return
        data = parse_event(event)
        kind = as_text(data.get("type")) or event.event
        if kind == "error" or data.get("error"):
            raise ReportedError(data)
        if kind == "content_block_start":
            yield from self._start(_index(data), as_object(data.get("content_block")))
        elif kind == "content_block_delta":
            yield from self._delta(_index(data), as_object(data.get("delta")))
        elif kind == "content_block_stop":
            yield from self._close_block()
        elif kind in {"message_start", "message_delta"}:
            self._read_message(as_object(data.get("message")) or data)
        elif kind == "message_stop":
            self._done = True

    def _read_message(self, message: dict[str, JsonValue]) -> None:
        usage = as_object(message.get("usage"))
        self._usage.update({name: value for name, value in usage.items() if value is not None})
        delta = as_object(message.get("delta"))
        self._stop_reason = as_text(delta.get("stop_reason")) or self._stop_reason

    def _start(self, index: int, block: dict[str, JsonValue]) -> Iterator[ModelEvent]:
        yield from self._close_block()
        kind = as_text(block.get("type"))
        self._open_calls.pop(index, None)
        if kind == "tool_use":
            self._layout.add_call(self._calls_begun)
            self._calls_begun += 1
            call = OpenCall(
                index, as_text(block.get("id")), as_text(block.get("name")), given=as_object(block.get("input"))
            )
            self._open_calls[index] = self._calls.begin(call)
        elif kind == "redacted_thinking":
            self._layout.add_opaque(dict(block))
        elif kind == "thinking":
            self._thinking, self._signature = [], as_text(block.get("signature"))
            yield from self._think(as_text(block.get("thinking")))
        elif kind == "text":
            yield from self._say(as_text(block.get("text")))

    def _delta(self, index: int, delta: dict[str, JsonValue]) -> Iterator[ModelEvent]:
        kind = as_text(delta.get("type"))
        if kind == "text_delta":
            yield from self._say(as_text(delta.get("text")))
        elif kind == "thinking_delta":
            yield from self._think(as_text(delta.get("thinking")))
        elif kind == "signature_delta":
            self._signature += as_text(delta.get("signature"))
        elif kind == "input_json_delta" and index in self._open_calls:  # tools that the provider runs have some too
            self._open_calls[index].extend(as_text(delta.get("partial_json")))

    def _say(self, piece: str) -> Iterator[ModelEvent]:
        text = self._text.feed(piece)
        if text:
            self._layout.add_text(len(text))
            yield TextPiece(text)

    def _think(self, piece: str) -> Iterator[ModelEvent]:
        thought = self._thought.feed(piece)
        if thought:
            if self._thinking is not None:
                self._thinking.append(thought)
            yield ReasoningPiece(thought)

    def _close_block(self) -> Iterator[ModelEvent]:
        """End a block: what was held back of it comes now, and signed thinking is kept."""
        if thought := self._thought.flush():
            yield ReasoningPiece(thought)
        if self._thinking is not None and self._signature:
            thinking = "".join(self._thinking)
            self._layout.add_opaque({"type": "thinking", "thinking": thinking, "signature": self._signature})
        self._thinking, self._signature = None, ""
        if text := self._text.flush():
            self._layout.add_text(len(text))
            yield TextPiece(text)

    def finish(self) -> Iterable[ModelEvent]:
        """Yield the calls and ``Finish``.

        Raises:
            BrokenStreamError: ``message_stop`` did not come, or came inside a call.
        """
        if not self._done:
            raise BrokenStreamError("the stream ended without message_stop")
        if not self._stop_reason and not self._calls.are_whole():
            raise BrokenStreamError("the stream ended inside a tool call")
        events: list[ModelEvent] = list(self._close_block())
        calls = self._calls.calls()
        events.extend(CallPiece(call) for call in calls)
        reason = _FINISH.get(self._stop_reason, "tool_calls" if calls else "stop")
        data = self._layout.data()
        kept = ProviderData(self._provider, data) if data else None
        events.append(Finish(reason, read_usage(self._usage), kept))
        return events


def _index(data: Mapping[str, JsonValue]) -> int:
    return as_count(data.get("index"))


def read_usage(usage: Mapping[str, JsonValue]) -> Usage | None:
    """Map the usage of ``message_start`` and ``message_delta`` together; None when neither had one."""
    if not usage:
        return None
    read, written = as_count(usage.get("cache_read_input_tokens")), as_count(usage.get("cache_creation_input_tokens"))
    return Usage(
        input_tokens=as_count(usage.get("input_tokens")) + read + written,
        cached_input_tokens=read,
        cache_write_tokens=written,
        output_tokens=as_count(usage.get("output_tokens")),
    )
