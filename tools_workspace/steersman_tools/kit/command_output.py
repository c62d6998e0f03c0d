r"""What a command prints, made fit for people and models: decoded, without control sequences, bounded (DESIGN W9, W10).

Works piece by piece, whatever the pieces are cut at. Nothing that a program prints reaches a terminal as an order.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Callable

_ESCAPE = re.compile(
    r"\x1b(?:"
    r"\[[0-?]*[ -/]*[@-~]"  # CSI: colours, cursor
    r"|[\]PX^_][^\x07\x1b]*(?:\x07|\x1b\\)"  # OSC, DCS, SOS, PM, APC: titles, links, clipboards
    r"|[ -/]*[0-~]"  # two and three character ones
    r")|\x9b[0-?]*[ -/]*[@-~]"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)?\Z|\x9b[0-?]*[ -/]*\Z")
_BEGUN = re.compile(r"\A(?:\x1b(?:\[[0-?]*[ -/]*|[\]PX^_]|[ -/]*)?|\x9b[0-?]*[ -/]*)")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_BACKSPACE = re.compile(r"[^\n\x08]\x08")
_MAX_UNFINISHED = 4096
_MAX_LINE = 8192


class PlainText:
    """Turns bytes of a terminal's output into plain text.

    A line that is drawn over by a carriage return (a progress bar) counts as what it showed last.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""
        self._line = ""

    def feed(self, data: bytes) -> str:
        """Take the next bytes; return what is certain by now: whole lines, and the beginnings of very long ones."""
        return self._take(self._decoder.decode(data))

    def end(self) -> str:
        """Return what is left when no more bytes come."""
        text = self._take(self._decoder.decode(b"", final=True))
        text += self._draw(_BEGUN.sub("", self._rest))
        text += _drawn(self._line)
        self._rest = self._line = ""
        return text

    def _take(self, text: str) -> str:
        text = self._rest + text
        self._rest = ""
        unfinished = _UNFINISHED.search(text)
        if unfinished and len(text) - unfinished.start() < _MAX_UNFINISHED:
            self._rest, text = text[unfinished.start() :], text[: unfinished.start()]
        return self._draw(_ESCAPE.sub("", text))

    def _draw(self, text: str) -> str:
        """Return the whole lines of what is pending and ``text``; the last, open one stays pending."""
        pending = self._line + text
        cut = pending.rfind("\n") + 1
        done, self._line = pending[:cut], pending[cut:]
        plain = "".join(_drawn(line) + "\n" for line in done.split("\n")[:-1])
        if len(self._line) > _MAX_LINE:
            drawn = _drawn(self._line)
            self._line = ""
            plain += drawn
        return plain


def _drawn(line: str) -> str:
    """Return the line as a terminal shows it in the end."""
    line = line.rstrip("\r")
    if "\r" in line:
        line = line.rsplit("\r", 1)[-1]
    while "\x08" in line and (shorter := _BACKSPACE.sub("", line)) != line:
        line = shorter
    return _CONTROL.sub("", line)


class HeadAndTail:
    """Keeps the beginning and the end of a text of any length.

    Args:
        max_chars: how much is kept in all.
    """

    def __init__(self, max_chars: int) -> None:
        self._max_head = max_chars // 2
        self._max_tail = max_chars - self._max_head
        self._head = ""
        self._tail = ""
        self._left_out = 0

    def add(self, text: str) -> None:
        """Take the next piece."""
        room = self._max_head - len(self._head)
        self._head += text[:room]
        self._tail += text[room:]
        if len(self._tail) > 2 * self._max_tail + 4096:
            self._shorten()

    def text(self) -> str:
        """Return what was kept; a gap is marked, and cut at ends of lines where that is near."""
        if len(self._tail) > self._max_tail:
            self._shorten()
        if not self._left_out:
            return self._head + self._tail
        head, tail = _whole_lines(self._head, self._tail)
        left_out = self._left_out + len(self._head) - len(head) + len(self._tail) - len(tail)
        return f"{head}\n[… {left_out} characters left out …]\n{tail}"

    def _shorten(self) -> None:
        excess = len(self._tail) - self._max_tail
        self._tail = self._tail[excess:]
        self._left_out += excess


def _whole_lines(head: str, tail: str) -> tuple[str, str]:
    cut = head.rfind("\n")
    head = head[:cut] if cut > len(head) * 3 // 4 else head
    cut = tail.find("\n") + 1
    return head, tail[cut:] if 0 < cut < len(tail) // 4 else tail


class PacedEmit:
    """Passes text on as fast as a person could follow, and says what it left out.

    Args:
        emit: takes the text.
        clock: seconds, monotonic.
        burst: how many characters may come at once.
        rate: how many more a second.
    """

    def __init__(
        self, emit: Callable[[str], None], clock: Callable[[], float], *, burst: int = 65_536, rate: int = 16_384
    ) -> None:
        self._emit = emit
        self._clock = clock
        self._burst = burst
        self._rate = rate
        self._allowed = float(burst)
        self._last = clock()
        self._left_out = 0

    def add(self, text: str) -> None:
        """Pass the text on, or leave it out."""
        if not text:
            return
        now = self._clock()
        self._allowed = min(self._burst, self._allowed + (now - self._last) * self._rate)
        self._last = now
        if len(text) > self._allowed:
            self._left_out += len(text)
            return
        self._allowed -= len(text)
        self._emit(self._gap() + text)

    def end(self) -> None:
        """Say what was left out last."""
        if self._left_out:
            self._emit(self._gap())

    def _gap(self) -> str:
        gap = f"\n[… {self._left_out} characters not shown …]\n" if self._left_out else ""
        self._left_out = 0
        return gap
