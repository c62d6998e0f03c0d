"""edit_file: a part of a file, by the text that stands there (DESIGN W4, W5)."""

from __future__ import annotations

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import same_effect, text_digest
from steersman.agent.tool import Effect, Tool, ToolError
from steersman_tools.edit_file import EditFile
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import ChangedError, FileMissingError
from support.calling import call, plan_call, refusal
from support.memory_workspace import MemoryWorkspace

BOM = "\ufeff".encode()


def tool_on(workspace: MemoryWorkspace, seen: SeenTexts | None = None) -> EditFile:
    return EditFile(workspace, seen or SeenTexts())


def test_it_is_a_tool():
    assert isinstance(tool_on(MemoryWorkspace()), Tool)


async def test_the_plan_shows_the_exact_change():
    plan = await plan_call(
        tool_on(MemoryWorkspace({"src/app.py": "a\nb\n"})), path="src/app.py", old_text="b", new_text="c"
    )

    [change] = plan.changes
    assert plan.title == "edit src/app.py"
    assert (change.kind, change.before, change.after, change.display) == ("edit", "a\nb\n", "a\nc\n", "src/app.py")
    assert change.before_digest == text_digest("a\nb\n")
    assert plan.targets == (change.path,)
    assert plan.effects == {Effect.EDIT}


async def test_nothing_is_written_before_it_runs():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    tool = tool_on(workspace)
    plan = await plan_call(tool, path="a.txt", old_text="a", new_text="b")

    assert workspace.texts() == {"a.txt": "a\n"}
    result = await tool.run(plan, CancelSignal(), lambda _: None)
    assert workspace.texts() == {"a.txt": "b\n"}
    assert result.content == "Edited a.txt (+1 −1)."
    assert result.changes[0].added == result.changes[0].removed == 1
    assert workspace.labels == ["edit a.txt"]


async def test_the_same_call_on_a_text_that_moved_has_the_same_effect():
    workspace = MemoryWorkspace({"a.txt": "one\ntwo\n"})
    tool = tool_on(workspace)
    first = await plan_call(tool, path="a.txt", old_text="two", new_text="2")
    workspace.files["a.txt"] = b"zero\nmore\none\ntwo\n"
    with pytest.raises(ChangedError):
        await tool.run(first, CancelSignal(), lambda _: None)

    second = await plan_call(tool, path="a.txt", old_text="two", new_text="2")

    assert same_effect(first.changes, second.changes)
    await tool.run(second, CancelSignal(), lambda _: None)
    assert workspace.texts()["a.txt"] == "zero\nmore\none\n2\n"


async def test_editing_needs_no_reading_before():
    workspace = MemoryWorkspace({"a.txt": "a\n"})

    result = await call(tool_on(workspace), path="a.txt", old_text="a", new_text="b")

    assert set(result.seen.values()) == {""}


async def test_our_own_edit_of_a_text_that_was_seen_counts_as_seen():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    seen = SeenTexts()
    path = str(workspace.locate("a.txt").path)
    seen.update({path: text_digest("a\n")})

    result = await call(tool_on(workspace, seen), path="a.txt", old_text="a", new_text="b")

    assert result.seen == {path: text_digest("b\n")}
    assert seen.digest(path) == text_digest("b\n")


async def test_what_somebody_typed_meanwhile_does_not_count_as_seen():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    workspace.typed = lambda _, text: text + "typed\n"
    seen = SeenTexts()
    path = str(workspace.locate("a.txt").path)
    seen.update({path: text_digest("a\n")})

    result = await call(tool_on(workspace, seen), path="a.txt", old_text="a", new_text="b")

    assert result.seen == {path: ""}
    assert seen.digest(path) != text_digest("b\ntyped\n")


async def test_remarks_of_the_workspace_are_passed_on():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    workspace.notes = ("a.txt is open and not saved.",)

    result = await call(tool_on(workspace), path="a.txt", old_text="a", new_text="b")

    assert result.content.endswith("a.txt is open and not saved.")


