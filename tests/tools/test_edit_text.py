r"""Find and replace on a text (DESIGN W5)."""

from __future__ import annotations

import pytest

from steersman.agent.tool import ToolError
from steersman_tools.kit.edits import replace_text
from steersman_tools.kit.places import Tolerance

SIX_LINES = "def area(r):\n    pi = 3.14\n    k = 2\n    x = r ** k\n    y = pi * x\n    return y\n"


def replaced(text: str, old: str, new: str, *, replace_all: bool = False) -> str:
    return replace_text(text, old, new, replace_all=replace_all).text


def refusal(text: str, old: str, new: str, *, replace_all: bool = False) -> str:
    with pytest.raises(ToolError) as caught:
        replace_text(text, old, new, replace_all=replace_all, name="a.py")
    return str(caught.value)


@pytest.mark.parametrize("literal", ["$&", "$$", "$1", "\\1", "\\g<0>", "\\n", "%s {0} ${x}"])
def test_report_1_the_replacement_is_literal(literal: str):
    assert f"a {literal} b\n" == replaced("a x b\n", "x", literal)


def test_report_2_one_different_number_in_six_lines_is_refused():
    message = refusal(SIX_LINES, SIX_LINES.replace("3.14", "3.15"), "x\n")

    assert "not in a.py" in message
    assert "line 2 differs; yours: pi = 3.15" in message
    assert "     2 |     pi = 3.14" in message


@pytest.mark.parametrize("change", [("3.14", "3.140"), ("pi", "Pi"), ("r ** k", "r**k"), ("y = ", "y= "), ('"', "'")])
def test_no_tolerance_changes_a_token(change: tuple[str, str]):
    text = SIX_LINES + 'print("done")\n'

    refusal(text, text.replace(*change), "x\n")


def test_report_3_every_byte_outside_the_edit_stays():
    assert replaced("a\r\nb\rc\r\nd\n", "c", "C") == "a\r\nb\rC\r\nd\n"


def test_report_7_equal_texts_are_an_error():
    assert "the same" in refusal("a\n", "a", "a")
    assert "line endings" in refusal("a\n", "a\n", "a\r\n")


def test_report_8_an_edit_elsewhere_adds_no_final_newline():
    assert replaced("a\nb", "a\n", "A\n") == "A\nb"


def test_the_last_line_keeps_having_no_newline_when_the_model_writes_one():
    assert replaced("a\nb", "b\n", "B\n") == "a\nB"
    assert replaced("a\nb", "b\n", "b\nc\n") == "a\nb\nc"


def test_a_newline_that_is_asked_for_by_exact_text_is_written():
    assert replaced("a\nb", "b", "b\n") == "a\nb\n"


def test_inserted_lines_take_on_the_files_line_ending():
    assert replaced("a\r\nb\r\nc\r\n", "b\n", "b\nx\ny\n") == "a\r\nb\r\nx\r\ny\r\nc\r\n"
    assert replaced("a\rb\rc\r", "b", "b\nx") == "a\rb\rx\rc\r"
    assert replaced("a\nb\n", "b", "b\r\nx") == "a\nb\nx\n"


def test_in_a_mixed_file_lines_keep_their_own_endings_and_new_ones_take_their_neighbours():
    assert replaced("a\r\nb\rc\r\nd\n", "b\nc", "B\nx\nC") == "a\r\nB\rx\rC\r\nd\n"
    assert replaced("a\r\nb\rc\r\nd\n", "d\n", "d\ne\n") == "a\r\nb\rc\r\nd\ne\n"


def test_a_text_without_line_endings_takes_on_those_of_the_new_text():
    assert replaced("ab", "ab", "A\r\nB") == "A\r\nB"


def test_two_endings_beside_each_other_stay_two():
    r"""A lone \r that comes to stand before a \n would be read as one ending."""
    assert replaced("a\rx\nb\n", "x", "").replace("\r\n", "\n\n").replace("\r", "\n").split("\n")[:3] == ["a", "", "b"]
    assert replaced("x\ry\n", "x\ny", "x\n") == "x\r\n\n"


def test_an_overlapping_second_place_makes_it_ambiguous():
    assert "fits 2 places" in refusal("aaa", "aa", "b")


def test_several_places_are_listed_with_their_lines():
    message = refusal("x = 1\ny = 2\nx = 1\n", "x = 1", "x = 3")

    assert "fits 2 places in a.py" in message
    assert "     1 | x = 1\n     3 | x = 1" in message
    assert "replace_all" in message


def test_many_places_are_not_all_listed():
    message = refusal("x\n" * 1000, "x", "y")

    assert "fits 1000 places" in message
    assert "and 992 more" in message
    assert len(message) < 500


def test_replace_all_changes_every_exact_place():
    edited = replace_text("x = 1\r\ny = x\r\n", "x", "long", replace_all=True)

    assert edited.text == "long = 1\r\ny = long\r\n"
    assert edited.count == 2


def test_replace_all_does_not_find_its_own_replacement():
    assert replaced("aa", "a", "aa", replace_all=True) == "aaaa"


