"""Event streams, to the letter of the standard (WHATWG HTML, "Server-sent events"; DESIGN M3).

Written here rather than taken from httpx-sse: that keeps a byte order mark at the start, splits lines through httpx's
``aiter_lines`` (which also splits at U+2028, form feeds and the like), and needs the response object, so that it
cannot be fed bytes in a test. This must never do I/O and never look into ``data``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

_BOM = b"\xef\xbb\xbf"
MAX_EVENT_BYTES = 32 * 1024 * 1024
"""An event larger than this is no event of a model."""


@dataclass(frozen=True, slots=True)
class ServerSentEvent:
    """One dispatched event; ``event`` is "message" where the stream names none."""

    data: str
    event: str = "message"


class EventTooLargeError(ValueError):
    """One event of the stream grew past the limit."""


class SseDecoder:
    """Takes bytes in any fragments and yields whole events.

    An event is dispatched by its blank line only: what stands unterminated at the end of the stream is dropped, as
    the standard has it.
    """

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._max = max_event_bytes
        self._start: bytes | None = b""  # what may still become a byte order mark; None: past it
        self._line: list[bytes] = []  # the unfinished line, in pieces
        self._size = 0  # bytes of the unfinished event
        self._after_cr = False
        self._data: list[str] = []
        self._event = ""

    def feed(self, chunk: bytes) -> Iterator[ServerSentEvent]:
        """Yield the events that end in this chunk; to be read to its end before the next chunk is fed.

        Raises:
            EventTooLargeError: one event exceeds the limit.
        """
        chunk = self._without_bom(chunk)
        if not chunk:
            return
        if self._after_cr:
            chunk = chunk.removeprefix(b"\n")  # the second half of a CRLF
        *lines, rest = chunk.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n")
        self._after_cr = chunk[-1:] == b"\r"
        for piece in lines:
            self._add(piece)
            line = b"".join(self._line)
            self._line.clear()
            event = self._take_line(line)
            if event is not None:
                yield event
        if rest:
            self._add(rest)

    def _without_bom(self, chunk: bytes) -> bytes:
        if self._start is None:
            return chunk
        start = self._start + chunk
        if len(start) < len(_BOM) and _BOM.startswith(start):
            self._start = start
            return b""
        self._start = None
        return start.removeprefix(_BOM)

    def _add(self, piece: bytes) -> None:
        self._size += len(piece)
        if self._size > self._max:
            raise EventTooLargeError(f"an event of more than {self._max} bytes")
        self._line.append(piece)

    def _take_line(self, line: bytes) -> ServerSentEvent | None:
        if not line:
            return self._dispatch()
        field, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if field == b"data":
            self._data.append(value.decode("utf-8", "replace"))
        elif field == b"event":
            self._event = value.decode("utf-8", "replace")
        return None  # comments, id, retry and unknown fields mean nothing here

    def _dispatch(self) -> ServerSentEvent | None:
        data, event = self._data, self._event
        self._data, self._event, self._size = [], "", 0
        return ServerSentEvent("\n".join(data), event or "message") if data else None
