"""move_file: one file to a place where nothing is yet (DESIGN W12)."""

from __future__ import annotations

from dataclasses import replace

from steersman.agent.changes import text_digest
from steersman.agent.tool import Effect
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Location
from steersman_tools.move_file import MoveFile
from support.calling import call, plan_call, refusal
from support.memory_workspace import MemoryWorkspace


def tool_on(workspace: MemoryWorkspace, seen: SeenTexts | None = None) -> MoveFile:
    return MoveFile(workspace, seen or SeenTexts())


async def test_a_file_is_moved_as_it_is():
    workspace = MemoryWorkspace({"a.txt": b"\xef\xbb\xbfa\r\n"})

    result = await call(tool_on(workspace), path="a.txt", new_path="new/b.txt")

    assert workspace.files == {"new/b.txt": b"\xef\xbb\xbfa\r\n"}
    assert result.content == "Moved a.txt to new/b.txt."
    assert result.changes[0].moved_from == str(workspace.locate("a.txt").path)


async def test_the_plan_names_both_places():
    workspace = MemoryWorkspace({"a.txt": "a\n"})

    plan = await plan_call(tool_on(workspace), path="a.txt", new_path="b.txt")

    assert plan.title == "move a.txt to b.txt"
    assert plan.targets == tuple(str(workspace.locate(name).path) for name in ("a.txt", "b.txt"))
    assert plan.effects == {Effect.MOVE}
    assert (plan.changes[0].before, plan.changes[0].after) == ("a\n", "a\n")


async def test_a_path_that_ends_in_a_slash_is_a_folder():
    workspace = MemoryWorkspace({"a.txt": "a\n", "dir/b.txt": "b\n"})

    await call(tool_on(workspace), path="a.txt", new_path="dir/")

    assert sorted(workspace.files) == ["dir/a.txt", "dir/b.txt"]


async def test_nothing_is_overwritten():
    workspace = MemoryWorkspace({"a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n"})

    assert "b.txt exists already" in await refusal(tool_on(workspace), path="a.txt", new_path="b.txt")
    assert "dir exists already" in await refusal(tool_on(workspace), path="a.txt", new_path="dir")
    assert workspace.texts() == {"a.txt": "a\n", "b.txt": "b\n", "dir/c.txt": "c\n"}


async def test_a_binary_file_is_moved_by_its_bytes():
    data = bytes(range(256))
    workspace = MemoryWorkspace({"a.bin": data})

    plan = await plan_call(tool_on(workspace), path="a.bin", new_path="b.bin")
    await call(tool_on(workspace), path="a.bin", new_path="b.bin")

    assert (plan.changes[0].before, plan.changes[0].after) == (None, None)
    assert workspace.files == {"b.bin": data}


async def test_what_was_seen_stays_seen_at_the_new_place():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    old, new = (str(workspace.locate(name).path) for name in ("a.txt", "b.txt"))
    seen = SeenTexts()
    seen.update({old: text_digest("a\n")})

    result = await call(tool_on(workspace, seen), path="a.txt", new_path="b.txt")

    assert result.seen == {new: text_digest("a\n")}
    assert (seen.digest(old), seen.digest(new)) == (None, text_digest("a\n"))


async def test_what_cannot_be_moved_is_named():
    workspace = MemoryWorkspace({"dir/a.txt": "a\n", "target": "t\n"})
    workspace.links["link"] = "target"
    tool = tool_on(workspace)

    assert "missing does not exist" in await refusal(tool, path="missing", new_path="x")
    assert "dir is a folder" in await refusal(tool, path="dir", new_path="x")
    assert "the same file" in await refusal(tool, path="target", new_path="dir/../target")
    assert "symbolic link to target" in await refusal(tool, path="link", new_path="x")


class FoldingWorkspace(MemoryWorkspace):
    """Takes every spelling of ``README.md`` for the file, as a system that folds case does."""

    def locate(self, path: str) -> Location:
        location = super().locate(path)
        if "README.md" not in self.files or path == "README.md" or path.lower() != "readme.md":
            return location
        return replace(super().locate("README.md"), respelled=location.path)


async def test_a_rename_that_changes_case_alone_is_one():
    workspace = FoldingWorkspace({"README.md": "a\n"})

    plan = await plan_call(tool_on(workspace), path="README.md", new_path="readme.md")

    assert plan.title == "move README.md to readme.md"
    assert (plan.changes[0].path, plan.changes[0].moved_from) == ("/workspace/readme.md", "/workspace/README.md")


async def test_where_case_does_not_count_a_name_can_be_spelled_anew():
    workspace = MemoryWorkspace({"dir/readme.md": "a\n"})
    workspace.folds = True

    plan = await plan_call(tool_on(workspace), path="dir/readme.md", new_path="dir/README.md")
    await call(tool_on(workspace), path="dir/readme.md", new_path="dir/README.md")

    assert plan.title == "move dir/readme.md to dir/README.md"
    assert workspace.texts() == {"dir/README.md": "a\n"}
    assert "the same file" in await refusal(tool_on(workspace), path="dir/README.md", new_path="dir/README.md")
