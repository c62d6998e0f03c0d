"""A part of a text, bounded and honest (DESIGN W9; report 19)."""

import re

import pytest

from steersman.agent.tool import ToolError
from steersman_tools.kit.excerpt import MAX_CHARS, MAX_LINE_CHARS, MAX_LINES, take_excerpt
from steersman_tools.kit.portions import Portions


def excerpt(text: str, **arguments: int) -> str:
    return take_excerpt(text, name="f", **arguments).shown


def test_lines_are_numbered_and_keep_their_text() -> None:
    assert excerpt("a\r\n  b\t\n\n") == "1\ta\n2\t  b\t\n3\t"


def test_other_separators_than_line_ends_stay_in_the_line() -> None:
    assert excerpt("a\fb\u2028c\n") == "1\ta\fb\u2028c"


def test_a_missing_last_line_ending_is_said() -> None:
    assert excerpt("a") == "1\ta\n[no line ending at the end of the file]"


def test_an_empty_text_is_said_to_be_so() -> None:
    assert excerpt("") == "[f is empty]"


def test_a_range_says_how_to_go_on() -> None:
    assert excerpt("a\nb\nc\nd\ne\n", offset=2, limit=2) == "2\tb\n3\tc\n[lines 2–3 of 5; go on with offset=4]"
    assert excerpt("a\nb\nc\nd\ne\n", offset=4, limit=2) == "4\td\n5\te"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"offset": 4}, "has 3 lines; there is no line 4"),
        ({"offset": 2, "column": 3}, "has 1 character; there is no column 3"),
    ],
)
def test_a_place_that_is_not_there_is_said(arguments: dict[str, int], words: str) -> None:
    with pytest.raises(ToolError, match=words):
        excerpt("a\nb\nc\n", **arguments)


def test_a_long_line_among_others_is_cut_with_a_way_on() -> None:
    shown = excerpt("a\n" + "x" * 5000 + "\nb\n")

    assert f"2\t{'x' * MAX_LINE_CHARS} […] [line 2 goes on for 3,000 characters: offset=2, column=2001]" in shown
    assert shown.endswith("3\tb")


@pytest.mark.parametrize("size", [32 * 1024, 200_000, pytest.param(5_000_000, marks=pytest.mark.storm)])
@pytest.mark.parametrize("ending", ["", "\n", "\r\n"])
def test_a_text_of_one_line_can_be_read_to_its_end_in_portions(size: int, ending: str) -> None:
    """Report 19."""
    text = "".join(chr(ord("a") + number % 26) for number in range(size)) + ending
    portions, read, column, is_whole = Portions(), "", 1, False
    while True:
        part = take_excerpt(text, name="f", column=column)
        assert len(part.shown) < MAX_CHARS + 200
        read += re.sub(r"^1\t| \[…\].*|\n\[no line.*", "", part.shown)
        is_whole = portions.add("f", "digest", part.spans, len(text))
        way_on = re.search(r"column=(\d+)\]", part.shown)
        if not way_on:
            break
        assert not is_whole
        column = int(way_on[1])

    assert is_whole
    assert text.rstrip("\r\n") == read


def test_a_long_text_is_bounded_in_lines_and_characters() -> None:
    many = take_excerpt("x\n" * 10_000, name="f")
    wide = take_excerpt(("y" * 1000 + "\n") * 1000, name="f")

    assert many.last == MAX_LINES
    assert many.shown.endswith("[lines 1–2,000 of 10,000; go on with offset=2001]")
    assert len(wide.shown) < MAX_CHARS + 1000
    assert f"[lines 1–{wide.last} of 1,000; go on with offset={wide.last + 1}]" in wide.shown


def test_reading_on_line_by_line_covers_the_whole() -> None:
    text = ("y" * 1500 + "\n") * 100 + "z" * 3000
    portions, offset, column, is_whole = Portions(), 1, 1, False
    for _ in range(1000):
        part = take_excerpt(text, name="f", offset=offset, column=column)
        is_whole = portions.add("f", "digest", part.spans, len(text))
        cut = re.search(r"offset=(\d+), column=(\d+)\]", part.shown)
        way_on = re.search(r"go on with offset=(\d+)\]", part.shown)
        if cut:
            offset, column = int(cut[1]), int(cut[2])
        elif way_on:
            offset, column = int(way_on[1]), 1
        else:
            break

    assert is_whole


class TestPortions:
    def test_parts_in_any_order_make_a_whole(self) -> None:
        portions = Portions()

        assert not portions.add("f", "d", [(5, 10)], 10)
        assert not portions.add("f", "d", [(0, 2)], 10)
        assert portions.add("f", "d", [(2, 6)], 10)

    def test_another_text_starts_anew(self) -> None:
        portions = Portions()
        portions.add("f", "d", [(0, 5)], 10)

        assert not portions.add("f", "e", [(5, 10)], 10)
        assert not portions.add("g", "d", [(5, 10)], 10)
