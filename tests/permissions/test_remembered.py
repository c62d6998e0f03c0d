"""What was allowed beyond one call is listed, in words, and can be taken back (PROTOCOL ``permissions.list/reset``)."""

from __future__ import annotations

from pathlib import Path

import pytest

from steersman.agent.model import CallPiece
from steersman.app import HeadlessApp
from steersman.configuration import load_settings
from steersman.models.scripted import ScriptedClient, call, reply
from steersman.permissions.modes import Mode
from steersman.permissions.question import Answer
from steersman.runs import RunRequest
from support.permission import ScriptedAsker

MODEL = "scripted/model"


class Office:
    """One program at work in one folder, with a person who answers in order."""

    def __init__(self, folder: Path, state: Path, *answers: str) -> None:
        environ = {"STEERSMAN_STATE_DIR": str(state), "STEERSMAN_CONFIG": str(state / "none.toml")}
        settings = load_settings(environ, command_line={"model": MODEL})
        self.asker = ScriptedAsker([Answer(answer) for answer in answers])
        self.app = HeadlessApp(folder, settings, environ=environ, asker=self.asker)

    async def write(self, name: str, *, session_id: str | None = None) -> str:
        """Let the model write one file; return the session's id."""
        return await self.do(call("write_file", {"path": name, "content": "x"}), session_id=session_id)

    async def do(self, proposed: CallPiece, *, session_id: str | None = None) -> str:
        """Let the model make one call; return the session's id."""
        self.app.app._clients[MODEL] = ScriptedClient(reply(proposed), reply("Done."))
        run = self.app.runs.start(RunRequest("do", mode=Mode.ASK, session_id=session_id))
        await run.wait()
        await run.released()
        return run.session_id


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    folder = tmp_path / "ws"
    folder.mkdir()
    return folder


async def test_always_and_session_are_listed_in_words_and_taken_back(folder: Path, tmp_path: Path):
    office = Office(folder, tmp_path / "state", "allow_always", "allow_session", "reject")
    async with office.app:
        session = await office.write("a/one.txt")
        await office.write("b/two.txt", session_id=session)
        rules = office.app.app.permissions.list(None)
        assert [(rule["scope"], rule["words"]) for rule in rules] == [
            ("always", "edits of a/one.txt"),
            ("session", "edits of b/two.txt"),
        ]
        assert rules[0]["folder"] == folder.as_uri()
        assert rules[1]["sessionId"] == session
        assert office.app.app.permissions.reset(folder) == 2
        assert office.app.app.permissions.list(None) == []
        (folder / "a" / "one.txt").unlink()
        await office.write("a/one.txt", session_id=session)
    assert len(office.asker.questions) == 3
    assert not (folder / "a" / "one.txt").exists()


async def test_the_folder_of_a_command_allowed_for_a_session_is_a_uri_too(folder: Path, tmp_path: Path):
    office = Office(folder, tmp_path / "state", "allow_session")
    async with office.app:
        await office.do(call("run_command", {"command": "true"}))
        (rule,) = office.app.app.permissions.list(None)
        assert (rule["scope"], rule["type"], rule["folder"]) == ("session", "command", folder.as_uri())


async def test_what_is_always_allowed_holds_in_the_next_process_and_a_session_grant_does_not(
    folder: Path, tmp_path: Path
):
    first = Office(folder, tmp_path / "state", "allow_always", "allow_session")
    async with first.app:
        session = await first.write("a/one.txt")
        await first.write("b/two.txt", session_id=session)
    for name in ("a/one.txt", "b/two.txt"):
        (folder / name).unlink()
    second = Office(folder, tmp_path / "state", "reject")
    async with second.app:
        await second.write("a/one.txt", session_id=session)
        await second.write("b/two.txt", session_id=session)
    assert (folder / "a" / "one.txt").exists()
    assert not (folder / "b" / "two.txt").exists()
    assert len(second.asker.questions) == 1


async def test_another_folder_knows_nothing_of_it(folder: Path, tmp_path: Path):
    first = Office(folder, tmp_path / "state", "allow_always")
    async with first.app:
        await first.write("one.txt")
    other = tmp_path / "other"
    other.mkdir()
    second = Office(other, tmp_path / "state", "reject")
    async with second.app:
        await second.write("one.txt")
        assert second.app.app.permissions.list(None) == []
    assert not (other / "one.txt").exists()
