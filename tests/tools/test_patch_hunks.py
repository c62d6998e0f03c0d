"""Putting hunks into a text, each into its one place (DESIGN W6)."""

from __future__ import annotations

import pytest

from steersman.agent.tool import ToolError
from steersman_tools.kit.places import Tolerance
from steersman_tools.patch.hunks import apply_hunks
from steersman_tools.patch.model import UpdateFile
from steersman_tools.patch.parsing import parse_patch


def hunks_of(body: str):
    text = body if body.startswith("---") else f"*** Begin Patch\n*** Update File: f\n{body}*** End Patch\n"
    [[update]] = parse_patch(text)
    assert isinstance(update, UpdateFile)
    return update.hunks


def patched(text: str, body: str) -> str:
    return apply_hunks(text, hunks_of(body), "f")[0]


def refusal(text: str, body: str) -> str:
    with pytest.raises(ToolError) as caught:
        apply_hunks(text, hunks_of(body), "f.py")
    return str(caught.value)


CLASSES = "class A:\n    def f(self):\n        return 1\n\nclass B:\n    def f(self):\n        return 1\n"


def test_a_hunk_in_two_places_is_refused_with_both():
    message = refusal(CLASSES, "@@\n-        return 1\n+        return 2\n")

    assert "hunk 1 fits 2 places in f.py" in message
    assert "     3 |         return 1\n     7 |         return 1" in message
    assert "@@ line" in message


def test_an_anchor_tells_the_place():
    after = patched(CLASSES, "@@ class B:\n-        return 1\n+        return 2\n")

    assert after == CLASSES[:-2] + "2\n"


def test_several_anchors_stand_one_after_the_other():
    after = patched(CLASSES, "@@ class A:\n@@     def f(self):\n-        return 1\n+        return 2\n")

    assert after == CLASSES.replace("1", "2", 1)


def test_an_anchor_may_be_repeated_as_context():
    after = patched(CLASSES, "@@ class B:\n class B:\n     def f(self):\n-        return 1\n+        return 2\n")

    assert after == CLASSES[:-2] + "2\n"


def test_an_anchor_may_be_the_beginning_of_a_line():
    after = patched("class A(Base):\n    x = 1\nx = 1\n", "@@ class A\n-    x = 1\n+    x = 2\n")

    assert after == "class A(Base):\n    x = 2\nx = 1\n"


def test_an_anchor_that_is_not_there_is_refused():
    message = refusal(CLASSES, "@@ class C:\n-class A:\n+class D:\n")

    assert "the line after @@ is not there" in message


def test_a_hunk_before_its_anchor_does_not_fit():
    assert "behind its @@ line, only in line 1" in refusal("a\nb\n", "@@ b\n-a\n+c\n")


def test_an_anchor_in_two_places_is_refused():
    assert "fits 2 places" in refusal(CLASSES, "@@ def f(self):\n-        return 1\n+        return 2\n")


def test_the_order_of_the_hunks_tells_their_places():
    """Alone each of the first two would fit in both places."""
    assert patched("x\na\nx\n", "@@\n-x\n+y\n@@\n-x\n+z\n") == "y\na\nz\n"
    assert patched("x\na\nx\n", "@@\n-x\n+y\n@@\n-a\n+b\n") == "y\nb\nx\n"


def test_hunks_out_of_order_are_taken_where_each_has_one_place():
    assert patched("a\nb\nc\n", "@@\n-c\n+C\n@@\n-a\n+A\n") == "A\nb\nC\n"


def test_hunks_on_the_same_lines_are_refused():
    assert "hunk" in refusal("a\nb\n", "@@\n-a\n-b\n+A\n@@\n a\n-b\n+B\n")


def test_several_places_with_one_result_are_one():
    assert patched("a\n\n\nb\n", "@@\n-\n") == "a\n\nb\n"


def test_the_end_of_the_file_tells_the_place():
    assert patched("x\na\nx\n", "@@\n-x\n+y\n*** End of File\n") == "x\na\ny\n"


def test_line_numbers_tell_the_place():
    diff = "--- a/f\n+++ b/f\n@@ -3 +3 @@\n-x\n+y\n"

    assert patched("x\nx\nx\nx\n", diff) == "x\nx\ny\nx\n"


def test_wrong_line_numbers_do_not_matter_where_one_place_fits():
    assert patched("a\nb\nc\n", "--- a/f\n+++ b/f\n@@ -40,2 +40,2 @@\n b\n-c\n+d\n") == "a\nb\nd\n"


def test_wrong_line_numbers_are_no_choice_between_places():
    assert "fits 2 places" in refusal("x\na\nx\n", "--- a/f\n+++ b/f\n@@ -9 +9 @@\n-x\n+y\n")


