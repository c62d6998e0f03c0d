"""What a change replaces and inserts, found quickly and the same as by comparing every line."""

from __future__ import annotations

from difflib import SequenceMatcher

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from steersman.agent.changes import changed_hunks
from steersman.agent.lines import split_lines

TEXTS = st.text(alphabet="ab\r\n\u2028", max_size=24)


def line_by_line(before: str, after: str) -> tuple[tuple[str, str], ...]:
    """The same by whole lines from the first to the last."""
    old, new = split_lines(before), split_lines(after)
    while old and new and old[0] == new[0]:
        del old[0], new[0]
    while old and new and old[-1] == new[-1]:
        del old[-1], new[-1]
    matcher = SequenceMatcher(None, old, new, autojunk=False)
    return tuple(
        ("".join(old[i1:i2]), "".join(new[j1:j2])) for tag, i1, i2, j1, j2 in matcher.get_opcodes() if tag != "equal"
    )


@given(TEXTS, TEXTS, TEXTS, TEXTS)
@example("a\r", "", "\na", "")
@example("a\r", "", "b", "\r")
@example("", "a\r", "", "\n")
@example("a\na\n", "", "a\n", "")
def test_the_hunks_are_those_of_comparing_every_line(start: str, old: str, new: str, end: str) -> None:
    before, after = start + old + end, start + new + end
    assert changed_hunks(before, after) == line_by_line(before, after)


@given(TEXTS, TEXTS)
def test_unlike_texts_have_the_hunks_of_comparing_every_line(before: str, after: str) -> None:
    assert changed_hunks(before, after) == line_by_line(before, after)


@pytest.mark.parametrize("shift", [-1, 0, 1])
def test_long_texts_are_compared_to_the_very_character_where_they_part(shift: int) -> None:
    """At the ends of the pieces that are compared at once."""
    piece = 1 << 16
    for start in (0, piece + shift, 2 * piece + shift):
        for end in (0, piece + shift, 2 * piece + shift):
            before, after = "a" * start + "b\n" + "c" * end, "a" * start + "x\n" + "c" * end
            assert changed_hunks(before, after) == (("a" * start + "b\n", "a" * start + "x\n"),)
            assert changed_hunks(before, before + "y") == (("c" * end, "c" * end + "y"),)
