"""Where a block of lines fits (DESIGN W5, W6)."""

from __future__ import annotations

from steersman_tools.kit.places import Fit, LineIndex, Tolerance, keep_typography, plain_typography


def starts(text: str, *block: str) -> list[int]:
    return [fit.start for fit in LineIndex(text).fits(block)]


def test_every_exact_place_is_found_in_order():
    assert starts("a\nb\na\na\n", "a") == [0, 2, 3]
    assert starts("a\nb\nc\na\nb\n", "a", "b") == [0, 3]


def test_overlapping_places_count():
    assert starts("a\na\na\n", "a", "a") == [0, 1]


def test_a_stricter_fit_hides_looser_ones():
    assert [Fit(1, 2)] == LineIndex("a \na\n").fits(["a"])
    assert [Fit(0, 1, Tolerance.TRAILING_SPACE)] == LineIndex("a \n a\n").fits(["a"])


def test_part_of_a_line_is_no_fit():
    assert starts("ab\nxa\n", "a") == []


def test_blank_lines_fit_exactly_only():
    assert starts("a\n\nb\n", "") == [1]
    assert starts("a\n  \nb\n", "") == []


def test_an_empty_block_fits_nowhere():
    assert starts("a\n") == []


def test_the_last_line_needs_no_ending():
    assert starts("a\r\nb", "b") == [1]


def test_offsets_stay_the_same_in_plain_typography():
    text = "“a” – ‘b’\u00a0…"

    assert len(text) == len(plain_typography(text))
    assert plain_typography(text) == "\"a\" - 'b' …"


def test_typography_is_kept_where_a_line_begins_and_ends_alike():
    assert keep_typography("“a” b ‘d’\r\n", "\"a\" b 'd'\n", "\"a\" c 'd'\n") == "“a” c ‘d’\n"


def test_typography_is_not_kept_when_lengths_differ():
    assert keep_typography("“a”  \n", '"b"\n', '"a"\n') == '"a"\n'
