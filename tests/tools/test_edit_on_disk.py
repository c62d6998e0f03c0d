"""The editing tools on real files: what a disk has beside bytes stays, and a failing patch leaves nothing (W2, W6)."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Tool, ToolError
from steersman_tools.apply_patch import ApplyPatch
from steersman_tools.delete_file import DeleteFile
from steersman_tools.edit_file import EditFile
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.ripgrep import Ripgrep
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import ChangedError, Root
from steersman_tools.move_file import MoveFile
from steersman_tools.write_file import WriteFile
from support.calling import call, plan_call, refusal


class Tools:
    """All editing tools on one folder."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.workspace = DiskWorkspace([Root("ws", folder)])
        seen = SeenTexts()
        lister = Lister(Ripgrep())
        self.edit: Tool = EditFile(self.workspace, seen, lister)
        self.write: Tool = WriteFile(self.workspace, seen)
        self.patch: Tool = ApplyPatch(self.workspace, seen, lister)
        self.move: Tool = MoveFile(self.workspace, seen, lister)
        self.delete: Tool = DeleteFile(self.workspace, seen, lister)

    def tree(self) -> dict[str, bytes]:
        files = (path for path in self.folder.rglob("*") if path.is_file() and not path.is_symlink())
        return {path.relative_to(self.folder).as_posix(): path.read_bytes() for path in files}

    def put(self, name: str, data: bytes) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
        return path


@pytest.fixture
def tools(tmp_path: Path) -> Tools:
    return Tools(tmp_path.resolve())


def begin(*lines: str) -> str:
    return "\n".join(["*** Begin Patch", *lines, "*** End Patch"]) + "\n"


async def test_every_tool_does_its_work(tools: Tools):
    tools.put("a.txt", b"one\r\ntwo\r\n")

    await call(tools.edit, path="a.txt", old_text="two", new_text="2\nthree")
    await call(tools.write, path="new/b.txt", content="b\n")
    await call(tools.patch, patch=begin("*** Update File: a.txt", "-one", "+1", "*** Add File: c.txt", "+c"))
    await call(tools.move, path="new/b.txt", new_path="b.txt")
    await call(tools.delete, path="c.txt")

    assert tools.tree() == {"a.txt": b"1\r\n2\r\nthree\r\n", "b.txt": b"b\n"}


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
async def test_the_mode_of_a_file_stays(tools: Tools):
    path = tools.put("run.sh", b"#!/bin/sh\necho a\n")
    path.chmod(0o755)

    await call(tools.edit, path="run.sh", old_text="echo a", new_text="echo b")
    await call(tools.patch, patch=begin("*** Update File: run.sh", "*** Move to: go.sh", "-echo b", "+echo c"))

    assert stat.S_IMODE((tools.folder / "go.sh").stat().st_mode) == 0o755


async def test_a_link_is_edited_where_it_leads_and_stays_a_link(tools: Tools):
    tools.put("real.txt", b"a\n")
    (tools.folder / "link.txt").symlink_to("real.txt")

    await call(tools.edit, path="link.txt", old_text="a", new_text="b")

    assert (tools.folder / "link.txt").is_symlink()
    assert tools.tree() == {"real.txt": b"b\n"}
    assert "symbolic link" in await refusal(tools.delete, path="link.txt")


async def test_a_missing_file_is_refused_with_the_names_that_exist(tools: Tools):
    tools.put("src/application.py", b"x\n")

    for tool, arguments in [
        (tools.edit, {"path": "application.py", "old_text": "a", "new_text": "b"}),
        (tools.delete, {"path": "src/aplication.py"}),
        (tools.move, {"path": "src/aplication.py", "new_path": "x"}),
        (tools.patch, {"patch": begin("*** Update File: lib/application.py", "-x", "+y")}),
    ]:
        assert "did you mean src/application.py?" in await refusal(tool, **arguments)


