"""The scripted model as a process of its own on loopback, so that its work is nobody else's (``model.py`` steers it).

It speaks three wire formats and answers from bytes made beforehand. Each script has an address of its own,
``/NAME/v1``. Commands come as JSON lines on standard input, answers go as JSON lines to standard output:
``{"open": NAME, "script": {…}}`` and ``{"take": NAME}``. It never looks into a history: see ``support.scripted_server``
for an endpoint that refuses an invalid one.
"""

from __future__ import annotations

import asyncio
import json
import sys
import time
from dataclasses import dataclass, field
from typing import Any

from benchmarks.answers import Json, Wire, wire_of

_HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
_ENDLESS = "word "


@dataclass(slots=True)
class Script:
    """What one address plays.

    Attributes:
        calls: (tool, arguments as JSON text), one a reply, in order.
        pieces: what the reply after them says.
        status: instead of a reply: this HTTP status, with ``Retry-After: 60``.
        endless_s: after the calls, a piece every so many seconds until the reader goes; 0: not so.
        served: requests for the conversation itself; those without tools (a title, a probe) do not count.
    """

    calls: list[tuple[str, str]] = field(default_factory=list[tuple[str, str]])
    pieces: list[str] = field(default_factory=list[str])
    status: int = 200
    endless_s: float = 0.0
    received: list[float] = field(default_factory=list[float])
    answered: list[float] = field(default_factory=list[float])
    sizes: list[int] = field(default_factory=list[int])
    aside: int = 0
    ready: dict[tuple[int, int], bytes] = field(default_factory=dict[tuple[int, int], bytes])

    def answer(self, wire: Wire, number: int) -> bytes:
        """Return the body of the reply to request ``number``, made once."""
        key = (id(wire), min(number, len(self.calls)))  # a call without a name stands for the text
        if key not in self.ready:
            name, arguments = self.calls[number] if number < len(self.calls) else ("", "")
            self.ready[key] = wire.call(name, arguments, f"call_{number}") if name else wire.text(self.pieces)
        return self.ready[key]

    def taken(self) -> Json:
        """Return the times (this system's monotonic clock, seconds) and sizes of what was asked."""
        return {"received": self.received, "answered": self.answered, "sizes": self.sizes, "aside": self.aside}


class Connection(asyncio.Protocol):
    """One connection: requests in, replies out, one after the other."""

    def __init__(self, scripts: dict[str, Script]) -> None:
        self._scripts = scripts
        self._buffer = bytearray()
        self._transport: asyncio.Transport
        self._endless: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop what has no end of its own."""
        del exc
        if self._endless is not None:
            self._endless.cancel()

    def data_received(self, data: bytes) -> None:
        """Answer each request as soon as it is whole."""
        self._buffer += data
        while (end := self._buffer.find(b"\r\n\r\n")) >= 0:
            head = self._buffer[:end].decode("latin-1")
            length = _length(head)
            if len(self._buffer) < end + 4 + length:
                if "100-continue" in head.lower() and len(self._buffer) == end + 4:
                    self._transport.write(b"HTTP/1.1 100 Continue\r\n\r\n")
                return
            now = time.perf_counter()
            body = bytes(self._buffer[end + 4 : end + 4 + length])
            del self._buffer[: end + 4 + length]
            self._serve(head.partition("\r\n")[0], body, now)

    def _serve(self, line: str, body: bytes, now: float) -> None:
        method, path = (*line.split(" "), "")[:2]
        script, wire = self._scripts.get(path.split("/")[1] if "/" in path else ""), wire_of(path)
        if script is None or method != "POST":
            self._whole(404, b'{"error":{"message":"no such script"}}')
        elif wire is None:
            self._whole(200, b'{"object":"list","data":[{"id":"scripted","object":"model"}],"input_tokens":100}')
        elif script.status != 200:
            self._whole(script.status, b'{"error":{"message":"overloaded","type":"overloaded"}}')
        elif b'"tools"' not in body:
            script.aside += 1
            self._stream(wire.text(["Aside"]))
        else:
            self._reply(script, wire, len(body), now)

    def _reply(self, script: Script, wire: Wire, size: int, now: float) -> None:
        number = len(script.received)
        script.received.append(now)
        script.sizes.append(size)
        if script.endless_s and number >= len(script.calls):
            self._transport.write(_HEAD + b"Connection: close\r\n\r\n" + wire.opening())
            self._go_on(wire.piece(_ENDLESS), script.endless_s)
        else:
            self._stream(script.answer(wire, number))
        script.answered.append(time.perf_counter())

    def _go_on(self, piece: bytes, every_s: float) -> None:
        self._transport.write(piece)
        self._endless = asyncio.get_running_loop().call_later(every_s, self._go_on, piece, every_s)

    def _stream(self, body: bytes) -> None:
        self._transport.write(b"%sContent-Length: %d\r\n\r\n%s" % (_HEAD, len(body), body))

    def _whole(self, status: int, body: bytes) -> None:
        head = b"HTTP/1.1 %d X\r\nContent-Type: application/json\r\nRetry-After: 60\r\nContent-Length: %d\r\n\r\n"
        self._transport.write(head % (status, len(body)) + body)


def _length(head: str) -> int:
    for line in head.split("\r\n"):
        name, _, value = line.partition(":")
        if name.lower() == "content-length":
            return int(value)
    return 0


async def _serve() -> None:
    scripts: dict[str, Script] = {}
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: Connection(scripts), "127.0.0.1", 0)
    _say({"port": server.sockets[0].getsockname()[1]})
    while line := await asyncio.to_thread(sys.stdin.readline):
        _say(_do(scripts, json.loads(line)))
    server.close()


def _do(scripts: dict[str, Script], order: Any) -> Json:
    if "take" in order:
        return scripts[order["take"]].taken()
    script = order["script"]
    calls = [(name, arguments) for name, arguments in script.pop("calls", [])]
    scripts[order["open"]] = Script(calls=calls, **script)
    return {}


def _say(value: Json) -> None:
    sys.stdout.write(json.dumps(value) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    asyncio.run(_serve())
