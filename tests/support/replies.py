"""Reads recorded and made-up response bodies through the real client, over a stand-in that plays bytes."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import httpcore

from steersman.agent.errors import ModelError
from steersman.agent.messages import ProviderData, ToolCall, UserMessage
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
from steersman.models.anthropic import AnthropicMessages
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpLimits, HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from steersman.models.openai_responses import OpenAIResponses
from steersman.models.wire_format import WireFormat

Kind: TypeAlias = Literal["openai_chat", "openai_responses", "anthropic"]

REQUEST = ModelRequest("Be brief.", (UserMessage("Hello."),))
KEY = "sk-test-0123456789abcdef"


@dataclass(frozen=True)
class Reply:
    """What became of one response. ``error`` is None when it ended as it should, ``failure`` is its kind."""

    text: str = ""
    reasoning: str = ""
    calls: tuple[ToolCall, ...] = ()
    finish: FinishReason | None = None
    usage: Usage | None = None
    data: ProviderData | None = None
    failure: str | None = None
    error: ModelError | None = field(default=None, compare=False)


class PlayedBody:
    """A body in given pieces; ends as told: properly, or with an exception."""

    def __init__(self, pieces: Iterable[bytes], then: Exception | None = None) -> None:
        self._pieces = pieces
        self._then = then
        self.closed = False

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            yield piece
        if self._then is not None:
            raise self._then

    async def aclose(self) -> None:
        self.closed = True


class PlayedRequests:
    """Sends nothing: a function answers each request (a ``RequestHandler``)."""

    def __init__(self, answer: Callable[[httpcore.Request], httpcore.Response]) -> None:
        self._answer = answer

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        return self._answer(request)

    async def aclose(self) -> None:
        """There is nothing to close."""


def wire_for(kind: Kind) -> WireFormat:
    """Return the wire format of this name."""
    if kind == "anthropic":
        return AnthropicMessages(provider="p", model="m")
    if kind == "openai_responses":
        return OpenAIResponses(provider="p", model="m")
    return OpenAIChat(provider="p", model="m")


def client_for(
    kind: Kind, answer: Callable[[httpcore.Request], httpcore.Response], limits: HttpLimits | None = None
) -> HttpModelClient:
    """Return a client whose requests are answered by a function."""
    endpoint = Endpoint("p", "https://models.test/v1", "m").with_key(KEY, "TEST_KEY")
    return HttpModelClient(endpoint, wire_for(kind), limits=limits, handler=PlayedRequests(answer))


async def collect(events: AsyncIterator[ModelEvent]) -> Reply:
    """Read a stream to its end, or to its error."""
    seen: list[ModelEvent] = []
    error: ModelError | None = None
    try:
        async for event in events:
            seen.append(event)  # noqa: PERF401  # what came before an error counts
    except ModelError as raised:
        error = raised
    finish = seen[-1] if seen and isinstance(seen[-1], Finish) else None
    return Reply(
        "".join(event.text for event in seen if isinstance(event, TextPiece)),
        "".join(event.text for event in seen if isinstance(event, ReasoningPiece)),
        tuple(event.call for event in seen if isinstance(event, CallPiece)),
        finish.reason if finish else None,
        finish.usage if finish else None,
        finish.provider_data if finish else None,
        error.kind if error else None,
        error,
    )


async def read_body(
    kind: Kind,
    pieces: Sequence[bytes],
    *,
    then: Exception | None = None,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
) -> Reply:
    """Read one response body that arrives in these pieces."""
    sent = {"content-type": "text/event-stream"} if headers is None else dict(headers)

    def answer(request: httpcore.Request) -> httpcore.Response:
        del request
        return httpcore.Response(status, headers=list(sent.items()), content=PlayedBody(pieces, then))

    client = client_for(kind, answer)
    try:
        return await collect(client.stream(REQUEST))
    finally:
        await client.aclose()


def single_bytes(body: bytes) -> list[bytes]:
    """Return the body as pieces of one byte."""
    return [body[at : at + 1] for at in range(len(body))]


def event_cuts(body: bytes) -> list[bytes]:
    """Return the body cut after each of its events (LF line ends), the whole left out."""
    events = body.split(b"\n\n")
    return [b"\n\n".join(events[:count]) + b"\n\n" for count in range(len(events) - 1)]


def with_line_ends(body: bytes, ending: bytes) -> bytes:
    """Return the body with other line ends; JSON inside ``data`` holds none of its own."""
    return body.replace(b"\r\n", b"\n").replace(b"\n", ending)
