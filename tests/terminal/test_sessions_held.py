"""A session whose holder hangs or was suspended is taken over, and the holder writes nothing more (DESIGN S4)."""

import json
import os
import signal
import sys

import pytest

from support.polling import wait_until

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP there")


@pytest.fixture
def suspended(steersman):
    """A run that was suspended in the middle of the model's answer; returns its process and the session's id."""
    model = steersman.script(["half an answer ", {"gate": "held"}, "and the rest"], ["From the heir."])
    at = ["-C", str(steersman.folder)]
    process = steersman.start("run", "one", "--model", model, *at)
    wait_until(lambda: steersman.gates.is_reached("held"), "the gate")
    process.send_signal(signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(process.pid, os.WUNTRACED)[1])
    listed = steersman("sessions", "list", "--json", *at)
    yield process, json.loads(listed.stdout)["sessions"][0]["id"]
    if process.poll() is None:
        process.send_signal(signal.SIGCONT)
        process.kill()
        process.communicate()


def wake(steersman, process):
    """Let it go on, and return its end."""
    process.send_signal(signal.SIGCONT)
    steersman.gates.open("held")
    _, told = process.communicate(timeout=60)
    return process.returncode, told


def contents(typed, session_id):
    shown = json.loads(typed("sessions", "show", session_id, "--json").out)
    return [message["content"] for message in shown["messages"]]


def test_who_meets_a_suspended_holder_is_told_its_name_and_the_switch(steersman, typed, suspended):
    process, session = suspended
    refused = typed("run", "two", "--session", session, "--model", steersman.script(["x"]))
    assert refused.code == 1
    assert f"pid {process.pid}" in refused.err
    assert f"steersman sessions take-over {session[:8]}" in refused.err
    for command in (["delete", session], ["rewind", session]):
        assert f"pid {process.pid}" in typed("sessions", *command).err
    assert f"(at work: steersman run (pid {process.pid}))" in typed("sessions", "list").out


def test_a_run_takes_the_session_over_and_the_old_holder_writes_nothing_more(steersman, typed, suspended):
    process, session = suspended
    heir = typed("run", "two", "--session", session, "--take-over", "--model", steersman.script(["From the heir."]))
    assert heir.code == 0, heir.err
    code, told = wake(steersman, process)
    assert code == 1
    assert "was taken over" in told
    assert contents(typed, session) == ["one", "two", "From the heir."]


def test_the_command_takes_it_over_and_leaves_it_free_for_whatever_comes(steersman, typed, suspended):
    process, session = suspended
    taken = typed("sessions", "take-over", session[:8])
    assert (taken.code, f"taken from steersman run (pid {process.pid})" in taken.out) == (0, True)
    assert f"go on with: steersman run --session {session[:8]}" in taken.err
    assert json.loads(typed("sessions", "take-over", session, "--json").out)["takenFrom"] is None
    assert typed("sessions", "delete", session).code == 0
    code, told = wake(steersman, process)
    assert (code, "nothing more was recorded" in told) == (1, True)
    assert typed("sessions", "list").err == "There is no session in this folder yet.\n"


def test_a_session_that_nobody_holds_is_left_as_it_is(steersman, typed):
    typed("run", "one", "--model", steersman.script(["1"]))
    assert typed("sessions", "take-over", "latest").out.startswith("nobody holds it: ")


def test_there_must_be_something_to_take_over(steersman, typed):
    wrong = typed("run", "one", "--take-over", "--model", steersman.script(["1"]))
    assert (wrong.code, "name a session" in wrong.err) == (64, True)
