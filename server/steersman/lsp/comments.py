"""The comments of a text, found by its language's syntax (``comment_syntax``)."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from steersman.lsp.comment_syntax import Block, Syntax, syntax_of


@dataclass(frozen=True, slots=True)
class Comment:
    """One comment.

    Attributes:
        start: offset of its first mark.
        end: offset behind its last character; a line ending is not part of it.
        body: what stands between its marks.
        kind: whether it ends with its line.
    """

    start: int
    end: int
    body: str
    kind: Literal["line", "block"]


def find_comments(text: str, language_id: str) -> Iterator[Comment]:
    """Yield the comments of the text in order."""
    yield from _scan(text, syntax_of(language_id), 0, len(text))


def _scan(text: str, syntax: Syntax, start: int, end: int) -> Iterator[Comment]:
    position = start
    while (found := syntax.pattern.search(text, position, end)) is not None:
        kind, number = _kind_of(found)
        position = max(found.end(), position + 1)
        if kind == "l":
            begin = found.start() + len(found[0]) - len(found[0].lstrip())
            marks = found[f"l{number}"].strip()
            yield Comment(begin, found.end(), text[begin + len(marks) : found.end()], "line")
        elif kind == "b":
            begin = found.start() + len(found[0]) - len(found[0].lstrip())
            body_end, position = _find_close(text, syntax.blocks[number], found, end)
            yield Comment(begin, position, text[found.end() : body_end], "block")
        elif kind == "e":
            region = syntax.embedded[number]
            close = re.compile(region.close).search(text, found.end(), end)
            region_end = close.start() if close is not None else end
            yield from _scan(text, syntax_of(region.language), found.end(), region_end)
            position = close.end() if close is not None else end


def _kind_of(found: re.Match[str]) -> tuple[str, int]:
    """Return what was found and which of its kind: the group around all others is the last to close."""
    name = found.lastgroup or "s0"
    return name[0], int(name[1:])


def _find_close(text: str, block: Block, opened: re.Match[str], end: int) -> tuple[int, int]:
    """Return where the body ends and where the comment does; one that never closes goes on to the end."""
    close = block.close
    if "(?P=level)" in close:
        close = close.replace("(?P=level)", re.escape(opened["level"]))
    mark = re.compile(f"(?P<close>{close})|(?:{block.open})" if block.nests else f"(?P<close>{close})", re.MULTILINE)
    depth, position = 1, opened.end()
    while (found := mark.search(text, position, end)) is not None:
        depth += -1 if found["close"] is not None else 1
        position = found.end()
        if depth == 0:
            return found.start(), found.end()
    return end, end
