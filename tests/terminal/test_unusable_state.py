"""A state folder that cannot be used: a run goes on and says that nothing is kept, all else says what is wrong (S4)."""

import json
import subprocess
import sys
from pathlib import Path

import pytest


@pytest.fixture(params=["a file", "below a file"])
def state(request, steersman):
    """What can never be a state folder, whoever asks."""
    file = steersman.state.parent / "file"
    file.write_text("somebody's")
    place = file if request.param == "a file" else file / "state"
    steersman.environ["STEERSMAN_STATE_DIR"] = str(place)
    return place


def test_a_run_says_that_nothing_is_kept_and_goes_on(steersman, state, typed):
    printed = typed("run", "go", "--model", steersman.script(["Done."]))
    assert (printed.code, printed.out) == (0, "Done.\n")
    (said,) = [line for line in printed.err.splitlines() if str(state) in line]
    assert "Nothing of this conversation will be kept. The state folder " in said
    assert "STEERSMAN_STATE_DIR" in said
    assert "go on with" not in printed.err


def test_programs_get_the_answer_and_people_are_told_beside_it(steersman, state, typed):
    printed = typed("run", "go", "--model", steersman.script(["Done."]), "--output", "json")
    assert json.loads(printed.out)["answer"] == "Done."
    assert "steersman: Nothing of this conversation will be kept." in printed.err


@pytest.mark.parametrize("which", [["--continue"], ["--session", "abc"]], ids=lambda words: words[0])
def test_going_on_with_what_cannot_be_read_is_refused(state, typed, which):
    printed = typed("run", "go on", *which)
    assert (printed.code, printed.out) == (1, "")
    assert printed.err.startswith("steersman: The state folder ")
    assert printed.err.count("\n") == 1


@pytest.mark.parametrize(
    "words", [["list"], ["show", "latest"], ["rename", "latest", "x"], ["prune"], ["check"]], ids=lambda words: words[0]
)
def test_sessions_are_not_called_none_but_unreadable(state, typed, words):
    printed = typed("sessions", *words)
    assert (printed.code, printed.out) == (1, "")
    assert printed.err.startswith("steersman: The state folder ")
    assert "STEERSMAN_STATE_DIR" in printed.err


def test_doctor_names_it(state, typed):
    printed = typed("doctor")
    assert printed.code == 1
    assert f"problem: The state folder {state} cannot be written (" in printed.out


def test_where_nothing_can_be_kept_nothing_is_always_allowed(state, typed):
    assert typed("permissions", "list")[:2] == (0, "Nothing is always allowed in this folder.\n")


@pytest.mark.skipif(sys.platform != "linux", reason="there is no such file system elsewhere")
@pytest.mark.parametrize("place", ["/proc/nope", f"/tmp/{'x' * 300}"])
def test_where_no_folder_can_be_made_for_a_reason_of_its_own_it_is_the_same(steersman, place):
    steersman.environ["STEERSMAN_STATE_DIR"] = place
    done = steersman("run", "go", "-C", str(steersman.folder), "--model", steersman.script(["Done."]))
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "Nothing of this conversation will be kept. The state folder " in done.stderr


@pytest.mark.parametrize("variable", ["STEERSMAN_STATE_DIR", "STEERSMAN_CONFIG"])
@pytest.mark.parametrize(
    "words", [["run", "go"], ["sessions", "list"], ["doctor"], ["lsp"]], ids=lambda words: words[0]
)
def test_the_home_of_nobody_is_wrong_usage(steersman, variable, words):
    steersman.environ[variable] = "~nobody-of-that-name/steersman"
    done = steersman(*words)
    assert (done.returncode, done.stdout) == (64, "")
    assert done.stderr == (
        f"steersman: {variable} is '~nobody-of-that-name/steersman', and there is no such home folder. "
        "Write the whole path.\n"
    )


def test_permissions_that_cannot_be_removed_are_named(steersman, typed, monkeypatch):
    def unlink(path: Path) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "unlink", unlink)
    printed = typed("permissions", "reset")
    assert (printed.code, printed.out) == (1, "")
    assert "could not be forgotten: " in printed.err
    assert "Permission denied. Remove that file yourself" in printed.err


HOMELESS = """
import os, pwd, sys

def nobody(*_):
    raise KeyError

pwd.getpwuid = nobody
from steersman.cli import main
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.skipif(sys.platform != "linux", reason="homes are found in other ways elsewhere")
@pytest.mark.parametrize("words", [["run", "go"], ["sessions", "list"], ["doctor"]], ids=lambda words: words[0])
def test_whoever_has_no_home_is_told_what_to_set_and_nothing_is_made_here(steersman, words):
    environ = steersman.environment()
    for name in ("HOME", "STEERSMAN_STATE_DIR", "STEERSMAN_CONFIG", "XDG_STATE_HOME", "XDG_CONFIG_HOME"):
        environ.pop(name, None)
    argv = [sys.executable, "-P", "-c", HOMELESS, *words]
    done = subprocess.run(
        argv, env=environ, cwd=steersman.folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout) == (64, "")
    assert done.stderr == (
        "steersman: You have no home folder here to keep things in: HOME is not set. Set HOME, or STEERSMAN_CONFIG.\n"
    )
    assert list(steersman.folder.iterdir()) == []


@pytest.mark.skipif(sys.platform != "linux", reason="homes are found in other ways elsewhere")
def test_an_editor_s_server_without_a_home_says_so_and_leaves(steersman):
    asked = b'{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"processId": null, "capabilities": {}}}'
    environ = steersman.environment()
    for name in ("HOME", "STEERSMAN_STATE_DIR", "XDG_STATE_HOME"):
        environ.pop(name, None)
    done = subprocess.run(
        [sys.executable, "-P", "-c", HOMELESS, "lsp"],
        env=environ,
        cwd=steersman.folder,
        input=b"Content-Length: %d\r\n\r\n%s" % (len(asked), asked),
        capture_output=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 64
    assert done.stderr.decode() == (
        "steersman: You have no home folder here to keep things in: HOME is not set. "
        "Set HOME, or STEERSMAN_STATE_DIR.\n"
    )
