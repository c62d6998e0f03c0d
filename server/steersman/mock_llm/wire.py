"""OpenAI's chat completions, as JSON: the only place where the mock model knows their form."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal

from pydantic import BaseModel, Field, ValidationError

from steersman.agent.closing import CLOSING_TEXTS
from steersman.agent.messages import (
    AssistantMessage,
    Message,
    Origin,
    Outcome,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from steersman.agent.model import ModelRequest, ToolSpec, Usage
from steersman.agent.validity import InvalidHistoryError, check_history

_FAILED = re.compile(
    r"\s*(?:error|refused|failed|failure|unknown|no such|cannot|there is no tool|the arguments of|not executed)\b",
    re.IGNORECASE,
)
_OUTCOMES: dict[str, Outcome] = {text: outcome for outcome, text in CLOSING_TEXTS.items()}


class ApiError(Exception):
    """A request that is refused, in OpenAI's words for such."""

    def __init__(
        self,
        status: int,
        message: str,
        *,
        kind: str = "invalid_request_error",
        code: str | None = None,
        param: str | None = None,
    ) -> None:
        super().__init__(message)
        self.status = status
        self.message = message
        self.kind = kind
        self.code = code
        self.param = param

    def body(self) -> bytes:
        """Return the answer's body."""
        error = {"message": self.message, "type": self.kind, "param": self.param, "code": self.code}
        return to_bytes({"error": error})


class _Function(BaseModel):
    name: str
    arguments: str


class _Call(BaseModel):
    id: str
    type: Literal["function"] = "function"
    function: _Function


class _Part(BaseModel):
    type: Literal["text"]
    text: str


class _Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[_Part] | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "".join(part.text for part in self.content)
        return self.content or ""


class _FunctionSpec(BaseModel):
    name: str = Field(min_length=1)
    description: str | None = None
    parameters: dict[str, Any] | None = None


class _Tool(BaseModel):
    type: Literal["function"]
    function: _FunctionSpec


class _StreamOptions(BaseModel):
    include_usage: bool | None = None


class ChatRequest(BaseModel):
    """The body of a request for a completion; fields that the mock model has no use for are ignored."""

    model: str
    messages: list[_Message] = Field(min_length=1)
    tools: list[_Tool] | None = None
    tool_choice: str | dict[str, Any] | None = None
    stream: bool | None = None
    stream_options: _StreamOptions | None = None
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)

    @property
    def reports_usage(self) -> bool:
        """Whether a streamed answer shall end with its usage."""
        return self.stream_options is not None and bool(self.stream_options.include_usage)


def read_chat_request(body: bytes) -> tuple[ChatRequest, ModelRequest]:
    """Return the request, and what it asks in the core's words.

    Raises:
        ApiError: 400: it is no JSON, has not the form, or its history is not valid.
    """
    try:
        chat = ChatRequest.model_validate(json.loads(body))
    except ValidationError as error:
        first = error.errors(include_url=False, include_context=False, include_input=False)[0]
        where = ".".join(str(part) for part in first["loc"]) or "body"
        raise ApiError(400, f"Invalid '{where}': {first['msg']}", param=where) from None
    except (ValueError, RecursionError) as error:
        raise ApiError(400, f"The body of the request is not valid JSON: {error}") from None
    positions = [index for index, message in enumerate(chat.messages) if message.role not in {"system", "developer"}]
    try:
        messages = tuple(_messages(chat.messages[index] for index in positions))
        check_history(messages)
    except InvalidHistoryError as error:
        index = positions[error.index] if error.index < len(positions) else len(chat.messages)
        raise ApiError(400, f"Invalid 'messages[{index}]': {error.problem}", param="messages") from None
    system = "\n\n".join(message.text for message in chat.messages if message.role in {"system", "developer"})
    tools = tuple(_tool(tool.function) for tool in chat.tools or []) if chat.tool_choice != "none" else ()
    return chat, ModelRequest(system, messages, tools, chat.max_completion_tokens or chat.max_tokens)


def _tool(spec: _FunctionSpec) -> ToolSpec:
    return ToolSpec(spec.name, spec.description or "", spec.parameters or {})


def _messages(messages: Iterable[_Message]) -> Iterator[Message]:
    """Return the history in the core's words; what the wire does not say is told from what is around it."""
    previous: Message | None = None
    for message in messages:
        previous = _message(message, previous)
        yield previous


def _message(message: _Message, previous: Message | None) -> Message:
    if message.role == "user":
        return UserMessage(message.text, _origin(previous))
    if message.role == "assistant":
        calls = (ToolCall(call.id, call.function.name, call.function.arguments) for call in message.tool_calls or [])
        return AssistantMessage(message.text, tuple(calls))
    outcome = _OUTCOMES.get(message.text, "returned")
    failed = outcome != "returned" or _FAILED.match(message.text) is not None
    return ToolMessage(message.tool_call_id or "", message.text, is_error=failed, outcome=outcome)


def _origin(previous: Message | None) -> Origin:
    """A user message behind results that a run went on from was steered in; any other begins something."""
    if isinstance(previous, UserMessage):
        return previous.origin
    return "steered" if isinstance(previous, ToolMessage) and previous.outcome == "returned" else "person"


def usage_json(usage: Usage) -> dict[str, Any]:
    """Return a usage as it is reported."""
    return {
        "prompt_tokens": usage.input_tokens,
        "completion_tokens": usage.output_tokens,
        "total_tokens": usage.total_tokens,
        "prompt_tokens_details": {"cached_tokens": usage.cached_input_tokens},
        "completion_tokens_details": {"reasoning_tokens": usage.reasoning_tokens},
    }


def to_bytes(value: Mapping[str, Any]) -> bytes:
    """Return JSON, in ASCII and without white space."""
    return json.dumps(value, separators=(",", ":")).encode("ascii")
