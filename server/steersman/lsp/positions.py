r"""LSP positions and texts: where a line begins, what a column counts, how an edit is named (DESIGN W2).

Pure. Lines end at ``\n``, ``\r\n`` and ``\r`` and nowhere else (``LineRule`` "lsp"). Neovim, Emacs and Helix keep a
lone ``\r`` as a character of its line, whatever the LSP says, so for them lines end at ``\n`` alone (``LineRule``
"lf"): a mirror that counted otherwise would drift from their buffer. Nothing here knows pygls or a document's state.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from steersman.agent.lines import split_lines
from steersman.lsp.contracts import PositionEncoding

LineRule: TypeAlias = Literal["lsp", "lf"]
"""Where lines end: as the LSP says, or at line feeds only."""

_LF_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_SPLIT_PAIR = re.compile("[\ud800-\udbff][\udc00-\udfff]")
_LAST_ONE_UNIT = "\uffff"


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place between characters: line from 0, column from 0 in units of the position encoding."""

    line: int
    character: int


@dataclass(frozen=True, slots=True)
class Range:
    """From ``start`` up to ``end``, which is not part of it."""

    start: Position
    end: Position


@dataclass(frozen=True, slots=True)
class TextEdit:
    """Replace the text in ``range`` by ``text``. All edits of one list speak of the same text, before any of them."""

    range: Range
    text: str


@dataclass(frozen=True, slots=True)
class Splice:
    """Replace ``text[start:end]`` by ``text``; the same as a ``TextEdit`` in offsets (code points)."""

    start: int
    end: int
    text: str


def lines_of(text: str, rule: LineRule) -> list[str]:
    """Return the lines with their endings; joined they are the text."""
    return _LF_LINE.findall(text) if rule == "lf" else split_lines(text)


def content_length(line: str, rule: LineRule) -> int:
    """Return how many characters stand before the line's ending."""
    if line.endswith("\n"):
        return len(line) - (2 if rule == "lsp" and line.endswith("\r\n") else 1)
    return len(line) - (1 if line.endswith("\r") and rule == "lsp" else 0)


def index_in_line(line: str, character: int, encoding: PositionEncoding, rule: LineRule = "lsp") -> int:
    """Return the index of a column in its line; past the end it is the end, before the line ending.

    A column inside a character (half of a surrogate pair, a byte in the middle) is the place before that character.
    """
    end = content_length(line, rule)
    if encoding == "utf-32" or line.isascii():
        return min(max(character, 0), end)
    units = 0
    for index in range(end):
        units += _units(line[index], encoding)
        if units > character:
            return index
    return end


def column_of(line_start: str, encoding: PositionEncoding) -> int:
    """Return how many units the text from the line's beginning up to a place has."""
    if encoding == "utf-32" or line_start.isascii():
        return len(line_start)
    if encoding == "utf-8":
        return len(line_start.encode("utf-8", "surrogatepass"))
    return len(line_start) + sum(char > _LAST_ONE_UNIT for char in line_start)


def position_to_offset(text: str, position: Position, encoding: PositionEncoding, rule: LineRule = "lsp") -> int:
    """Return the offset of a position in the text; a line past the last is the end of the text."""
    lines = lines_of(text, rule)
    if position.line >= len(lines):
        return len(text)
    before = sum(map(len, lines[: position.line]))
    return before + index_in_line(lines[position.line], position.character, encoding, rule)


def offset_to_position(text: str, offset: int, encoding: PositionEncoding, rule: LineRule = "lsp") -> Position:
    """Return the position of an offset (code points) in the text."""
    return offsets_to_positions(text, [offset], encoding, rule)[0]


def offsets_to_positions(
    text: str, offsets: Sequence[int], encoding: PositionEncoding, rule: LineRule = "lsp"
) -> list[Position]:
    """Return the positions of ascending offsets; walks over the text once, however many there are."""
    positions: list[Position] = []
    line = line_start = 0
    for offset in offsets:
        line += _count_endings(text, line_start, offset, rule)
        line_start = _line_start(text, line_start, offset, rule)
        positions.append(Position(line, column_of(text[line_start:offset], encoding)))
    return positions


def apply_text_edits(text: str, edits: Iterable[TextEdit], encoding: PositionEncoding, rule: LineRule = "lsp") -> str:
    """Return the text after the edits, as a client would have it (edits at one place in the order of the list).

    Raises:
        ValueError: edits overlap.
    """
    splices = [
        Splice(
            position_to_offset(text, edit.range.start, encoding, rule),
            position_to_offset(text, edit.range.end, encoding, rule),
            edit.text,
        )
        for edit in edits
    ]
    return apply_splices(text, splices)


def apply_splices(text: str, splices: Iterable[Splice]) -> str:
    """Return the text after the splices.

    Raises:
        ValueError: splices overlap.
    """
    parts: list[str] = []
    at = 0
    for splice in sorted(splices, key=lambda one: (one.start, one.end)):
        if splice.start < at:
            raise ValueError("edits overlap")
        parts += [text[at : splice.start], splice.text]
        at = splice.end
    return "".join([*parts, text[at:]])


def join_surrogates(text: str) -> str:
    """Return the text with halves of surrogate pairs that stand side by side made whole."""
    return _SPLIT_PAIR.sub(lambda pair: pair.group().encode("utf-16-le", "surrogatepass").decode("utf-16-le"), text)


def _units(char: str, encoding: PositionEncoding) -> int:
    if encoding == "utf-16":
        return 2 if char > _LAST_ONE_UNIT else 1
    return len(char.encode("utf-8", "surrogatepass"))


def _count_endings(text: str, start: int, end: int, rule: LineRule) -> int:
    feeds = text.count("\n", start, end)
    if rule == "lf":
        return feeds
    return feeds + text.count("\r", start, end) - text.count("\r\n", start, end)


def _line_start(text: str, known: int, offset: int, rule: LineRule) -> int:
    """Where the line of ``offset`` begins; ``known`` is the beginning of that line or of an earlier one."""
    start = max(known, text.rfind("\n", known, offset) + 1)
    if rule == "lf":
        return start
    return max(start, text.rfind("\r", known, offset) + 1)
