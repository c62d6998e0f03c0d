"""Commands about sessions, permissions and status, through the face (PROTOCOL §2)."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steersman.models.scripted import AtGate, call, reply
from support.face import Face
from support.lsp_client import LspError

Make = Callable[..., Face]


async def test_sessions_are_listed_newest_first_and_found_by_text(make_face: Make) -> None:
    face = make_face(reply("One."), reply("Two about zebras."))
    await face.initialize()
    first, second = await face.run("one"), await face.run("two")
    listed = await face.client.command("steersman.sessions.list", {"folder": face.folder.as_uri()})
    assert listed["total"] == 2
    assert [each["id"] for each in listed["sessions"]] == [second["sessionId"], first["sessionId"]]
    assert listed["sessions"][0]["folder"] == face.folder.as_uri()
    found = await face.client.command("steersman.sessions.list", {"query": "zebras"})
    assert [each["id"] for each in found["sessions"]] == [second["sessionId"]]
    page = await face.client.command("steersman.sessions.list", {"limit": 1, "offset": 1})
    assert [each["id"] for each in page["sessions"]] == [first["sessionId"]]


async def test_a_search_tells_the_best_session_first_with_its_line(make_face: Make) -> None:
    face = make_face(reply("One zebra.\nAnd a line more."), reply("Nothing here."), reply("Last."))
    await face.initialize()
    said, _, titled = await face.run("one"), await face.run("two"), await face.run("Zebra crossings")
    hits = (await face.client.command("steersman.sessions.search", {"query": "zebra"}))["hits"]
    assert [(hit["session"]["id"], hit["seq"], hit["role"], hit["line"]) for hit in hits] == [
        (titled["sessionId"], None, "title", "Zebra crossings"),
        (said["sessionId"], 1, "assistant", "One zebra."),
    ]
    one = {"query": "zebra", "limit": 1, "folder": face.folder.as_uri()}
    assert len((await face.client.command("steersman.sessions.search", one))["hits"]) == 1
    assert await face.client.command("steersman.sessions.search", {"query": "nowhere"}) == {"hits": []}


async def test_a_session_is_shown_from_a_message_on(make_face: Make) -> None:
    face = make_face(reply("One."))
    await face.initialize()
    session = (await face.run("one"))["sessionId"]
    got = await face.client.command("steersman.sessions.get", {"sessionId": session, "after": 0})
    assert [(message["seq"], message["content"]) for message in got["messages"]] == [(1, "One.")]
    assert got["session"]["id"] == session


async def test_a_session_is_renamed_and_deleted(make_face: Make) -> None:
    face = make_face(reply("One."))
    await face.initialize()
    session = {"sessionId": (await face.run("one"))["sessionId"]}
    renamed = await face.client.command("steersman.sessions.rename", {**session, "title": "My title"})
    assert renamed["session"]["title"] == "My title"
    assert await face.client.command("steersman.sessions.delete", session) == {"deleted": True}
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.sessions.get", session)
    assert caught.value.data["kind"] == "session_not_found"


async def test_a_busy_session_is_not_deleted(make_face: Make) -> None:
    face = make_face(reply("One ", AtGate("mid")))
    await face.initialize()
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    await face.model.gates["mid"].wait_reached()
    (run,) = (await face.client.command("steersman.status"))["runs"]
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.sessions.delete", {"sessionId": run["sessionId"]})
    assert caught.value.data["kind"] == "session_busy"
    face.model.gates["mid"].open()
    await running.answer


async def test_a_fork_has_the_past_of_its_parent(make_face: Make) -> None:
    face = make_face(reply("One."))
    await face.initialize()
    session = (await face.run("one"))["sessionId"]
    fork = (await face.client.command("steersman.sessions.fork", {"sessionId": session}))["session"]
    assert fork["parentId"] == session
    got = await face.client.command("steersman.sessions.get", {"sessionId": fork["id"]})
    assert [message["content"] for message in got["messages"]] == ["one", "One."]


async def test_permissions_are_listed_and_reset(make_face: Make) -> None:
    write = [call("write_file", {"path": f"{n}.txt", "content": "x"}) for n in range(2)]
    face = make_face(reply(write[0]), reply("Done."))
    await face.initialize(initializationOptions={"client": {"approvals": True}})
    face.client.on("steersman/requestApproval", lambda _: {"optionId": "allow_always"})
    await face.run()
    rules = (await face.client.command("steersman.permissions.list"))["rules"]
    assert len(rules) == 1
    removed = await face.client.command("steersman.permissions.reset", {"folder": face.folder.as_uri()})
    assert removed["removed"] >= 1
    assert (await face.client.command("steersman.permissions.list"))["rules"] == []


async def test_models_are_listed(make_face: Make) -> None:
    face = make_face()
    await face.initialize()
    models = (await face.client.command("steersman.models"))["models"]
    assert "demo/rules" in [model["id"] for model in models]


async def test_status_tells_how_things_stand(make_face: Make) -> None:
    face = make_face()
    await face.initialize()
    status = await face.client.command("steersman.status")
    assert status["folders"] == [face.folder.as_uri()]
    assert status["stateDir"] == str(face.state)
    assert (status["model"], status["mode"], status["runs"]) == ("scripted/model", "ask", [])


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        ("steersman.sessions.get", {}),
        ("steersman.sessions.list", {"limit": 0}),
        ("steersman.sessions.search", {}),
        ("steersman.sessions.search", {"query": "x", "limit": 501}),
        ("steersman.sessions.list", {"folders": "x"}),
        ("steersman.sessions.rename", {"sessionId": "x"}),
        ("steersman.answer", {"runId": "x"}),
        ("steersman.rewind", {"sessionId": "x"}),
        ("steersman.cancel", {"force": "yes"}),
        ("steersman.status", {"verbose": True}),
        ("steersman.models", {"refresh": 1}),
    ],
)
async def test_wrong_parameters_of_any_command_are_refused(make_face: Make, command: str, arguments: Any) -> None:
    face = make_face()
    await face.initialize()
    with pytest.raises(LspError) as caught:
        await face.client.command(command, arguments)
    assert caught.value.code == -32602
    assert caught.value.message.startswith(command)


async def test_a_state_folder_that_cannot_be_used_is_named_and_the_run_goes_on_in_memory(make_face: Make) -> None:
    face = make_face(reply("Hello."))
    face.state.write_text("in the way")
    await face.initialize()
    assert (await face.run())["answer"] == "Hello."
    warnings = (await face.client.command("steersman.status"))["warnings"]
    assert any(str(face.state) in warning for warning in warnings)
    assert any(str(face.state) in params["message"] for params in face.client.of("window/showMessage"))


async def test_sessions_that_cannot_be_read_are_no_empty_list_and_are_there_once_they_can(make_face: Make) -> None:
    face = make_face(reply("Hello."))
    face.state.write_text("in the way")
    await face.initialize()
    for command, params in [
        ("steersman.sessions.list", {}),
        ("steersman.sessions.search", {"query": "x"}),
        ("steersman.sessions.get", {"sessionId": "x"}),
        ("steersman.run", {"prompt": "go on", "sessionId": "x"}),
    ]:
        with pytest.raises(LspError) as caught:
            await face.client.command(command, params)
        assert caught.value.data["kind"] == "storage"
    face.state.unlink()
    assert await face.client.command("steersman.sessions.list", {}) == {"sessions": [], "total": 0}
    session = (await face.run())["sessionId"]
    assert (await face.client.command("steersman.sessions.list", {}))["sessions"][0]["id"] == session
    assert list(face.state.glob("workspaces/*/sessions.db"))


async def test_an_export_is_content_or_a_file_that_is_never_overwritten_unasked(
    make_face: Make, tmp_path: Path
) -> None:
    face = make_face(reply("One."))
    await face.initialize()
    session = {"sessionId": (await face.run("one"))["sessionId"]}
    content = (await face.client.command("steersman.sessions.export", {**session, "format": "markdown"}))["content"]
    assert "One." in content
    path = tmp_path / "out.md"
    written = {**session, "format": "markdown", "path": str(path)}
    assert await face.client.command("steersman.sessions.export", written) == {"uri": path.as_uri()}
    path.write_text("mine")
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.sessions.export", written)
    assert caught.value.data["kind"] == "invalid_request"
    assert path.read_text() == "mine"
    await face.client.command("steersman.sessions.export", {**written, "path": path.as_uri(), "force": True})
    assert path.read_text() == content
    await face.client.command("steersman.sessions.export", {**written, "path": "inside.md"})
    assert (face.folder / "inside.md").exists()


async def test_a_rewind_takes_back_what_a_run_wrote_and_can_be_undone(make_face: Make) -> None:
    face = make_face(reply(call("write_file", {"path": "new.txt", "content": "x"})), reply("Done."))
    await face.initialize()
    face.answer_with("Allow once")
    session = (await face.run())["sessionId"]
    rewound = await face.client.command("steersman.rewind", {"sessionId": session, "toMessage": 0})
    assert rewound["restored"] == [(face.folder / "new.txt").as_uri()]
    assert not (face.folder / "new.txt").exists()
    await face.client.command("steersman.rewind.undo", {"rewindId": rewound["rewindId"]})
    assert (face.folder / "new.txt").read_text() == "x"


async def test_undoing_a_rewind_overwrites_what_was_changed_since_only_when_forced(make_face: Make) -> None:
    face = make_face(reply(call("write_file", {"path": "new.txt", "content": "x"})), reply("Done."))
    await face.initialize()
    face.answer_with("Allow once")
    session, path = (await face.run())["sessionId"], face.folder / "new.txt"
    rewound = await face.client.command("steersman.rewind", {"sessionId": session, "toMessage": 0})
    path.write_text("mine")
    undone = await face.client.command("steersman.rewind.undo", {"rewindId": rewound["rewindId"]})
    assert ([each["uri"] for each in undone["conflicts"]], path.read_text()) == ([path.as_uri()], "mine")
    await face.client.command("steersman.rewind.undo", {"rewindId": rewound["rewindId"], "force": True})
    assert path.read_text() == "x"


async def test_a_dry_run_of_a_rewind_shows_what_would_be_done_and_that_is_then_done_or_nothing(make_face: Make) -> None:
    face = make_face(reply(call("write_file", {"path": "new.txt", "content": "x\n"})), reply("Done."))
    await face.initialize()
    face.answer_with("Allow once")
    session, path = (await face.run())["sessionId"], face.folder / "new.txt"
    asked = {"sessionId": session, "toMessage": 0, "force": True}
    shown = await face.client.command("steersman.rewind", {**asked, "dryRun": True})
    assert shown["restored"] == [path.as_uri()]
    assert [(each["uri"], each["kind"], each["before"], each["after"]) for each in shown["files"]] == [
        (path.as_uri(), "delete", "x\n", None)
    ]
    assert "rewindId" not in shown
    assert path.read_text() == "x\n"
    path.write_text("typed meanwhile\n")
    again = await face.client.command("steersman.rewind", {**asked, "preview": shown["preview"]})
    assert (again["files"][0]["before"], path.read_text()) == ("typed meanwhile\n", "typed meanwhile\n")
    done = await face.client.command("steersman.rewind", {**asked, "preview": again["preview"]})
    assert done["rewindId"]
    assert "files" not in done
    assert not path.exists()
