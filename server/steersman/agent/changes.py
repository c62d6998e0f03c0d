"""A change to one file, as data: planned, shown, approved, applied and told in the same words (DESIGN L3a, A4)."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from steersman.agent.lines import count_lines, split_lines

ChangeKind: TypeAlias = Literal["edit", "create", "delete", "move"]

_EXACT_DIFF_LINES = 4000
_PIECE = 1 << 16
_LINE_END = re.compile(r"\r\n?|\n")


@dataclass(frozen=True, slots=True)
class Change:
    """What a call wants to do to one file. Texts carry their own line endings and no byte order mark.

    Attributes:
        path: canonical absolute path of the file (for a move: the new one).
        kind: edit an existing file, create a new one, delete one, or move one (with or without an edit).
        before_digest: ``text_digest`` of what is there now, or of the bytes of a binary file; None when nothing is.
        before: the present text; None when nothing is there or it is binary.
        after: the text as it is to be; None for a delete and for a move of a binary file.
        moved_from: canonical absolute path, for a move only.
        display: the path as people and the model see it (relative to its root).
    """

    path: str
    kind: ChangeKind
    before_digest: str | None
    before: str | None
    after: str | None
    moved_from: str | None = None
    display: str = ""


@dataclass(frozen=True, slots=True)
class ChangeSummary:
    """What became of one file in a run (PROTOCOL §2, ``changes``).

    Attributes:
        path: canonical absolute path.
        kind: as in ``Change``.
        added: lines added.
        removed: lines removed.
        saved: False when the change stands in an unsaved editor buffer.
        moved_from: canonical absolute path, for a move.
    """

    path: str
    kind: ChangeKind
    added: int
    removed: int
    saved: bool = True
    moved_from: str | None = None


def text_digest(text: str) -> str:
    """SHA-256 of the text in UTF-8, hexadecimal; lone surrogates count as themselves."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def changed_hunks(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """Return the changed regions as (replaced, inserted) texts, in order, without their position.

    Whole lines, keeping line endings. Two plans with the same hunks replace and insert the same text, wherever it
    moved to (L3a). Above a few thousand changed lines the middle counts as one hunk, so that it stays quick.
    """
    before, after = _apart(before, after)
    old, new = split_lines(before), split_lines(after)
    start = _common_length(old, new)
    old, new = old[start:], new[start:]
    end = _common_ending(old, new)
    old, new = old[: len(old) - end], new[: len(new) - end]
    if not old and not new:
        return ()
    if not old or not new or len(old) + len(new) > _EXACT_DIFF_LINES:
        return (("".join(old), "".join(new)),)
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        ("".join(old[i1:i2]), "".join(new[j1:j2])) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    )


def _apart(before: str, after: str) -> tuple[str, str]:
    """Return the two without the whole lines that both begin and then end with: to cut those up is most of the work."""
    start = _common_length(before, after)
    if not (before[start - 1 : start] == "\r" and "\n" not in before[start : start + 1] + after[start : start + 1]):
        start = max(before.rfind("\n", 0, start), before.rfind("\r", 0, max(start - 1, 0))) + 1
    same = _common_ending(before, after, start)
    ending = _LINE_END.search(before, len(before) - same)
    end = len(before) - ending.end() if ending else 0
    return before[start : len(before) - end], after[start : len(after) - end]


def _common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how much both begin with; by pieces, which stay in the processor's cache, and the last by halves."""
    low, high = 0, min(len(one), len(other))
    while low < high and one[low : low + _PIECE] == other[low : low + _PIECE]:
        low = min(low + _PIECE, high)
    high = min(low + _PIECE, high)
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def _common_ending(one: Sequence[str], other: Sequence[str], start: int = 0) -> int:
    """Return how much both end with behind ``start``, likewise."""
    low, high = 0, min(len(one), len(other)) - start
    while low < high:
        middle = min(low + _PIECE, high)
        if one[len(one) - middle : len(one) - low] != other[len(other) - middle : len(other) - low]:
            high = middle
            break
        low = middle
    while low < high:
        middle = (low + high + 1) // 2
        if one[len(one) - middle : len(one) - low] == other[len(other) - middle : len(other) - low]:
            low = middle
        else:
            high = middle - 1
    return low


def count_changed_lines(change: Change) -> tuple[int, int]:
    """Return (added, removed) lines of the change."""
    hunks = changed_hunks(change.before or "", change.after or "")
    return sum(count_lines(new) for _, new in hunks), sum(count_lines(old) for old, _ in hunks)


def same_effect(one: tuple[Change, ...], other: tuple[Change, ...]) -> bool:
    """Say whether two plans replace and insert the same texts in the same files, wherever those texts stand now."""
    if len(one) != len(other):
        return False
    return all(_essence(a) == _essence(b) for a, b in zip(one, other, strict=True))


def _essence(change: Change) -> tuple[object, ...]:
    if change.kind == "edit" or (change.kind == "move" and change.before is not None and change.after is not None):
        what: object = changed_hunks(change.before or "", change.after or "")
    elif change.kind == "create":
        what = change.after
    else:  # what a delete or a binary move takes away is the whole of it
        what = change.before_digest
    return change.kind, change.path, change.moved_from, what
