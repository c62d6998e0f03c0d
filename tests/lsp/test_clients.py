"""The whole server under the capability profiles of real clients, with buffers and positions of their own (pytest-lsp)."""

import asyncio
from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException

from support.editor import ENCODINGS, PROFILES, editor

DISK = "x = 1\n"
BUFFER = "# öäü 😀 unsaved\nx = 1  # 𝄞\ny = 'ß'\n"
EDIT = {"call": "edit_file", "arguments": {"path": "a.py", "old_text": "x = 1  # 𝄞", "new_text": "x = 2  # 😀"}}
WRITE = {"call": "write_file", "arguments": {"path": "new.txt", "content": "hello\n"}}
STUCK = ["I am ", {"gate": "mid"}, "done."]


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("encoding", ENCODINGS)
async def test_an_unsaved_buffer_is_read_and_edited_in_any_encoding(
    tmp_path: Path, profile: str, encoding: str
) -> None:
    read = {"call": "read_file", "arguments": {"path": "a.py"}}
    async with editor(tmp_path, [[read], [EDIT], ["Edited."]], profile=profile, encoding=encoding) as ed:
        (ed.folder / "a.py").write_text(DISK)
        ed.open("a.py", BUFFER)
        result = await ed.command("steersman.run", {"prompt": "change it"}, token="tok")
        assert result["answer"] == "Edited."
        assert ed.text("a.py") == BUFFER.replace("x = 1  # 𝄞", "x = 2  # 😀")
        assert (ed.folder / "a.py").read_text() == DISK
        assert result["changes"] == [{"uri": ed.uri("a.py"), "kind": "edit", "added": 1, "removed": 1, "saved": False}]
        session = await ed.command("steersman.sessions.get", {"sessionId": result["sessionId"]})
        assert "unsaved" in session["messages"][2]["content"]
        kinds = ed.progress("tok")
        assert (kinds[0], kinds[-1], kinds.count("begin"), kinds.count("end")) == ("begin", "end", 1, 1)
        assert [question.message.partition("\n")[0] for question in ed.questions] == [
            "Steersman wants to edit a.py (+1 −1)"
        ]


@pytest.mark.parametrize("profile", PROFILES)
async def test_a_closed_file_is_written_on_disk_and_a_rejected_edit_changes_nothing(
    tmp_path: Path, profile: str
) -> None:
    async with editor(tmp_path, [[WRITE], ["Written."], [EDIT], ["Then not."]], profile=profile) as ed:
        (ed.folder / "a.py").write_text(DISK)
        ed.open("a.py", BUFFER)
        ed.answers = ["Allow once", "Reject"]
        written = await ed.command("steersman.run", {"prompt": "write"})
        assert [change["kind"] for change in written["changes"]] == ["create"]
        assert (ed.folder / "new.txt").read_text() == "hello\n"
        rejected = await ed.command("steersman.run", {"prompt": "change it"})
        assert (rejected["answer"], rejected["changes"]) == ("Then not.", [])
        assert ed.text("a.py") == BUFFER


@pytest.mark.parametrize(
    ("profile", "way"), [("neovim", "request"), ("visual_studio_code", "progress"), ("emacs", "command")]
)
async def test_each_way_to_cancel_answers_an_aborted_result(tmp_path: Path, profile: str, way: str) -> None:
    async with editor(tmp_path, [STUCK], profile=profile) as ed:
        running = ed.start("steersman.run", {"prompt": "do"}, request_id="run-1", token="tok")
        await ed.reached("mid")
        match way:
            case "request":
                ed.client.cancel_request(types.CancelParams("run-1"))
            case "progress":
                ed.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("tok"))
            case _:
                assert len((await ed.command("steersman.cancel"))["cancelled"]) == 1
        result = await running
        assert result["stopReason"] == "aborted"
        assert ed.progress("tok")[-1] == "end"


async def test_a_cancel_during_the_question_discards_the_late_answer(tmp_path: Path) -> None:
    async with editor(tmp_path, [[WRITE], ["never"]]) as ed:
        late: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        ed.answers = [late]
        running = ed.start("steersman.run", {"prompt": "do"}, request_id="run-1")
        await ed.is_asked.wait()
        ed.client.cancel_request(types.CancelParams("run-1"))
        assert (await running)["stopReason"] == "aborted"
        if not late.done():
            late.set_result("Allow once")
        assert (await ed.command("steersman.status"))["runs"] == []
        assert not (ed.folder / "new.txt").exists()
        assert [message.message for message in ed.client.messages if message.type == types.MessageType.Error] == []


