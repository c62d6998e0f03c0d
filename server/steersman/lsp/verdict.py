"""Whether an edit is in the document, judged by the document's later texts alone (DESIGN W2, §8).

Pure. What the client answered is not looked at here: real clients say ``applied: true`` after doing nothing, or after
the person's "no". When in doubt the verdict is *unclear*; an edit is never called confirmed on a guess.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from steersman.agent.changes import text_digest
from steersman.lsp.contracts import PositionEncoding
from steersman.lsp.merge import plain, rebase, shows_change
from steersman.lsp.positions import LineRule, Splice, TextEdit, apply_text_edits
from steersman.lsp.text_diff import one_splice, text_splices

VerdictKind: TypeAlias = Literal["confirmed", "misplaced", "absent", "unclear"]
"""confirmed: the edit is in place. misplaced: it hit text that it was not meant for. absent: nothing of it is there.
unclear: the texts do not tell."""

_MANY = 64
_FEW = 8
_LARGE_CHARS = 1_000_000


@dataclass(frozen=True, slots=True)
class SentEdit:
    """One edit as it was sent.

    Attributes:
        before: the document's text it was made for.
        expected: the text it should lead to.
        edits: what was sent.
        encoding: the unit of the columns in ``edits``.
        rule: where the client ends lines.
        ignores_final_newline: the client decides by itself whether a text ends with a line ending.
        is_guarded: the client compares versions, unsent typing included, before it makes an edit.
        is_seen_through: the client tells every single change, so an edit cannot hide in one with typing.
    """

    before: str
    expected: str
    edits: tuple[TextEdit, ...]
    encoding: PositionEncoding = "utf-16"
    rule: LineRule = "lsp"
    ignores_final_newline: bool = False
    is_guarded: bool = True
    is_seen_through: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the texts say.

    Attributes:
        kind: see ``VerdictKind``.
        now: the present text.
        repaired: for a misplaced edit, the text that would put it right; None where that cannot be told.
    """

    kind: VerdictKind
    now: str
    repaired: str | None = None


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the edit changes the text, in offsets of the present one."""

    start: int
    end: int
    is_insertion: bool


class Evidence:
    """The texts of one document since an edit was sent, and the verdict on them so far."""

    def __init__(self, sent: SentEdit) -> None:
        self._sent = sent
        self._wanted = self._key(sent.expected)
        self._now = sent.before
        self._typed_over: deque[tuple[str, str]] = deque(maxlen=_FEW if len(sent.before) > _LARGE_CHARS else _MANY)
        self._found: Verdict | None = None
        self._splices = text_splices(plain(sent.before), plain(sent.expected))
        self._holds_other_text = False
        self._opened = False
        self._untouched: list[_Place] | None = [_place_of(splice, plain(sent.before)) for splice in self._splices]

    def see(self, text: str, *, opened: bool = False) -> None:
        """Take in the document's text after one more content change, or with which it was ``opened`` again."""
        self._opened |= opened
        if opened:  # versions may have begun anew, and what is there now did not come about by changes
            self._typed_over.clear()
            self._untouched = None
        self._follow_regions(plain(self._now), plain(text))
        self._now = text
        if self._found is not None and self._found.kind == "confirmed":
            return
        key = self._key(text)
        if key == self._wanted and not self._holds_other_text and not self._opened:
            self._found = Verdict("confirmed", text)
            return
        for landed, typed in self._typed_over:
            if landed == key:
                self._found = self._judge_landing(typed, text)
                return
        self._typed_over.append((self._key(self._landing_on(text)), text))
        if not self._sent.is_guarded:
            before = plain(self._sent.before)
            other = plain(text) != before and not _is_between(before, self._splices, plain(text))
            self._holds_other_text = other or (self._holds_other_text and plain(text) != before)

    def verdict(self) -> Verdict:
        """Judge what was seen until now."""
        sent, now = self._sent, self._now
        if self._found is not None and self._found.kind == "confirmed":
            return Verdict("confirmed", now)
        if self._found is not None:
            return Verdict("misplaced", now, self._repaired(self._found))
        before, expected, present = plain(sent.before), plain(sent.expected), plain(now)
        if present == before:
            return Verdict("absent", now)
        if sent.is_guarded and not self._opened and shows_change(before, expected, present):
            return Verdict("confirmed", now)
        would_be_seen = sent.is_guarded and sent.is_seen_through and not self._opened
        absent = (would_be_seen or self._untouched is not None) and not self._looks_hit(present)
        return Verdict("absent" if absent else "unclear", now)

    def _follow_regions(self, old: str, new: str) -> None:
        """Keep track of the places that the edit was to change; once one of them was changed they tell no more."""
        step = one_splice(old, new)
        if self._untouched is None or step is None:
            return
        moved: list[_Place] = []
        for place in self._untouched:
            beside = not place.is_insertion  # what was to be removed is whole; next to it anything may be typed
            if step.end < place.start or (beside and step.end == place.start):
                shift = len(step.text) - (step.end - step.start)
                moved.append(_Place(place.start + shift, place.end + shift, place.is_insertion))
            elif step.start > place.end or (beside and step.start == place.end):
                moved.append(place)
            else:
                self._untouched = None
                return
        self._untouched = moved

    def _judge_landing(self, typed: str, landed: str) -> Verdict:
        """The edit landed on a text that was not the one it was made for: was it carried to the right place?"""
        right = rebase(plain(self._sent.before), plain(self._sent.expected), plain(typed))
        if right is not None and right == plain(landed) and not self._opened:
            return Verdict("confirmed", landed)
        return Verdict("misplaced", landed, right)

    def _repaired(self, found: Verdict) -> str | None:
        if found.repaired is None:
            return None
        return rebase(plain(found.now), found.repaired, plain(self._now))

    def _landing_on(self, text: str) -> str:
        """The text that a client without a guard would make of this one."""
        try:
            return apply_text_edits(text, self._sent.edits, self._sent.encoding, self._sent.rule)
        except ValueError:  # clipped to a shorter text, the edits overlap
            return text

    def _looks_hit(self, present: str) -> bool:
        """Whether more of what the edit inserts stands in the text than before."""
        before = plain(self._sent.before)
        pieces = [plain(edit.text).strip() for edit in self._sent.edits]
        return any(piece and present.count(piece) > before.count(piece) for piece in pieces)

    def _key(self, text: str) -> str:
        text = plain(text)
        return text_digest(text.removesuffix("\n") if self._sent.ignores_final_newline else text)


