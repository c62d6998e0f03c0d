"""From initialize to exit: what is announced, what is refused when, what is closed (PROTOCOL §1)."""

from collections.abc import Callable
from typing import Any

import pytest

from steersman.models.scripted import AtGate, reply
from support.face import Face
from support.lsp_client import LspError

Make = Callable[..., Face]


async def test_initialize_announces_commands_and_features(make_face: Make) -> None:
    answer = await make_face().initialize()
    capabilities = answer["capabilities"]
    assert answer["serverInfo"]["name"] == "steersman"
    assert capabilities["positionEncoding"] == "utf-8"
    assert capabilities["executeCommandProvider"]["workDoneProgress"] is True
    assert set(capabilities["executeCommandProvider"]["commands"]) == {
        "steersman.run",
        "steersman.start",
        "steersman.wait",
        "steersman.cancel",
        "steersman.steer",
        "steersman.setMode",
        "steersman.approvals.list",
        "steersman.answer",
        "steersman.sessions.list",
        "steersman.sessions.search",
        "steersman.sessions.get",
        "steersman.sessions.rename",
        "steersman.sessions.delete",
        "steersman.sessions.fork",
        "steersman.sessions.export",
        "steersman.sessions.takeOver",
        "steersman.rewind",
        "steersman.rewind.undo",
        "steersman.permissions.list",
        "steersman.permissions.reset",
        "steersman.status",
        "steersman.models",
    }


async def test_the_first_request_has_to_be_initialize(make_face: Make) -> None:
    face = make_face()
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.status")
    assert caught.value.code == -32002


async def test_initialize_twice_is_refused(make_face: Make) -> None:
    face = make_face()
    await face.initialize()
    with pytest.raises(LspError) as caught:
        await face.initialize()
    assert caught.value.code == -32600


async def test_after_shutdown_only_exit_is_taken(make_face: Make) -> None:
    face = make_face()
    await face.initialize()
    assert await face.client.request("shutdown") is None
    with pytest.raises(LspError) as caught:
        await face.client.command("steersman.status")
    assert caught.value.code == -32600
    face.client.notify("exit")
    await face.client.wait_for(lambda: True)
    with pytest.raises(LspError):
        await face.client.request("shutdown")
    assert face.left == [0]


async def test_exit_without_shutdown_is_a_failure(make_face: Make) -> None:
    face = make_face()
    face.client.notify("exit")
    with pytest.raises(LspError):
        await face.client.request("shutdown")
    assert face.left == [1]


async def test_shutdown_during_a_run_closes_it_and_answers_everything(make_face: Make) -> None:
    face = make_face(reply("I am ", AtGate("mid")))
    await face.initialize()
    running = face.client.start_command("steersman.run", {"prompt": "do"})
    await face.model.gates["mid"].wait_reached()
    assert await face.client.request("shutdown") is None
    assert running.answer.done()
    assert running.answer.result()["stopReason"] == "aborted"


@pytest.mark.parametrize("root", [{"rootUri": None}, {"rootUri": None, "workspaceFolders": []}])
async def test_no_folder_is_needed_until_a_run_needs_one(make_face: Make, root: Any) -> None:
    face = make_face()
    await face.initialize(**root)
    assert (await face.client.command("steersman.status"))["folders"] == []
    with pytest.raises(LspError, match="folder") as caught:
        await face.run()
    assert caught.value.data["kind"] == "invalid_request"


async def test_the_clients_process_is_watched(make_face: Make) -> None:
    face = make_face()
    await face.initialize(processId=4711)
    assert face.watched == [4711]


async def test_a_client_that_declares_nothing_can_run(make_face: Make) -> None:
    face = make_face(reply("Hello."))
    await face.initialize({})
    assert (await face.run())["answer"] == "Hello."
    assert face.client.of("$/progress") == []


async def test_odd_options_are_warnings_in_status(make_face: Make) -> None:
    face = make_face()
    await face.initialize(
        initializationOptions={"steersman": {"modell": "x/y", "client": {"event": True}, "showAnswer": 3}}
    )
    warnings = " ".join((await face.client.command("steersman.status"))["warnings"])
    for name in ("modell", "client.event", "showAnswer"):
        assert name in warnings


async def test_workspace_configuration_only_tightens(make_face: Make) -> None:
    """A clone's settings may not loosen the mode or name a model (reports 38)."""
    face = make_face()
    section = {"mode": "plan", "model": "evil/model", "providers": {"openai": {"baseUrl": "http://evil"}}}
    face.client.on("workspace/configuration", lambda _: [section])
    await face.initialize({"workspace": {"configuration": True}})
    await face.client.wait_for_message("workspace/configuration")
    status = await face.client.command("steersman.status")
    assert (status["mode"], status["model"]) == ("plan", "scripted/model")
    assert "providers" in " ".join(status["warnings"])
    section.clear()
    section["mode"] = "auto"
    face.client.notify("workspace/didChangeConfiguration", {"settings": None})
    await face.client.wait_for_message("workspace/configuration", 2)
    assert (await face.client.command("steersman.status"))["mode"] == "ask"


async def test_folders_may_change_while_it_runs(make_face: Make) -> None:
    face = make_face(reply("Hello."))
    await face.initialize(rootUri=None)
    await face.client.command("steersman.status")
    added = [{"uri": face.folder.as_uri(), "name": "work"}]
    face.client.notify("workspace/didChangeWorkspaceFolders", {"event": {"added": added, "removed": []}})
    assert (await face.run())["stopReason"] == "complete"
    assert (await face.client.command("steersman.status"))["folders"] == [face.folder.as_uri()]


async def test_an_unknown_command_is_named(make_face: Make) -> None:
    face = make_face()
    await face.initialize()
    with pytest.raises(LspError, match="no command steersman") as caught:
        await face.client.command("steersman.runn")
    assert caught.value.code == -32602
