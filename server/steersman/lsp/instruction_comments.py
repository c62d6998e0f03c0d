"""Instruction comments: a comment that begins with ``steersman:`` or ends with ``AI!`` (PROTOCOL §4).

Pure: a text and its language in, instructions with offsets out. An instruction may go over several lines: a block
comment, or line comments one below the other.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass

from steersman.agent.lines import split_lines
from steersman.lsp.comments import Comment, find_comments

MAX_TEXT_CHARS = 2_000_000
"""Longer texts are data; nobody waits for them to be looked through at every change."""

_MARKS = ("steersman:", "Steersman:", "STEERSMAN:", "AI!")
_BEGINS = re.compile(r"[\s/*#!;%-]*(?:steersman|Steersman|STEERSMAN):[ \t]*")
_ENDS = re.compile(r"(?<!\w)AI!\s*\Z")
_ORNAMENT = " \t/*#!;%-"


@dataclass(frozen=True, slots=True)
class Instruction:
    """One instruction.

    Attributes:
        text: what is to be done, without marks; lines joined by line feeds.
        start: offset of the comment's (or the first line comment's) first mark.
        end: offset behind the comment's last character.
    """

    text: str
    start: int
    end: int


def find_instructions(text: str, language_id: str) -> list[Instruction]:
    """Return the instructions in the text, in order; none in one of more than ``MAX_TEXT_CHARS`` characters."""
    marks = _mark_offsets(text)
    if not marks or len(text) > MAX_TEXT_CHARS:
        return []
    found: list[Instruction] = []
    for group in _groups(text, find_comments(text, language_id), marks):
        found += _instructions_in(group)
    return found


def _mark_offsets(text: str) -> list[int]:
    """Return where an instruction may be, in order."""
    offsets: list[int] = []
    for mark in _MARKS:
        at = text.find(mark)
        while at >= 0:
            offsets.append(at)
            at = text.find(mark, at + 1)
    return sorted(offsets)


def _groups(text: str, comments: Iterator[Comment], marks: list[int]) -> Iterator[list[Comment]]:
    """Yield comments that belong together and hold a mark: line comments below one another, others alone."""
    group: list[Comment] = []
    holds_mark = False
    for comment in comments:
        if group and not _continues(text, group[-1], comment):
            if holds_mark:
                yield group
            group, holds_mark = [], False
            if comment.start > marks[-1]:
                return
        group.append(comment)
        holds_mark = holds_mark or bisect_left(marks, comment.start) < bisect_left(marks, comment.end)
    if holds_mark:
        yield group


def _continues(text: str, above: Comment, below: Comment) -> bool:
    if above.kind != "line" or below.kind != "line":
        return False
    between = text[above.end : below.start]
    if between.strip():
        return False
    column = _column(text, above.start)
    return len(split_lines(between + ".")) == 2 and column is not None and column == _column(text, below.start)


def _column(text: str, offset: int) -> str | None:
    """Return the blanks before the offset in its line, or None when something else stands there."""
    start = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1
    before = text[start:offset]
    return before if not before.strip() else None


def _instructions_in(group: list[Comment]) -> Iterator[Instruction]:
    """Cut a group of comments into instructions: from ``steersman:`` on, or up to ``AI!``."""
    lines: list[Comment] = []
    begun = False
    for comment in group:
        if _BEGINS.match(comment.body):
            if begun:
                yield from _made_of(lines)
            lines, begun = [], True
        lines.append(comment)
        if _ENDS.search(comment.body):
            yield from _made_of(lines)
            lines, begun = [], False
    if begun:
        yield from _made_of(lines)


def _made_of(comments: list[Comment]) -> Iterator[Instruction]:
    bodies = [comment.body for comment in comments]
    bodies[0] = _BEGINS.sub("", bodies[0], count=1)
    bodies[-1] = _ENDS.sub("", bodies[-1])
    lines = [line.lstrip(_ORNAMENT).rstrip() for body in bodies for line in split_lines(body)]
    text = "\n".join(lines).strip()
    if text:
        yield Instruction(text, comments[0].start, comments[-1].end)
