"""Reading unified diffs (DESIGN W6)."""

from __future__ import annotations

import pytest

from steersman_tools.patch.git_names import GitNames, names_of_git_header, names_of_pair, unquoted
from steersman_tools.patch.model import AddFile, DeleteFile, Hunk, PatchError, PatchLine, UpdateFile
from steersman_tools.patch.parsing import parse_patch


def parsed(text: str) -> list[AddFile | DeleteFile | UpdateFile]:
    [reading] = parse_patch(text)
    return reading


def updated(text: str) -> UpdateFile:
    [update] = parsed(text)
    assert isinstance(update, UpdateFile)
    return update


def shown(hunk: Hunk) -> list[str]:
    return [line.kind + line.text for line in hunk.lines]


def refusal(text: str) -> str:
    with pytest.raises(PatchError) as caught:
        parse_patch(text)
    return str(caught.value)


def test_a_diff_of_gits_is_read():
    update = updated(
        "diff --git a/src/a.py b/src/a.py\nindex 123..456 100644\n--- a/src/a.py\n+++ b/src/a.py\n"
        "@@ -3,3 +3,3 @@ def f():\n x\n-y\n+z\n w\n@@ -10 +10,2 @@\n a\n+b\n"
    )

    assert (update.path, update.new_path) == ("src/a.py", None)
    assert [hunk.line_number for hunk in update.hunks] == [3, 10]
    assert shown(update.hunks[0]) == [" x", "-y", "+z", " w"]
    assert shown(update.hunks[1]) == [" a", "+b"]


def test_wrong_counts_do_not_matter():
    update = updated("--- a/f\n+++ b/f\n@@ -1,9 +1,9 @@\n a\n-b\n+c\n@@ -20,1 +20,1 @@\n-x\n+y\n+z\n")

    assert [shown(hunk) for hunk in update.hunks] == [[" a", "-b", "+c"], ["-x", "+y", "+z"]]


def test_lines_that_look_like_headers_are_lines_where_the_counts_say_so():
    update = updated("--- a/f\n+++ b/f\n@@ -1,2 +1,2 @@\n--- old\n+++ new\n x\n")

    assert shown(update.hunks[0]) == ["--- old", "+++ new", " x"]


def test_a_mail_around_the_diff_does_not_matter():
    update = updated(
        "From 123 Mon Sep 17\nSubject: [PATCH] x\n\n---\n f | 2 +-\n\ndiff --git a/f b/f\n--- a/f\n+++ b/f\n"
        "@@ -1 +1 @@\n-a\n+b\n-- \n2.39.0\n"
    )

    assert shown(update.hunks[0]) == ["-a", "+b"]


def test_new_and_deleted_files_are_told_by_their_names_or_modes():
    patches = parsed(
        "diff --git a/n b/n\nnew file mode 100644\n--- /dev/null\n+++ b/n\n@@ -0,0 +1,2 @@\n+a\n+b\n"
        "\\ No newline at end of file\n"
        "diff --git a/d b/d\ndeleted file mode 100644\n--- a/d\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"
        "diff --git a/e b/e\nnew file mode 100644\nindex 0000000..e69de29\n"
    )

    assert patches[0] == AddFile("n", "a\nb")
    assert isinstance(patches[1], DeleteFile)
    assert (patches[1].path, shown(patches[1].hunks[0])) == ("d", ["-x"])
    assert patches[2] == AddFile("e", "")


def test_renames_and_copies_are_read():
    patches = parsed(
        "diff --git a/a b/b\nsimilarity index 100%\nrename from a\nrename to b\n"
        "diff --git a/c b/d\ncopy from c\ncopy to d\n--- a/c\n+++ b/d\n@@ -1 +1 @@\n-x\n+y\n"
    )

    assert patches[0] == UpdateFile("a", (), "b")
    assert isinstance(patches[1], UpdateFile)
    assert (patches[1].path, patches[1].new_path, patches[1].is_copy) == ("c", "d", True)


def test_plain_diffs_carry_times():
    update = updated("--- f.py\t2024-01-02 03:04:05.000 +0000\n+++ f.py\t2024-01-02\n@@ -1 +1 @@\n-a\n+b\n")

    assert update.path == "f.py"


def test_the_file_before_its_new_version_is_the_one_that_is_meant():
    assert updated("--- f.py\n+++ f.py.new\n@@ -1 +1 @@\n-a\n+b\n").path == "f.py"
    assert updated("--- f.py.orig\n+++ f.py\n@@ -1 +1 @@\n-a\n+b\n").path == "f.py"


def test_a_header_without_numbers_may_hold_an_anchor():
    update = updated("--- a/f\n+++ b/f\n@@ def f():\n-a\n+b\n@@ ... @@\n-c\n")

    assert update.hunks[0].anchors == ("def f():",)
    assert shown(update.hunks[1]) == ["-c"]


def test_a_missing_final_newline_is_marked():
    update = updated("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\n\\ No newline at end of file\n+b\n")

    assert update.hunks[0].lines == (PatchLine("-", "a", ""), PatchLine("+", "b"))


def test_a_diff_with_lone_carriage_returns_can_be_read_in_two_ways():
    """Here only one of them agrees with the counts."""
    update = updated("--- a/f\n+++ b/f\n@@ -1 +1 @@\n-a\rb\n+a\rc\n")

    assert [(line.kind + line.text, line.ending) for line in update.hunks[0].lines] == [
        ("-a", "\r"),
        ("-b", "\n"),
        ("+a", "\r"),
        ("+c", "\n"),
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("diff --git a/i.png b/i.png\nBinary files a/i.png and b/i.png differ\n", "binary"),
        ("diff --git a/i.png b/i.png\nGIT binary patch\nliteral 1\n", "binary"),
        ("diff --git a/s b/s\nold mode 100644\nnew mode 100755\n", "mode of s"),
        ("diff --git a/s b/s\nnew file mode 100755\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x\n", "mode of s"),
        ("diff --git a/s b/s\nnew file mode 120000\n--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x\n", "mode of s"),
        ("diff --git a/s b/s\nindex 1..2\n", "update of s holds no change"),
        ("--- /dev/null\n+++ b/s\n@@ -0,0 +1 @@\n+x\n y\n", "not added"),
        ("diff --git a/i b/i\n@@ -1 +1 @@\n", "no change"),
    ],
)
def test_what_cannot_be_done_whole_is_refused(text: str, words: str):
    assert words in refusal(text)


@pytest.mark.parametrize(
    ("old", "new", "names"),
    [
        ("a/x", "b/x", GitNames("x", "x", "b/x")),
        ("x", "x", GitNames("x", "x")),
        ("a/x", "a/x", GitNames("a/x", "a/x", "x")),
        ("/dev/null", "b/x", GitNames(None, "x", "b/x")),
        ("a/x", "/dev/null", GitNames("x", None, "a/x")),
        ('"a/\\303\\244\\t.txt"', '"b/\\303\\244\\t.txt"', GitNames("ä\t.txt", "ä\t.txt", "b/ä\t.txt")),
        ("i/x", "w/x", GitNames("x", "x", "w/x")),
    ],
)
def test_names_are_told_from_their_prefixes(old: str, new: str, names: GitNames):
    assert names_of_pair(old, new) == names


def test_names_with_spaces_are_told_by_being_the_same():
    assert names_of_git_header("diff --git a/my file b/my file").new == "my file"
    assert names_of_git_header("diff --git a/x b/y").new == "y"


def test_quotes_are_taken_off():
    assert unquoted('"a\\"b\\\\c\\344"') == 'a"b\\c\udce4'
    assert unquoted("plain") == "plain"
