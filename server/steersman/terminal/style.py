"""What a terminal may be sent besides text: colours and moving lines, and only where somebody looks at it.

Never an escape code into a pipe, into a terminal that calls itself dumb, or, for colours, where NO_COLOR is set.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TextIO

_CODES = {"dim": "2", "bold": "1", "red": "31", "green": "32", "yellow": "33"}


def can_move(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """Say whether a line can be redrawn in place: a terminal that is not dumb."""
    return stream.isatty() and environ.get("TERM") != "dumb"


def columns(stream: TextIO) -> int:
    """Return how wide the terminal is now, in cells; 80 where it does not say."""
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except (OSError, ValueError):
        return 80


@dataclass(frozen=True, slots=True)
class Style:
    """Colours, or none."""

    coloured: bool

    @classmethod
    def of(cls, stream: TextIO, environ: Mapping[str, str]) -> Style:
        """Return what fits a stream (NO_COLOR; Windows' old console knows no colours)."""
        knows = sys.platform != "win32" or "WT_SESSION" in environ or "TERM" in environ
        return cls(knows and can_move(stream, environ) and not environ.get("NO_COLOR"))

    def paint(self, text: str, look: str) -> str:
        """Return a text in a look: ``dim``, ``bold``, ``red``, ``green`` or ``yellow``."""
        return f"\x1b[{_CODES[look]}m{text}\x1b[0m" if self.coloured and text else text

    def diff(self, text: str) -> str:
        """Return lines of a change, what is added in green and what is removed in red."""
        return "\n".join(self._diff_line(line) for line in text.split("\n"))

    def _diff_line(self, line: str) -> str:
        look = {"+": "green", "-": "red", "−": "red", "@": "dim"}.get(line[:1])
        return self.paint(line, look) if look else line
