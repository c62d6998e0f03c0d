"""A session that another program holds: who holds it is told, and it can be taken over (PROTOCOL §2, DESIGN S4)."""

import time
import uuid

import pytest

from steersman.agent.errors import SessionLockedError
from steersman.agent.messages import UserMessage
from steersman.sessions.store import SessionStore
from support.lsp_client import LspError
from support.lsp_process import lsp_process

HOLDER = "Neovim (pid 4711)"


@pytest.fixture
async def scene(tmp_path):
    """A server, and a session that another program holds; yields the server, the session's id, and what holds it."""
    async with lsp_process(tmp_path, [["It is mine now."]]) as server:
        await server.initialize()
        store = SessionStore.open(tmp_path / "state", server.folder, clock=time.time, new_id=lambda: uuid.uuid4().hex)
        session = store.create("one")
        with store.acquire(session.id, HOLDER) as handle:
            handle.append(UserMessage("one"))
            yield server, session.id, handle
        store.close()


async def refused(server, command, **arguments):
    with pytest.raises(LspError) as failure:
        await server.client.command(command, arguments)
    return failure.value


async def test_a_run_is_refused_with_the_holder_s_name_and_what_to_do(scene):
    server, session, _ = scene
    error = await refused(server, "steersman.run", prompt="two", sessionId=session)
    assert HOLDER in error.message
    assert error.data["kind"] == "session_locked"
    assert f"steersman sessions take-over {session[:8]}" in error.data["hint"]


async def test_a_run_takes_it_over_and_the_holder_writes_nothing_more(scene):
    server, session, handle = scene
    result = await server.client.command("steersman.run", {"prompt": "two", "sessionId": session, "takeOver": True})
    assert result["answer"] == "It is mine now."
    with pytest.raises(SessionLockedError, match="was taken over"):
        handle.append(UserMessage("late"))
    shown = await server.client.command("steersman.sessions.get", {"sessionId": session})
    assert [message["content"] for message in shown["messages"]] == ["one", "two", "It is mine now."]


async def test_the_command_leaves_it_free_for_whatever_comes(scene):
    server, session, handle = scene
    taken = await server.client.command("steersman.sessions.takeOver", {"sessionId": session})
    assert (taken["takenFrom"], taken["session"]["running"]) == (HOLDER, False)
    again = await server.client.command("steersman.sessions.takeOver", {"sessionId": session})
    assert again["takenFrom"] is None
    with pytest.raises(SessionLockedError):
        handle.append(UserMessage("late"))
    await server.client.command("steersman.sessions.delete", {"sessionId": session})


async def test_the_server_s_own_run_is_not_taken_but_cancelled(tmp_path):
    async with lsp_process(tmp_path, [["busy ", {"gate": "held"}]]) as server:
        await server.initialize()
        started = await server.client.command("steersman.start", {"prompt": "one"})
        await server.reached("held")
        error = await refused(server, "steersman.sessions.takeOver", sessionId=started["sessionId"])
        assert error.data["kind"] == "session_busy"
        await server.client.command("steersman.cancel", {})


async def test_there_must_be_a_session_to_take_over(scene):
    server, _, _ = scene
    error = await refused(server, "steersman.run", prompt="two", takeOver=True)
    assert error.code == -32602
    assert "nothing to take over" in error.message


async def test_an_export_has_files_and_secrets_only_when_asked(scene, tmp_path):
    server, session, handle = scene
    token = "ghp_" + "a1B2" * 9
    handle.append(UserMessage(f"my token is {token}"))

    async def export(**options):
        export = {"sessionId": session, "format": "json"} | options
        return (await server.client.command("steersman.sessions.export", export))["content"]

    assert token not in await export()
    assert token in await export(keepSecrets=True)
    assert '"files"' not in await export()
    assert '"files": []' in await export(files=True)
    error = await refused(server, "steersman.sessions.export", sessionId=session, format="markdown", files=True)
    assert "JSON export only" in error.message
