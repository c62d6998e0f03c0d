"""The mirror of a document's text: equal to the client's to the last character, whatever it holds."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.lsp.positions import Position, Range, Splice, apply_splices, join_surrogates, offset_to_position
from steersman.lsp.text_lines import TextLines

TEXTS = st.text(st.sampled_from("ab\n\r\f\u2028\u0085ö🎉"), max_size=30)
STEPS = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 8), TEXTS), max_size=8)


@pytest.mark.parametrize("char", ["\f", "\u2028", "\u0085", "\v", "\x1c"])
def test_characters_that_end_no_line_in_the_lsp_end_none_here(char):
    """Situation 35."""
    lines = TextLines(f"a{char}b\nc\n", "lsp")
    lines.replace(Range(Position(1, 0), Position(1, 1)), "C", "utf-16")
    assert f"a{char}b\nC\n" == lines.text


@given(TEXTS, STEPS, st.sampled_from(["utf-8", "utf-16", "utf-32"]), st.sampled_from(["lsp", "lf"]))
@settings(max_examples=300)
def test_the_mirror_equals_the_editors_text_after_any_changes(text, steps, encoding, rule):
    lines = TextLines(text, rule)
    for at, length, new in steps:
        start, end = sorted((min(at, len(text)), min(at + length, len(text))))
        if "\r\n" in (text[max(0, start - 1) : start + 1], text[max(0, end - 1) : end + 1]):
            continue
        where = Range(offset_to_position(text, start, encoding, rule), offset_to_position(text, end, encoding, rule))
        text = apply_splices(text, [Splice(start, end, new)])
        lines.replace(where, new, encoding)
        assert text == lines.text
    assert [*lines.lines] == [*TextLines(text, rule).lines]


def test_half_an_emoji_removed_and_typed_again_is_the_emoji():
    lines = TextLines("a🎉b", "lsp")
    lines.replace(Range(Position(0, 2), Position(0, 3)), "", "utf-16")
    assert lines.text == "a\ud83cb"
    lines.replace(Range(Position(0, 2), Position(0, 2)), "\udf89", "utf-16")
    assert lines.text == "a🎉b" == join_surrogates("a\ud83c\udf89b")


def test_a_line_feed_typed_after_a_carriage_return_makes_one_ending():
    lines = TextLines("a\rb", "lsp")
    lines.replace(Range(Position(1, 0), Position(1, 0)), "\n", "utf-16")
    assert (lines.text, len(lines.lines)) == ("a\r\nb", 2)


def test_a_range_the_wrong_way_round_or_outside_is_taken_for_the_nearest_inside():
    lines = TextLines("ab\ncd\n", "lsp")
    lines.replace(Range(Position(9, 9), Position(1, 1)), "!", "utf-16")
    assert lines.text == "ab\nc!"
