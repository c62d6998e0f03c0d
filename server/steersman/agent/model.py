"""What the loop needs of a model: a request goes out, a stream of events comes back (DESIGN M2).

A ``ModelClient`` maps one wire format to these events. It joins pieces of tool calls itself and yields a call only
when it is whole. It may yield ``Waiting`` before a retry, and never retries once it has yielded anything else.
"""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias

from steersman.agent.messages import JsonValue, Message, ProviderData, ToolCall


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as the model sees it; ``parameters`` is a JSON schema of type object."""

    name: str
    description: str
    parameters: Mapping[str, JsonValue]


class Conversation:
    """Stands for the requests of one run, and is nothing but itself.

    A client may keep what it worked out for one request and use it for the next of the same conversation, as long as
    this exists: it must hold it weakly.
    """

    __slots__ = ("__weakref__",)


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """One request.

    Attributes:
        system: the system prompt.
        messages: a valid history that begins with a user message.
        tools: what the model may call.
        max_output_tokens: limit of the reply; None: the provider's own.
        conversation: which requests this one is likely to continue; None: no others.
    """

    system: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    max_output_tokens: int | None = None
    conversation: Conversation | None = field(default=None, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Usage:
    """Tokens of one response, or a sum of them (L13).

    Attributes:
        input_tokens: all input, cache reads and writes included.
        cached_input_tokens: the part of it read from the provider's cache.
        cache_write_tokens: the part of it written to the provider's cache.
        output_tokens: all output, reasoning included.
        reasoning_tokens: the part of it that is reasoning, where reported.
        estimated: some of it was not reported but estimated.
    """

    input_tokens: int = 0
    cached_input_tokens: int = 0
    cache_write_tokens: int = 0
    output_tokens: int = 0
    reasoning_tokens: int = 0
    estimated: bool = False

    @property
    def total_tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: Usage) -> Usage:
        return Usage(
            self.input_tokens + other.input_tokens,
            self.cached_input_tokens + other.cached_input_tokens,
            self.cache_write_tokens + other.cache_write_tokens,
            self.output_tokens + other.output_tokens,
            self.reasoning_tokens + other.reasoning_tokens,
            self.estimated or other.estimated,
        )


@dataclass(frozen=True, slots=True)
class TextPiece:
    """Some text of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningPiece:
    """Some readable reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A whole tool call. A call that the output limit cut off comes too, with what there is of its arguments."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class Waiting:
    """The client waits before it tries again; only before anything else of the response.

    Attributes:
        reason: in plain words, such as "rate limited".
        seconds: how long it waits.
        attempt: 1 for the first retry.
    """

    reason: str
    seconds: float
    attempt: int


FinishReason: TypeAlias = Literal["stop", "tool_calls", "length", "content_filter"]


@dataclass(frozen=True, slots=True)
class Finish:
    """The provider's own end mark; the last event of every whole stream.

    Attributes:
        reason: why it ended. ``length``: the output limit cut the reply.
        usage: as reported, or None.
        provider_data: to be kept on the message and sent back to the same provider.
    """

    reason: FinishReason
    usage: Usage | None = None
    provider_data: ProviderData | None = None


ModelEvent: TypeAlias = TextPiece | ReasoningPiece | CallPiece | Waiting | Finish


class ModelClient(Protocol):
    """One model of one provider."""

    @property
    def model(self) -> str:
        """The full name, ``provider/model``."""
        ...

    def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Send the request and yield its events.

        Closing the generator closes the connection. Raises a ``ModelError``, never a foreign exception; a stream that
        ends without the provider's end mark raises ``StreamBrokenError``.
        """
        ...
