"""A part of a text for a model: numbered lines, bounded in number and length, honest about what is cut (DESIGN W9).

Whatever the text is like (five million characters in one line), something comes back, and what is said at the end leads
on to the rest. Pure.
"""

from __future__ import annotations

from dataclasses import dataclass

from steersman.agent.lines import split_lines, strip_ending
from steersman.agent.tool import ToolError

MAX_LINES = 2000
MAX_LINE_CHARS = 2000
MAX_CHARS = 40_000


@dataclass(frozen=True, slots=True)
class Bounds:
    """How much is shown at once.

    Attributes:
        lines: lines.
        line_chars: characters of a line among others.
        chars: characters in all, and of a line alone.
    """

    lines: int = MAX_LINES
    line_chars: int = MAX_LINE_CHARS
    chars: int = MAX_CHARS


@dataclass(frozen=True, slots=True)
class Excerpt:
    """What is shown of a text.

    Attributes:
        shown: numbered lines, with a mark where a line is cut and a last line that says how to go on.
        spans: which characters of the text were shown, as (start, end) pairs.
        first: number of the first line.
        last: number of the last line.
    """

    shown: str
    spans: tuple[tuple[int, int], ...]
    first: int
    last: int


def take_excerpt(
    text: str, *, name: str, offset: int = 1, limit: int | None = None, column: int = 1, bounds: Bounds = Bounds()
) -> Excerpt:
    """Return ``limit`` lines from line ``offset`` on; of that first line only what begins at ``column`` (all from 1).

    Raises:
        ToolError: the text ends before that.
    """
    lines = split_lines(text)
    if not lines and offset == 1:
        return Excerpt(f"[{name} is empty]", ((0, 0),), 1, 0)
    if offset > len(lines):
        raise ToolError(f"{name} has {_count(len(lines), 'line')}; there is no line {offset:,}")
    if column > 1 and column > len(strip_ending(lines[offset - 1])):
        length = len(strip_ending(lines[offset - 1]))
        raise ToolError(f"line {offset} of {name} has {_count(length, 'character')}; there is no column {column:,}")
    return _Taking(lines, offset, column, bounds).take(min(limit or bounds.lines, bounds.lines))


class _Taking:
    """One pass over the lines, with what was shown so far."""

    def __init__(self, lines: list[str], offset: int, column: int, bounds: Bounds) -> None:
        self._lines = lines
        self._offset = offset
        self._column = column
        self._bounds = bounds
        self._room = bounds.chars
        self._position = sum(map(len, lines[: offset - 1])) + column - 1
        self._shown: list[str] = []
        self._spans: list[tuple[int, int]] = []
        self._last_is_cut = False

    def take(self, limit: int) -> Excerpt:
        end = min(self._offset - 1 + limit, len(self._lines))
        last = self._offset - 1
        while last < end and self._room > 0:
            is_first = last + 1 == self._offset
            is_alone = is_first and (end == self._offset or self._column > 1)
            if not is_alone and not is_first and self._room < min(self._bounds.line_chars, len(self._lines[last])):
                break
            last += 1
            self._take_line(last, self._bounds.chars if is_alone else self._bounds.line_chars)
        return Excerpt("\n".join([*self._shown, *self._ending(last)]), tuple(self._spans), self._offset, last)

    def _take_line(self, number: int, max_chars: int) -> None:
        line = self._lines[number - 1]
        start = self._column - 1 if number == self._offset else 0
        rest = strip_ending(line)[start:]
        shown = rest[: min(max_chars, self._room)]
        left = len(rest) - len(shown)
        self._last_is_cut = left > 0
        mark = ""
        if left:
            go_on = f"offset={number}, column={start + len(shown) + 1}"
            mark = f" […] [line {number:,} goes on for {_count(left, 'character')}: {go_on}]"
        self._shown.append(f"{number}\t{shown}{mark}")
        whole = len(line) - start
        self._spans.append((self._position, self._position + (len(shown) if left else whole)))
        self._position += whole
        self._room -= len(shown) + 1

    def _ending(self, last: int) -> list[str]:
        """Return the last line: what is left and how to see it, or nothing."""
        total = len(self._lines)
        if last < total:
            return [f"[lines {self._offset:,}–{last:,} of {total:,}; go on with offset={last + 1}]"]
        if not self._last_is_cut and strip_ending(self._lines[-1]) == self._lines[-1]:
            return ["[no line ending at the end of the file]"]
        return []


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'' if number == 1 else 's'}"
