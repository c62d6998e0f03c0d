"""Where the task comes from: words on the command line or standard input, as it was written (PROTOCOL §7)."""

import os
import pty
import subprocess
import sys

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo terminals")

LATIN_1 = "Öffne a.txt".encode("latin-1")


def run(steersman, *args, **options):
    """Run to the end, in bytes."""
    argv = [*steersman.argv("run"), *args, "-C", str(steersman.folder)]
    options.setdefault("env", steersman.environment())
    return subprocess.run(argv, capture_output=True, timeout=60, check=False, **options)


@pytest.mark.parametrize(
    ("prompt", "said"),
    [
        (LATIN_1, "byte 0xd6 at 0"),
        ("Öffne a.txt".encode("utf-16"), "byte 0xff at 0"),
        ("say ö".encode()[:-1], "byte 0xc3 at 4"),
    ],
)
def test_a_prompt_that_is_not_utf_8_is_wrong_usage_and_nothing_is_begun(steersman, prompt, said):
    done = run(steersman, "-", input=prompt)
    assert (done.returncode, done.stdout) == (64, b"")
    assert done.stderr.decode() == (
        f"steersman: The prompt on standard input is not UTF-8: {said}. "
        "Convert it first, for example with `iconv -t UTF-8`.\n"
    )
    assert not steersman.state.exists()


def test_so_are_words_of_another_encoding_on_the_command_line(steersman):
    done = run(steersman, LATIN_1, env={**steersman.environment(), "LC_ALL": "C.UTF-8"})
    assert (done.returncode, done.stdout) == (64, b"")
    assert done.stderr.decode() == (
        "steersman: The prompt is not UTF-8: byte 0xd6 at character 0. "
        "Convert it first, for example with `iconv -t UTF-8`.\n"
    )


def test_a_prompt_in_utf_8_arrives_as_it_was_written(steersman):
    model = steersman.script(["Ja."])
    done = run(steersman, "-", "--model", model, input="Öffne\n→ 𝄞\n".encode())
    assert (done.returncode, done.stdout) == (0, b"Ja.\n")
    assert steersman.messages()[0]["content"] == "Öffne\n→ 𝄞\n"


def test_a_terminal_is_told_that_the_task_is_read_from_it_and_what_ends_it(steersman):
    master, slave = pty.openpty()
    process = steersman.start(
        "run", "-", "-C", str(steersman.folder), "--model", steersman.script(["Ja."]), stdin=slave
    )
    os.close(slave)
    told = process.stderr.readline()
    os.write(master, b"say yes\n\x04")
    out, _ = process.communicate(timeout=60)
    os.close(master)
    assert told == "Type what shall be done; Ctrl-D on a line of its own ends it.\n"
    assert (process.returncode, out) == (0, "Ja.\n")
    assert steersman.messages()[0]["content"] == "say yes\n"


def test_a_pipe_is_told_nothing(steersman):
    done = run(steersman, "-", "--model", steersman.script(["Ja."]), input=b"say yes")
    assert b"Type what" not in done.stderr
