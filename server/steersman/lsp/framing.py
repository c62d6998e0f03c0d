"""The base protocol's frames: ``Content-Length`` headers and bodies, out of any pieces of bytes (LSP, "Base Protocol").

It does no I/O and never raises: what is wrong with the client's bytes is a value, so that one bad message neither ends
the connection nor passes in silence. Strict on purpose: header lines that are none (an HTTP request, stray output)
spoil their message.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias

MAX_BODY_BYTES = 256 * 1024 * 1024
MAX_LINE_BYTES = 8 * 1024
MAX_LINES = 64

_LENGTH = re.compile(rb"[0-9]{1,18}")
_NAME = re.compile(rb"[A-Za-z0-9-]+")
_CHARSET = re.compile(rb"charset\s*=\s*\"?([^\s;\"]+)", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Frame:
    """One message's body."""

    body: bytes


@dataclass(frozen=True, slots=True)
class BadFrame:
    """What arrived where a message should be.

    Attributes:
        reason: what is wrong with it, for the client.
        body: the body it had nevertheless (it may tell an id to answer to), or None.
    """

    reason: str
    body: bytes | None = None


Piece: TypeAlias = Frame | BadFrame


def encode_frame(body: bytes) -> bytes:
    """Return the body with its header."""
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


class FrameReader:
    """Takes bytes as they come and yields whole messages."""

    def __init__(self, *, max_body_bytes: int = MAX_BODY_BYTES) -> None:
        self._max_body_bytes = max_body_bytes
        self._buffer = bytearray()
        self._searched = 0
        self._lines: list[bytes] = []
        self._faults: list[str] = []
        self._in_long_line = False
        self._body_bytes: int | None = None
        self._skip_bytes = 0

    def feed(self, data: bytes) -> Iterator[Piece]:
        """Take more bytes; yield what became complete, in order."""
        self._buffer += data
        while True:
            if self._skip_bytes:
                self._skip()
            if self._body_bytes is not None:
                if len(self._buffer) < self._body_bytes:
                    return
                yield self._take_body(self._body_bytes)
                continue
            line = self._take_line()
            if line is None:
                return
            if line and len(self._lines) < MAX_LINES:
                self._lines.append(line)
            elif line:
                self._faults = ["too many header lines"]
            elif self._lines or self._faults:
                yield from self._end_headers()

    def _skip(self) -> None:
        skipped = min(self._skip_bytes, len(self._buffer))
        del self._buffer[:skipped]
        self._skip_bytes -= skipped

    def _take_line(self) -> bytes | None:
        """Return the next header line without its ending, or None when it is not whole yet."""
        end = self._buffer.find(b"\n", self._searched)
        if end < 0:
            self._searched = len(self._buffer)
            if self._searched > MAX_LINE_BYTES:
                self._in_long_line = True
                self._buffer.clear()
                self._searched = 0
            return None
        line = bytes(self._buffer[:end]).rstrip(b"\r")
        del self._buffer[: end + 1]
        self._searched = 0
        if self._in_long_line or len(line) > MAX_LINE_BYTES:
            self._in_long_line = False
            self._faults.append(f"a header line of more than {MAX_LINE_BYTES} bytes")
            return b"-"
        return line

    def _end_headers(self) -> Iterator[BadFrame]:
        length: int | None = None
        for line in self._lines:
            name, colon, value = line.partition(b":")
            value = value.strip()
            if line == b"-":  # stands for a line that was too long, already told
                continue
            if not colon or not _NAME.fullmatch(name.strip()):
                self._faults.append(f"{_shown(line)} is not a header")
            elif name.strip().lower() == b"content-length":
                if not _LENGTH.fullmatch(value) or (length is not None and length != int(value)):
                    self._faults.append(f"{_shown(line)} is not a length")
                else:
                    length = int(value)
            elif name.strip().lower() == b"content-type":
                charset = _CHARSET.search(value)
                if charset and charset[1].lower() not in {b"utf-8", b"utf8"}:
                    self._faults.append(f"{_shown(line)}: only UTF-8 is spoken here")
        self._lines.clear()
        if length is None:
            yield BadFrame("; ".join([*self._faults, "no Content-Length"]))
            self._faults.clear()
        elif length > self._max_body_bytes:
            yield BadFrame(f"a message of {length} bytes; at most {self._max_body_bytes} are taken")
            self._faults.clear()
            self._skip_bytes = length
        else:
            self._body_bytes = length

    def _take_body(self, length: int) -> Piece:
        body = bytes(self._buffer[:length])
        del self._buffer[:length]
        self._body_bytes = None
        if self._faults:
            reason = "; ".join(self._faults)
            self._faults.clear()
            return BadFrame(reason, body)
        return Frame(body)


def _shown(line: bytes) -> str:
    return repr(line[:60].decode("ascii", "replace"))