def test_replace_all_is_never_tolerant_in_several_places():
    message = refusal("if a:\n    go()  \nif b:\n    go()  \n", "    go()\nif", "x", replace_all=True)

    assert "not in a.py" in message
    message = refusal("a  \nb\na  \nb\n", "a\nb\n", "x\n", replace_all=True)
    assert "None fits exactly" in message


def test_trailing_white_space_does_not_matter():
    edited = replace_text("a  \n\tb\t\nc\n", "a\n\tb\nc\n", "a\n\tB\nc\n")

    assert edited.text == "a  \n\tB\nc\n"
    assert edited.tolerance == Tolerance.TRAILING_SPACE


def test_trailing_white_space_of_the_model_does_not_matter():
    assert replaced("a\nb\n", "a  \nb  \n", "a  \nB\n") == "a\nB\n"


def test_lines_that_the_new_text_keeps_are_as_they_were():
    assert (
        replaced("keep  \nold\nkeep too\t\n", "keep\nold\nkeep too\n", "keep\nnew\nkeep too\n")
        == "keep  \nnew\nkeep too\t\n"
    )


def test_typographic_characters_do_not_matter_and_stay_where_nothing_changes():
    edited = replace_text("say “a” – and “b” x\n", 'say "a" - and "b" x', 'say "a" - and "b" y')

    assert edited.text == "say “a” – and “b” y\n"
    assert edited.tolerance == Tolerance.TYPOGRAPHY


def test_typographic_characters_of_the_model_match_plain_ones():
    assert replaced("it's ok\n", "it’s ok", "it’s fine") == "it's fine\n"


def test_a_typographic_insertion_is_literal():
    assert replaced("‘x’\n‘z’\n", "'x'\n'z'\n", "'x'\n'y'\n").replace("‘y’", "'y'") == "‘x’\n'y'\n"


def test_a_uniform_indentation_is_adapted():
    text = "class A:\n    def f(self):\n        return 1\n"
    edited = replace_text(text, "def f(self):\n    return 1\n", "def f(self):\n    if x:\n        return 2\n")

    assert edited.text == "class A:\n    def f(self):\n        if x:\n            return 2\n"
    assert edited.tolerance == Tolerance.INDENTATION


def test_indentation_that_is_too_deep_is_taken_away():
    assert replaced("a\nb\n", "    a\n    b\n", "    a\n    B\n") == "a\nB\n"


def test_spaces_stand_for_tabs_also_some_levels_deeper():
    text = "class A:\n\tdef f(self):\n\t\treturn 1\n"

    new = "def f(self):\n    if x:\n        return 2\n"
    assert (
        replaced(text, "def f(self):\n    return 1\n", new) == "class A:\n\tdef f(self):\n\t\tif x:\n\t\t\treturn 2\n"
    )


def test_an_uneven_indentation_is_refused():
    message = refusal("if a:\n    b\n        c\n", "if a:\n  b\n  c\n", "x\n")

    assert "indentation differs from line 2" in message


def test_new_text_that_cannot_be_indented_likewise_is_refused():
    message = refusal("a\nb\n", "    a\n    b\n", "    a\nB\n")

    assert "indented less" in message


def test_a_tolerant_fit_in_two_places_is_ambiguous():
    assert "fits 2 places" in refusal("a  \nb\na  \nb\n", "a\nb\n", "x\n")


def test_what_is_done_already_is_said():
    message = refusal("one\ntwo = long_name\n", "two = name\n", "two = long_name\n")

    assert "new_text already stands there, in line 2" in message


def test_line_numbers_of_a_listing_are_recognised():
    assert "line number" in refusal("def f():\n    x\n", "     1\tdef f():\n     2\t    x", "y")
    assert "line number" in refusal("def f():\n    x\n", "1 | def f():", "y")


def test_white_space_alone_is_only_found_exactly():
    assert "only white space" in refusal("a\nb\n", "\n\n\n", "x")


def test_unicode_separators_are_no_line_endings():
    assert replaced("a\u2028b\x0cc\n", "c", "C") == "a\u2028b\x0cC\n"


def test_the_nearest_place_is_found_in_a_big_file():
    text = "".join(f"value_{i} = compute({i * 7})\n" for i in range(200_000))
    message = refusal(text, "value_150000 = compute(1)\nvalue_150001 = compute(1050007)\n", "x\n")

    assert "lines 150001-150002 (line 150001 differs; yours: value_150000 = compute(1))" in message


def test_a_line_of_megabytes_is_shown_around_the_likeness():
    text = "[" + ",".join(f'"k{i}":{i}' for i in range(300_000)) + "]"
    message = refusal(text, '"k4321":4322', "x")

    assert '"k4321":4321' in message
    assert len(message) < 600


def test_repeated_lines_do_not_make_a_miss_slow():
    assert "line 51 differs" in refusal("}\n" * 100_000, "}\n" * 50 + "{\n", "x")


def test_a_text_like_nothing_gets_a_hint():
    assert "Nothing in it is like this" in refusal("abc\n", "qqq zzz www", "x")
