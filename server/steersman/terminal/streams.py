"""The three standard streams, whatever they are: closed, full, read by nobody any more, a terminal that went away.

What a command was asked for goes to standard output (``say``); that it cannot be written there ends the command, with
an exit code that says so. Everything else goes to standard error (``Commentary``, ``note``) and ends nothing when it
is lost. This module must import nothing heavy: it is loaded before the command line is read.
"""

from __future__ import annotations

import errno
import io
import os
import sys
from contextlib import suppress
from typing import TextIO

READER_LEFT = 141
"""Exit code when whoever read the output has left: what a shell reports for a program that SIGPIPE ended."""

_FAILED = 1
_STREAMS = (("stdin", "r"), ("stdout", "w"), ("stderr", "w"))


class OutputLostError(Exception):
    """Standard output takes no more; what is printed from now on goes nowhere.

    Attributes:
        reader_left: whoever read it has left; that is no failure that anybody has to be told of.
        reason: why, in the system's words.
        remedy: one more sentence of help, or "".
    """

    def __init__(self, error: OSError) -> None:
        super().__init__(str(error))
        self.reader_left = is_reader_gone(error)
        self.reason = error.strerror or type(error).__name__
        self.remedy = ""

    def tell(self) -> int:
        """Say it on standard error, unless nobody wants to know; return the exit code."""
        if self.reader_left:
            return READER_LEFT
        note(f"steersman: standard output cannot be written: {self.reason}. {self.remedy}".rstrip())
        return _FAILED


class Commentary:
    """Standard error, or what stands for it: what cannot be written there is lost, and ends nothing.

    Attributes:
        reader_left: a pipe, and whoever read it has left.
    """

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self.reader_left = False

    def write(self, text: str, /) -> int:
        """Write it at once."""
        try:
            self._stream.write(text)
            self._stream.flush()
        except OSError as error:
            self.reader_left = self.reader_left or is_reader_gone(error)
            _send_nowhere(self._stream)
        return len(text)

    def flush(self) -> None:
        """Nothing is ever left to be flushed."""


def note(text: str = "", *, end: str = "\n") -> None:
    """Print on standard error, at once."""
    Commentary(sys.stderr).write(text + end)


def say(text: str = "", *, end: str = "\n", flush: bool = False) -> None:
    """Print on standard output.

    Raises:
        OutputLostError: it cannot be written.
    """
    try:
        sys.stdout.write(text + end)
        if flush:
            sys.stdout.flush()
    except OSError as error:
        _send_nowhere(sys.stdout)
        raise OutputLostError(error) from error


def finish() -> None:
    """Write what was printed and still waits; raises as ``say``."""
    say(end="", flush=True)


def read_all() -> str:
    """Return standard input to its end.

    Raises:
        OSError: it cannot be read.
        UnicodeDecodeError: it is no text in its encoding, which is UTF-8 for pipes and files.
    """
    _reconfigure(sys.stdin, "strict")
    return sys.stdin.read()


def make_usable() -> None:
    """Make the streams such that everything can be printed and read, whatever this process was started with.

    One that is closed becomes the null device, as git does it: else the next file opened would be taken for it. Pipes
    and files get UTF-8 on every system; what an encoding lacks is written out, what is no text is replaced.
    """
    _open_closed()
    sys.stdout, sys.stderr = _buffered(sys.stdout), _buffered(sys.stderr)
    _reconfigure(sys.stdin, "replace")
    for stream in (sys.stdout, sys.stderr):
        _reconfigure(stream, "backslashreplace")
        _make_blocking(stream)


def is_reader_gone(error: OSError) -> bool:
    """Say whether a write failed because the other end of a pipe is closed."""
    return isinstance(error, BrokenPipeError) or (sys.platform == "win32" and error.errno == errno.EINVAL)


def _open_closed() -> None:
    """Open the null device for each stream that is closed: in this order, so that each takes its own number."""
    for name, mode in _STREAMS:
        if getattr(sys, name) is None:
            null = os.open(os.devnull, os.O_RDWR)
            os.set_inheritable(null, True)  # noqa: FBT003 - the parameter has no name
            setattr(sys, name, open(null, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 - for good


def _buffered(stream: TextIO) -> TextIO:
    """Return a stream that writes all or raises: with PYTHONUNBUFFERED a text layer takes half a write for a whole."""
    raw: object = getattr(stream, "buffer", None)
    if isinstance(raw, io.FileIO) and stream in {sys.__stdout__, sys.__stderr__}:
        return io.TextIOWrapper(io.BufferedWriter(raw), encoding=stream.encoding, line_buffering=True)
    return stream


def _reconfigure(stream: object, errors: str) -> None:
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(encoding=None if stream.isatty() else "utf-8", errors=errors)


def _make_blocking(stream: TextIO) -> None:
    """A pipe that its other owner made non-blocking would lose what it cannot take at once."""
    with suppress(OSError, ValueError, AttributeError):  # no descriptor; a system that cannot
        if not os.get_blocking(stream.fileno()):
            os.set_blocking(stream.fileno(), True)


def _send_nowhere(stream: TextIO) -> None:
    """Let what is still buffered, and all that follows, go to the null device: else the exit would fail on it."""
    with suppress(OSError, ValueError):  # no descriptor: a test's
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)
        stream.flush()
