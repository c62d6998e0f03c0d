"""Patterns with many stars mean what they say, and are matched in a time that does not explode (W8, W12, A5)."""

from __future__ import annotations

import re
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from steersman.agent.star_patterns import Gap, Piece, star_regex, walk_matches

NAME, ANY, FOLDERS = Gap.NAME, Gap.ANY, Gap.FOLDERS
OBVIOUS = {NAME: "[^/]*", ANY: ".*", FOLDERS: "(?:.*/)?"}

pieces = st.lists(st.sampled_from(["a", "b", "/", "/", "[^/]", *Gap, NAME]), max_size=12)
texts = st.lists(st.text("aab/", max_size=14), min_size=5, max_size=25)


def by_every_way(pattern: tuple[Piece, ...], text: str) -> bool:
    """Say whether it matches by trying all there is."""

    @cache
    def from_here(piece: int, at: int) -> bool:
        if piece == len(pattern):
            return at == len(text)
        this = pattern[piece]
        if isinstance(this, str):
            return at < len(text) and re.fullmatch(this, text[at]) is not None and from_here(piece + 1, at + 1)
        ends = [end for end in range(at, len(text) + 1) if _fills(this, text[at:end])]
        return any(from_here(piece + 1, end) for end in ends)

    return from_here(0, 0)


def _fills(gap: Gap, text: str) -> bool:
    match gap:
        case Gap.NAME:
            return "/" not in text
        case Gap.ANY:
            return True
        case Gap.FOLDERS:
            return not text or text.endswith("/")


@settings(max_examples=300, deadline=None)
@given(pattern=pieces, chosen=texts)
@example(pattern=[FOLDERS, "a", NAME, "/", FOLDERS, "b", NAME, "a"], chosen=["a/b/a/ba", "b/a/a/ba", "ba/ba"])
@example(pattern=[NAME, "b", FOLDERS, "a"], chosen=["bba", "bb/a", "ba", "bbaa"])
@example(pattern=[ANY, NAME, "a", ANY, "b", NAME, "a"], chosen=["aab/ba", "a/b/aba", "aba"])
def test_every_pattern_means_what_trying_every_way_says(pattern: list[Piece], chosen: list[str]) -> None:
    regex = star_regex(pattern)
    obvious = "".join(piece if isinstance(piece, str) else OBVIOUS[piece] for piece in pattern)
    for text in chosen:
        right = by_every_way(tuple(pattern), text)
        assert (re.fullmatch(obvious, text) is not None) == right
        assert walk_matches(pattern, text) == right
        if regex is not None:
            assert (re.fullmatch(regex, text) is not None) == right


@settings(max_examples=300, deadline=None)
@given(pattern=st.lists(st.sampled_from(["a", "b", "/a", "/", "/**/", "*", "[^/]"]), max_size=12), chosen=texts)
def test_with_folders_only_behind_a_slash_there_is_always_a_regular_expression(
    pattern: list[str], chosen: list[str]
) -> None:
    read: list[Piece] = [FOLDERS]
    for part in pattern:
        read += {"/a": ["/", "a"], "/**/": ["/", FOLDERS], "*": [NAME]}.get(part, [part])
    regex = star_regex(read)
    assert regex is not None
    for text in chosen:
        assert (re.fullmatch(regex, text) is not None) == by_every_way(tuple(read), text)


@pytest.mark.parametrize(
    ("pattern", "text"),
    [
        ([*[NAME, "a"] * 40, "b"], "a" * 4000),
        ([*[ANY, "a"] * 40, "b"], "a" * 4000),
        ([ANY, *[NAME, "a"] * 40, "b"], "a" * 4000),
        ([*[ANY, NAME, "a", "/"] * 40, "b"], "a/" * 2000),
        ([*[FOLDERS, "a", "/"] * 40, "b"], "a/" * 2000),
        ([*[FOLDERS, NAME, "a", NAME, "a", "/"] * 40, "b"], "aaa/" * 1000),
        ([*[FOLDERS, "a"] * 40, FOLDERS, "b"], "a/" * 2000),
    ],
)
def test_forty_stars_come_to_an_end(pattern: list[Piece], text: str) -> None:
    regex = star_regex(pattern)
    if regex is not None:
        assert re.fullmatch(regex, text) is None
        assert re.fullmatch(regex, text + "b") is not None
    assert not walk_matches(pattern, text)
    assert walk_matches(pattern, text + "b")
