"""One rule for a uniform difference in indentation (DESIGN W5)."""

from __future__ import annotations

import pytest

from steersman_tools.kit.indentation import Reindent, find_reindent


@pytest.mark.parametrize(
    ("model", "file", "rule"),
    [
        (["a", "  b"], ["    a", "      b"], Reindent(add="    ")),
        (["  a", "    b"], ["a", "  b"], Reindent(remove="  ")),
        (["a", "    b"], ["a", "\tb"], Reindent(unit="    ", into="\t")),
        (["\ta", "\t\tb"], ["  a", "    b"], Reindent(unit="\t", into="  ")),
        (["a", "    b"], ["\ta", "\t\tb"], Reindent(unit="    ", into="\t", shift=1)),
        (["  a", "    b"], ["    a", "        b"], Reindent(unit=" ", into="  ")),
    ],
)
def test_a_rule_that_explains_every_line_is_found(model: list[str], file: list[str], rule: Reindent):
    assert rule == find_reindent(model, file)
    assert file == rule.lines(model)


@pytest.mark.parametrize(
    ("model", "file"), [(["a", "b"], ["  a", "    b"]), (["  a", " b"], ["\ta", "  b"]), (["", ""], ["", ""])]
)
def test_no_rule_is_made_up_for_uneven_lines(model: list[str], file: list[str]):
    assert find_reindent(model, file) is None


def test_blank_lines_say_nothing_and_stay():
    rule = find_reindent(["a", "", "  "], ["  a", "", ""])

    assert Reindent(add="  ") == rule
    assert rule.lines(["a", "", "  "]) == ["  a", "", "  "]


def test_a_line_that_is_indented_too_little_cannot_be_indented():
    assert Reindent(remove="    ").lines(["    a", "  b"]) is None
    assert Reindent(unit="    ", into="\t", shift=-1).lines(["a"]) is None


def test_a_rest_of_an_indentation_stays():
    assert Reindent(unit="    ", into="\t").line("          x") == "\t\t  x"
