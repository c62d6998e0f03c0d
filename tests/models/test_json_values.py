"""JSON that somebody else wrote, and surrogates that nobody wants (DESIGN M2)."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.json_values import (
    SurrogateJoiner,
    as_count,
    as_list,
    as_object,
    as_text,
    encode_json,
    mend_surrogates,
    mended,
    parse_json,
)

ROCKET = "\U0001f680"
HIGH, LOW = "\ud83d", "\ude80"


@pytest.mark.parametrize("text", ["NaN", "[Infinity]", "{", "", "[" * 100_000, "1" * 5000])
def test_what_is_no_json_is_a_value_error(text: str):
    with pytest.raises(ValueError, match=r"."):
        parse_json(text)


def test_values_of_the_wrong_kind_are_harmless():
    assert (as_object([1]), as_list({"a": 1}), as_text(5)) == ({}, [], "")


@pytest.mark.parametrize(
    ("value", "count"),
    [(3, 3), (3.0, 3), (-1, 0), (True, 0), ("3", 0), (None, 0), (float("inf"), 0), (float("nan"), 0)],
)
def test_counts_are_whole_and_never_negative(value, count: int):
    assert as_count(value) == count


def test_halves_side_by_side_are_joined_and_lone_ones_replaced():
    assert mend_surrogates(f"a{HIGH}{LOW}b{HIGH}c{LOW}") == f"a{ROCKET}b\ufffdc\ufffd"


def test_a_pair_split_over_two_pieces_is_joined():
    joiner = SurrogateJoiner()
    assert [joiner.feed(f"go {HIGH}"), joiner.feed(f"{LOW}!"), joiner.flush()] == ["go ", f"{ROCKET}!", ""]


def test_a_half_at_the_end_becomes_a_replacement_character():
    joiner = SurrogateJoiner()
    assert [joiner.feed(f"a{HIGH}"), joiner.flush()] == ["a", "\ufffd"]


def test_an_empty_piece_between_the_halves_changes_nothing():
    joiner = SurrogateJoiner()
    assert [joiner.feed(HIGH), joiner.feed(""), joiner.feed(LOW)] == ["", "", ROCKET]


@given(st.lists(st.text(st.characters() | st.sampled_from([HIGH, LOW]), max_size=6)))
def test_any_split_of_any_text_gives_the_same_mended_text(pieces: list[str]):
    joiner = SurrogateJoiner()
    joined = "".join([*map(joiner.feed, pieces), joiner.flush()])
    assert joined == mend_surrogates("".join(pieces))
    joined.encode()  # what is left can be encoded


@given(st.text(st.characters() | st.sampled_from([HIGH, LOW])))
def test_every_text_can_be_sent(text: str):
    assert json.loads(encode_json({"text": text}))["text"] == mend_surrogates(text)


def test_mended_values_hold_no_half_and_no_infinity():
    assert mended({f"k{HIGH}": [HIGH, 1e999, 2.5]}) == {"k\ufffd": ["\ufffd", None, 2.5]}
