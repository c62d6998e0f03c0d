"""The command line in the test's own process: what a process of its own does, and quicker."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import NamedTuple, TypeAlias

import pytest

from steersman.cli import main
from support.command_line import CommandLine


class Printed(NamedTuple):
    """What a command left behind."""

    code: int
    out: str
    err: str


Typed: TypeAlias = Callable[..., Printed]


def typed_in(steersman: CommandLine, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Typed:
    """Return what runs a command from within the folder, with the environment a process of its own would have."""
    monkeypatch.setattr(os, "environ", steersman.environment())
    monkeypatch.chdir(steersman.folder)

    def type_(*args: str) -> Printed:
        try:
            code = main(args)
        except SystemExit as left:
            code = left.code if isinstance(left.code, int) else 0
        captured = capsys.readouterr()
        return Printed(code, captured.out, captured.err)

    return type_