async def test_report_5_a_patch_that_fails_leaves_no_trace(tools: Tools):
    tools.put("a.txt", b"a\n")
    before = tools.tree()

    message = await refusal(
        tools.patch,
        patch=begin("*** Add File: new/x", "+x", "*** Update File: a.txt", "-a", "+b", "*** Update File: B", "-b"),
    )

    assert "B does not exist" in message
    assert tools.tree() == before
    assert sorted(path.name for path in tools.folder.iterdir()) == ["a.txt"]


async def test_a_file_that_moves_on_after_the_plan_is_not_touched(tools: Tools):
    path = tools.put("a.txt", b"a\n")
    other = tools.put("b.txt", b"b\n")
    plan = await plan_call(
        tools.patch, patch=begin("*** Update File: b.txt", "-b", "+B", "*** Update File: a.txt", "-a", "+A")
    )
    path.write_bytes(b"somebody else\n")

    with pytest.raises(ChangedError):
        await tools.patch.run(plan, CancelSignal(), lambda _: None)

    assert path.read_bytes() == b"somebody else\n"
    assert other.read_bytes() == b"b\n"


async def test_report_13_names_of_devices_are_refused(tools: Tools):
    for name in ("nul", "aux.txt", "COM1.log"):
        with pytest.raises(ToolError):
            await call(tools.write, path=name, content="x")
    assert tools.tree() == {}


async def test_report_14_brackets_in_a_path_are_literal(tools: Tools):
    name = "app/(g)/issues/[id]/page.tsx"
    await call(tools.write, path=name, content="a\n")
    await call(tools.edit, path=name, old_text="a", new_text="b")
    await call(tools.patch, patch=begin(f"*** Update File: {name}", "-b", "+c"))

    assert tools.tree() == {name: b"c\n"}


async def test_report_10_a_legacy_encoding_stays_one(tools: Tools):
    text = "こんにちは世界。これは日本語の文章です。\n" * 20
    tools.put("a.txt", text.encode("shift_jis"))
    before = tools.tree()

    try:
        await call(tools.edit, path="a.txt", old_text=text, new_text=text + "追加\n")
    except ToolError:
        assert tools.tree() == before
    else:
        assert tools.tree() == {"a.txt": (text + "追加\n").encode("shift_jis")}


async def test_report_9_bytes_that_are_no_text_stay_or_nothing_is_done(tools: Tools):
    data = b"const x = 1\n" + "你好，世界".encode("gb18030") + b"\n"
    tools.put("a.js", data)

    try:
        await call(tools.edit, path="a.js", old_text="x = 1", new_text="x = 2")
    except ToolError:
        assert tools.tree() == {"a.js": data}
    else:
        assert tools.tree() == {"a.js": data.replace(b"x = 1", b"x = 2")}


async def test_a_file_in_the_way_of_a_folder_is_named(tools: Tools):
    tools.put("a", b"x\n")

    assert "a" in await refusal(tools.write, path="a/b.txt", content="x")
    assert tools.tree() == {"a": b"x\n"}


async def test_files_of_megabytes_are_edited(tools: Tools):
    text = "".join(f"line {number}\n" for number in range(400_000))
    tools.put("big.txt", text.encode())

    await call(tools.edit, path="big.txt", old_text="line 399999", new_text="the last line")
    await call(tools.patch, patch=begin("*** Update File: big.txt", " line 200000", "-line 200001", "+changed"))

    wanted = text.replace("line 399999", "the last line").replace("line 200001\n", "changed\n")
    assert tools.tree() == {"big.txt": wanted.encode()}


@pytest.mark.skipif(sys.platform == "win32", reason="no named pipes on Windows")
async def test_what_is_no_regular_file_is_refused_at_once(tools: Tools):
    os.mkfifo(tools.folder / "pipe")

    for tool, arguments in [
        (tools.edit, {"path": "pipe", "old_text": "a", "new_text": "b"}),
        (tools.write, {"path": "pipe", "content": "x"}),
        (tools.delete, {"path": "pipe"}),
        (tools.move, {"path": "pipe", "new_path": "x"}),
    ]:
        assert "pipe" in await refusal(tool, **arguments)
