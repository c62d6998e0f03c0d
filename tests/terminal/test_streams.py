"""The program with standard streams as nobody wants them: closed, full, left by their reader, a terminal that went.

Each case is the real program. None ends in a traceback, and what was recorded is whole.
"""

import errno
import io
import json
import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from steersman.agent.validity import check_history
from steersman.terminal import streams
from steersman.terminal.streams import Commentary, OutputLostError, is_reader_gone, make_usable, say
from support.polling import wait_until
from support.session_store import Stores

OUTPUTS = ["text", "json", "stream-json"]
CLOSED = {"stdin": "<&-", "stdout": ">&-", "stderr": "2>&-"}
FULL = Path("/dev/full")
"""What cannot be written for want of space; Linux has it."""

READER_LEFT = 141


def call(name, **arguments):
    return {"call": name, "arguments": arguments}


def unread_pipe():
    """Return a pipe's end to write to whose other end is closed."""
    source, sink = os.pipe()
    os.close(source)
    return sink


def run_with(steersman, stream, state, *args, stdin=b""):
    """Run to the end with one stream (``stdin``, ``stdout``, ``stderr``) closed, full or unread."""
    argv, given = steersman.argv(*args), {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    opened = None
    if state == "closed":
        argv = ["sh", "-c", f'exec "$@" {CLOSED[stream]}', "sh", *argv]
    elif state == "full":
        opened = given[stream] = os.open(FULL, os.O_WRONLY)
    elif state == "unread":
        opened = given[stream] = unread_pipe()
    try:
        return subprocess.run(
            argv, cwd=steersman.state.parent, env=steersman.environment(), input=stdin, timeout=60, check=False, **given
        )
    finally:
        if opened is not None:
            os.close(opened)


def cases():
    """Yield stream, state, output and the exit code that a run has to have."""
    for output in OUTPUTS:
        yield "stdin", "closed", output, 0
        yield "stdout", "closed", output, 0
        yield "stdout", "unread", output, READER_LEFT
        yield "stderr", "closed", output, 0
        yield "stderr", "unread", output, READER_LEFT if output == "text" else 0
        if FULL.exists():
            yield "stdout", "full", output, 1
            yield "stderr", "full", output, 0


@pytest.mark.parametrize(("stream", "state", "output", "code"), list(cases()))
def test_a_run_with_a_broken_stream_ends_properly_and_its_history_is_whole(steersman, stream, state, output, code):
    (steersman.folder / "a.txt").write_text("alpha\n")
    model = steersman.script(["Looking. ", call("read_file", path="a.txt")], ["alpha " * 30_000])
    done = run_with(
        steersman, stream, state, "run", "go", "-C", str(steersman.folder), "--model", model, "--output", output
    )
    assert done.returncode == code
    assert b"Traceback" not in (done.stderr or b"")
    store = Stores(steersman.state, steersman.folder).open()
    sessions = store.list().sessions
    histories = [[stored.message for stored in store.messages(session.id)] for session in sessions]
    store.close()
    if code == 0 or (stream == "stdout" and output != "stream-json"):  # only the end could not be told
        assert [len(history) for history in histories] == [4]
    else:  # it was cancelled before its prompt was recorded
        assert histories == []
    for history in histories:
        check_history(history)
    if (stream, state) == ("stdout", "full"):
        assert f"standard output cannot be written: {os.strerror(errno.ENOSPC)}" in done.stderr.decode()
        shown = [f"Look at it with: steersman sessions show -C {steersman.folder} {each.id[:8]}\n" for each in sessions]
        assert done.stderr.decode().endswith(*shown or ["The run was cancelled.\n"])
    if (stream, output) == ("stderr", "json"):
        assert json.loads(done.stdout)["stopReason"] == "complete"


def test_a_run_whose_reader_leaves_is_cancelled_and_changes_nothing_more(steersman):
    """As in ``steersman run … | head -1``."""
    model = steersman.script([{"gate": "left"}, "Now. ", call("write_file", path="n.txt", content="x")], ["Done."])
    process = steersman.start(
        "run", "go", "-C", str(steersman.folder), "--model", model, "--yes", "--output", "stream-json"
    )
    wait_until(lambda: steersman.gates.is_reached("left"), "the gate")
    process.stdout.close()
    steersman.gates.open("left")
    assert process.stderr.read() == ""
    process.stderr.close()
    assert process.wait(60) == READER_LEFT
    assert not (steersman.folder / "n.txt").exists()
    assert [message["role"] for message in steersman.messages()] == ["user"]


def test_a_terminal_that_goes_away_at_a_question_is_no_consent_and_ends_nothing(steersman):
    model = steersman.script([call("write_file", path="n.txt", content="x")], ["I see."])
    master, slave = pty.openpty()
    process = steersman.start(
        "run", "write", "-C", str(steersman.folder), "--model", model, stdin=slave, stderr=slave, start_new_session=True
    )
    os.close(slave)
    seen = b""
    while b"> " not in seen:
        seen += os.read(master, 4096)
    os.close(master)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "I see.\n")
    assert not (steersman.folder / "n.txt").exists()
    assert "did not answer" in steersman.messages()[2]["content"]


