import json

import pytest

from support.command_line import CommandLine
from support.typed import typed_in


@pytest.fixture
def steersman(tmp_path):
    """The command line over an empty folder."""
    folder = tmp_path / "ws"
    folder.mkdir()
    return CommandLine(folder, tmp_path / "state")


@pytest.fixture
def typed(steersman, monkeypatch, capsys):
    """The command line in this process, from within the folder."""
    return typed_in(steersman, monkeypatch, capsys)


@pytest.fixture
def edited(steersman, typed):
    """A folder with one session that changed a file; returns the session's id."""
    (steersman.folder / "a.txt").write_text("alpha\n")
    edit = {"call": "edit_file", "arguments": {"path": "a.txt", "old_text": "alpha", "new_text": "omega"}}
    model = steersman.script([edit], ["Done."])
    done = typed("run", "Rename alpha", "--model", model, "--yes", "--output", "json")
    assert done.code == 0, done.err
    return json.loads(done.out)["sessionId"]
