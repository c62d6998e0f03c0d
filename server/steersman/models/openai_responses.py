"""OpenAI's Responses API, stateless: nothing is stored there, reasoning travels encrypted (DESIGN M2, M3, M8).

Pure translation. Reasoning items go back in their place, to the model that made them and to no other.
"""

from __future__ import annotations

import hashlib
import re
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
from steersman.models.history import IdFitter, fit_name, own_data, sendable_arguments
from steersman.models.json_values import SurrogateJoiner, as_count, as_list, as_object, as_text
from steersman.models.layout import LayoutRecorder, TextPart, arranged
from steersman.models.sse import ServerSentEvent
from steersman.models.transcript import Transcript
from steersman.models.wire_format import HISTORY, BrokenStreamError, ReportedError, parse_event

_UNFIT_IN_ID = re.compile(r"[^a-zA-Z0-9_-]")
_MAX_ID = 64
_TEXT_DELTAS = frozenset({"response.output_text.delta", "response.refusal.delta"})
_REASONING_DELTAS = frozenset({"response.reasoning_text.delta", "response.reasoning_summary_text.delta"})
_PLAIN_MODEL = re.compile(r"gpt-[34]|chatgpt|.*-chat")
_TELLS_REASONING = re.compile(r"o[1-9]|gpt-[5-9]|codex")
_ENDS = frozenset({"response.completed", "response.incomplete", "response.done"})


class OpenAIResponses:
    """The format for one model of one provider; see ``OpenAIChat`` for the arguments."""

    path = "/responses"
    headers: Mapping[str, str] = {}

    def __init__(self, *, provider: str, model: str, extra_body: Mapping[str, JsonValue] | None = None) -> None:
        self._provider = provider
        self._model = model
        self._extra = dict(extra_body or {})
        plain = _PLAIN_MODEL.match(model) is not None
        self._encrypted = not plain
        self._summary = not plain and _TELLS_REASONING.match(model) is not None
        self._cache_key = True
        self._reasoning_back = True

    def frame(self, request: ModelRequest) -> dict[str, JsonValue]:
        """Map what stands around the history."""
        body: dict[str, JsonValue] = {"model": self._model, "input": HISTORY, "stream": True, "store": False}
        if request.system:
            body["instructions"] = request.system
        if self._encrypted:
            body["include"] = ["reasoning.encrypted_content"]
        if self._summary:
            body["reasoning"] = {"summary": "auto"}
        if self._cache_key:
            body["prompt_cache_key"] = _cache_key(request)
        if request.tools:
            body["tools"] = [
                {
                    "type": "function",
                    "name": tool.name,
                    "description": tool.description,
                    "parameters": dict(tool.parameters),
                    "strict": False,
                }
                for tool in request.tools
            ]
        if request.max_output_tokens is not None:
            body["max_output_tokens"] = request.max_output_tokens
        return body | self._extra

    def transcript(self, system: str) -> ResponsesTranscript:
        """Return an empty history; the system prompt stands apart."""
        del system
        return ResponsesTranscript(self._provider, self._model, reasoning_back=self._reasoning_back)

    def adapt(self, said: str) -> bool:
        """Give in to a model that has no encrypted reasoning, or that does not take reasoning back."""
        if re.search(r"encrypted[ _]content", said, re.IGNORECASE) and self._encrypted:
            self._encrypted = False
            return True
        if "prompt_cache_key" in said and self._cache_key:
            self._cache_key = False
            return True
        if "summar" in said and self._summary:
            self._summary = False
            return True
        if "reasoning" in said and self._reasoning_back:
            self._reasoning_back = False
            return True
        return False

    def reader(self, request: ModelRequest) -> ResponsesReader:
        """Return a reader for the response to this request."""
        return ResponsesReader(self._provider, request.max_output_tokens)


def _cache_key(request: ModelRequest) -> str:
    """Return a key that stays the same for a conversation: requests with one key meet the same cache."""
    first = request.messages[0] if request.messages else None
    opening = f"{request.system}\0{first.content if first is not None else ''}"
    return hashlib.sha256(opening.encode("utf-8", "surrogatepass")).hexdigest()[:32]