def test_the_shift_of_a_certain_hunk_tells_the_place_of_another():
    text = "new\nnew\nq\nx\nx\nx\n"

    assert patched(text, "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-q\n+Q\n@@ -3 +3 @@\n-x\n+y\n") == "new\nnew\nQ\nx\ny\nx\n"


def test_an_addition_without_context_goes_to_the_end():
    assert patched("a\n", "@@\n+b\n") == "a\nb\n"


def test_an_addition_behind_an_anchor_goes_there():
    assert patched("a\nb\nc\n", "@@ b\n+x\n") == "a\nb\nx\nc\n"


def test_an_addition_without_context_goes_to_its_line():
    assert patched("a\nb\n", "--- a/f\n+++ b/f\n@@ -1,0 +2 @@\n+x\n") == "a\nx\nb\n"


def test_an_addition_to_an_empty_text():
    assert patched("", "@@\n+a\n+b\n") == "a\nb\n"


def test_report_8_a_file_without_final_newline_gets_none_from_an_edit_elsewhere():
    assert patched("a\nb\nc", "@@\n-a\n+A\n b\n") == "A\nb\nc"


def test_report_8_what_is_appended_ends_as_the_patch_says():
    assert patched("a\nb", "@@\n b\n+c\n") == "a\nb\nc\n"
    assert patched("a\nb", "@@\n b\n+c\n\\ No newline at end of file\n") == "a\nb\nc"


def test_a_final_newline_can_be_added_and_taken_away():
    assert patched("a", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+a\n") == "a\n"
    assert patched("a\n", "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n+a\n\\ No newline at end of file\n") == "a"


def test_a_patch_that_thinks_there_is_no_final_newline_changes_nothing_about_it():
    diff = "@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n\\ No newline at end of file\n"

    assert patched("a\n", "--- a/f\n+++ b/f\n" + diff) == "b\n"


def test_added_lines_take_on_the_line_endings_of_their_place():
    assert patched("a\r\nb\r\n", "@@\n a\n+x\n b\n") == "a\r\nx\r\nb\r\n"
    assert patched("a\r\nb\r\n", "@@\n+x\n") == "a\r\nb\r\nx\r\n"


def test_in_a_mixed_file_added_lines_take_on_the_commonest_ending_around():
    assert patched("one\r\ntwo\rthree\nfour\r\n", "@@\n one\n two\n-three\n+THREE\n four\n") == (
        "one\r\ntwo\rTHREE\r\nfour\r\n"
    )


def test_context_keeps_its_own_bytes():
    assert patched("a  \n“b”\nc\n", '@@\n a\n "b"\n-c\n+C\n') == "a  \n“b”\nC\n"


def test_a_diff_that_knows_the_line_endings_can_change_them():
    assert patched("a\nb\n", "--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n a\n-b\n+b\r\n") == "a\nb\r\n"


def test_tolerances_are_those_of_edits_and_are_told():
    def tolerance(text: str, body: str) -> Tolerance:
        return apply_hunks(text, hunks_of(body), "f")[1]

    assert tolerance("a\n", "@@\n-a\n+b\n") == Tolerance.EXACT
    assert tolerance("a  \n", "@@\n-a\n+b\n") == Tolerance.TRAILING_SPACE
    assert tolerance("“a”\n", '@@\n-"a"\n+b\n') == Tolerance.TYPOGRAPHY
    assert tolerance("  a\n  b\n", "@@\n a\n-b\n") == Tolerance.INDENTATION


def test_added_lines_are_indented_as_the_file_is():
    assert patched("  a\n  b\n", "@@\n a\n-b\n+c\n+  d\n") == "  a\n  c\n    d\n"


def test_added_lines_keep_typography_where_they_replace_a_line():
    assert patched("say “a” 1\n", '@@\n-say "a" 1\n+say "a" 2\n') == "say “a” 2\n"


def test_loose_blank_lines_are_context_or_nothing():
    assert patched("a\n\nb\n", "@@\n-a\n+A\n\n@@\n-b\n+B\n") == "A\n\nB\n"
    assert patched("a\nb\n", "@@\n-a\n+A\n\n@@\n-b\n+B\n") == "A\nB\n"


def test_what_fits_nowhere_is_told_with_hunk_and_nearest_place():
    message = refusal("def f():\n    return 41\n", "@@\n def f():\n-    return 42\n+    return 43\n")

    assert "hunk 1 does not fit f.py" in message
    assert "line 2 differs; yours: return 42" in message


def test_what_was_applied_before_is_told():
    message = refusal("def f():\n    return 43\n", "@@\n def f():\n-    return 42\n+    return 43\n")

    assert "applied before" in message
