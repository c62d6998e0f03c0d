"""What ripgrep found, as data (DESIGN W9). Pure, except for the look into a file whose line is too long to be given."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import NamedTuple

MAX_COLUMNS = 2000
_SHOWN_CHARS = 300
_BEFORE_CHARS = 100
_RECORD = re.compile(rb"^[^\0\n]*\0(\d+)(?::(\d+):(\d+):|-(\d+)-)([^\n]*)", re.MULTILINE)
_MATCH = re.compile(rb"^[^\0\n]*\0\d+:", re.MULTILINE)
_HEAD = rb"\0\d+(?::\d+:\d+:|-\d+-)[^\n]*"
_FILE = re.compile(rb"^([^\0\n]*)" + _HEAD + rb"(?:\n\1" + _HEAD + rb")*", re.MULTILINE)
"""The lines of one file, which stand together."""

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


@dataclass(frozen=True, slots=True)
class FileHits:
    """What was found in one file; its lines are taken apart when they are shown, because most are only counted.

    Attributes:
        path: below the folder that was searched, with "/".
        is_open: it is from a document that the editor has otherwise than the disk.
        matches: how many lines match.
        data: as ripgrep printed them.
    """

    path: str
    is_open: bool
    matches: int
    data: bytes

    def hits(self) -> Iterator[Hit]:
        """Yield its lines in order."""
        for line, column, match_offset, context_offset, raw in _RECORD.findall(self.data):
            text, is_cut = raw.removesuffix(b"\r"), False
            if len(text) >= MAX_COLUMNS and (end := _PREVIEW_END.search(text)):
                text, is_cut = text[: end.start()], True
            offset = int(match_offset or context_offset)
            yield Hit(self.path, int(line), text, int(column or 0), offset, is_cut, self.is_open)


def parse_files(
    data: bytes, to_path: Callable[[bytes], str], *, has_context: bool, is_open: bool = False
) -> Iterator[FileHits]:
    """Yield what ripgrep printed with ``--null --line-number --column --byte-offset``, file by file.

    Args:
        data: that.
        to_path: returns the path for a name as ripgrep gives it.
        has_context: there are lines of context among it.
        is_open: it is of documents that the editor has otherwise than the disk.

    What is no such line (a remark about a binary file, a record that the limit cut off) is left out.
    """
    for found in _FILE.finditer(data):
        lines = found[0]
        matches = len(_MATCH.findall(lines)) if has_context else lines.count(b"\n") + 1
        yield FileHits(to_path(found[1]), is_open, matches, lines)


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