class ResponsesTranscript(Transcript):
    """The items of one history; see ``OpenAIChat`` for provider and model."""

    def __init__(self, provider: str, model: str, *, reasoning_back: bool) -> None:
        super().__init__()
        self._provider = provider
        self._model = model
        self._reasoning_back = reasoning_back
        self._ids = IdFitter(_UNFIT_IN_ID, _MAX_ID)

    def add(self, message: Message) -> None:
        """Take over the next message."""
        message = self._ids.fit(message)
        if isinstance(message, AssistantMessage):
            data = own_data(message, self._provider, self._model) if self._reasoning_back else {}
            for part in arranged(message, data):
                self._put(_assistant_item(part))
        elif isinstance(message, ToolMessage):
            self._put({"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content})
        else:
            content: JsonValue = [{"type": "input_text", "text": message.content}]
            self._put({"type": "message", "role": "user", "content": content})


def _assistant_item(part: TextPart | ToolCall | dict[str, JsonValue]) -> dict[str, JsonValue]:
    if isinstance(part, TextPart):
        content: JsonValue = [{"type": "output_text", "text": part.text, "annotations": []}]
        item: dict[str, JsonValue] = {"type": "message", "role": "assistant", "content": content}
        return item | {"phase": part.phase} if part.phase else item
    if isinstance(part, ToolCall):
        arguments = sendable_arguments(part.arguments)
        return {"type": "function_call", "call_id": part.id, "name": fit_name(part.name), "arguments": arguments}
    return part


class ResponsesReader:
    """Reads one response; ``output_limit`` is what was asked for."""

    def __init__(self, provider: str, output_limit: int | None = None) -> None:
        self._provider = provider
        self._output_limit = output_limit
        self._calls = CallJoiner()
        self._open_calls: dict[str, OpenCall] = {}  # by item id and by output index
        self._begun = 0
        self._text = SurrogateJoiner()
        self._thought = SurrogateJoiner()
        self._layout = LayoutRecorder()
        self._place = 0
        self._phase = ""
        self._item_text = False  # the open message has shown some text
        self._thought_something = False
        self._said_something = False
        self._reason: FinishReason | None = None
        self._usage: Usage | None = None

    @property
    def is_done(self) -> bool:
        """The response's last event was read."""
        return self._reason is not None

    @property
    def is_certain(self) -> bool:
        """The same: nothing else ends a response."""
        return self.is_done

    def read(self, event: ServerSentEvent) -> Iterator[ModelEvent]:
        """Yield text and reasoning as it comes; calls are kept until the end mark."""
        if self.is_done or event.data.strip() in {"", "[DONE]"}:
            return
        data = parse_event(event)
        kind = as_text(data.get("type")) or event.event
        if kind in {"error", "response.failed", "response.error"} or data.get("error"):
            raise ReportedError(data)
        if kind in _ENDS:
            yield from self._end(as_object(data.get("response")))
        elif data.get("object") == "response":  # one document instead of a stream
            yield from self._end(data)
        else:
            yield from self._read_part(kind, data)

    def _read_part(self, kind: str, data: dict[str, JsonValue]) -> Iterator[ModelEvent]:
        if kind in _TEXT_DELTAS:
            yield from self._say(as_text(data.get("delta")))
        elif kind in _REASONING_DELTAS:
            yield from self._think(as_text(data.get("delta")))
        elif kind == "response.reasoning_summary_part.added" and self._thought_something:
            yield from self._think("\n\n")
        elif kind == "response.output_item.added":
            self._open(as_object(data.get("item")), data.get("output_index"))
        elif kind == "response.function_call_arguments.delta":
            self._call_of(data.get("item_id"), data).extend(as_text(data.get("delta")))
        elif kind == "response.function_call_arguments.done":
            self._call_of(data.get("item_id"), data).complete(as_text(data.get("arguments")))
        elif kind == "response.output_item.done":
            yield from self._close(as_object(data.get("item")), data)

    def _open(self, item: dict[str, JsonValue], output_index: JsonValue) -> OpenCall | None:
        self._item_text, self._phase, self._place = False, as_text(item.get("phase")), as_count(output_index)
        if item.get("type") != "function_call":
            return None
        call_id = as_text(item.get("call_id")) or as_text(item.get("id"))
        call = self._calls.begin(OpenCall(None, call_id, as_text(item.get("name"))))
        call.extend(as_text(item.get("arguments")))
        for name in _names(item.get("id"), output_index):
            self._open_calls[name] = call
        self._layout.add_call(self._begun, self._place)
        self._begun += 1
        return call

    def _call_of(self, item_id: JsonValue, data: dict[str, JsonValue]) -> OpenCall:
        """Return the call that an event speaks of; some servers leave out one of the two ways to say it."""
        for name in _names(item_id, data.get("output_index")):
            if name in self._open_calls:
                return self._open_calls[name]
        raise BrokenStreamError("arguments came before their tool call")

    def _close(self, item: dict[str, JsonValue], data: dict[str, JsonValue]) -> Iterator[ModelEvent]:
        yield from self._flush()
        kind = item.get("type")
        if kind == "function_call":
            known = any(name in self._open_calls for name in _names(item.get("id"), data.get("output_index")))
            call = self._call_of(item.get("id"), data) if known else self._open(item, data.get("output_index"))
            if call is not None:
                call.complete(as_text(item.get("arguments")))
        elif kind == "reasoning":
            kept = _sendable_reasoning(item)
            if kept is not None:
                self._layout.add_opaque(kept, as_count(data.get("output_index")))
        elif kind == "message" and not self._item_text:
            self._phase = as_text(item.get("phase"))
            yield from self._say(_message_text(item))
            yield from self._flush()

    def _say(self, piece: str) -> Iterator[ModelEvent]:
        text = self._text.feed(piece)
        if text:
            self._item_text = self._said_something = True
            self._layout.add_text(len(text), self._place, self._phase)
            yield TextPiece(text)

    def _think(self, piece: str) -> Iterator[ModelEvent]:
        thought = self._thought.feed(piece)
        if thought:
            self._thought_something = True
            yield ReasoningPiece(thought)

    def _flush(self) -> Iterator[ModelEvent]:
        if thought := self._thought.flush():
            yield ReasoningPiece(thought)
        if text := self._text.flush():
            self._layout.add_text(len(text), self._place, self._phase)
            yield TextPiece(text)

    def _end(self, response: dict[str, JsonValue]) -> Iterator[ModelEvent]:
        status = as_text(response.get("status"))
        if response.get("error") or status == "failed":
            raise ReportedError({"error": response.get("error") or {"message": "the response failed"}})
        if status not in {"", "completed", "incomplete"}:
            raise BrokenStreamError("the provider stopped the response before its end")
        yield from self._flush()
        if not self._said_something and not self._calls:  # all of it comes with the last event
            for place, entry in enumerate(as_list(response.get("output"))):
                self._item_text = False
                yield from self._close(as_object(entry), {"output_index": place})
        usage = as_object(response.get("usage"))
        self._usage = read_usage(usage) if usage else None
        self._reason = self._read_reason(as_text(as_object(response.get("incomplete_details")).get("reason")), status)

    def _read_reason(self, why: str, status: str) -> FinishReason:
        if why == "content_filter":
            return "content_filter"
        if why or status == "incomplete" or self._is_at_its_limit():
            return "length"
        return "tool_calls" if self._calls else "stop"

    def _is_at_its_limit(self) -> bool:
        """Whether the output is as long as it may be: llama.cpp calls that complete (M9)."""
        limit, usage = self._output_limit, self._usage
        return limit is not None and usage is not None and usage.output_tokens >= limit

    def finish(self) -> Iterable[ModelEvent]:
        """Yield the calls and ``Finish``.

        Raises:
            BrokenStreamError: the response's last event did not come.
        """
        if self._reason is None:
            raise BrokenStreamError("the stream ended without response.completed")
        data = self._layout.data()
        kept = ProviderData(self._provider, data) if data else None
        return [*map(CallPiece, self._calls.calls()), Finish(self._reason, self._usage, kept)]


def _names(item_id: JsonValue, output_index: JsonValue) -> Iterator[str]:
    """Yield the names by which an event may speak of an item; servers leave out the one or the other."""
    if isinstance(item_id, str) and item_id:
        yield f"id {item_id}"
    if isinstance(output_index, int):
        yield f"index {output_index}"


def _sendable_reasoning(item: dict[str, JsonValue]) -> dict[str, JsonValue] | None:
    """Return what can be sent back, if anything: an id alone means nothing to a provider that does not store."""
    encrypted, content = as_text(item.get("encrypted_content")), as_list(item.get("content"))
    if not encrypted and not content:
        return None
    kept: dict[str, JsonValue] = {"type": "reasoning", "id": item.get("id"), "summary": as_list(item.get("summary"))}
    if encrypted:
        kept["encrypted_content"] = encrypted
    if content:
        kept["content"] = content
    return kept


def _message_text(item: dict[str, JsonValue]) -> str:
    parts = [as_object(part) for part in as_list(item.get("content"))]
    return "".join(as_text(part.get("text")) or as_text(part.get("refusal")) for part in parts)


def read_usage(usage: Mapping[str, JsonValue]) -> Usage:
    """Map a ``usage`` object."""
    details = as_object(usage.get("input_tokens_details"))
    return Usage(
        input_tokens=as_count(usage.get("input_tokens")),
        cached_input_tokens=as_count(details.get("cached_tokens")),
        cache_write_tokens=as_count(details.get("cache_write_tokens")),
        output_tokens=as_count(usage.get("output_tokens")),
        reasoning_tokens=as_count(as_object(usage.get("output_tokens_details")).get("reasoning_tokens")),
    )
