"""What ripgrep found, as data (DESIGN W9). Pure, except for the look into a file whose line is too long to be given."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

MAX_COLUMNS = 2000
_SHOWN_CHARS = 300
_BEFORE_CHARS = 100
_RECORD = re.compile(rb"([^\0\n]*)\0(\d+)(?::(\d+):(\d+):|-(\d+)-)([^\n]*)")
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


def parse_hits(data: bytes, to_path: Callable[[bytes], str], *, is_open: bool = False) -> list[Hit]:
    """Return the lines that ripgrep printed with ``--null --line-number --column --byte-offset``.

    What is no such line (a remark about a binary file, a record that the limit cut off) is left out.
    """
    hits: list[Hit] = []
    names: dict[bytes, str] = {}
    for name, line, column, match_offset, context_offset, raw in _RECORD.findall(data):
        path = names.get(name)
        if path is None:
            path = names[name] = to_path(name)
        text, is_cut = raw.removesuffix(b"\r"), False
        if len(text) >= MAX_COLUMNS and (end := _PREVIEW_END.search(text)):
            text, is_cut = text[: end.start()], True
        hits.append(Hit(path, int(line), text, int(column or 0), int(match_offset or context_offset), is_cut, is_open))
    return hits


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
