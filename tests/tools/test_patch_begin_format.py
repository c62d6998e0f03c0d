"""Reading the ``*** Begin Patch`` format (DESIGN W6)."""

from __future__ import annotations

import pytest

from steersman_tools.patch.model import AddFile, DeleteFile, Hunk, PatchError, PatchLine, UpdateFile
from steersman_tools.patch.parsing import parse_patch


def parsed(*lines: str) -> list[AddFile | DeleteFile | UpdateFile]:
    [reading] = parse_patch("\n".join(["*** Begin Patch", *lines, "*** End Patch"]) + "\n")
    return reading


def hunks(*lines: str) -> tuple[Hunk, ...]:
    [update] = parsed("*** Update File: a.py", *lines)
    assert isinstance(update, UpdateFile)
    return update.hunks


def shown(hunk: Hunk) -> list[str]:
    return [line.kind + line.text for line in hunk.lines]


def refusal(text: str) -> str:
    with pytest.raises(PatchError) as caught:
        parse_patch(text)
    return str(caught.value)


def test_all_actions_are_read_in_order():
    patches = parsed(
        "*** Add File: new.py",
        "+a",
        "+",
        "+b",
        "*** Delete File: old.py",
        "*** Update File: a b/c.py",
        "*** Move to: d.py",
        "@@ def f():",
        " x",
        "-y",
        "+z",
    )

    assert patches[:2] == [AddFile("new.py", "a\n\nb\n", may_overwrite=True), DeleteFile("old.py")]
    update = patches[2]
    assert isinstance(update, UpdateFile)
    assert (update.path, update.new_path) == ("a b/c.py", "d.py")
    assert update.hunks[0].anchors == ("def f():",)
    assert shown(update.hunks[0]) == [" x", "-y", "+z"]


def test_several_anchors_narrow_down_one_after_the_other():
    [hunk] = hunks("@@ class A", "@@ def f(self):", "-x", "+y")

    assert hunk.anchors == ("class A", "def f(self):")


def test_blank_lines_between_anchors_do_not_matter():
    [hunk] = hunks("@@ class A", "", "@@ def f(self):", "-x", "+y")

    assert hunk.anchors == ("class A", "def f(self):")


def test_an_anchor_may_be_closed_and_may_be_empty():
    first, second = hunks("@@ def f(): @@", "-x", "@@", "-y")

    assert (first.anchors, second.anchors) == (("def f():",), ())


def test_line_numbers_in_a_header_are_a_hint():
    [hunk] = hunks("@@ -10,2 +10,3 @@ def f():", "-x", "+y")

    assert (hunk.line_number, hunk.anchors) == (10, ())


def test_the_end_of_file_closes_a_hunk():
    first, second = hunks("@@", "-x", "+y", "*** End of File", "@@", "-z")

    assert (first.at_end, second.at_end) == (True, False)


def test_a_blank_line_without_its_space_is_context():
    [hunk] = hunks("@@", " a", "", "-b", "")

    assert shown(hunk) == [" a", " ", "-b", " "]
    assert hunk.loose_blanks == 1


def test_context_without_its_space_is_context():
    [hunk] = hunks("@@", "def f():", "-    x", "+    y")

    assert shown(hunk) == [" def f():", "-    x", "+    y"]


def test_a_missing_newline_is_marked():
    [hunk] = hunks("@@", "-x", "\\ No newline at end of file", "+y")

    assert hunk.lines == (PatchLine("-", "x", ""), PatchLine("+", "y"))


def test_markers_inside_content_are_content():
    patches = parsed("*** Add File: a.md", "+*** End Patch", "+*** Add File: b.md", "*** Delete File: c")

    assert patches[0] == AddFile("a.md", "*** End Patch\n*** Add File: b.md\n", may_overwrite=True)