async def test_a_tolerant_fit_is_told():
    workspace = MemoryWorkspace({"a.txt": "a  \nb\n"})

    result = await call(tool_on(workspace), path="a.txt", old_text="a\nb\n", new_text="a\nc\n")

    assert "but for trailing white space" in result.content
    assert workspace.texts() == {"a.txt": "a  \nc\n"}


async def test_replace_all_tells_how_many():
    workspace = MemoryWorkspace({"a.txt": "x x\nx\n"})

    result = await call(tool_on(workspace), path="a.txt", old_text="x", new_text="y", replace_all=True)

    assert "3 places were replaced." in result.content
    assert workspace.texts() == {"a.txt": "y y\ny\n"}


@pytest.mark.parametrize(
    "data",
    [
        pytest.param(BOM + b"a\r\nb\r\n", id="UTF-8 with BOM"),
        pytest.param("\ufeffa\r\nb\r\n".encode("utf-16-le"), id="report 11: UTF-16 with BOM, CRLF"),
        pytest.param("\ufeffa\r\nb\r\n".encode("utf-32-be"), id="UTF-32 with BOM"),
    ],
)
async def test_encoding_mark_and_line_endings_stay(data: bytes):
    workspace = MemoryWorkspace({"a.txt": data})

    await call(tool_on(workspace), path="a.txt", old_text="b", new_text="c\nd")

    encoding = {0xEF: "utf-8", 0xFF: "utf-16-le", 0x00: "utf-32-be"}[data[0]]
    assert workspace.files["a.txt"] == "\ufeffa\r\nc\r\nd\r\n".encode(encoding)


async def test_what_cannot_be_decoded_is_refused_and_untouched():
    data = b"const x = 1\n" + "中文内容".encode("gb18030") + b"\xff\xfe\x80"
    workspace = MemoryWorkspace({"a.js": data})

    message = await refusal(tool_on(workspace), path="a.js", old_text="x", new_text="y")

    assert "a.js" in message
    assert workspace.files == {"a.js": data}


async def test_a_character_that_cannot_be_written_is_refused_before_anybody_is_asked():
    message = await refusal(
        tool_on(MemoryWorkspace({"a.txt": "a\n"})), path="a.txt", old_text="a", new_text="half \ud83d"
    )

    assert "a.txt cannot be written" in message


async def test_a_missing_file_is_named():
    tool = tool_on(MemoryWorkspace())

    with pytest.raises(FileMissingError, match=r"missing\.py does not exist"):
        await call(tool, path="missing.py", old_text="a", new_text="b")


async def test_an_empty_old_text_creates_a_file_that_is_not_there():
    workspace = MemoryWorkspace()

    plan = await plan_call(tool_on(workspace), path="new/a.txt", old_text="", new_text="a\n")

    assert (plan.title, plan.changes[0].kind) == ("create new/a.txt", "create")
    await call(tool_on(workspace), path="new/a.txt", old_text="", new_text="a\n")
    assert workspace.texts() == {"new/a.txt": "a\n"}


async def test_an_empty_old_text_fills_an_empty_file():
    workspace = MemoryWorkspace({"a.txt": ""})

    await call(tool_on(workspace), path="a.txt", old_text="", new_text="a\n")

    assert workspace.texts() == {"a.txt": "a\n"}


async def test_an_empty_old_text_says_nothing_about_a_place_in_a_text():
    message = await refusal(tool_on(MemoryWorkspace({"a.txt": "a\n"})), path="a.txt", old_text="", new_text="b")

    assert "write_file" in message


async def test_a_document_in_conflict_is_not_edited():
    workspace = MemoryWorkspace({"a.txt": "a\n"})
    workspace.conflicts["a.txt"] = "changed in the editor and on disk"

    assert "changed in the editor" in await refusal(tool_on(workspace), path="a.txt", old_text="a", new_text="b")


async def test_a_path_outside_is_refused():
    with pytest.raises(ToolError, match="leads out"):
        await call(tool_on(MemoryWorkspace()), path="../x", old_text="a", new_text="b")


def test_unknown_arguments_are_errors():
    with pytest.raises(ValueError, match="extra"):
        EditFile.parameters.model_validate({"path": "a", "old_text": "a", "new_text": "b", "old_string": "a"})
