"""Two changes of one text brought together, and how an edit in place is told from one that landed elsewhere."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.changes import changed_hunks
from steersman.lsp.merge import plain, rebase, shows_change

LINES = st.lists(st.sampled_from("abcdefgh"), max_size=12)
BASE = "a\nb\nc\nd\ne\n"


def joined(lines):
    return "".join(f"{line}\n" for line in lines)


def test_a_change_is_carried_to_where_its_text_moved():
    assert rebase(BASE, "a\nb\nc\nX\ne\n", f"top\n{BASE}") == "top\na\nb\nc\nX\ne\n"


@pytest.mark.parametrize(
    "typed",
    ["a\nb\nc\nD\ne\n", "a\nb\nc\ntyped\nd\ne\n", "a\nb\nc\nd\ntyped\ne\n", "a\nb\nd\ne\n"],
    ids=["its own line", "just above", "just below", "the neighbour removed"],
)
def test_a_change_whose_text_was_touched_is_not_carried_over(typed):
    assert rebase(BASE, "a\nb\nc\nX\ne\n", typed) is None


@given(st.integers(0, 8), st.integers(1, 3), LINES, st.integers(0, 8))
def test_what_is_carried_over_replaces_and_inserts_the_same_text(at, length, new, typed_at):
    """DESIGN A4: an approval holds for these texts, wherever they stand."""
    base = [f"line {n}" for n in range(10)]
    ours = base[:at] + new + base[at + length :]
    theirs = [*base[:typed_at], "typed", *base[typed_at:]]
    merged = rebase(joined(base), joined(ours), joined(theirs))
    if merged is not None:
        assert changed_hunks(joined(base), joined(ours)) == changed_hunks(joined(theirs), merged)


@given(LINES, LINES, LINES)
def test_merging_does_not_depend_on_who_came_first(base, ours, theirs):
    base, ours, theirs = joined(base), joined(ours), joined(theirs)
    one, other = rebase(base, ours, theirs), rebase(base, theirs, ours)
    assert one == other or one is None or other is None


def test_typing_elsewhere_does_not_hide_an_edit_in_place():
    assert shows_change(BASE, "a\nb\nX\nd\ne\n", "typed\na\nb\nX\nd\ne\n")


def test_an_edit_that_is_not_there_is_not_seen():
    assert not shows_change(BASE, "a\nb\nX\nd\ne\n", f"typed\n{BASE}")


@pytest.mark.parametrize(
    ("base", "expected", "now"),
    [
        ("a\nb\nc\nd\n", "a\nb\nX\nd\n", "t\na\nX\nc\nd\n"),
        ("a\nb\nc\nd\n", "a\nb\nX\nc\nd\n", "t\na\nX\nb\nc\nd\n"),
        ("x\nx\nx\n", "x\nx\nX\nx\n", "t\nx\nX\nx\nx\n"),
        ("a\nb\nc\nd\n", "a\nb\nd\n", "t\na\nc\nd\n"),
    ],
    ids=["replacement", "insertion", "among equal lines", "removal"],
)
def test_an_edit_that_landed_one_line_off_is_not_taken_for_one_in_place(base, expected, now):
    assert not shows_change(base, expected, now)


@given(LINES, LINES, LINES)
def test_every_clean_merge_shows_the_change(base, ours, typed):
    """Where the text after merging has one explanation only: all lines of the base are different."""
    base = list(dict.fromkeys(base))
    ours = [line.upper() for line in ours[: len(base)]] + base[len(ours) :]
    theirs = base + [f"typed {line}" for line in typed]
    merged = rebase(joined(base), joined(ours), joined(theirs))
    if merged is not None:
        assert shows_change(joined(base), joined(ours), merged)


def test_comparisons_ignore_the_byte_order_mark_and_the_style_of_line_ends():
    assert plain("\ufeffa\r\nb\rc\n") == "a\nb\nc\n"
