"""Reading what a person types, after what was typed ahead is thrown away: the one module that names ``termios`` (A3).

A key pressed before a question could be read is no answer to it. Nothing may be kept between two lines: not by the
terminal, and not by a buffer of Python's, so on a terminal bytes are read from the descriptor itself.
"""

from __future__ import annotations

import asyncio
import os
import sys
import threading
from contextlib import suppress


def forget_typed_ahead() -> None:
    """Throw away what was typed on standard input and not read yet. Does nothing where that is no terminal."""
    if not sys.stdin.isatty():
        return
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - exists on Windows only

        while msvcrt.kbhit():
            msvcrt.getwch()
    else:
        import termios  # noqa: PLC0415 - exists everywhere else

        with suppress(termios.error):  # the terminal has gone: reading will tell
            termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)


async def read_line() -> str | None:
    """Read a line of standard input without holding up the event loop. None at its end, also within a line."""
    loop = asyncio.get_running_loop()
    line: asyncio.Future[str | None] = loop.create_future()
    typed = bytearray()

    def settle(text: str | None) -> None:
        if not line.done():
            line.set_result(text or None)

    def take() -> None:
        piece = _read_some()
        typed.extend(piece)
        if not piece or typed.endswith(b"\n"):
            settle(typed.decode(sys.stdin.encoding or "utf-8", "replace") if piece else None)

    try:
        loop.add_reader(sys.stdin.fileno(), take)
    except NotImplementedError:  # Windows' loop cannot watch a console: a thread reads, and is left behind on cancel
        threading.Thread(target=lambda: loop.call_soon_threadsafe(settle, sys.stdin.readline()), daemon=True).start()
        return await line
    try:
        return await line
    finally:
        loop.remove_reader(sys.stdin.fileno())


def _read_some() -> bytes:
    """Read what is there; a terminal gives one line at most. Empty at the end, and when the terminal has gone."""
    try:
        return os.read(sys.stdin.fileno(), 4096)
    except OSError:
        return b""
