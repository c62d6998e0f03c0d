"""delete_file: one file, never a folder (DESIGN W12)."""

from __future__ import annotations

from steersman.agent.changes import text_digest
from steersman.agent.tool import Effect
from steersman_tools.delete_file import DeleteFile
from steersman_tools.kit.seen import SeenTexts
from support.calling import call, plan_call, refusal
from support.memory_workspace import MemoryWorkspace


async def test_a_file_is_deleted():
    workspace = MemoryWorkspace({"a.txt": "a\n", "b.txt": "b\n"})

    result = await call(DeleteFile(workspace, SeenTexts()), path="a.txt")

    assert workspace.texts() == {"b.txt": "b\n"}
    assert result.content == "Deleted a.txt."
    assert [(change.kind, change.removed) for change in result.changes] == [("delete", 1)]


async def test_the_plan_shows_what_goes():
    plan = await plan_call(DeleteFile(MemoryWorkspace({"a.txt": "a\n"}), SeenTexts()), path="a.txt")

    [change] = plan.changes
    assert (plan.title, plan.effects) == ("delete a.txt", {Effect.DELETE})
    assert (change.before, change.after, change.before_digest) == ("a\n", None, text_digest("a\n"))


async def test_a_binary_file_is_deleted_by_its_bytes():
    workspace = MemoryWorkspace({"a.bin": bytes(range(256))})

    await call(DeleteFile(workspace, SeenTexts()), path="a.bin")

    assert workspace.files == {}


async def test_what_is_deleted_is_not_seen_any_more():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    path = str(workspace.locate("a.txt").path)
    seen = SeenTexts()
    seen.update({path: text_digest("a\n")})

    await call(DeleteFile(workspace, seen), path="a.txt")

    assert seen.digest(path) is None


async def test_what_cannot_be_deleted_is_named_and_stays():
    workspace = MemoryWorkspace({"dir/a.txt": "a\n", "target": "t\n"})
    workspace.links["link"] = "target"
    tool = DeleteFile(workspace, SeenTexts())

    assert "dir is a folder" in await refusal(tool, path="dir")
    assert "missing does not exist" in await refusal(tool, path="missing")
    assert "symbolic link to target" in await refusal(tool, path="link")
    assert workspace.texts() == {"dir/a.txt": "a\n", "target": "t\n"}
