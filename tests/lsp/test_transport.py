"""The two threads around standard input and output."""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import AsyncIterator
from typing import Any

import pytest

from steersman.lsp.framing import Frame, FrameReader, Piece, encode_frame
from steersman.lsp.outbox import Delivery, Outbox, newest
from steersman.lsp.transport import Transport


class Wire:
    """A transport over two pipes, and the client's ends of them."""

    def __init__(self, outbox: Outbox | None = None) -> None:
        server_source, self.to_server = os.pipe()
        self.from_server, server_sink = os.pipe()
        self._fds = {server_source, self.to_server, self.from_server, server_sink}
        self.transport = Transport(server_source, server_sink, outbox=outbox)
        self.pieces: asyncio.Queue[Piece] = asyncio.Queue()
        self.lost: asyncio.Queue[str] = asyncio.Queue()
        self.transport.start(self.pieces.put_nowait, self.lost.put_nowait)
        self._server_sink = server_sink

    def read_all(self) -> list[object]:
        frames = FrameReader()
        messages = []
        while data := os.read(self.from_server, 1 << 20):
            messages += [json.loads(piece.body) for piece in frames.feed(data) if isinstance(piece, Frame)]
        return messages

    def end_output(self) -> None:
        self.close_fd(self._server_sink)

    def close_fd(self, fd: int) -> None:
        if fd in self._fds:
            self._fds.remove(fd)
            os.close(fd)

    async def close(self) -> None:
        self.close_fd(self.to_server)
        await self.lost.get()
        await self.transport.close(timeout_s=5)
        for fd in list(self._fds):
            self.close_fd(fd)


@pytest.fixture
async def wire() -> AsyncIterator[Wire]:
    wire = Wire()
    yield wire
    await wire.close()


async def test_messages_arrive_in_order(wire: Wire) -> None:
    os.write(wire.to_server, encode_frame(b"1") + encode_frame(b"2")[:5])
    os.write(wire.to_server, encode_frame(b"2")[5:])
    assert [await wire.pieces.get(), await wire.pieces.get()] == [Frame(b"1"), Frame(b"2")]


async def test_what_is_sent_is_framed_and_written(wire: Wire) -> None:
    wire.transport.send({"a": "ö"})
    data = await asyncio.to_thread(os.read, wire.from_server, 100)
    assert data == b'Content-Length: 10\r\n\r\n{"a":"\xc3\xb6"}'


async def test_a_closed_input_is_told_as_a_lost_client(wire: Wire) -> None:
    wire.close_fd(wire.to_server)
    why = await wire.lost.get()
    assert "closed" in why
    wire.lost.put_nowait(why)


async def test_a_closed_output_is_told_as_a_lost_client(wire: Wire) -> None:
    wire.close_fd(wire.from_server)
    wire.transport.send({"a": 1})
    why = await wire.lost.get()
    assert "no longer takes" in why


async def test_a_client_that_does_not_read_stops_nothing_and_finds_the_newest_report(wire: Wire) -> None:
    """A pipe holds about 64 KB; what is sent beyond that waits, and the loop goes on."""
    wire.transport.send({"big": "x" * 300_000})
    report = Delivery("token", newest, droppable=True)
    for n in range(10_000):
        wire.transport.send({"report": n}, report)
    wire.transport.send({"end": True}, Delivery("token"))
    reading = asyncio.create_task(asyncio.to_thread(wire.read_all))
    assert await wire.transport.close(timeout_s=30)
    wire.end_output()
    messages = await reading
    assert messages[-2:] == [{"report": 9999}, {"end": True}]
    assert len(messages) == 3


async def test_a_flush_that_the_client_does_not_take_is_given_up(wire: Wire) -> None:
    wire.transport.send({"big": "x" * 300_000})
    assert not await wire.transport.close(timeout_s=0.01)
    reading = asyncio.create_task(asyncio.to_thread(os.read, wire.from_server, 1 << 20))
    await reading
    await asyncio.to_thread(wire.close_fd, wire.from_server)


async def test_a_client_that_leaves_too_much_unread_counts_as_lost() -> None:
    wire = Wire(Outbox(hard_bound_bytes=1000))
    wire.transport.send({"big": "x" * 2000})
    assert await wire.lost.get() == "the client does not read"
    await wire.close()


def test_standard_output_carries_nothing_but_the_protocol() -> None:
    """Prints of the process, of C code and of its children end up on standard error; children find no input."""
    script = """
import os, subprocess, sys
from steersman.lsp.early import claim_stdio
source, sink = claim_stdio()
print("stray print")
os.write(1, b"stray write\\n")
subprocess.run([sys.executable, "-c", "import sys; print('stray child', repr(sys.stdin.read()))"], check=True)
os.write(sink, os.read(source, 100))
"""
    done = subprocess.run([sys.executable, "-c", script], input=b"protocol", capture_output=True, check=True)
    assert done.stdout == b"protocol"
    assert sorted(done.stderr.splitlines()) == [b"stray child ''", b"stray print", b"stray write"]


class WakefulOutbox(Outbox):
    """Notes when it was told to wake the writer."""

    def __init__(self) -> None:
        super().__init__()
        self.puts: list[bool] = []
        self.woken = asyncio.Event()

    def put(self, message: dict[str, Any], delivery: Delivery | None = None, *, wake: bool = True) -> None:
        self.puts.append(wake)
        super().put(message, delivery, wake=wake)

    def wake(self) -> None:
        self.woken.set()
        super().wake()


async def test_what_is_only_told_wakes_the_writer_once_for_many_and_what_is_asked_for_at_once() -> None:
    """Two threads at work between a reply and the next request would hinder each other (DESIGN §9)."""
    outbox = WakefulOutbox()
    wire = Wire(outbox)
    for number in range(3):
        wire.transport.send({"told": number}, Delivery(("events", "r")))
    assert outbox.puts == [False, False, False]
    await outbox.woken.wait()
    wire.transport.send({"answer": 1})
    assert outbox.puts[3:] == [True]
    await wire.transport.close(timeout_s=5)
    wire.end_output()
    assert wire.read_all() == [{"told": 0}, {"told": 1}, {"told": 2}, {"answer": 1}]
    await wire.close()