@pytest.mark.parametrize(
    "args",
    [
        ["--help"],
        ["sessions", "list"],
        ["sessions", "show", "latest"],
        ["sessions", "show", "latest", "--json"],
        ["sessions", "export", "latest"],
        ["sessions", "check"],
        ["permissions", "list"],
        ["doctor"],
    ],
    ids=" ".join,
)
@pytest.mark.parametrize("state", ["unread", "full"] if FULL.exists() else ["unread"])
def test_what_cannot_be_printed_is_told_with_an_exit_code_and_a_reader_that_left_is_not_told(steersman, args, state):
    if args[0] == "sessions":
        assert steersman("run", "hello", "-C", str(steersman.folder)).returncode == 0
        args = [*args, "-C", str(steersman.folder)]
    done = run_with(steersman, "stdout", state, *args)
    assert done.returncode == (1 if state == "full" else READER_LEFT)
    space = f"steersman: standard output cannot be written: {os.strerror(errno.ENOSPC)}.\n"
    assert done.stderr.decode() == (space if state == "full" else "")


@pytest.mark.parametrize(("stream", "state"), [("stdin", "closed"), ("stdout", "closed"), ("stderr", "closed")])
def test_the_server_with_a_closed_stream_leaves_quietly(steersman, stream, state):
    done = run_with(steersman, stream, state, "lsp")
    assert (done.returncode, done.stdout, done.stderr) == (1, b"", b"")


@pytest.mark.parametrize("state", ["unread", "full"] if FULL.exists() else ["unread"])
def test_the_server_whose_client_cannot_be_written_to_leaves_quietly(steersman, state):
    body = (
        b'{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
    )
    done = run_with(steersman, "stdout", state, "lsp", stdin=b"Content-Length: %d\r\n\r\n%s" % (len(body), body))
    assert (done.returncode, done.stderr) == (1, b"")


def test_a_prompt_from_a_closed_input_is_an_empty_one(steersman):
    done = run_with(steersman, "stdin", "closed", "run", "-")
    assert (done.returncode, done.stderr) == (64, b"steersman: The prompt is empty; say what shall be done.\n")


def test_a_prompt_from_what_cannot_be_read_says_why(steersman):
    argv = ["sh", "-c", 'exec "$@" 0>/dev/null', "sh", *steersman.argv("run", "-")]
    done = subprocess.run(argv, env=steersman.environment(), capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (64, b"")
    assert done.stderr.startswith(b"steersman: Standard input cannot be read: ")


def test_nothing_that_is_opened_later_takes_a_closed_stream_s_place(steersman):
    """Else a trace would land in the first file that is opened."""
    report = steersman.state.parent / "report"
    program = f"""
import os, sys
from steersman.terminal.streams import make_usable

make_usable()
devices = [os.fstat(number).st_rdev == os.stat(os.devnull).st_rdev for number in (0, 1, 2)]
with open({str(report)!r}, "w") as file:
    file.write(f"{{devices}} {{file.fileno() > 2}}")
"""
    argv = ["sh", "-c", 'exec "$@" <&- >&- 2>&-', "sh", sys.executable, "-c", program]
    subprocess.run(argv, env=steersman.environment(), timeout=60, check=True)
    assert report.read_text() == "[True, True, True] True"


def test_an_unbuffered_stream_gets_a_buffer_because_a_text_layer_takes_half_a_write_for_a_whole(monkeypatch, tmp_path):
    with io.FileIO(tmp_path / "out", "w") as raw:
        unbuffered = io.TextIOWrapper(raw, write_through=True)
        for name in ("stdout", "__stdout__"):
            monkeypatch.setattr(sys, name, unbuffered)
        make_usable()
        assert isinstance(sys.stdout.buffer, io.BufferedWriter)
        say("ä")
        assert (tmp_path / "out").read_bytes() == "ä\n".encode()


class Broken(io.StringIO):
    """A stream that fails."""

    def __init__(self, error):
        super().__init__()
        self.error = error

    def write(self, text):
        raise self.error


@pytest.mark.parametrize(
    ("error", "gone"), [(BrokenPipeError(errno.EPIPE, ""), True), (OSError(errno.ENOSPC, ""), False)]
)
def test_commentary_ends_nothing_and_knows_whether_its_reader_left(error, gone):
    commentary = Commentary(Broken(error))
    commentary.write("text")
    assert commentary.reader_left is gone


def test_what_cannot_be_said_names_the_system_s_reason(monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdout", Broken(OSError(errno.EIO, "Input/output error")))
    with pytest.raises(OutputLostError) as lost:
        say("text")
    lost.value.remedy = "It is kept."
    assert lost.value.tell() == 1
    assert capsys.readouterr().err == (
        "steersman: standard output cannot be written: Input/output error. It is kept.\n"
    )


def test_windows_tells_a_reader_that_left_by_another_error(monkeypatch):
    error = OSError(errno.EINVAL, "Invalid argument")
    assert not is_reader_gone(error)
    monkeypatch.setattr(streams.sys, "platform", "win32")
    assert is_reader_gone(error)