def _is_between(before: str, splices: Sequence[Splice], text: str) -> bool:
    """Whether a text is one on the way from ``before`` over the splices: it holds nothing that neither side holds."""
    at = start = 0
    for number, splice in enumerate(splices):
        kept = before[start : splice.start]
        if not text.startswith(kept, at):
            return False
        at += len(kept)
        following = before[splice.end : splices[number + 1].start if number + 1 < len(splices) else len(before)]
        end = text.find(following, at) if number + 1 < len(splices) else max(at, len(text) - len(following))
        old = before[splice.start : splice.end]
        between = text[at:end]
        if end < 0 or not (_is_part(between, old + splice.text) or _is_part(between, splice.text + old)):
            return False
        at, start = end, splice.end
    return text.endswith(before[start:])


def _is_part(part: str, whole: str) -> bool:
    """Whether the characters of ``part`` stand in ``whole`` in the same order."""
    rest = iter(whole)
    return all(char in rest for char in part)


def _place_of(splice: Splice, before: str) -> _Place:
    """Where a splice changes the text, as wide as the same change can be made by removing or inserting elsewhere."""
    start, end = splice.start, splice.end
    if start < end and splice.text:
        return _Place(start, end, is_insertion=False)
    piece = before[start:end] or splice.text
    left = right = 0
    while start > left and before[start - left - 1] == piece[-1 - left % len(piece)]:
        left += 1
    while end + right < len(before) and before[end + right] == piece[right % len(piece)]:
        right += 1
    return _Place(start - left, end + right, is_insertion=start == end)