async def test_two_runs_side_by_side_and_a_busy_session(tmp_path: Path) -> None:
    async with editor(tmp_path, [["One ", {"gate": "one"}], ["Two ", {"gate": "two"}]]) as ed:
        first = ed.start("steersman.run", {"prompt": "one"}, request_id="run-1", token="a")
        await ed.reached("one")
        second = ed.start("steersman.run", {"prompt": "two"}, request_id="run-2", token="b")
        await ed.reached("two")
        runs = (await ed.command("steersman.status"))["runs"]
        assert len(runs) == 2
        with pytest.raises(JsonRpcException) as caught:
            await ed.command("steersman.run", {"prompt": "x", "sessionId": runs[0]["sessionId"]})
        assert caught.value.code == -32803
        ed.gates.open("two")
        assert (await second)["answer"] == "Two "
        ed.gates.open("one")
        assert (await first)["answer"] == "One "


async def test_an_editor_that_hides_typing_is_asked_about_open_files_in_every_mode(tmp_path: Path) -> None:
    async with editor(tmp_path, [[WRITE], [EDIT], ["Edited."]], profile="emacs") as ed:
        ed.open("a.py", BUFFER)
        result = await ed.command("steersman.run", {"prompt": "change it", "mode": "auto"})
        assert [change["kind"] for change in result["changes"]] == ["create", "edit"]
        assert len(ed.questions) == 1
        assert "a.py" in ed.questions[0].message


async def test_a_command_sees_what_the_agent_wrote_when_the_person_lets_it_be_saved(tmp_path: Path) -> None:
    """The buffer was dirty before, so nothing is saved behind the person's back: they are asked (DESIGN W2)."""
    run = {"call": "run_command", "arguments": {"command": "cat a.py"}}
    async with editor(
        tmp_path, [[EDIT], [run], ["Seen."]], profile="visual_studio_code", client={"saveDocuments": True}
    ) as ed:
        (ed.folder / "a.py").write_text(DISK)
        ed.open("a.py", BUFFER)
        ed.answers = ["Allow once", "Save and go on"]
        result = await ed.command("steersman.run", {"prompt": "change it, then show it"})
        session = await ed.command("steersman.sessions.get", {"sessionId": result["sessionId"]})
        assert "x = 2  # 😀" in session["messages"][4]["content"]
        assert (ed.folder / "a.py").read_text(encoding="utf-8") == ed.text("a.py")


async def test_wrong_parameters_are_invalid_params(tmp_path: Path) -> None:
    async with editor(tmp_path, []) as ed:
        with pytest.raises(JsonRpcException, match="promt") as caught:
            await ed.command("steersman.run", {"promt": "x"})
        assert caught.value.code == -32602


async def test_shutdown_during_a_run_is_answered_and_the_run_closed(tmp_path: Path) -> None:
    async with editor(tmp_path, [STUCK]) as ed:
        running = ed.start("steersman.run", {"prompt": "do"}, request_id="run-1")
        await ed.reached("mid")
        await ed.client.shutdown_async(None)
        assert (await running)["stopReason"] == "aborted"
        ed.client.exit(None)
        ed.client.capabilities = None  # the session is shut down already


async def test_actions_and_lenses_are_offered_and_start_runs(tmp_path: Path) -> None:
    async with editor(tmp_path, [["Done."]]) as ed:
        uri = ed.open("a.py", "# steersman: make it so\nx = 1\n")
        document = types.TextDocumentIdentifier(uri)
        (lens,) = await ed.client.text_document_code_lens_async(types.CodeLensParams(document)) or []
        where = types.Range(types.Position(0, 0), types.Position(0, 0))
        context = types.CodeActionContext(diagnostics=[])
        offered = await ed.client.text_document_code_action_async(types.CodeActionParams(document, where, context))
        assert "Steersman: do this – make it so" in [action.title for action in offered or []]
        assert lens.command is not None
        started = await ed.command(lens.command.command, plain_argument(lens.command))
        result = await ed.command("steersman.wait", {"runId": started["runId"]})
        assert result["answer"] == "Done."


def plain_argument(command: types.Command) -> Any:
    (argument,) = command.arguments or ()
    return argument
