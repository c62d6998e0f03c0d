"""However a run ends while a command is at work, nothing of it stays in the person's folder (DESIGN W10, S3)."""

import os
import pty
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from support.command_line import CommandLine
from support.polling import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no such signals, and no sandbox")

WAIT = "echo > ready; exec sleep 600"

TAKE_TERMINAL = (
    "import os, sys, fcntl, termios; fcntl.ioctl(0, termios.TIOCSCTTY, 0); os.execv(sys.argv[1], sys.argv[1:])"
)


def call(command: str) -> dict[str, object]:
    return {"call": "run_command", "arguments": {"command": command}}


def start(steersman: CommandLine) -> subprocess.Popen[str]:
    """Start a run and return when its command is at work."""
    model = steersman.script([call(WAIT)])
    process = steersman.start("run", "go", "--model", model, "--mode", "auto", "-C", str(steersman.folder))
    wait_until((steersman.folder / "ready").exists, "the command")
    return process


def left(steersman: CommandLine) -> tuple[list[str], list[str]]:
    """What there is in the workspace, and in the folder for temporary files."""
    temporary = Path(steersman.environ["TMPDIR"])
    return sorted(path.name for path in steersman.folder.iterdir()), sorted(path.name for path in temporary.iterdir())


@pytest.fixture(autouse=True)
def temporary(steersman: CommandLine, tmp_path: Path) -> None:
    folder = tmp_path / "temporary"
    folder.mkdir()
    steersman.environ["TMPDIR"] = str(folder)


@pytest.mark.parametrize("number", [signal.SIGHUP, signal.SIGTERM, signal.SIGINT])
def test_a_run_that_is_asked_to_end_takes_everything_with_it(steersman: CommandLine, number: signal.Signals):
    process = start(steersman)

    process.send_signal(number)
    process.communicate(timeout=60)

    assert process.returncode == 130
    assert left(steersman) == (["ready"], [])


def test_what_a_killed_run_left_goes_with_the_next_command(steersman: CommandLine):
    process = start(steersman)
    process.kill()
    process.communicate(timeout=60)

    model = steersman.script([call("true")], ["done"])
    steersman("run", "go", "--model", model, "--mode", "auto", "-C", str(steersman.folder))

    assert left(steersman) == (["ready"], [])


def test_a_run_whose_terminal_is_closed_ends_and_takes_everything_with_it(steersman: CommandLine):
    model = steersman.script([call(WAIT)])
    ours, theirs = pty.openpty()
    argv = steersman.argv("run", "go", "--model", model, "--mode", "auto", "-C", str(steersman.folder))
    process = subprocess.Popen(
        [sys.executable, "-c", TAKE_TERMINAL, *argv],
        env=steersman.environment(),
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
    )
    os.close(theirs)
    wait_until((steersman.folder / "ready").exists, "the command")

    os.close(ours)

    process.wait(timeout=60)
    assert left(steersman) == (["ready"], [])


def test_with_a_state_folder_that_cannot_be_written_to_commands_run_and_clear_up(steersman: CommandLine):
    steersman.state.write_text("a file where a folder should be")
    model = steersman.script([call("echo > made")], ["done"])

    done = steersman("run", "go", "--model", model, "--mode", "auto", "-C", str(steersman.folder))

    assert done.returncode == 0
    assert left(steersman)[0] == ["made"]
