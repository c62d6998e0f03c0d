"""A loopback HTTP server that does exactly what a provider does on a bad day.

Each request is answered by the next of the answers it was given, the last one again and again::

    async with FaultServer(respond(500), stream(chat("Hello"))) as server:
        client = make_client("test/m", {"test": server.config()}, {})

An answer is an async function of the open connection; ``respond`` and ``stream`` make the usual ones. It keeps every
request, and says when a client has gone (``gone`` of the connection).
"""

from __future__ import annotations

import asyncio
import contextlib
import json
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self, TypeAlias

End: TypeAlias = Literal["proper", "close", "reset", "hold"]
"""How a body ends: with its last chunk; without it; with a TCP reset; not at all, until the client goes."""


@dataclass
class Received:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    connection: int

    @property
    def json(self) -> Any:
        """The body as JSON."""
        return json.loads(self.body)


@dataclass
class Connection:
    """One connection while it is answered."""

    reader: asyncio.StreamReader
    writer: asyncio.StreamWriter
    number: int
    keep: bool = True
    gone: asyncio.Event = field(default_factory=asyncio.Event)

    async def send(self, data: bytes) -> None:
        """Send some bytes; a client that has gone is no error."""
        with contextlib.suppress(ConnectionError):
            self.writer.write(data)
            await self.writer.drain()

    def reset(self) -> None:
        """End the connection with a TCP reset."""
        sock = self.writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.keep = False
        self.writer.transport.abort()

    async def wait_gone(self) -> None:
        """Return when the client has closed the connection."""
        with contextlib.suppress(ConnectionError):
            while await self.reader.read(65536):
                pass
        self.gone.set()


Answer: TypeAlias = Callable[[Connection, Received], Awaitable[None]]


class FaultServer:
    """The server; an async context manager. With ``tls`` it speaks HTTPS."""

    def __init__(self, *answers: Answer, tls: ssl.SSLContext | None = None) -> None:
        self._answers = list(answers)
        self._tls = tls
        self._tasks: set[asyncio.Task[None]] = set()
        self.requests: list[Received] = []
        self.connections: list[Connection] = []
        self.port = 0

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"{'https' if self._tls else 'http'}://127.0.0.1:{self.port}"

    @property
    def url(self) -> str:
        """The base address of its API."""
        return f"{self.origin}/v1"

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._accept, "127.0.0.1", 0, ssl=self._tls)
        self.port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *exc_info: object) -> None:
        self._server.close()
        for connection in self.connections:
            connection.writer.transport.abort()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        await self._server.wait_closed()

    async def _accept(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        connection = Connection(reader, writer, len(self.connections))
        self.connections.append(connection)
        with contextlib.suppress(ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            while connection.keep:
                received = await _read_request(reader, connection.number)
                self.requests.append(received)
                answer = self._answers.pop(0) if len(self._answers) > 1 else self._answers[0]
                await answer(connection, received)
        connection.gone.set()
        writer.close()


async def _read_request(reader: asyncio.StreamReader, number: int) -> Received:
    head = (await reader.readuntil(b"\r\n\r\n")).decode("latin-1")
    first, *lines = head.rstrip("\r\n").split("\r\n")
    method, path, _ = first.split(" ")
    headers = {name.lower(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
    body = await reader.readexactly(int(headers.get("content-length", "0")))
    return Received(method, path, headers, body, number)


def respond(status: int, body: bytes | str | object = b"", *, headers: Mapping[str, str] | None = None) -> Answer:
    """Answer with a whole document: bytes, text, or anything that is JSON."""
    if isinstance(body, bytes):
        data, kind = body, "application/octet-stream"
    elif isinstance(body, str):
        data, kind = body.encode(), "text/html"
    else:
        data, kind = json.dumps(body).encode(), "application/json"
    sent = {"content-type": kind, "content-length": str(len(data))} | dict(headers or {})

    async def answer(connection: Connection, received: Received) -> None:
        del received
        await connection.send(_head(status, sent) + data)

    return answer


def stream(
    *parts: bytes,
    end: End = "proper",
    headers: Mapping[str, str] | None = None,
    before: Sequence[asyncio.Event] = (),
) -> Answer:
    """Answer with an event stream in these chunks.

    Args:
        parts: sent one chunk each.
        end: how the body ends.
        headers: more of them.
        before: waited for before the headers, then before each part, as far as there are events.
    """
    sent = {"content-type": "text/event-stream", "transfer-encoding": "chunked"} | dict(headers or {})

    async def answer(connection: Connection, received: Received) -> None:
        del received
        gates = list(before)
        pieces = [_head(200, sent), *(b"%x\r\n%s\r\n" % (len(part), part) for part in parts)]
        for piece in pieces:
            if gates:
                await gates.pop(0).wait()
            await connection.send(piece)
        await _end(connection, end)

    return answer


def raw(data: bytes) -> Answer:
    """Answer with these very bytes, status line and all, and close."""

    async def answer(connection: Connection, received: Received) -> None:
        del received
        connection.keep = False
        await connection.send(data)

    return answer


def by_path(answers: Mapping[str, Answer]) -> Answer:
    """Answer by the request's path, its query left out; an unknown one is a 404."""

    async def answer(connection: Connection, received: Received) -> None:
        chosen = answers.get(received.path.partition("?")[0], respond(404, {"error": {"message": "no such path"}}))
        await chosen(connection, received)

    return answer


async def hang_up(connection: Connection, received: Received) -> None:
    """Close without a word."""
    del received
    connection.keep = False


async def reset(connection: Connection, received: Received) -> None:
    """Reset without a word."""
    del received
    connection.reset()


async def never(connection: Connection, received: Received) -> None:
    """Say nothing until the client goes."""
    del received
    await connection.wait_gone()
    connection.keep = False


async def _end(connection: Connection, end: End) -> None:
    if end == "proper":
        await connection.send(b"0\r\n\r\n")
        return
    if end == "hold":
        await connection.wait_gone()
    if end == "reset":
        connection.reset()
    connection.keep = False


def _head(status: int, headers: Mapping[str, str]) -> bytes:
    lines = [f"HTTP/1.1 {status} X", *(f"{name}: {value}" for name, value in headers.items())]
    return ("\r\n".join(lines) + "\r\n\r\n").encode()


def sse(payload: object) -> bytes:
    """Return one event that carries JSON (or, for a string, that very text)."""
    data = payload if isinstance(payload, str) else json.dumps(payload)
    return f"data: {data}\n\n".encode()


def delta(**fields: object) -> bytes:
    """Return one chunk of Chat Completions."""
    return sse({"choices": [{"index": 0, "delta": fields, "finish_reason": None}]})


def finish(reason: str = "stop") -> bytes:
    """Return the chunk with the finish reason, and ``[DONE]``."""
    choice: dict[str, object] = {"index": 0, "delta": {}, "finish_reason": reason}
    return sse({"choices": [choice]}) + sse("[DONE]")


def chat(text: str) -> bytes:
    """Return a whole reply of Chat Completions."""
    return delta(content=text) + finish()
