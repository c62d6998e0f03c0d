"""What ripgrep found, as data (DESIGN W9). Pure, except for the look into a file whose line is too long to be given."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

MAX_COLUMNS = 2000
_SHOWN_CHARS = 300
_BEFORE_CHARS = 100
_RECORD = re.compile(rb"(\d+)(?:([:])(\d+):(\d+):|-(\d+)-)", re.DOTALL)
_PREVIEW_END = re.compile(rb" \[\.\.\. (?:\d+ more match(?:es)?|omitted end of long (?:context )?line)\]\Z")


@dataclass(frozen=True, slots=True)
class Hit:
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
    """Return the lines that ripgrep printed with ``--null --line-number --column --byte-offset``."""
    hits: list[Hit] = []
    names: dict[bytes, str] = {}
    for raw in data.split(b"\n"):
        name, null, rest = raw.partition(b"\0")
        record = _RECORD.match(rest) if null else None
        if record is None:
            continue  # a remark about a binary file, or a record that the limit cut off
        text = rest[record.end() :].removesuffix(b"\r")
        end = _PREVIEW_END.search(text) if len(text) >= MAX_COLUMNS else None
        if name not in names:
            names[name] = to_path(name)
        column, offset = (int(record[3]), int(record[4])) if record[2] else (0, int(record[5]))
        text = text[: end.start()] if end else text
        hits.append(Hit(names[name], int(record[1]), text, column, offset, bool(end), is_open))
    return hits


def show_text(hit: Hit, read_part: Callable[[Hit, int, int], bytes | None]) -> str:
    """Return a line for the model: all of it, or what stands around its first match.

    Args:
        hit: the line.
        read_part: returns so many bytes of the hit's file from an offset, or None; for a match behind ``text``.
    """
    text, start, is_open = hit.text, 0, hit.is_cut
    if hit.is_cut and hit.column > MAX_COLUMNS - _SHOWN_CHARS:
        start = max(hit.column - 1 - 4 * _BEFORE_CHARS, 0)
        part = read_part(hit, hit.offset + start, 4 * (_SHOWN_CHARS + _BEFORE_CHARS))
        if part is None:
            start = 0
        else:
            text = re.split(rb"[\r\n]", part, maxsplit=1)[0]
    before = text[: max(hit.column - 1 - start, 0)].decode("utf-8", "replace")
    line = before + text[max(hit.column - 1 - start, 0) :].decode("utf-8", "replace")
    if len(line) <= _SHOWN_CHARS and not start and not is_open:
        return line
    begin = max(len(before) - _BEFORE_CHARS, 0) if len(before) > _BEFORE_CHARS else 0
    end = begin + _SHOWN_CHARS
    column = f" [around column {hit.column:,}]" if begin or start else ""
    head = "… " if begin or start else ""
    tail = " …" if end < len(line) or is_open else ""
    return f"{head}{line[begin:end]}{tail}{column}"
