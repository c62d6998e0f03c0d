import os
from typing import NamedTuple

import pytest

from steersman.cli import main
from support.command_line import CommandLine


class Printed(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


@pytest.fixture
def steersman(tmp_path):
    """The command line over an empty folder."""
    folder = tmp_path / "ws"
    folder.mkdir()
    return CommandLine(folder, tmp_path / "state")


@pytest.fixture
def typed(steersman, monkeypatch, capsys):
    """The command line in this process, from within the folder: as a process of its own, and quicker."""
    monkeypatch.setattr(os, "environ", steersman.environment())
    monkeypatch.chdir(steersman.folder)

    def type_(*args: str) -> Printed:
        try:
            code = main(args)
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        return Printed(code, *capsys.readouterr())

    return type_
