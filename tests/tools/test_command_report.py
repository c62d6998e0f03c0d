"""What the model is told of a command (DESIGN W10)."""

from __future__ import annotations

import pytest

from steersman_tools.kit.command_report import Report
from steersman_tools.kit.command_runner import Ended


def report(output: str = "", ended: Ended | None = None, **others: object) -> Report:
    return Report(ended or Ended("exit", 0), output, seconds=1.25, timeout_s=20, **others)  # type: ignore[arg-type]


def test_success_comes_with_its_output():
    assert report("hello\n").text() == "Exit code 0:\nhello"
    assert report().text() == "Exit code 0, and printed nothing."
    assert not report().is_error


def test_every_other_end_is_an_error_with_what_is_known():
    for ended, words in [
        (Ended("exit", 3), "Exit code 3:"),
        (Ended("exit", -11), "Ended by signal 11 (SIGSEGV):"),
        (Ended("timeout", -15), "Ended at its time limit of 20 s, with everything it had started:"),
        (Ended("cancelled", -15), "Cancelled after 1.2 s, and ended with everything it had started:"),
    ]:
        assert report("partial\n", ended).text() == f"{words}\npartial"
        assert report("", ended).is_error


@pytest.mark.parametrize(
    "output",
    [
        "the input device is not a TTY",
        "EOFError: EOF when reading a line",
        "fatal: could not read Username for 'https://example.org': terminal prompts disabled",
        "sudo: a terminal is required to read the password",
        "Vim: Warning: Input is not from a terminal\nError opening terminal: dumb.",
        "Do you want to continue? [y/N]",
        "Password: ",
        "stty: 'standard input': Inappropriate ioctl for device",
    ],
)
def test_a_program_that_wanted_a_terminal_is_recognised(output: str):
    assert "neither: use flags that ask nothing" in report(output, Ended("exit", 1)).text()
    assert "neither" not in report(output).text()


def test_what_the_sandbox_kept_it_from_is_told():
    denied, offline = "touch: cannot touch 'x': Read-only file system", "curl: (6) Could not resolve host: a"

    assert "can write only the workspace" in report(denied, Ended("exit", 1), is_held=True).text()
    assert "can write nothing" in report(denied, Ended("exit", 1), is_held=True, read_only=True).text()
    assert "has no network" in report(offline, Ended("exit", 6), is_held=True).text()
    assert "has no network" not in report(offline, Ended("exit", 6), is_held=True, network=True).text()
    assert "sandbox" not in report(denied, Ended("exit", 1)).text()


def test_what_stayed_behind_is_told():
    assert "was ended" in report("", Ended("exit", 0, held=True)).text()
    assert "still running" in report("", Ended("exit", 0, runs_on=True)).text()


def test_what_was_made_or_not_seen_is_named():
    text = report("", news=(".env",), unsaved=("src/a.py", "b.py")).text()

    assert "tell the person: .env" in text
    assert "did not see your edits: src/a.py, b.py" in text


def test_what_a_command_made_of_what_is_protected_is_told_to_the_model_and_to_the_person():
    many = tuple(f"{number}/.env" for number in range(10))
    told = report(news=many, set_aside=("new/.git/config",), crowds=("node_modules",))

    assert "0/.env, 1/.env" in told.text()
    assert "7/.env and 2 more" in told.text()
    assert "new/.git/config" in told.text()
    assert "It made or changed files with protected names in node_modules." in told.text()
    assert [warning.count("/.") for warning in told.warnings()] == [8, 1]
    assert report().warnings() == ()
