"""write_file: a whole file, new or seen (DESIGN W4)."""

from __future__ import annotations

import pytest

from steersman.agent.changes import text_digest
from steersman_tools.edit_file import EditFile
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.write_file import WriteFile
from support.calling import call, plan_call, refusal
from support.memory_workspace import MemoryWorkspace


def seen_whole(workspace: MemoryWorkspace, *names: str) -> SeenTexts:
    """Return what is remembered after reading these files to their end."""
    seen = SeenTexts()
    texts = workspace.texts()
    seen.update({str(workspace.locate(name).path): text_digest(texts[name]) for name in names})
    return seen


async def test_a_new_file_is_written_as_given():
    workspace = MemoryWorkspace()

    result = await call(WriteFile(workspace, SeenTexts()), path="src/new.py", content="a\r\nb")

    assert workspace.files == {"src/new.py": b"a\r\nb"}
    assert result.content == "Created src/new.py (+2)."


async def test_the_plan_of_a_new_file_is_a_creation():
    plan = await plan_call(WriteFile(MemoryWorkspace(), SeenTexts()), path="a.txt", content="a\n")

    assert plan.title == "create a.txt"
    assert [(change.kind, change.before_digest, change.after) for change in plan.changes] == [("create", None, "a\n")]


async def test_what_was_written_counts_as_seen():
    workspace = MemoryWorkspace()
    tool = WriteFile(workspace, SeenTexts())
    await call(tool, path="a.txt", content="a\n")

    await call(tool, path="a.txt", content="b\n")

    assert workspace.texts() == {"a.txt": "b\n"}


async def test_a_file_that_was_never_read_is_not_overwritten():
    workspace = MemoryWorkspace({"a.txt": "mine\n"})

    message = await refusal(WriteFile(workspace, SeenTexts()), path="a.txt", content="b\n")

    assert "you have not read it" in message
    assert workspace.texts() == {"a.txt": "mine\n"}


async def test_a_file_that_was_read_in_part_is_not_overwritten():
    workspace = MemoryWorkspace({"a.txt": "mine\n"})
    seen = SeenTexts()
    seen.update({str(workspace.locate("a.txt").path): ""})

    assert "only a part" in await refusal(WriteFile(workspace, seen), path="a.txt", content="b\n")


async def test_report_6_a_file_that_changed_since_it_was_read_is_not_overwritten():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    seen = seen_whole(workspace, "a.txt")
    workspace.files["a.txt"] = b"changed outside\n"

    message = await refusal(WriteFile(workspace, seen), path="a.txt", content="b\n")

    assert "changed since you read it" in message
    assert workspace.texts() == {"a.txt": "changed outside\n"}


async def test_report_6_but_after_our_own_edit_it_is():
    workspace = MemoryWorkspace({"a.txt": "a\nb\n"})
    seen = seen_whole(workspace, "a.txt")
    edit = EditFile(workspace, seen)
    await call(edit, path="a.txt", old_text="a", new_text="A")
    await call(edit, path="a.txt", old_text="b", new_text="B")

    await call(WriteFile(workspace, seen), path="a.txt", content="all new\n")

    assert workspace.texts() == {"a.txt": "all new\n"}


async def test_an_edit_of_what_changed_outside_does_not_make_it_seen():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    seen = seen_whole(workspace, "a.txt")
    workspace.files["a.txt"] = b"unseen\na\n"
    await call(EditFile(workspace, seen), path="a.txt", old_text="a\n", new_text="b\n")

    assert "changed since" in await refusal(WriteFile(workspace, seen), path="a.txt", content="c\n")


async def test_an_empty_file_has_nothing_to_lose():
    workspace = MemoryWorkspace({"a.txt": ""})

    await call(WriteFile(workspace, SeenTexts()), path="a.txt", content="a\n")

    assert workspace.texts() == {"a.txt": "a\n"}


@pytest.mark.parametrize("content", ["a\nb\n", "a\r\nb\r\n"])
async def test_equal_content_is_an_error(content: str):
    workspace = MemoryWorkspace({"a.txt": "a\r\nb\r\n"})

    assert "already holds exactly this" in await refusal(
        WriteFile(workspace, seen_whole(workspace, "a.txt")), path="a.txt", content=content
    )


@pytest.mark.parametrize(
    ("data", "written"),
    [
        pytest.param(b"a\r\nb\r\n", b"x\r\ny\r\n", id="CRLF"),
        pytest.param(b"a\rb\r", b"x\ry\r", id="CR"),
        pytest.param(b"\xef\xbb\xbfa\nb\n", b"\xef\xbb\xbfx\ny\n", id="BOM"),
        pytest.param("\ufeffa\r\nb".encode("utf-16-le"), "\ufeffx\r\ny\r\n".encode("utf-16-le"), id="UTF-16"),
    ],
)
async def test_an_existing_file_keeps_its_style(data: bytes, written: bytes):
    workspace = MemoryWorkspace({"a.txt": data})

    await call(WriteFile(workspace, seen_whole(workspace, "a.txt")), path="a.txt", content="x\ny\n")

    assert workspace.files == {"a.txt": written}


async def test_lines_that_stay_keep_their_mixed_endings():
    workspace = MemoryWorkspace({"a.txt": b"a\r\nb\rc\nd\r\n"})

    await call(WriteFile(workspace, seen_whole(workspace, "a.txt")), path="a.txt", content="a\nb\nC\nd\n")

    assert workspace.files == {"a.txt": b"a\r\nb\rC\nd\r\n"}


async def test_a_byte_order_mark_in_the_content_is_not_doubled():
    workspace = MemoryWorkspace({"a.txt": b"\xef\xbb\xbfa\n"})

    await call(WriteFile(workspace, seen_whole(workspace, "a.txt")), path="a.txt", content="\ufeffb\n")

    assert workspace.files == {"a.txt": b"\xef\xbb\xbfb\n"}


async def test_a_binary_file_is_not_overwritten():
    data = bytes(range(256))
    workspace = MemoryWorkspace({"a.bin": data})

    assert "a.bin" in await refusal(WriteFile(workspace, SeenTexts()), path="a.bin", content="x")
    assert workspace.files == {"a.bin": data}


async def test_a_folder_is_not_overwritten():
    message = await refusal(WriteFile(MemoryWorkspace({"dir/a": "a"}), SeenTexts()), path="dir", content="x")

    assert "folder" in message
