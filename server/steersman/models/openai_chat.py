"""Chat Completions, as OpenAI defined it and as a dozen others speak it (DESIGN M2, M3, M8).

Pure translation. What differs between the endpoints stands in ``ChatDialect``; what they all get wrong now and then is
handled for everyone: calls without an index, error objects inside a 200, the finish reason twice or not at all.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from steersman.agent.messages import JsonValue, ProviderData
from steersman.agent.model import (
    CallPiece,
    Finish,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ReasoningPiece,
    TextPiece,
    ToolSpec,
    Usage,
)
from steersman.models.call_pieces import CallJoiner
from steersman.models.chat_transcript import REASONING_FIELDS, ChatTranscript
from steersman.models.dialects import ChatDialect
from steersman.models.json_values import SurrogateJoiner, as_count, as_list, as_object, as_text, mended
from steersman.models.sse import ServerSentEvent
from steersman.models.wire_format import HISTORY, BrokenStreamError, ReportedError, parse_event

_FINISH: Mapping[str, FinishReason] = {
    "length": "length",
    "max_tokens": "length",
    "max_output_tokens": "length",
    "model_length": "length",
    "model_context_window_exceeded": "length",
    "content_filter": "content_filter",
    "safety": "content_filter",
    "sensitive": "content_filter",
    "refusal": "content_filter",
}
_FAILED = frozenset({"error", "network_error", "insufficient_system_resource", "abort"})


class OpenAIChat:
    """The format for one model of one provider.

    Args:
        provider: its configured name; only data of this provider is sent back.
        model: the provider's own name of the model.
        dialect: where the endpoint differs.
        extra_body: fields laid over the body last, as configured by the user.
    """

    path = "/chat/completions"
    headers: Mapping[str, str] = {}

    def __init__(
        self,
        *,
        provider: str,
        model: str,
        dialect: ChatDialect | None = None,
        extra_body: Mapping[str, JsonValue] | None = None,
    ) -> None:
        self._provider = provider
        self._model = model
        self.dialect: ChatDialect = dialect or ChatDialect()
        self._extra = dict(extra_body or {})
        self._adapted_limit = False

    def frame(self, request: ModelRequest) -> dict[str, JsonValue]:
        """Map what stands around the history."""
        body: dict[str, JsonValue] = {"model": self._model, "messages": HISTORY, "stream": True}
        if self.dialect.usage_option:
            body["stream_options"] = {"include_usage": True}
        if request.tools:
            body["tools"] = [_tool(spec) for spec in request.tools]
        if request.max_output_tokens is not None:
            body[self.dialect.max_tokens_field] = request.max_output_tokens
        return body | self._extra

    def transcript(self, system: str) -> ChatTranscript:
        """Return an empty history behind a system prompt."""
        return ChatTranscript(system, self._provider, self.dialect)

    def adapt(self, said: str) -> bool:
        """Give in to an endpoint that names a field it does not take, or one that it misses."""
        dialect = self.dialect
        if "max_completion_tokens" in said or "max_tokens" in said:
            other = "max_tokens" if dialect.max_tokens_field == "max_completion_tokens" else "max_completion_tokens"
            if not self._adapted_limit:
                self._adapted_limit = True
                self.dialect = replace(dialect, max_tokens_field=other)
                return True
        if "stream_options" in said and dialect.usage_option:
            self.dialect = replace(dialect, usage_option=False)
            return True
        if re.search(r"role '?user'? after role '?tool|roles must alternate", said) and not dialect.strict_roles:
            self.dialect = replace(dialect, strict_roles=True)
            return True
        if "cache_control" in said and dialect.cache_marks:
            self.dialect = replace(dialect, cache_marks=False)
            return True
        if "reasoning" in said and dialect.reasoning_back != "never":
            self.dialect = replace(dialect, reasoning_back="always" if dialect.reasoning_back == "own" else "never")
            return True
        return False

    def reader(self, request: ModelRequest) -> ChatReader:
        """Return a reader for the response to this request."""
        del request
        return ChatReader(self._provider)


def _tool(spec: ToolSpec) -> JsonValue:
    parameters: JsonValue = dict(spec.parameters)
    return {
        "type": "function",
        "function": {"name": spec.name, "description": spec.description, "parameters": parameters},
    }


class ChatReader:
    """Reads one response."""

    def __init__(self, provider: str) -> None:
        self._provider = provider
        self._calls = CallJoiner()
        self._text = SurrogateJoiner()
        self._thought = SurrogateJoiner()
        self._reasoning: dict[str, list[str]] = {}
        self._details: list[dict[str, JsonValue]] = []
        self._finish: str | None = None
        self._usage: Usage | None = None
        self._done = False

    @property
    def is_done(self) -> bool:
        """``[DONE]`` was read."""
        return self._done

    @property
    def is_certain(self) -> bool:
        """A finish reason was read; a bare ``[DONE]`` comes from servers that were interrupted too."""
        return self._finish is not None

    def read(self, event: ServerSentEvent) -> Iterator[ModelEvent]:
        """Yield text and reasoning as it comes; calls are kept until the end mark."""
        if self._done or not event.data.strip():
            return
        if event.data.strip() == "[DONE]":
            self._done = True
            return
        chunk = parse_event(event)
        if chunk.get("error") or event.event == "error":
            raise ReportedError(chunk)
        self._read_usage(chunk.get("usage") or as_object(chunk.get("x_groq")).get("usage"))
        for choice in as_list(chunk.get("choices")):
            yield from self._read_choice(as_object(choice))

    def _read_choice(self, choice: dict[str, JsonValue]) -> Iterator[ModelEvent]:
        if as_count(choice.get("index")) != 0:
            return
        if choice.get("error"):
            raise ReportedError(choice)
        self._read_usage(choice.get("usage"))
        delta = as_object(choice.get("delta")) or as_object(choice.get("message"))
        yield from self._read_reasoning(delta)
        text = self._text.feed(_content_text(delta.get("content")) or as_text(delta.get("refusal")))
        if text:
            yield TextPiece(text)
        for entry in as_list(delta.get("tool_calls")):
            self._calls.add_delta(entry)
        reason = as_text(choice.get("finish_reason"))
        if reason:
            self._finish = reason.lower()
            if self._finish in _FAILED:
                raise ReportedError({"error": {"message": f"the provider ended the reply with “{reason}”"}})

    def _read_reasoning(self, delta: dict[str, JsonValue]) -> Iterator[ModelEvent]:
        for entry in as_list(delta.get("reasoning_details")):
            _join_detail(self._details, as_object(entry))
        pieces = {name: text for name in REASONING_FIELDS if (text := as_text(delta.get(name)))}
        for name, text in pieces.items():
            self._reasoning.setdefault(name, []).append(text)
        shown = next(iter(pieces.values()), "") or _thinking_text(delta.get("content"))
        thought = self._thought.feed(shown)
        if thought:
            yield ReasoningPiece(thought)

    def _read_usage(self, usage: JsonValue) -> None:
        if isinstance(usage, dict) and usage:
            self._usage = read_usage(usage)

    def finish(self) -> Iterable[ModelEvent]:
        """Yield the calls and ``Finish``.

        Raises:
            BrokenStreamError: neither a finish reason nor ``[DONE]`` came, or a call without a finish reason is cut.
        """
        if self._finish is None:
            if not self._done:
                raise BrokenStreamError("the stream ended without an end mark")
            if not self._calls.are_whole():
                raise BrokenStreamError("the stream ended inside a tool call")
        events: list[ModelEvent] = []
        if thought := self._thought.flush():
            events.append(ReasoningPiece(thought))
        if text := self._text.flush():
            events.append(TextPiece(text))
        calls = self._calls.calls()
        events.extend(CallPiece(call) for call in calls)
        reason = _FINISH.get(self._finish or "stop", "stop")
        events.append(Finish("tool_calls" if calls and reason == "stop" else reason, self._usage, self._data()))
        return events

    def _data(self) -> ProviderData | None:
        data: dict[str, JsonValue] = {name: "".join(pieces) for name, pieces in self._reasoning.items()}
        if self._details:
            data["reasoning_details"] = [dict(detail) for detail in self._details]
            data.pop("reasoning", None)  # the details say the same, and more
        extras = self._calls.extras()
        if any(extras):
            data["call_extras"] = extras
        return ProviderData(self._provider, as_object(mended(data))) if data else None


def _content_text(content: JsonValue) -> str:
    """Return the text of a content that is a string or, as with Mistral, a list of chunks."""
    if isinstance(content, list):
        return "".join(as_text(as_object(chunk).get("text")) for chunk in content)
    return as_text(content)


def _thinking_text(content: JsonValue) -> str:
    chunks = [as_object(chunk).get("thinking") for chunk in as_list(content)]
    return "".join(_content_text(chunk) for chunk in chunks)


def _join_detail(details: list[dict[str, JsonValue]], entry: dict[str, JsonValue]) -> None:
    """Add one piece of ``reasoning_details``: pieces of one index and type belong together, texts are joined."""
    last = details[-1] if details else None
    if last is None or (last.get("index"), last.get("type")) != (entry.get("index"), entry.get("type")):
        details.append(dict(entry))
        return
    for name, value in entry.items():
        old = last.get(name)
        if name in {"text", "summary"} and isinstance(old, str) and isinstance(value, str):
            last[name] = old + value
        elif value is not None:
            last[name] = value


def read_usage(usage: Mapping[str, JsonValue]) -> Usage:
    """Map a ``usage`` object; what providers name differently is looked for in each place."""
    prompt, output = as_count(usage.get("prompt_tokens")), as_count(usage.get("completion_tokens"))
    details = as_object(usage.get("prompt_tokens_details"))
    reasoning = as_count(as_object(usage.get("completion_tokens_details")).get("reasoning_tokens"))
    cached = details.get("cached_tokens") or usage.get("prompt_cache_hit_tokens") or usage.get("cached_tokens")
    if reasoning and as_count(usage.get("total_tokens")) == prompt + output + reasoning:
        output += reasoning  # xAI counts reasoning beside the completion
    return Usage(
        input_tokens=prompt,
        cached_input_tokens=as_count(cached),
        cache_write_tokens=as_count(details.get("cache_write_tokens")),
        output_tokens=output,
        reasoning_tokens=reasoning,
    )
