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
