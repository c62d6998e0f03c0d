r"""The smallest edits between two texts (DESIGN W2). Pure.

Whole lines are compared first, then each changed region is trimmed to the characters that differ. An edit never begins
or ends between ``\r`` and ``\n``. It stays away from the place behind the last line ending where an equal edit can be
had before it: some clients cannot address that place.
"""

from __future__ import annotations

import re

from steersman.agent.lines import split_lines
from steersman.lsp.contracts import PositionEncoding
from steersman.lsp.line_diff import line_hunks
from steersman.lsp.positions import LineRule, Range, Splice, TextEdit, offsets_to_positions

_ENDING = re.compile(r"\r\n|\r|\n")
_BLOCK = 4096


def text_edits(old: str, new: str, encoding: PositionEncoding, rule: LineRule = "lsp") -> list[TextEdit]:
    """Return the smallest edits that turn ``old`` into ``new``, in ascending order, as LSP ranges."""
    splices = text_splices(old, new, rule)
    offsets = [offset for splice in splices for offset in (splice.start, splice.end)]
    places = iter(offsets_to_positions(old, offsets, encoding, rule))
    return [TextEdit(Range(next(places), next(places)), splice.text) for splice in splices]


def text_splices(old: str, new: str, rule: LineRule = "lsp") -> list[Splice]:
    """Return the same in offsets."""
    feeds_only = rule == "lf" and not has_one_ending(old)
    start, old_end, new_end = _changed_lines(old, new)
    old_lines, new_lines = split_lines(old[start:old_end]), split_lines(new[start:new_end])
    splices: list[Splice] = []
    at, line = start, 0
    for hunk in line_hunks(old_lines, new_lines):
        at += sum(map(len, old_lines[line : hunk.old_start]))
        old_text = "".join(old_lines[hunk.old_start : hunk.old_end])
        new_text = "".join(new_lines[hunk.new_start : hunk.new_end])
        _append(splices, _off_the_end(old, _trimmed(at, old_text, new_text), feeds_only=feeds_only))
        at, line = at + len(old_text), hunk.old_end
    return splices


def has_one_ending(text: str) -> bool:
    """Whether all lines end alike (or none ends at all)."""
    feeds, returns, both = text.count("\n"), text.count("\r"), text.count("\r\n")
    return not returns or returns == both == feeds or not feeds


def one_splice(old: str, new: str) -> Splice | None:
    """Return the one splice from the first to the last character that differs; None for equal texts."""
    return _trimmed(0, old, new) if old != new else None


def _changed_lines(old: str, new: str) -> tuple[int, int, int]:
    """Return the region of whole lines that differs: its start, and its end in ``old`` and in ``new``."""
    shortest = min(len(old), len(new))
    start = _common_prefix(old, new, shortest)
    if start and old[start - 1] == "\r":  # the next character may belong to this line ending
        start -= 1
    start = max(old.rfind("\n", 0, start), old.rfind("\r", 0, start)) + 1
    tail = _common_suffix(old, new, shortest - start)
    first_ending = _ENDING.search(old, len(old) - tail) if tail else None
    tail = len(old) - first_ending.end() if first_ending else 0
    return start, len(old) - tail, len(new) - tail


def _common_prefix(one: str, other: str, most: int) -> int:
    at = 0
    while at + _BLOCK <= most and one[at : at + _BLOCK] == other[at : at + _BLOCK]:
        at += _BLOCK
    while at < most and one[at] == other[at]:
        at += 1
    return at


def _common_suffix(one: str, other: str, most: int) -> int:
    at = 0
    while at + _BLOCK <= most and _block_before(one, at) == _block_before(other, at):
        at += _BLOCK
    while at < most and one[-1 - at] == other[-1 - at]:
        at += 1
    return at


def _block_before(text: str, tail: int) -> str:
    return text[len(text) - tail - _BLOCK : len(text) - tail]


def _trimmed(at: int, old: str, new: str) -> Splice:
    """The splice that turns ``old``, which stands at ``at``, into ``new``, without what both begin and end with."""
    most = min(len(old), len(new))
    head = _common_prefix(old, new, most)
    if head and old[head - 1] == "\r" and "\n" in (old[head : head + 1], new[head : head + 1]):
        head -= 1
    tail = _common_suffix(old, new, most - head)
    if tail and old[-tail] == "\n" and "\r" in (old[-tail - 1 : -tail], new[-tail - 1 : -tail]):
        tail -= 1
    return Splice(at + head, at + len(old) - tail, new[head : len(new) - tail])


def _off_the_end(old: str, splice: Splice, *, feeds_only: bool) -> Splice:
    r"""The same change one line ending earlier, where it would touch the place behind the last line ending.

    ``feeds_only``: a ``\r`` before a ``\n`` is a character of its line.
    """
    gone = old[splice.start : splice.end]
    if splice.end < len(old) or (gone and splice.text):
        return splice
    ending = _last_ending(old[: splice.start])
    other = _last_ending(gone or splice.text)
    if feeds_only and ending.endswith("\n") and other.endswith("\n"):
        ending = other = "\n"
    if not ending or ending != other:
        return splice
    start, end = splice.start - len(ending), splice.end - len(ending)
    return Splice(start, end, (ending + splice.text)[: len(splice.text)])


def _append(splices: list[Splice], last: Splice) -> None:
    """Append a splice; two at one place become one, since clients do not agree on their order."""
    if splices and splices[-1].end == last.start:
        last = Splice(splices[-1].start, last.end, splices.pop().text + last.text)
    splices.append(last)


def _last_ending(text: str) -> str:
    if text.endswith("\r\n"):
        return "\r\n"
    return text[-1:] if text.endswith(("\r", "\n")) else ""
