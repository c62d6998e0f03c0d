from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import ToolCall
from steersman.sessions.export.diffs import compare, diffs_of
from support.sample_session import tool_call


def shown(call: ToolCall) -> list[tuple[str, str]]:
    return [(diff.title, "|".join(mark + line for mark, line in diff.lines)) for diff in diffs_of(call)]


def test_an_edit_shows_what_differs():
    call = tool_call(1, "edit_file", path="a.py", old_text="one\ntwo\n", new_text="one\n2\n")
    assert shown(call) == [("a.py", " one|-two|+2")]


def test_a_new_file_is_all_added():
    assert shown(tool_call(1, "write_file", path="a.py", content="x\r\ny")) == [("a.py", "+x|+y")]


def test_a_patch_is_split_into_its_files():
    patch = (
        "*** Begin Patch\n*** Add File: a\n+x\n*** Update File: b\n*** Move to: c\n@@ def f\n x\n-y\n+z\n"
        "*** Delete File: d\n*** End Patch\n"
    )
    assert shown(tool_call(1, "apply_patch", patch=patch)) == [
        ("a", "+x"),
        ("b", "@@@ def f| x|-y|+z"),
        ("d (deleted)", ""),
    ]


def test_a_unified_diff_is_split_too():
    patch = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1 +1 @@\n-a\n+b\n--- a/y\n+++ b/y\n@@ -1 +1 @@\n-c\n+d\n"
    assert shown(tool_call(1, "apply_patch", patch=patch)) == [
        ("x", "@@@ -1 +1 @@|-a|+b"),
        ("y", "@@@ -1 +1 @@|-c|+d"),
    ]


def test_moves_and_deletions_are_named():
    assert shown(tool_call(1, "move_file", path="a", new_path="b")) == [("a → b", "")]
    assert shown(tool_call(1, "delete_file", path="a")) == [("a (deleted)", "")]


def test_other_calls_and_broken_arguments_have_none():
    assert diffs_of(tool_call(1, "read_file", path="a")) == []
    assert diffs_of(ToolCall("c1", "edit_file", '{"path": "a')) == []
    assert diffs_of(ToolCall("c1", "edit_file", '["path"]')) == []
    assert diffs_of(ToolCall("c1", "write_file", '{"path": 1, "content": null}'))[0].lines == ()


def test_far_apart_changes_have_a_gap_between_them():
    old = "\n".join(map(str, range(30)))
    marks = [mark for mark, _ in compare(old, old.replace("2\n", "x\n", 1).replace("28\n", "y\n"))]
    assert "@" in marks


@given(
    st.lists(st.sampled_from(["a", "b", "c", ""]), max_size=12), st.lists(st.sampled_from(["a", "b", "c"]), max_size=12)
)
def test_added_and_removed_lines_are_those_of_the_texts(old: list[str], new: list[str]):
    lines = compare("".join(f"{line}\n" for line in old), "".join(f"{line}\n" for line in new))
    removed = [line for mark, line in lines if mark == "-"]
    added = [line for mark, line in lines if mark == "+"]
    assert len(new) - len(old) == len(added) - len(removed)
    assert all(line in old for line in removed)
    assert all(line in new for line in added)
