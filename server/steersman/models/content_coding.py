"""Undoes what servers and proxies do to a body on its way (RFC 9110 §8.4), though none of it is asked for."""

from __future__ import annotations

import zlib
from collections.abc import AsyncGenerator, Iterator
from contextlib import aclosing
from typing import Protocol

_PART = 1024 * 1024
_AUTOMATIC = 32 + zlib.MAX_WBITS
"""zlib's own word for: gzip's or zlib's frame, whichever it is."""


class DamagedBodyError(Exception):
    """A body is compressed in a way that was not asked for, or is not what its compression says."""


def decoded(pieces: AsyncGenerator[bytes, None], codings: str) -> AsyncGenerator[bytes, None]:
    """Give a body as it was before these codings.

    Args:
        pieces: of the body as it comes; closed with what is returned.
        codings: what ``Content-Encoding`` says: names in the order in which they were applied.

    Raises (while it is read):
        DamagedBodyError: it cannot be decoded, or ends too early.
    """
    names = [name.strip() for name in codings.lower().split(",")]
    for name in reversed(names):
        if name not in {"", "identity"}:
            pieces = _undone(pieces, name)
    return pieces


async def _undone(pieces: AsyncGenerator[bytes, None], coding: str) -> AsyncGenerator[bytes, None]:
    async with aclosing(pieces):
        if coding not in {"gzip", "x-gzip", "deflate"}:
            raise DamagedBodyError(f"it is compressed as {coding}, which was not asked for")
        body = _Compressed(may_lack_frame=coding == "deflate")
        async for piece in pieces:
            for part in body.feed(piece):
                yield part
        body.end()


class _Inflater(Protocol):
    """What ``zlib.decompressobj`` makes; its class has no public name."""

    @property
    def unconsumed_tail(self) -> bytes: ...

    @property
    def unused_data(self) -> bytes: ...

    @property
    def eof(self) -> bool: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


class _Compressed:
    """A body while it is inflated: one compressed stream, or several one after the other (RFC 1952 §2.2).

    Args:
        may_lack_frame: some servers leave zlib's frame out of what they call deflate.
    """

    def __init__(self, *, may_lack_frame: bool) -> None:
        self._may_lack_frame = may_lack_frame
        self._inflater: _Inflater | None = None
        self._is_first = True

    def feed(self, piece: bytes) -> Iterator[bytes]:
        """Yield what a piece holds, in parts of bounded size: a small piece may hold a thousand times as much."""
        try:
            while piece:
                if self._inflater is None:
                    if not self._is_first:
                        piece = piece.lstrip(b"\0")  # with which the last stream may be filled up
                    if not piece:
                        return
                    self._inflater, self._is_first = zlib.decompressobj(self._frame(piece)), False
                part = self._inflater.decompress(piece, _PART)
                while part:  # the last of what it has taken may be waiting in it
                    yield part
                    part = self._inflater.decompress(self._inflater.unconsumed_tail, _PART)
                piece = self._inflater.unconsumed_tail or self._inflater.unused_data
                if self._inflater.eof:
                    self._inflater = None
        except zlib.error as error:
            raise DamagedBodyError(str(error)) from None

    def end(self) -> None:
        """Say that nothing more comes.

        Raises:
            DamagedBodyError: something is missing.
        """
        if self._inflater is not None:
            raise DamagedBodyError("its compressed data ends too early")

    def _frame(self, start: bytes) -> int:
        """Return what zlib is to expect: its own header has 8 in the low half of its first byte (RFC 1950 §2.2)."""
        return -zlib.MAX_WBITS if self._may_lack_frame and start[0] & 0x0F != 8 else _AUTOMATIC
