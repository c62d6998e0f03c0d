"""The parser against real shells: what it calls understood is all that a shell runs, word for word (A5)."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.permissions.commands import CommandLine, analyse

FOUND = [shutil.which(name) for name in ("dash", "bash", "zsh", "ksh", "sh")] if os.name == "posix" else []
SHELLS = list({os.path.realpath(path): path for path in FOUND if path}.values())

PROGRAMS = ["git", "rm", "head", "ls"]
FRAGMENTS = [
    *PROGRAMS,
    *("status", "-x", "--a=b", "a", "1", "2", "#", "x=1", "=", "-", "--", "!", "%", "^", "@", ",", ":", "~", "./git"),
    *(" ", " ", " ", " ", "\n", "\t", "  "),
    *(";", "&&", "||", "|", "&", ">", "<", ">>", ">&", "2>&1", ">/dev/null", "2>/dev/null", "<<", "<<<", "|&", "&>"),
    *(
        "'",
        "'",
        '"',
        '"',
        "\\",
        "\\\\",
        "\\\n",
        "$",
        "$x",
        "${x}",
        "$(",
        ")",
        "`",
        "(",
        "{",
        "}",
        "$'",
        '$"',
        "$((",
        "))",
    ),
    *("*", "?", "[", "]", "[[", "]]", "<(", "EOF", "\nEOF\n", "if ", "then ", "fi", "do ", "done", "for ", "in ", "é"),
]
LINES = st.lists(st.sampled_from(FRAGMENTS), min_size=1, max_size=14).map("".join)
LIKELY_LINES = st.lists(
    st.sampled_from(
        [*PROGRAMS, "status", "a", "'a b'", '"c d"', "e\\ f", "g'h'\"i\"", "--x='y z'", ";", "&&", "||", "|"]
    )
    | st.sampled_from(FRAGMENTS),
    min_size=1,
    max_size=10,
).map(" ".join)


@pytest.fixture(scope="module")
def stubs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Programs that only write down the words they were called with."""
    folder = tmp_path_factory.mktemp("stubs")
    for name in PROGRAMS:
        stub = folder / name
        stub.write_text('#!/bin/sh\nprintf "%s\\0" "${0##*/}" "$@" END >> "$CALLS"\n')
        stub.chmod(0o755)
    return folder


def run_in(shell: str, command: str, stubs: Path, folder: Path) -> list[list[str]]:
    """Run the command and return the words of every program that was started."""
    calls = folder.parent / f"{folder.name}.calls"
    calls.write_bytes(b"")
    subprocess.run(
        [shell, "-c", command],
        cwd=folder,
        env={"PATH": str(stubs), "CALLS": str(calls), "HOME": "/home/me", "LC_ALL": "C.UTF-8"},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        timeout=20,
        check=False,
    )
    words = calls.read_bytes().decode("utf-8", "replace").split("\0")[:-1]
    started: list[list[str]] = [[]]
    for word in words:
        if word == "END":
            started.append([])
        else:
            started[-1].append(word)
    return [call for call in started if call]


def is_told(call: Sequence[str], line: CommandLine) -> bool:
    """Whether a started program is one of the parts; where the shell put words in, only the program counts."""
    for part in line.parts:
        if part.program.rpartition("/")[2] != call[0]:
            continue
        if any(word.expands for word in part.words) or [word.text for word in part.words[1:]] == list(call[1:]):
            return True
    return False


@pytest.mark.parametrize("shell", SHELLS)
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(command=LINES | LIKELY_LINES)
def test_a_shell_runs_nothing_but_what_was_understood(shell: str, command: str, stubs: Path, tmp_path: Path):
    line = analyse(command)
    if not line.understood:
        return
    folder = tmp_path / "folder"
    folder.mkdir(exist_ok=True)
    for call in run_in(shell, command, stubs, folder):
        assert is_told(call, line), f"{shell} ran {call} in {command!r}"
    assert list(folder.iterdir()) == [], f"{shell} wrote a file in {command!r}"


@pytest.mark.parametrize("shell", SHELLS)
def test_the_stubs_do_see_what_a_shell_runs(shell: str, stubs: Path, tmp_path: Path):
    """Guards the test above: it would pass on anything if nothing ever ran."""
    calls = run_in(shell, "git 'a b' c; rm x | head", stubs, tmp_path)
    assert sorted(calls) == [["git", "a b", "c"], ["head"], ["rm", "x"]]
