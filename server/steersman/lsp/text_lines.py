r"""The text of an open document as a list of lines that takes incremental changes (PROTOCOL §1, reports 31 and 35).

A change costs what it touches, not the size of the document. The lines joined are the client's text to the last
character, whatever stands in it: form feeds, U+2028, lone ``\r``, halves of surrogate pairs.
"""

from __future__ import annotations

from steersman.lsp.contracts import PositionEncoding
from steersman.lsp.positions import LineRule, Position, Range, index_in_line, join_surrogates, lines_of

_LAST_ONE_UNIT = "\uffff"


class TextLines:
    """A mutable text. ``rule`` says where its lines end, for as long as it lives."""

    def __init__(self, text: str, rule: LineRule) -> None:
        self.rule: LineRule = rule
        self.lines = lines_of(text, rule)
        self._text: str | None = text

    @property
    def text(self) -> str:
        """The whole text."""
        if self._text is None:
            self._text = "".join(self.lines)
        return self._text

    def replace(self, where: Range, text: str, encoding: PositionEncoding) -> None:
        """Replace a range as a client names it. Places outside the text are the nearest ones inside (LSP §position)."""
        start, end = sorted((where.start, where.end))
        first = min(max(start.line, 0), len(self.lines))
        last = min(max(end.line, 0), len(self.lines))
        before = self._head(start, encoding)
        after = self._tail(end, encoding)
        if first and self.rule == "lsp" and self.lines[first - 1].endswith("\r"):
            first -= 1  # a line feed that follows now would belong to that ending
            before = self.lines[first] + before
        piece = join_surrogates(before + text + after)
        last += 1
        while last < len(self.lines) and self._continues(piece, self.lines[last]):
            piece += self.lines[last]
            last += 1
        self.lines[first:last] = lines_of(piece, self.rule)
        self._text = None

    def _head(self, position: Position, encoding: PositionEncoding) -> str:
        """What stands in the position's line before it; a half of a pair where the column is inside one."""
        if position.line >= len(self.lines) or position.line < 0:
            return ""
        line = self.lines[position.line]
        index = index_in_line(line, position.character, encoding, self.rule)
        return line[:index] + self._half(line, index, position.character, encoding)[:1]

    def _tail(self, position: Position, encoding: PositionEncoding) -> str:
        if position.line >= len(self.lines):
            return ""
        if position.line < 0:
            return self.lines[0] if self.lines else ""
        line = self.lines[position.line]
        index = index_in_line(line, position.character, encoding, self.rule)
        half = self._half(line, index, position.character, encoding)
        return half[1:] + line[index + 1 :] if half else line[index:]

    @staticmethod
    def _half(line: str, index: int, character: int, encoding: PositionEncoding) -> str:
        """Both halves of the pair that the column cuts, or "" when it cuts none."""
        if encoding != "utf-16" or index >= len(line) or line[index] <= _LAST_ONE_UNIT:
            return ""
        units = len(line[:index].encode("utf-16-le", "surrogatepass")) // 2
        if character != units + 1:
            return ""
        pair = line[index].encode("utf-16-le")
        return "".join(pair[at : at + 2].decode("utf-16-le", "surrogatepass") for at in (0, 2))

    def _continues(self, piece: str, following: str) -> bool:
        """Whether the line after the piece belongs to the piece's last line."""
        if not piece or piece.endswith("\n"):
            return False
        return self.rule == "lf" or not piece.endswith("\r") or following.startswith("\n")
