r"""Line endings: kept, adopted, never merged (DESIGN W3)."""

from __future__ import annotations

import pytest

from steersman_tools.kit.endings import (
    FlatText,
    Piece,
    adopt_endings,
    commonest_ending,
    ending_at,
    join_pieces,
    line_blocks,
)


@pytest.mark.parametrize(
    ("offset", "ending"), [(0, "\r\n"), (3, "\r"), (5, "\n"), (7, "\n")], ids=["crlf", "cr", "lf", "last line"]
)
def test_the_ending_at_a_place_is_its_own_lines(offset: int, ending: str):
    assert ending == ending_at("a\r\nb\rc\nd", offset)


def test_a_text_of_one_line_has_no_ending_to_take_on():
    assert ending_at("abc", 1) == ""


def test_the_line_before_lends_its_ending_to_the_last():
    assert ending_at("a\r\nb", 4) == "\r\n"


def test_of_equally_common_endings_the_first_counts():
    assert commonest_ending(["a\r\n", "b\n"]) == "\r\n"
    assert commonest_ending(["a\r\n", "b\n", "c\n"]) == "\n"
    assert commonest_ending(["a"]) == ""


def test_a_whole_new_text_takes_on_a_uniform_style():
    assert adopt_endings("a\r\nb\r\n", "x\ny\n") == "x\r\ny\r\n"
    assert adopt_endings("a\nb\n", "x\r\ny") == "x\ny"


def test_a_whole_new_text_keeps_the_mixed_endings_of_lines_that_stay():
    assert adopt_endings("a\r\nb\rc\r\nd\n", "a\nb\nnew\nd\n").replace("new\r\n", "new\r") == "a\r\nb\rnew\rd\n"


def test_a_text_without_endings_says_nothing():
    assert adopt_endings("a", "x\r\ny\n") == "x\r\ny\n"


def test_offsets_find_their_way_back():
    flat = FlatText.of("a\r\nb\r\n\rc")

    assert flat.flat == "a\nb\n\nc"
    assert [flat.offset(at) for at in range(7)] == [0, 1, 3, 4, 6, 7, 8]


def test_endings_that_would_merge_are_kept_apart_at_the_cost_of_the_new_one():
    assert join_pieces([Piece("a\r", is_fixed=True), Piece("\n"), Piece("\n", is_fixed=True)]) == "a\r\r\n\n"
    assert join_pieces([Piece("a\r")], after="\n") == "a\r\n"
    assert join_pieces([Piece("\n")], before="a\r") == "\r\n"


def test_fixed_lines_are_never_touched():
    assert join_pieces([Piece("a\r", is_fixed=True), Piece("\n", is_fixed=True)]) == "a\r\n"


def test_blocks_cover_both_texts_without_gaps():
    old, new = ["a", "b", "c", "d"], ["a", "x", "c", "y", "d"]

    blocks = line_blocks(old, new)

    assert [0, *(block[1] for block in blocks)][:-1] == [block[0] for block in blocks]
    assert [0, *(block[3] for block in blocks)][:-1] == [block[2] for block in blocks]
    assert all(old[i1:i2] == new[j1:j2] for i1, i2, j1, j2, same in blocks if same)


def test_thousands_of_changed_lines_are_one_block():
    old, new = [f"a{i}" for i in range(5000)], [f"b{i}" for i in range(5000)]

    assert line_blocks(old, new) == [(0, 5000, 0, 5000, False)]
