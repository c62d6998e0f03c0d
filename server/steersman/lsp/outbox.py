"""What waits to be written to the client: in order, bounded, and never in the event loop's way (PROTOCOL §3).

``put`` is called in the event loop and never blocks; ``take`` is called by the writer's thread and waits. While the
client does not read, a message may join the one of its stream that still waits (a newer progress report replaces the
older, text deltas run together); when too much waits, what may be dropped is dropped. What may not, never is: beyond
the hard bound the client counts as lost.
"""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from steersman.lsp.envelope import encode_message

SOFT_BOUND_BYTES = 8 * 1024 * 1024
HARD_BOUND_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Delivery:
    """How a message may be treated while it waits.

    Attributes:
        stream: the stream it belongs to; order within a stream is always kept.
        join: makes one message of the stream's last waiting one and this one, or returns None when they do not join.
            None: it stands alone; nothing passes it and nothing joins it.
        droppable: it may be left out when too much waits.
    """

    stream: Hashable
    join: Callable[[dict[str, Any], dict[str, Any]], dict[str, Any] | None] | None = None
    droppable: bool = False


@dataclass(slots=True)
class _Waiting:
    message: dict[str, Any]
    body: bytes | None
    size: int
    stream: Hashable | None


class OutboxFullError(Exception):
    """More waits than a living client would leave."""


class Outbox:
    """The queue between the event loop and the writer's thread."""

    def __init__(self, *, soft_bound_bytes: int = SOFT_BOUND_BYTES, hard_bound_bytes: int = HARD_BOUND_BYTES) -> None:
        self._soft_bound = soft_bound_bytes
        self._hard_bound = hard_bound_bytes
        self._queue: deque[_Waiting] = deque()
        self._last: dict[Hashable, _Waiting] = {}
        self._size = 0
        self._closed = False
        self._changed = threading.Condition()
        self.dropped = 0

    def put(self, message: dict[str, Any], delivery: Delivery | None = None, *, wake: bool = True) -> None:
        """Add a message (after ``close``: forget it); unless ``wake``, the writer learns of it by the next ``wake``.

        Raises:
            OutboxFullError: the hard bound is reached.
            TypeError, ValueError: it is not JSON.
        """
        body = encode_message(message)
        with self._changed:
            if self._closed:
                return
            if delivery is not None and delivery.droppable and self._size > self._soft_bound:
                self.dropped += 1
                return
            if self._size + len(body) > self._hard_bound:
                raise OutboxFullError
            if delivery is None or not self._joined(message, body, delivery):
                self._append(_Waiting(message, body, len(body), delivery.stream if delivery else None), delivery)
            if wake:
                self._changed.notify_all()

    def wake(self) -> None:
        """Let the writer write what waits."""
        with self._changed:
            self._changed.notify_all()

    def _append(self, waiting: _Waiting, delivery: Delivery | None) -> None:
        self._queue.append(waiting)
        self._size += waiting.size
        if delivery is not None and delivery.join is not None:
            self._last[delivery.stream] = waiting
        else:
            self._last.pop(waiting.stream, None)

    def _joined(self, message: dict[str, Any], body: bytes, delivery: Delivery) -> bool:
        last = self._last.get(delivery.stream)
        if last is None or delivery.join is None:
            return False
        joined = delivery.join(last.message, message)
        if joined is None:
            return False
        size = len(body) if joined is message else last.size + len(body)
        self._size += size - last.size
        last.message, last.size = joined, size
        last.body = body if joined is message else None
        return True

    def take(self) -> bytes | None:
        """Wait for the next body; None when closed and empty."""
        with self._changed:
            while not self._queue:
                if self._closed:
                    return None
                self._changed.wait()
            waiting = self._queue.popleft()
            self._size -= waiting.size
            if self._last.get(waiting.stream) is waiting:
                del self._last[waiting.stream]
            self._changed.notify_all()
        return waiting.body if waiting.body is not None else encode_message(waiting.message)

    def close(self) -> None:
        """Take nothing more; what waits can still be taken."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def is_empty(self) -> bool:
        """Whether nothing waits."""
        with self._changed:
            return not self._queue


def newest(_older: dict[str, Any], newer: dict[str, Any]) -> dict[str, Any]:
    """Join two messages of which only the newer counts."""
    return newer
