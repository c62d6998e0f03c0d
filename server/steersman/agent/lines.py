r"""Lines as LSP and editors know them: ended by ``\n``, ``\r\n`` or ``\r`` and by nothing else.

``str.splitlines`` also splits at form feeds, U+2028 and the like; it must not be used on the text of a file.
"""

from __future__ import annotations

from io import StringIO


def split_lines(text: str) -> list[str]:
    """Return the lines with their endings; joined they are the text. An empty text has no lines."""
    return StringIO(text, newline="").readlines()  # "": all three endings end a line, and stay as they are


def count_lines(text: str) -> int:
    """Return how many lines the text has; a last line without an ending counts."""
    return len(split_lines(text))


def strip_ending(line: str) -> str:
    """Return the line without its line ending."""
    return line.rstrip("\r\n")
