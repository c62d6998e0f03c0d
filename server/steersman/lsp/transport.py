"""Standard input and output as the connection to the client: two threads, so that neither side can stop the other.

The reader's thread cuts the client's bytes into messages and hands them to the event loop; the writer's thread writes
what waits in the outbox. The event loop never blocks on either.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Callable
from typing import Any

from steersman.lsp.early import Opening
from steersman.lsp.framing import Piece, encode_frame
from steersman.lsp.outbox import Delivery, Outbox, OutboxFullError

_READ_BYTES = 256 * 1024
_UNHANDLED_READS = 16
_TOLD_SOON_S = 0.003
"""What is only told (events, progress) wakes the writer so much later: not between a reply and the next request, where
the two threads would hinder each other. Whatever else is sent takes it along at once."""


class Transport:
    """The connection. ``start`` once; ``send`` from the event loop's thread only.

    Args:
        source: file descriptor to read from.
        sink: file descriptor to write to.
        opening: what was read from the source already.
        outbox: what waits to be written.
    """

    def __init__(self, source: int, sink: int, opening: Opening | None = None, *, outbox: Outbox | None = None) -> None:
        self._source = source
        self._sink = sink
        self._opening = opening or Opening()
        self._outbox = outbox or Outbox()
        self._unhandled = threading.BoundedSemaphore(_UNHANDLED_READS)
        self._written = threading.Event()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._waking: asyncio.TimerHandle | None = None
        self._on_lost: Callable[[str], None] = lambda _why: None

    def start(self, on_piece: Callable[[Piece], None], on_lost: Callable[[str], None]) -> None:
        """Begin to read and write.

        Args:
            on_piece: called in the event loop for each message, in order.
            on_lost: called in the event loop when the client is gone, with the reason; maybe more than once.
        """
        self._loop = asyncio.get_running_loop()
        self._on_lost = on_lost
        for piece in self._opening.pieces:
            self._loop.call_soon(on_piece, piece)
        for name, target in (("reader", lambda: self._read(on_piece)), ("writer", self._write)):
            threading.Thread(target=target, name=f"steersman-{name}", daemon=True).start()

    def send(self, message: dict[str, Any], delivery: Delivery | None = None) -> None:
        """Let the message be written; never waits. Raises TypeError or ValueError when it is not JSON."""
        if self._opening.answered is not None and message.get("id") == self._opening.answered and "result" in message:
            self._opening.answered = None  # the client has this answer already
            return
        may_wait = delivery is not None and self._loop is not None
        try:
            self._outbox.put(message, delivery, wake=not may_wait)
        except OutboxFullError:
            self._outbox.close()
            self._on_lost("the client does not read")
            return
        if may_wait and self._loop is not None and self._waking is None:
            self._waking = self._loop.call_later(_TOLD_SOON_S, self._wake)

    def _wake(self) -> None:
        self._waking = None
        self._outbox.wake()

    async def close(self, *, timeout_s: float) -> bool:
        """Write what waits, for at most ``timeout_s`` seconds; say whether all of it went out."""
        self._outbox.close()
        return await asyncio.to_thread(self._written.wait, timeout_s)

    def _read(self, on_piece: Callable[[Piece], None]) -> None:
        frames = self._opening.frames

        def handle(pieces: list[Piece]) -> None:
            try:
                for piece in pieces:
                    on_piece(piece)
            finally:
                self._unhandled.release()

        while True:
            try:
                data = os.read(self._source, _READ_BYTES)
            except OSError:
                data = b""
            if not data:
                self._tell(self._on_lost, "the client closed the connection")
                return
            pieces = list(frames.feed(data))
            if pieces:
                self._unhandled.acquire()
                self._tell(handle, pieces)

    def _write(self) -> None:
        try:
            while (body := self._outbox.take()) is not None:
                rest = memoryview(encode_frame(body))
                while rest:
                    rest = rest[os.write(self._sink, rest) :]
        except OSError:
            self._outbox.close()
            self._tell(self._on_lost, "the client no longer takes what is written")
        finally:
            self._written.set()

    def _tell(self, call: Callable[..., None], argument: Any) -> None:
        assert self._loop is not None
        with contextlib.suppress(RuntimeError):  # the loop is closed: there is nobody left to tell
            self._loop.call_soon_threadsafe(call, argument)
