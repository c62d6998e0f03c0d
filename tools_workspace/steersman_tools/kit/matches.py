"""What ripgrep found, as data (DESIGN W9). Pure, except for the look into a file whose line is too long to be given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import NamedTuple

MAX_COLUMNS = 2000
_SHOWN_CHARS = 300
_BEFORE_CHARS = 100
_RECORD = re.compile(rb"^[^\0\n]*\0(\d+)(?::(\d+):(\d+):|-(\d+)-)([^\n]*)", re.MULTILINE)
_MATCH = re.compile(rb"^[^\0\n]*\0\d+:", re.MULTILINE)
_HEAD = rb"\0\d[^\n]*+"
_FILE = re.compile(rb"^([^\0\n]*+)" + _HEAD + rb"(?:\n\1" + _HEAD + rb")*+", re.MULTILINE)
"""The lines of one file, which stand together; whole ones are not looked at more closely, as there may be very many."""

_AT_ONCE_BYTES = 1 << 17
_PREVIEW_END = re.compile(rb" \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long (?:context )?line)\]\Z")


class Hit(NamedTuple):
    """One line that is shown.

    Attributes:
        path: below the folder that was searched, with "/".
        line: its number.
        text: the line without its ending, as far as ripgrep gave it.
        column: byte column of the first match, from 1; 0 for a line of context.
        offset: where the line begins in the file, in bytes.
        is_cut: the line is longer than ``text``.
        is_open: it is from a document that the editor has otherwise than the disk.
    """

    path: str
    line: int
    text: bytes
    column: int
    offset: int
    is_cut: bool = False
    is_open: bool = False

    @property
    def is_match(self) -> bool:
        """Whether the line matches, or is only near one that does."""
        return self.column > 0


class FileHits(NamedTuple):
    """What was found in one file; its lines are taken apart when they are shown, because most are only counted.

    Attributes:
        path: below the folder that was searched, with "/".
        is_open: it is from a document that the editor has otherwise than the disk.
        matches: how many lines match.
        data: what ripgrep printed of this file and of others.
        start: where in it this file's lines begin.
        end: where they end.
    """

    path: str
    is_open: bool
    matches: int
    data: bytes
    start: int
    end: int

    def hits(self) -> Iterator[Hit]:
        """Yield its lines in order."""
        for record in _RECORD.finditer(self.data, self.start, self.end):
            line, column, match_offset, context_offset, raw = record.groups()
            text, is_cut = raw.removesuffix(b"\r"), False
            if len(text) >= MAX_COLUMNS and (end := _PREVIEW_END.search(text)):
                text, is_cut = text[: end.start()], True
            offset = int(match_offset or context_offset)
            yield Hit(self.path, int(line), text, int(column or 0), offset, is_cut, self.is_open)


class HitParser:
    """Takes apart what ripgrep prints with ``--null --line-number --column --byte-offset``, while it still prints.

    What is no such line (a remark about a binary file, a record that the limit cut off) is left out.

    Args:
        to_path: returns the path for a name as ripgrep gives it.
        has_context: there are lines of context among it.
        is_open: it is of documents that the editor has otherwise than the disk.
    """

    def __init__(self, to_path: Callable[[bytes], str], *, has_context: bool, is_open: bool = False) -> None:
        self._to_path = to_path
        self._has_context = has_context
        self._is_open = is_open
        self._files: list[FileHits] = []
        self._rest = b""
        self._pieces: list[bytes] = []
        self._waiting_bytes = 0

    def feed(self, piece: bytes) -> None:
        """Take what was printed next; an empty piece says that this was all."""
        if not piece:
            self._take_apart(is_last=True)
            return
        self._pieces.append(piece)
        self._waiting_bytes += len(piece)
        if self._waiting_bytes >= max(_AT_ONCE_BYTES, len(self._rest)):  # one file's lines are not looked at each time
            self._take_apart(is_last=False)

    def end(self) -> list[FileHits]:
        """Return the files, when all was printed."""
        self._take_apart(is_last=True)
        return self._files

    def _take_apart(self, *, is_last: bool) -> None:
        data = b"".join([self._rest, *self._pieces])
        end = data.rfind(b"\n") + 1
        if is_last and _RECORD.match(data, end):
            end = len(data)
        found = list(_FILE.finditer(data, 0, end))
        left = 0
        if not is_last and found:  # more of the last one may follow
            left = found.pop().start()
        self._files += [self._hits(each, data) for each in found]
        self._rest, self._pieces, self._waiting_bytes = b"" if is_last else data[left:], [], 0

    def _hits(self, found: re.Match[bytes], data: bytes) -> FileHits:
        start, end = found.span()
        matches = len(_MATCH.findall(data, start, end)) if self._has_context else data.count(b"\n", start, end) + 1
        return FileHits(self._to_path(found[1]), self._is_open, matches, data, start, end)


def show_text(hit: Hit, read_part: Callable[[Hit, int, int], bytes | None]) -> str:
    """Return a line for the model: all of it, or what stands around its first match.

    Args:
        hit: the line.
        read_part: returns so many bytes of the hit's file from an offset, or None; for a match behind ``text``.
    """
    text, start = hit.text, 0
    skipped = max(hit.column - 1, 0)
    if hit.is_cut and skipped > MAX_COLUMNS - _SHOWN_CHARS:
        begin = max(skipped - 4 * _BEFORE_CHARS, 0)
        part = read_part(hit, hit.offset + begin, 4 * (_SHOWN_CHARS + _BEFORE_CHARS))
        if part is None:
            return f"{_decode(text)[:_SHOWN_CHARS]} … [the match is at column {hit.column:,}]"
        text, start = re.split(rb"[\r\n]", part, maxsplit=1)[0], begin
    before, after = _decode(text[: skipped - start]), _decode(text[skipped - start :])
    begin = max(len(before) - _BEFORE_CHARS, 0) if len(before) + len(after) > _SHOWN_CHARS else 0
    shown = (before + after)[begin : begin + _SHOWN_CHARS]
    if not begin and not start:
        return shown if len(shown) == len(before + after) and not hit.is_cut else f"{shown} …"
    tail = " …" if hit.is_cut or begin + len(shown) < len(before + after) else ""
    return f"… {shown}{tail} [around column {hit.column:,}]"


def _decode(data: bytes) -> str:
    return data.decode("utf-8", "replace")
