"""The mock model: the rules behind an OpenAI-compatible address, for whatever speaks that protocol (DESIGN M7)."""

from __future__ import annotations

import asyncio
import hmac
import time
from collections.abc import Awaitable, Callable
from typing import Any, Self, get_args

from steersman.agent.model import ModelRequest
from steersman.mock_llm.answer import DONE, Answer
from steersman.mock_llm.http_server import Exchange, HttpServer
from steersman.mock_llm.wire import ApiError, ChatRequest, read_chat_request, to_bytes
from steersman.rules import Reply, Variant, next_reply

KEY = "test-key"
VARIANTS: tuple[Variant, ...] = get_args(Variant)

_BY_NAME: dict[str, Variant] = {name: name for name in VARIANTS}
_JSON = "application/json"
_SLOW_PAUSE_S = 2.0


def _model(name: str) -> dict[str, Any]:
    return {"id": name, "object": "model", "created": 0, "owned_by": "steersman"}


async def _slow_pause() -> None:
    await asyncio.sleep(_SLOW_PAUSE_S)


class MockServer:
    """Serves ``POST /v1/chat/completions`` and ``GET /v1/models`` on 127.0.0.1; an async context manager.

    ::

        async with MockServer() as server:
            client = SomeClient(base_url=server.base_url, api_key=KEY, model="mock")

    Attributes:
        requests: every valid request, in the core's words.
        closed_early: how many answers were not brought to their end, because the client went away.
    """

    def __init__(
        self,
        *,
        port: int = 0,
        key: str = KEY,
        slow_pause: Callable[[], Awaitable[None]] = _slow_pause,
        clock: Callable[[], float] = time.time,
        keep_requests: bool = True,
    ) -> None:
        """Make one.

        Args:
            port: 0 takes a free one.
            key: the only key that is accepted.
            slow_pause: awaited before each piece of ``mock-slow``; two seconds by default.
            clock: seconds since the epoch, for ``created``.
            keep_requests: False: ``requests`` stays empty, for a server that runs long.
        """
        self.requests: list[ModelRequest] = []
        self.closed_early = 0
        self._count = 0
        self._keep_requests = keep_requests
        self._key = key
        self._slow_pause = slow_pause
        self._clock = clock
        self._http = HttpServer(self._handle, port=port)

    @property
    def base_url(self) -> str:
        """The address that a client is given; only while it runs."""
        return f"http://127.0.0.1:{self._http.port}/v1"

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: the port is taken.
        """
        await self._http.start()

    async def close(self) -> None:
        """Stop at once, answers that are being given included."""
        await self._http.close()

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def _handle(self, exchange: Exchange) -> None:
        try:
            await self._route(exchange)
        except ApiError as error:
            await exchange.respond(error.status, error.body(), content_type=_JSON)

    async def _route(self, exchange: Exchange) -> None:
        request = exchange.request
        self._check_key(request.headers.get("authorization", ""))
        match request.method, request.path.rstrip("/"):
            case "POST", "/v1/chat/completions":
                await self._complete(exchange)
            case "GET", "/v1/models":
                listed = to_bytes({"object": "list", "data": [_model(name) for name in VARIANTS]})
                await exchange.respond(200, listed, content_type=_JSON)
            case "GET", path if path.removeprefix("/v1/models/") in _BY_NAME:
                await exchange.respond(200, to_bytes(_model(path.removeprefix("/v1/models/"))), content_type=_JSON)
            case _, "/v1/chat/completions" | "/v1/models":
                raise ApiError(405, f"Not allowed: {request.method} {request.path}")
            case _:
                raise ApiError(404, f"Unknown address: {request.method} {request.path}", code="unknown_url")

    def _check_key(self, header: str) -> None:
        scheme, _, key = header.partition(" ")
        if scheme.lower() != "bearer" or not key.strip():
            raise ApiError(401, "No API key was given; send “Authorization: Bearer KEY”.")
        if not hmac.compare_digest(key.strip().encode(), self._key.encode()):
            raise ApiError(401, "The API key is wrong; the mock model takes “test-key”.", code="invalid_api_key")

    async def _complete(self, exchange: Exchange) -> None:
        chat, request = read_chat_request(exchange.request.body)
        variant = _BY_NAME.get(chat.model)
        if variant is None:
            known = ", ".join(VARIANTS)
            raise ApiError(404, f"The model '{chat.model}' does not exist; there are {known}.", code="model_not_found")
        self._count += 1
        if self._keep_requests:
            self.requests.append(request)
        reply = next_reply(request, variant)
        answer = Answer(f"chatcmpl-mock-{self._count}", int(self._clock()), chat.model)
        whole = False
        try:
            await self._answer(exchange, chat, answer, reply)
            whole = True
        finally:
            self.closed_early += not whole

    async def _answer(self, exchange: Exchange, chat: ChatRequest, answer: Answer, reply: Reply) -> None:
        if not chat.stream:
            await self._pause(chat)
            body = answer.whole(reply.text, reply.calls, reply.finish, reply.usage)
            await exchange.respond(200, body, content_type=_JSON)
            return
        await exchange.begin(200, content_type="text/event-stream")
        for chunk in answer.chunks(reply.text, reply.calls, reply.finish):
            await self._pause(chat)
            await exchange.send(chunk)
        if chat.reports_usage:
            await exchange.send(answer.usage_chunk(reply.usage))
        await exchange.send(DONE)
        await exchange.end()

    async def _pause(self, chat: ChatRequest) -> None:
        if chat.model == "mock-slow":
            await self._slow_pause()
