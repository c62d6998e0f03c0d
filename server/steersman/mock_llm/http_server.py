"""A small HTTP/1.1 server on asyncio streams and h11: for the mock model, and for tests that script one.

It listens on this machine only, keeps connections alive, and ends what it is doing for a client at the moment the
client is gone. It knows nothing of models.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Self, TypeAlias

import h11

_log = logging.getLogger(__name__)

_READ = 65_536
_MAX_BODY = 64 * 1024 * 1024
_MAX_AHEAD = 1024 * 1024

Headers: TypeAlias = Sequence[tuple[str, str]]


@dataclass(frozen=True, slots=True)
class HttpRequest:
    """One request; header names are in lower case."""

    method: str
    target: str
    headers: dict[str, str]
    body: bytes

    @property
    def path(self) -> str:
        """The target without its query."""
        return self.target.partition("?")[0]


class Exchange:
    """One request and its answer. A handler answers exactly once: ``respond``, or ``begin``, ``send``… and ``end``."""

    def __init__(self, request: HttpRequest, link: _Link) -> None:
        self.request = request
        self._link = link

    async def respond(self, status: int, body: bytes, *, content_type: str, headers: Headers = ()) -> None:
        """Answer with a whole body."""
        await self._begin(status, [("content-type", content_type), ("content-length", str(len(body))), *headers])
        await self.send(body)
        await self.end()

    async def begin(self, status: int, *, content_type: str, headers: Headers = ()) -> None:
        """Begin a body that is streamed, in chunks."""
        await self._begin(status, [("content-type", content_type), ("cache-control", "no-store"), *headers])

    async def send(self, data: bytes) -> None:
        """Send a piece of the body; waits for a client that reads slowly."""
        await self._link.send(h11.Data(data=data))

    async def end(self) -> None:
        """End the body."""
        await self._link.send(h11.EndOfMessage())

    def abort(self) -> None:
        """Cut the connection at once, in the middle of whatever is being sent."""
        self._link.abort()

    async def _begin(self, status: int, headers: Headers) -> None:
        await self._link.send(h11.Response(status_code=status, headers=list(headers)))


Handler: TypeAlias = Callable[[Exchange], Awaitable[None]]
"""Answers one exchange; cancelled when the client is gone or the server closes."""


class HttpServer:
    """Serves a handler on 127.0.0.1; an async context manager."""

    def __init__(self, handler: Handler, *, port: int = 0, max_body: int = _MAX_BODY) -> None:
        """Make one that is not listening yet.

        Args:
            handler: answers each request.
            port: 0 takes a free one.
            max_body: bytes that a request may bring.
        """
        self._handler = handler
        self._max_body = max_body
        self._wanted_port = port
        self._server: asyncio.Server | None = None
        self._connections: set[asyncio.Task[None]] = set()

    @property
    def port(self) -> int:
        """The port it listens on; only while it runs."""
        assert self._server is not None
        return self._server.sockets[0].getsockname()[1]

    async def start(self) -> None:
        """Listen.

        Raises:
            OSError: the port is taken.
        """
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", self._wanted_port)

    async def close(self) -> None:
        """Stop listening, end every answer that is being given, and close all connections."""
        if self._server is None:
            return
        self._server.close()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._server.wait_closed()
        self._server = None

    async def __aenter__(self) -> Self:
        await self.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.ensure_future(self._serve(reader, writer))
        self._connections.add(task)
        task.add_done_callback(self._connections.discard)

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        link = _Link(reader, writer, self._max_body)
        try:
            while await self._exchange(link):
                link.http.start_next_cycle()
        except (ConnectionError, _ClientGoneError):
            pass
        except asyncio.CancelledError:
            link.abort()  # a client that does not read must not hold up the end
            raise
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()

    async def _exchange(self, link: _Link) -> bool:
        """Answer one request. Returns whether the connection can take another."""
        try:
            request = await link.read_request()
        except h11.RemoteProtocolError as error:
            if link.http.our_state in {h11.IDLE, h11.SEND_RESPONSE}:
                await _answer_nonsense(link, error)
            return False
        if request is None:
            return False
        await self._handle(Exchange(request, link), link)
        return link.http.our_state is h11.DONE and link.http.their_state is h11.DONE

    async def _handle(self, exchange: Exchange, link: _Link) -> None:
        """Run the handler, and end it as soon as the client is gone."""
        work = asyncio.ensure_future(self._handler(exchange))
        watch = asyncio.ensure_future(link.watch())
        try:
            await asyncio.wait({work, watch}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (work, watch):
                task.cancel()
            await asyncio.gather(work, watch, return_exceptions=True)
        if work.cancelled():
            raise _ClientGoneError
        error = work.exception()
        if isinstance(error, ConnectionError | _ClientGoneError):
            raise _ClientGoneError
        if error is not None:
            _log.error("an exchange failed", exc_info=error)
            if link.http.our_state is h11.SEND_RESPONSE:
                await exchange.respond(500, b"internal error", content_type="text/plain")
            else:
                exchange.abort()


class _ClientGoneError(Exception):
    """The client closed the connection."""


class _Link:
    """One connection: bytes on one side, HTTP events on the other."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, max_body: int) -> None:
        self._max_body = max_body
        self.http = h11.Connection(h11.SERVER)
        self._reader = reader
        self._writer = writer

    async def read_request(self) -> HttpRequest | None:
        """Return the next request, or None when the client wants nothing more.

        Raises:
            h11.RemoteProtocolError: it is not HTTP, or too large.
        """
        head = await self._event()
        if not isinstance(head, h11.Request):
            return None
        body = bytearray()
        while True:
            event = await self._event()
            if isinstance(event, h11.Data):
                body += event.data
                if len(body) > self._max_body:
                    raise h11.RemoteProtocolError("the body is too large", error_status_hint=413)
            elif isinstance(event, h11.EndOfMessage):
                break
            else:
                raise _ClientGoneError
        headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in head.headers}
        return HttpRequest(head.method.decode("ascii"), head.target.decode("latin-1"), headers, bytes(body))

    async def send(self, event: h11.Event) -> None:
        """Send one event of the answer."""
        data = self.http.send(event)
        if data:
            self._writer.write(data)
            await self._writer.drain()

    async def watch(self) -> None:
        """Return when the client is gone; what it sends ahead is kept for its next request."""
        ahead = 0
        while ahead < _MAX_AHEAD:
            data = await self._reader.read(_READ)
            if not data:
                return
            ahead += len(data)
            self.http.receive_data(data)
        await asyncio.get_running_loop().create_future()

    def abort(self) -> None:
        """Cut the connection."""
        self._writer.transport.abort()

    async def _event(self) -> object:
        """Return the next event that the client sent."""
        while True:
            event = self.http.next_event()
            if event is not h11.NEED_DATA:
                return event
            if self.http.they_are_waiting_for_100_continue:
                await self.send(h11.InformationalResponse(status_code=100, headers=[]))
            self.http.receive_data(await self._reader.read(_READ))


async def _answer_nonsense(link: _Link, error: h11.RemoteProtocolError) -> None:
    body = f"{error}\n".encode()
    headers = [("content-type", "text/plain"), ("content-length", str(len(body))), ("connection", "close")]
    await link.send(h11.Response(status_code=error.error_status_hint, headers=headers))
    await link.send(h11.Data(data=body))
    await link.send(h11.EndOfMessage())
