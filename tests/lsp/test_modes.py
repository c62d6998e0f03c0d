"""``steersman.setMode``: the mode of runs at work (DESIGN A1)."""

import asyncio
from collections.abc import Callable

import pytest

from steersman.models.scripted import AtGate, call, reply
from support.face import Face
from support.lsp_client import LspError

Make = Callable[..., Face]

WRITE = call("write_file", {"path": "new.txt", "content": "hello\n"})


async def test_a_run_at_work_obeys_the_new_mode_with_its_next_call(make_face: Make) -> None:
    face = make_face(reply("First ", AtGate("mid"), WRITE), reply("Written."))
    await face.initialize()
    running = asyncio.ensure_future(face.run(mode="ask"))
    await face.model.gates["mid"].wait_reached()
    status = await face.client.command("steersman.status", {})
    changed = await face.client.command("steersman.setMode", {"mode": "accept-edits"})
    assert changed == {"changed": [status["runs"][0]["runId"]]}
    face.model.gates["mid"].open()
    assert (await running)["stopReason"] == "complete"
    assert (face.folder / "new.txt").read_text() == "hello\n"
    assert face.client.of("window/showMessageRequest") == []


async def test_a_named_session_changes_alone(make_face: Make) -> None:
    face = make_face(reply(AtGate("mid"), "done"))
    await face.initialize()
    running = asyncio.ensure_future(face.run())
    await face.model.gates["mid"].wait_reached()
    assert await face.client.command("steersman.setMode", {"mode": "plan", "sessionId": "another"}) == {"changed": []}
    face.model.gates["mid"].open()
    await running


async def test_a_mode_that_is_none_is_an_error_that_names_it(make_face: Make) -> None:
    face = make_face()
    await face.initialize()
    with pytest.raises(LspError, match="mode"):
        await face.client.command("steersman.setMode", {"mode": "yolo"})
