import pytest

from support.command_line import CommandLine


@pytest.fixture
def steersman(tmp_path):
    """The command line over an empty folder."""
    folder = tmp_path / "ws"
    folder.mkdir()
    return CommandLine(folder, tmp_path / "state")
