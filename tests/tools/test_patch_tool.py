"""apply_patch: several files, all of it or nothing (DESIGN W6)."""

from __future__ import annotations

import pytest

from steersman.agent.changes import text_digest
from steersman.agent.tool import Effect, ToolError
from steersman_tools.apply_patch import ApplyPatch
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import FileMissingError
from support.calling import call, plan_call, refusal
from support.memory_workspace import MemoryWorkspace

BOM = b"\xef\xbb\xbf"


def begin(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"]) + "\n"


async def applied(files: dict[str, str | bytes], patch: str) -> MemoryWorkspace:
    workspace = MemoryWorkspace(files)
    await call(ApplyPatch(workspace, SeenTexts()), patch=patch)
    return workspace


async def refused(files: dict[str, str | bytes], patch: str) -> str:
    """Return the words; nothing is changed."""
    workspace = MemoryWorkspace(files)
    before = dict(workspace.files)
    message = await refusal(ApplyPatch(workspace, SeenTexts()), patch=patch)
    assert workspace.files == before
    return message


async def test_all_kinds_of_changes_in_one_patch():
    workspace = MemoryWorkspace({"edit.txt": "a\n", "gone.txt": "x\n", "old.txt": "m\n"})
    patch = begin(
        "*** Update File: edit.txt",
        "-a",
        "+b",
        "*** Delete File: gone.txt",
        "*** Add File: new/n.txt",
        "+n",
        "*** Update File: old.txt",
        "*** Move to: moved.txt",
        "-m",
        "+M",
    )
    tool = ApplyPatch(workspace, SeenTexts())

    plan = await plan_call(tool, patch=patch)
    result = await call(tool, patch=patch)

    assert plan.title == "patch 4 files: edit edit.txt, delete gone.txt, create new/n.txt and 1 more"
    assert plan.effects == {Effect.EDIT, Effect.DELETE, Effect.MOVE}
    assert [change.kind for change in plan.changes] == ["edit", "delete", "create", "move"]
    assert workspace.texts() == {"edit.txt": "b\n", "new/n.txt": "n\n", "moved.txt": "M\n"}
    assert "Moved old.txt to moved.txt (+1 −1)." in result.content


async def test_one_changed_file_gives_the_title():
    tool = ApplyPatch(MemoryWorkspace({"a": "x\n"}), SeenTexts())

    assert (await plan_call(tool, patch=begin("*** Update File: a", "-x", "+y"))).title == "edit a"


async def test_report_4_a_byte_order_mark_is_never_seen_and_stays():
    workspace = await applied({"a.txt": BOM + b"one\r\ntwo\r\n"}, begin("*** Update File: a.txt", "-one", "+ONE"))

    assert workspace.files == {"a.txt": BOM + b"ONE\r\ntwo\r\n"}


async def test_report_5_a_patch_with_a_missing_file_adds_nothing_and_names_it():
    message = await refused({}, begin("*** Add File: A", "+a", "*** Update File: B", "-b", "+c"))

    assert "B does not exist" in message
    assert "Nothing of the patch was applied" in message


async def test_a_hunk_that_does_not_fit_is_named_with_its_file():
    message = await refused(
        {"a": "1\n", "dir/b.py": "x = 1\ny = 2\n"},
        begin("*** Update File: a", "-1", "+2", "*** Update File: dir/b.py", "@@", "-x = 1", "+x = 2", "@@", "-y = 3"),
    )

    assert "Updating dir/b.py: hunk 2 does not fit dir/b.py" in message
    assert "line 2 differs; yours: y = 3" in message


async def test_a_missing_file_keeps_its_kind_of_error():
    tool = ApplyPatch(MemoryWorkspace(), SeenTexts())

    with pytest.raises(FileMissingError):
        await call(tool, patch=begin("*** Delete File: a"))


async def test_an_addition_over_a_file_shows_before_and_after():
    workspace = MemoryWorkspace({"a": "old\r\n"})
    tool = ApplyPatch(workspace, SeenTexts())
    patch = begin("*** Add File: a", "+new")

    [change] = (await plan_call(tool, patch=patch)).changes

    assert (change.kind, change.before, change.after) == ("edit", "old\r\n", "new\r\n")


async def test_a_move_over_a_file_shows_before_and_after_of_both():
    workspace = MemoryWorkspace({"a": "from\n", "b": "existing\n"})
    tool = ApplyPatch(workspace, SeenTexts())
    patch = begin("*** Update File: a", "*** Move to: b", "-from", "+new")

    shown = {
        change.display: (change.kind, change.before, change.after)
        for change in (await plan_call(tool, patch=patch)).changes
    }
    await call(tool, patch=patch)

    assert shown == {"a": ("delete", "from\n", None), "b": ("edit", "existing\n", "new\n")}
    assert workspace.texts() == {"b": "new\n"}


async def test_a_unified_diff_overwrites_nothing():
    new = "--- /dev/null\n+++ b/a\n@@ -0,0 +1 @@\n+x\n"
    rename = "diff --git a/c b/a\nrename from c\nrename to a\n"

    assert "a exists already" in await refused({"a": "1\n"}, new)
    assert "a exists already" in await refused({"a": "1\n", "c": "2\n"}, rename)


async def test_a_file_may_be_touched_twice():
    workspace = await applied(
        {"a": "1\n2\n"}, begin("*** Update File: a", "-1", "+one", "*** Update File: a", "-2", "+two")
    )

    assert workspace.texts() == {"a": "one\ntwo\n"}


async def test_only_what_is_different_in_the_end_is_a_change():
    tool = ApplyPatch(MemoryWorkspace({"a": "1\n", "b": "x\n"}), SeenTexts())
    patch = begin(
        "*** Update File: a",
        "-1",
        "+2",
        "*** Update File: a",
        "-2",
        "+1",
        "*** Delete File: b",
        "*** Add File: b",
        "+y",
    )

    assert [(change.kind, change.display) for change in (await plan_call(tool, patch=patch)).changes] == [("edit", "b")]


async def test_files_may_change_places():
    workspace = await applied(
        {"a": "A\n", "b": "B\n"},
        begin(
            *("*** Update File: a", "*** Move to: c"),
            *("*** Update File: b", "*** Move to: a"),
            *("*** Update File: c", "*** Move to: b"),
        ),
    )

    assert workspace.texts() == {"a": "B\n", "b": "A\n"}


async def test_a_binary_file_moves_and_goes():
    data = bytes(range(256))
    rename = "diff --git a/a.bin b/b.bin\nsimilarity index 100%\nrename from a.bin\nrename to b.bin\n"

    assert (await applied({"a.bin": data}, rename)).files == {"b.bin": data}
    assert (await applied({"a.bin": data}, begin("*** Delete File: a.bin"))).files == {}


async def test_a_binary_file_is_not_patched_or_overwritten():
    data = bytes(range(256))

    assert "no text" in await refused({"a.bin": data}, begin("*** Update File: a.bin", "-x", "+y"))
    assert "exists already" in await refused({"a.bin": data}, begin("*** Add File: a.bin", "+x"))
    assert "overwrite" in await refused({"a.bin": data, "b": "x\n"}, begin("*** Update File: a.bin", "*** Move to: b"))


async def test_a_deletion_by_diff_takes_only_what_it_shows():
    diff = "--- a/f\n+++ /dev/null\n@@ -1 +0,0 @@\n-x\n"

    assert (await applied({"f": "x\n"}, diff)).files == {}
    assert "holds more" in await refused({"f": "x\ny\n"}, diff)


async def test_a_copy_leaves_the_original():
    diff = "diff --git a/a b/b\ncopy from a\ncopy to b\n--- a/a\n+++ b/b\n@@ -1 +1 @@\n-x\n+y\n"

    assert (await applied({"a": "x\n"}, diff)).texts() == {"a": "x\n", "b": "y\n"}


async def test_a_folder_called_like_a_prefix_is_found():
    diff = "--- a/f\n+++ b/f\n@@ -1 +1 @@\n-x\n+y\n"

    assert (await applied({"b/f": "x\n"}, diff)).texts() == {"b/f": "y\n"}


async def test_what_is_written_whole_counts_as_seen():
    workspace = MemoryWorkspace({"over": "old\n", "part": "a\n"})
    seen = SeenTexts()
    patch = begin("*** Add File: over", "+new", "*** Add File: fresh", "+f", "*** Update File: part", "-a", "+b")

    result = await call(ApplyPatch(workspace, seen), patch=patch)

    path = {name: str(workspace.locate(name).path) for name in ("over", "fresh", "part")}
    assert result.seen == {path["over"]: text_digest("new\n"), path["fresh"]: text_digest("f\n"), path["part"]: ""}


async def test_a_tolerant_fit_is_told():
    workspace = MemoryWorkspace({"a": "x  \ny\n"})

    result = await call(ApplyPatch(workspace, SeenTexts()), patch=begin("*** Update File: a", " x", "-y", "+z"))

    assert "a fitted but for trailing white space" in result.content
    assert workspace.texts() == {"a": "x  \nz\n"}


async def test_a_patch_that_changes_nothing_is_refused():
    assert "changes nothing" in await refused({"a": "x\n"}, begin("*** Update File: a", "-x", "+x"))


async def test_a_folder_a_link_and_a_path_outside_are_refused():
    workspace = MemoryWorkspace({"dir/a": "x\n", "target": "t\n"})
    workspace.links["link"] = "target"
    tool = ApplyPatch(workspace, SeenTexts())

    assert "dir is a folder" in await refusal(tool, patch=begin("*** Delete File: dir"))
    assert "symbolic link" in await refusal(tool, patch=begin("*** Delete File: link"))
    with pytest.raises(ToolError, match="leads out"):
        await call(tool, patch=begin("*** Add File: ../x", "+a"))


async def test_a_link_is_edited_where_it_leads():
    workspace = MemoryWorkspace({"target": "t\n"})
    workspace.links["link"] = "target"

    await call(ApplyPatch(workspace, SeenTexts()), patch=begin("*** Update File: link", "-t", "+T"))

    assert workspace.texts() == {"target": "T\n"}


async def test_what_cannot_be_encoded_is_refused_before_anybody_is_asked():
    message = await refused({}, begin("*** Add File: a", "+half \ud83d"))

    assert "cannot be written" in message


async def test_where_case_does_not_count_a_name_can_be_spelled_anew():
    workspace = MemoryWorkspace({"readme.md": "a\n"})
    workspace.folds = True

    await call(
        ApplyPatch(workspace, SeenTexts()),
        patch=begin("*** Update File: readme.md", "*** Move to: README.md", "-a", "+b"),
    )

    assert workspace.texts() == {"README.md": "b\n"}


async def test_a_patch_of_many_files_is_told_shortly():
    workspace = MemoryWorkspace()
    adds = [line for number in range(100) for line in (f"*** Add File: f{number}", "+x")]

    result = await call(ApplyPatch(workspace, SeenTexts()), patch=begin(*adds))

    assert len(workspace.files) == 100
    assert result.content.endswith("And 60 more files.")