def test_markers_inside_context_are_context():
    [hunk] = hunks("@@", " *** Begin Patch", " *** Update File: x", "-a", " *** End Patch")

    assert shown(hunk) == [" *** Begin Patch", " *** Update File: x", "-a", " *** End Patch"]


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("apply_patch <<'EOF'\n{}\nEOF\n", id="heredoc"),
        pytest.param("<<EOF\n{}\nEOF", id="bare heredoc"),
        pytest.param("```diff\n{}\n```\n", id="fence"),
        pytest.param("Here it is:\n\n{}\n\nThat is all.", id="prose"),
        pytest.param("  {}  ", id="padding"),
    ],
)
def test_what_is_wrapped_around_a_patch_does_not_matter(text: str):
    [reading] = parse_patch(text.format("*** Begin Patch\n*** Delete File: a\n*** End Patch"))

    assert reading == [DeleteFile("a")]


def test_two_patches_in_one_text_are_one():
    one = "*** Begin Patch\n*** Add File: a\n+x\n*** End Patch\n"
    two = "*** Begin Patch\n*** Update File: b\n-y\n*** End Patch\n"

    [reading] = parse_patch(one + "\n" + two)

    assert [patch.path for patch in reading] == ["a", "b"]


def test_a_missing_beginning_does_not_matter():
    [reading] = parse_patch("*** Update File: a\n@@\n-x\n+y\n*** End Patch")

    assert [patch.path for patch in reading] == ["a"]


def test_headers_may_be_padded_and_of_any_case():
    patches = parsed("  *** update file: a.py  ", "-x")

    assert [patch.path for patch in patches] == ["a.py"]


def test_blank_lines_in_a_new_file_need_no_plus_inside():
    patches = parsed("*** Add File: a", "+x", "", "+y", "", "*** Delete File: b")

    assert patches[0] == AddFile("a", "x\n\ny\n", may_overwrite=True)


def test_a_new_file_may_be_empty():
    assert parsed("*** Add File: a") == [AddFile("a", "", may_overwrite=True)]


def test_a_move_needs_no_change():
    assert parsed("*** Update File: a", "*** Move to: b") == [UpdateFile("a", (), "b", may_overwrite=True)]


def test_line_endings_of_the_patch_are_kept_for_what_it_makes():
    [reading] = parse_patch("*** Begin Patch\r\n*** Add File: a\r\n+x\r\n*** End Patch\r\n")

    assert reading == [AddFile("a", "x\r\n", may_overwrite=True)]


def test_a_patch_that_was_cut_off_is_refused():
    assert "cut off" in refusal("*** Begin Patch\n*** Add File: a\n+x\n")


def test_an_unknown_header_is_named_with_its_line():
    message = refusal("*** Begin Patch\n*** Frobnicate File: a\n*** End Patch")

    assert "line 2" in message
    assert "*** Frobnicate File: a" in message


def test_a_new_file_without_plus_signs_is_refused():
    assert "“+”" in refusal("*** Begin Patch\n*** Add File: a\nx\n*** End Patch")


def test_an_update_without_change_is_refused():
    assert "update of a holds no change" in refusal("*** Begin Patch\n*** Update File: a\n*** End Patch")


def test_an_empty_patch_and_no_patch_are_refused():
    assert "empty" in refusal("*** Begin Patch\n*** End Patch\n")
    assert "no patch" in refusal("just some words\n")


def test_a_diffs_names_after_the_header_do_not_matter():
    [hunk] = hunks("--- a/a.py", "+++ b/a.py", "@@ -1 +1 @@", "-x", "+y")

    assert shown(hunk) == ["-x", "+y"]


def test_a_diff_within_the_marks_of_a_patch_is_a_diff():
    [update] = parsed("--- a/a.py", "+++ b/a.py", "@@ -1 +1 @@", "-x", "+y")

    assert isinstance(update, UpdateFile)
    assert update.path == "a.py"
    assert shown(update.hunks[0]) == ["-x", "+y"]


def test_a_diff_of_a_text_about_patches_is_a_diff():
    diff = "--- a/doc.md\n+++ b/doc.md\n@@ -1,3 +1,3 @@\n *** Begin Patch\n *** Update File: x\n-a\n+b\n"
    [[update]] = parse_patch(diff)

    assert update.path == "doc.md"
