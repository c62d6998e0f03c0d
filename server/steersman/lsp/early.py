"""Answer ``initialize`` before the rest of the server is loaded (DESIGN §9).

The answer depends on the request and our version alone, so it need not wait for the LSP's types, which take most of
the start. What was read is handed on to the transport as if nothing had happened; the second answer to the same request
is left out there. This module must never import pygls, lsprotocol, asyncio or pydantic.
"""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field
from typing import Any, cast

from steersman.lsp.capabilities import initialize_result
from steersman.lsp.envelope import MessageId, Request, encode_message, parse_message
from steersman.lsp.framing import Frame, FrameReader, Piece, encode_frame

_READ_BYTES = 64 * 1024


@dataclass(slots=True)
class Opening:
    """What came before the event loop began.

    Attributes:
        frames: holds what was read beyond the pieces.
        pieces: the messages read, to be handled as usual.
        answered: the id of the ``initialize`` that has its answer already, or None.
        lost: the client closed the connection.
    """

    frames: FrameReader = field(default_factory=FrameReader)
    pieces: list[Piece] = field(default_factory=list[Piece])
    answered: MessageId | None = None
    lost: bool = False


def claim_stdio() -> tuple[int, int]:
    """Take standard input and output for the protocol alone; return their new (input, output) file descriptors.

    What is printed afterwards goes to standard error; what reads standard input finds it empty.
    """
    sys.stdout.flush()
    source, sink = os.dup(0), os.dup(1)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    os.dup2(2, 1)
    sys.stdout = sys.stderr
    if hasattr(os, "set_blocking"):
        os.set_blocking(source, True)
        os.set_blocking(sink, True)
    return source, sink


def open_connection(source: int, sink: int, version: str) -> Opening:
    """Read up to the first whole message, and answer it if it is a sound ``initialize``."""
    opening = Opening()
    while not opening.pieces:
        data = _read(source)
        if not data:
            opening.lost = True
            return opening
        opening.pieces.extend(opening.frames.feed(data))
    first = opening.pieces[0]
    message = parse_message(first.body) if isinstance(first, Frame) else None
    if not isinstance(message, Request) or message.method != "initialize":
        return opening
    params = message.params
    if isinstance(params, dict):
        result = initialize_result(cast("dict[str, Any]", params), version)
        answer = encode_message({"jsonrpc": "2.0", "id": message.id, "result": result})
        opening.answered = message.id if _write(sink, encode_frame(answer)) else None
    return opening


def _read(source: int) -> bytes:
    try:
        return os.read(source, _READ_BYTES)
    except OSError:
        return b""


def _write(sink: int, data: bytes) -> bool:
    rest = memoryview(data)
    try:
        while rest:
            rest = rest[os.write(sink, rest) :]
    except OSError:
        return False
    return True
