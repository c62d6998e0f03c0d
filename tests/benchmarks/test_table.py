"""The table fits a hundred columns and judges every target."""

import math

from hypothesis import given
from hypothesis import strategies as st

from benchmarks.rows import Row, Suite, Unit, at_least, at_most, ratio_at_most
from benchmarks.table import WIDTH, Paint, Table

numbers = st.floats(min_value=1e-7, max_value=1e9)
targets = st.sampled_from([None, ratio_at_most(1.5), at_most(0.05), at_least(2000)])


@given(numbers, st.none() | numbers, st.sampled_from(Unit), targets, st.text("abc ", max_size=300))
def test_every_line_fits_the_width(ours, floor, unit, target, note) -> None:
    row = Row("x" * 46, ours, floor, unit, target, note)
    table = Table()
    lines = f"{table.head()}\n{table.line(row)}\n{table.end()}".split("\n")
    if max(ours, floor or 0) < 1e6 and row.ratio < 1e4:
        assert [line for line in lines if len(line) > WIDTH] == []


def test_a_missed_target_is_marked_and_named_at_the_end() -> None:
    table = Table()
    assert table.line(Row("quick", 1.0, 1.0, target=ratio_at_most(1.3))).endswith("✓")
    assert table.line(Row("slow", 2.0, 1.0, target=ratio_at_most(1.3))).endswith("✗")
    assert table.end().split("\n")[1:] == ["1 of 2 targets met", "  ✗ slow"]


def test_at_least_means_more_is_better() -> None:
    assert Row("rate", 3000.0, None, Unit.PER_SECOND, at_least(2000)).is_met
    assert Row("rate", 1000.0, None, Unit.PER_SECOND, at_least(2000)).is_met is False


def test_what_could_not_be_measured_says_why_and_counts_as_nothing() -> None:
    table = Table()
    line = table.line(Row("peer", math.nan, missing="npm could not install it", target=ratio_at_most(1)))
    assert "npm could not install it" in line
    assert (table.met, table.missed) == (0, [])


def test_a_group_is_named_once_above_its_rows() -> None:
    table = Table()
    lines = [table.line(Row(name, 1.0, group="gap")) for name in ("a", "b")]
    assert [line.count("gap") for line in lines] == [1, 0]


def test_without_colours_there_is_no_escape() -> None:
    suite = Suite("loop", "The loop", "its floor", lambda: iter(()))
    assert "\x1b" not in Table().open(suite)
    assert "\x1b" in Table(Paint(colours=True)).open(suite)


def test_the_file_has_no_number_that_json_lacks() -> None:
    assert Row("peer", math.nan, missing="why").as_json("peers")["ours"] is None
