"""Positions and smallest edits: what a column counts, where lines end, that nothing is split."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from steersman.lsp.positions import (
    Position,
    Range,
    TextEdit,
    apply_text_edits,
    index_in_line,
    lines_of,
    offset_to_position,
    position_to_offset,
)
from steersman.lsp.text_diff import text_edits, text_splices

ENCODINGS = ["utf-8", "utf-16", "utf-32"]
RULES = ["lsp", "lf"]
ODD_TEXTS = st.text(st.sampled_from("aab \n\n\r\f\u2028\u0085ö🎉e\u0301"), max_size=60)
LINED_TEXTS = st.lists(
    st.sampled_from(["a\n", "b\r\n", "c\r", "\n", "\r\n", "ö🎉\n", "x = 1\n", "}\n", "a\fb\n"]), max_size=25
).map("".join)


@pytest.mark.parametrize(
    ("encoding", "column", "index"),
    [("utf-8", 2, 1), ("utf-16", 1, 1), ("utf-32", 1, 1), ("utf-8", 3, 2), ("utf-16", 2, 2)],
)
def test_an_insertion_after_an_umlaut_lands_after_it_in_every_encoding(encoding, column, index):
    """Situation 31."""
    assert index == index_in_line("öbc\n", column, encoding)


def test_an_emoji_before_the_place_counts_two_in_utf_16():
    """Situation 31."""
    assert position_to_offset("🎉x\n", Position(0, 2), "utf-16") == 1


@pytest.mark.parametrize("line", ["ab\n", "ab\r\n", "ab\r", "ab"])
def test_a_column_past_the_line_end_is_the_place_before_the_line_ending(line):
    assert index_in_line(line, 99, "utf-16") == 2


def test_a_column_inside_a_character_is_the_place_before_it():
    assert index_in_line("a🎉b", 2, "utf-16") == 1
    assert index_in_line("aöb", 2, "utf-8") == 1


def test_where_line_feeds_alone_end_lines_a_carriage_return_is_a_column():
    assert position_to_offset("a\rb\nc", Position(0, 2), "utf-16", "lf") == 2
    assert offset_to_position("a\rb\nc", 2, "utf-16", "lf") == Position(0, 2)


@given(ODD_TEXTS, st.sampled_from(RULES))
def test_lines_joined_are_the_text(text, rule):
    assert text == "".join(lines_of(text, rule))


@given(ODD_TEXTS, st.data(), st.sampled_from(ENCODINGS), st.sampled_from(RULES))
def test_any_offset_outside_a_line_break_survives_the_way_through_a_position(text, data, encoding, rule):
    offset = data.draw(st.integers(0, len(text)))
    if text[max(0, offset - 1) : offset + 1] == "\r\n":
        return
    there = offset_to_position(text, offset, encoding, rule)
    assert offset == position_to_offset(text, there, encoding, rule)


@given(
    st.one_of(ODD_TEXTS, LINED_TEXTS),
    st.one_of(ODD_TEXTS, LINED_TEXTS),
    st.sampled_from(ENCODINGS),
    st.sampled_from(RULES),
)
@example("a\n", "a\r\n", "utf-16", "lsp")
@example("a\r\r\nb", "a\r\rXb", "utf-16", "lsp")
@settings(max_examples=400)
def test_edits_turn_any_text_into_any_other(old, new, encoding, rule):
    edits = text_edits(old, new, encoding, rule)
    assert new == apply_text_edits(old, edits, encoding, rule)


@given(st.one_of(ODD_TEXTS, LINED_TEXTS), st.one_of(ODD_TEXTS, LINED_TEXTS))
@settings(max_examples=300)
def test_no_edit_begins_or_ends_inside_a_line_break(old, new):
    for splice in text_splices(old, new):
        for offset in (splice.start, splice.end):
            assert old[max(0, offset - 1) : offset + 1] != "\r\n"


@given(LINED_TEXTS, LINED_TEXTS)
def test_edits_are_in_order_and_apart_from_one_another(old, new):
    splices = text_splices(old, new)
    assert all(one.end < two.start for one, two in pairwise(splices))
    assert all(splice.text != old[splice.start : splice.end] for splice in splices)


def test_an_edit_holds_no_more_than_the_characters_that_differ():
    old, new = "one = 1\ntwo = 2\nthree = 3\n", "one = 1\ntwo = 22\nthree = 3\n"
    assert [TextEdit(Range(Position(1, 7), Position(1, 7)), "2")] == text_edits(old, new, "utf-16")


def test_two_changes_far_apart_are_two_edits_in_a_large_text():
    """The lines between are not replaced, whatever their number."""
    lines = [f"line {n}\n" for n in range(20_000)]
    changed = lines.copy()
    changed[3], changed[19_990] = "first\n", "last\n"
    assert [
        (edit.range.start.line, edit.range.end.line) for edit in text_edits("".join(lines), "".join(changed), "utf-16")
    ] == [(3, 3), (19_990, 19_990)]


def test_a_large_text_with_many_changes_is_cut_at_lines_that_occur_once():
    lines = [f"line {n}\n" for n in range(9_000)]
    changed = [f"other {n}\n" if n % 3 else line for n, line in enumerate(lines)]
    assert len(text_edits("".join(lines), "".join(changed), "utf-16")) == 3000


@pytest.mark.parametrize("ending", ["\n", "\r\n", "\r"])
def test_what_is_appended_or_removed_at_the_end_never_touches_the_place_behind_the_last_ending(ending):
    """Neovim cannot address it: it adds an empty line there."""
    short, long = f"a{ending}", f"a{ending}b{ending}"
    assert [(1, 1, f"{ending}b")] == [(s.start, s.end, s.text) for s in text_splices(short, long)]
    assert [(1, len(long) - len(ending), "")] == [(s.start, s.end, s.text) for s in text_splices(long, short)]


def test_overlapping_edits_are_an_error():
    edits = [TextEdit(Range(Position(0, 0), Position(0, 2)), "x"), TextEdit(Range(Position(0, 1), Position(0, 3)), "y")]
    with pytest.raises(ValueError, match="overlap"):
        apply_text_edits("abcd", edits, "utf-16")
