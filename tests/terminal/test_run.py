"""``steersman run``: the same core without an editor (PROTOCOL §7, DESIGN L8)."""

import json
import os
import pty
import signal
import subprocess
import sys

import pytest

from steersman.agent.validity import check_history
from steersman.sessions.store import SessionStore
from support.polling import wait_until


def run(steersman, *args, **options):
    return steersman("run", *args, "-C", str(steersman.folder), **options)


def call(name, **arguments):
    return {"call": name, "arguments": arguments}


def test_the_answer_is_on_stdout_and_a_readable_trace_on_stderr(steersman):
    (steersman.folder / "a.txt").write_text("alpha\n")
    model = steersman.script([call("read_file", path="a.txt")], ["It says alpha."])
    done = run(steersman, "What does a.txt say?", "--model", model)
    assert (done.returncode, done.stdout) == (0, "It says alpha.\n")
    lines = done.stderr.splitlines()
    assert '[turn 1] call   read_file({"path": "a.txt"})' in lines
    assert any(line.startswith("[turn 1] result") and "alpha" in line for line in lines)
    assert "It says alpha." not in done.stderr
    session = steersman("sessions", "list", "-C", str(steersman.folder), "--json").stdout
    (session,) = json.loads(session)["sessions"]
    assert lines[-2].startswith("[turn 2] stop   complete after 2 turns, ")
    assert lines[-1] == f'[go on with: steersman run -C {steersman.folder} --session {session["id"][:8]} "…"]'


def test_the_built_in_model_does_a_task_with_no_network_and_says_what_it_is(steersman):
    (steersman.folder / "a.txt").write_text("one\n")
    done = run(steersman, 'replace "one" with "two" in a.txt', "--yes")
    assert done.returncode == 0
    assert (steersman.folder / "a.txt").read_text() == "two\n"
    assert "built-in rule-based model" not in done.stdout
    assert done.stderr.count("built-in rule-based model") == 1


@pytest.mark.parametrize(
    ("replies", "options", "code", "reason"),
    [
        ([["Done."]], [], 0, "complete"),
        ([[call("list_dir")]], ["--max-turns", "1"], 2, "max_turns"),
        ([{"items": [call("list_dir")], "usage": {"input": 100, "output": 100}}], ["--max-tokens", "150"], 3, "budget"),
        ([[call("list_dir")]] * 6, [], 4, "no_progress"),
        ([{"items": ["part"], "finish": "length"}] * 3, [], 5, "truncated"),
        ([["wait ", {"gate": "never"}]], ["--deadline", "0.5"], 124, "timeout"),
    ],
)
def test_each_stop_reason_has_its_exit_code(steersman, replies, options, code, reason):
    done = run(steersman, "go", "--model", steersman.script(*replies), "--output", "json", *options)
    assert done.returncode == code, done.stderr
    assert json.loads(done.stdout)["stopReason"] == reason


def test_json_is_the_run_result_and_stream_json_ends_with_it(steersman):
    model = steersman.script([call("write_file", path="n.txt", content="hi\n")], ["Written."])
    done = run(steersman, "write", "--model", model, "--yes", "--output", "stream-json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    result = lines[-1]
    assert lines[0]["type"] == "run_started"
    assert lines[-2]["type"] == "run_ended"
    assert lines[-2]["result"] == result
    assert result["changes"] == [
        {"uri": (steersman.folder / "n.txt").as_uri(), "kind": "create", "added": 1, "removed": 0, "saved": True}
    ]
    assert result["toolCalls"] == {"write_file": 1}
    assert [line["seq"] for line in lines[:-1]] == list(range(len(lines) - 1))


def test_with_nobody_to_ask_what_would_ask_is_refused_and_the_run_goes_on(steersman):
    model = steersman.script([call("write_file", path="n.txt", content="hi")], ["I may not."])
    done = run(steersman, "write", "--model", model)
    assert (done.returncode, done.stdout) == (0, "I may not.\n")
    assert not (steersman.folder / "n.txt").exists()
    assert "nobody to ask" in steersman.messages()[2]["content"]


def test_a_failure_is_one_clear_line_and_exit_1_and_what_was_committed_stays(steersman):
    model = steersman.script(
        [call("list_dir")], [{"fail": "provider_unavailable", "message": "The provider is overloaded."}]
    )
    done = run(steersman, "go", "--model", model)
    assert done.returncode == 1
    told, go_on = done.stderr.splitlines()[-2:]
    assert told.startswith("steersman: The provider is overloaded.")
    assert go_on.startswith("[go on with: steersman run -C ")
    assert "Traceback" not in done.stderr
    assert [message["role"] for message in steersman.messages()] == ["user", "assistant", "tool"]


@pytest.mark.parametrize(
    "args",
    [
        ["run"],
        ["run", ""],
        ["run", "  "],
        ["run", "x", "--max-turns", "0"],
        ["run", "x", "-C", "nowhere"],
        ["nonsense"],
    ],
)
def test_wrong_usage_is_64_and_says_why(steersman, args):
    done = steersman(*args)
    assert done.returncode == 64
    assert done.stderr.strip()
    assert done.stdout == ""


def test_the_prompt_can_come_from_standard_input(steersman):
    done = run(steersman, "-", "--model", steersman.script(["Hello."]), stdin="Say hello.\n")
    assert done.stdout == "Hello.\n"
    assert steersman.messages()[0]["content"] == "Say hello.\n"


def test_a_session_goes_on_by_id_and_as_the_latest(steersman):
    first = run(steersman, "one", "--model", steersman.script(["1"]), "--output", "json")
    session = json.loads(first.stdout)["sessionId"]
    run(steersman, "two", "--model", steersman.script(["2"]), "--session", session)
    run(steersman, "three", "--model", steersman.script(["3"]), "--continue")
    assert [message["content"] for message in steersman.messages()] == ["one", "1", "two", "2", "three", "3"]
    missing = run(steersman, "x", "--session", "nope")
    assert (missing.returncode, "no session 'nope'" in missing.stderr) == (1, True)


def test_ctrl_c_cancels_closes_the_ledger_and_leaves_with_130(steersman):
    model = steersman.script([call("list_dir"), call("list_dir")], ["thinking ", {"gate": "in-stream"}])
    process = steersman.start("run", "go", "--model", model, "-C", str(steersman.folder), "--output", "json")
    wait_until(lambda: steersman.gates.is_reached("in-stream"), "the stream's gate")
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert json.loads(out)["stopReason"] == "aborted"
    assert [message["role"] for message in steersman.messages()] == ["user", "assistant", "tool", "tool"]


def test_a_state_folder_that_cannot_be_written_is_told_and_the_run_goes_on_in_memory(steersman):
    steersman.state.write_text("a file where a folder should be")
    done = run(steersman, "go", "--model", steersman.script(["Done."]))
    assert (done.returncode, done.stdout) == (0, "Done.\n")
    assert "Nothing of this conversation will be kept" in done.stderr
    assert "go on with" not in done.stderr


@pytest.mark.parametrize("which", [["--continue"], ["--session", "abc"]])
def test_going_on_with_sessions_that_cannot_be_read_says_so_and_not_that_there_is_none(steersman, typed, which):
    steersman.state.write_text("a file where a folder should be")
    printed = typed("run", "go on", *which)
    assert (printed.code, printed.out) == (1, "")
    assert "a file is where a folder should be" in printed.err
    assert "no session" not in printed.err


def test_a_database_that_is_not_one_is_set_aside_and_told(steersman):
    run(steersman, "one", "--model", steersman.script(["1"]))
    (database,) = steersman.state.rglob("sessions.db")
    for companion in database.parent.glob("sessions.db-*"):
        companion.unlink()
    database.write_bytes(b"this is not a database, but somebody's precious notes")
    done = run(steersman, "two", "--model", steersman.script(["2"]))
    assert (done.returncode, done.stdout) == (0, "2\n")
    assert "damaged" in done.stderr
    assert any(b"precious" in path.read_bytes() for path in database.parent.iterdir() if path.is_file())


def test_what_crashes_is_told_in_a_sentence_and_its_stack_trace_is_in_the_log(steersman, typed, monkeypatch):
    from steersman_tools.list_dir import ListDir

    def crash(*_):
        raise ZeroDivisionError("secret")

    monkeypatch.setattr(ListDir, "prepare", crash)
    printed = typed("run", "list", "--model", steersman.script([call("list_dir")]))
    assert printed.code == 1
    assert "A tool crashed (ZeroDivisionError)" in printed.err
    assert "Traceback" not in printed.err
    assert "secret" not in printed.err
    assert "ZeroDivisionError: secret" in (steersman.state / "run.log").read_text()


def test_a_log_that_cannot_be_written_is_nothing_to_be_told(steersman, typed, monkeypatch):
    from steersman_tools.list_dir import ListDir

    monkeypatch.setattr(ListDir, "prepare", lambda *_: 1 / 0)
    (steersman.state / "run.log").mkdir(parents=True)
    printed = typed("run", "list", "--model", steersman.script([call("list_dir")]))
    assert (printed.code, "A tool crashed (ZeroDivisionError)" in printed.err) == (1, True)
    assert "Traceback" not in printed.err


def test_what_a_person_should_know_is_told_beside_json_too(steersman):
    steersman.state.write_text("a file where a folder should be")
    done = run(steersman, "go", "--model", steersman.script(["Done."]), "--output", "json")
    assert json.loads(done.stdout)["answer"] == "Done."
    assert "steersman: Nothing of this conversation will be kept." in done.stderr


class Terminal:
    """A pseudo terminal with the command line in it."""

    def __init__(self, steersman, *args):
        self.master, slave = pty.openpty()
        self.process = subprocess.Popen(
            steersman.argv("run", *args, "-C", str(steersman.folder)),
            cwd=steersman.state.parent,
            env={**steersman.environment(), "TERM": "xterm", "NO_COLOR": ""},
            stdin=slave,
            stdout=subprocess.PIPE,
            stderr=slave,
            start_new_session=True,
        )
        os.close(slave)
        self.seen = b""

    def wait_for(self, text):
        while text.encode() not in self.seen:
            self.seen += os.read(self.master, 4096)
        self.seen = self.seen[self.seen.index(text.encode()) + len(text.encode()) :]

    def type(self, text):
        os.write(self.master, text.encode())

    def finish(self):
        out, _ = self.process.communicate(timeout=60)
        os.close(self.master)
        return out.decode()


def test_a_terminal_is_asked_and_shows_the_diff_before_the_answer(steersman):
    model = steersman.script([call("write_file", path="n.txt", content="first\nsecond\n")], ["Written."])
    terminal = Terminal(steersman, "write", "--model", model)
    terminal.wait_for("Steersman wants to create n.txt (+2 −0)")
    terminal.wait_for("> ")
    terminal.type("d\n")
    terminal.wait_for("+second")
    terminal.wait_for("> ")
    terminal.type("y\n")
    assert terminal.finish() == "Written.\n"
    assert (steersman.folder / "n.txt").read_text() == "first\nsecond\n"


def test_the_question_has_one_answer_a_line_and_a_typo_gets_a_short_reminder(steersman):
    model = steersman.script([call("write_file", path="n.txt", content="x\n")], ["I see."])
    terminal = Terminal(steersman, "write", "--model", model)
    terminal.wait_for("  [y] Allow once\r\n  [s] Allow for this session\r\n")
    terminal.wait_for("  [n] Reject (n REASON says why)\r\n  [d] Show diff\r\n")
    terminal.wait_for("y/n/s/a/d (Enter: reject) > ")
    terminal.type("q\n")
    terminal.wait_for("q\r\nThat is none of the answers. y/n/s/a/d (Enter: reject) > ")
    terminal.type("n use tabs\n")
    terminal.wait_for("[turn 1] refuse write_file: the person said no: use tabs\x1b")
    terminal.finish()


@pytest.mark.parametrize(
    ("typed", "said"), [("r use tabs\n", "use tabs"), ("\n", "said no"), ("\x04", "did not answer")]
)
def test_a_no_with_a_reason_an_empty_line_and_the_end_of_input_are_refusals(steersman, typed, said):
    model = steersman.script([call("write_file", path="n.txt", content="x")], ["I see."])
    terminal = Terminal(steersman, "write", "--model", model)
    terminal.wait_for("> ")
    terminal.type(typed)
    assert terminal.finish() == "I see.\n"
    assert not (steersman.folder / "n.txt").exists()
    assert said in steersman.messages()[2]["content"]


def test_what_was_typed_before_the_question_is_no_answer_to_it(steersman):
    model = steersman.script([{"gate": "busy"}, call("write_file", path="n.txt", content="x")], ["I see."])
    terminal = Terminal(steersman, "write", "--model", model)
    wait_until(lambda: steersman.gates.is_reached("busy"), "the gate")
    terminal.type("y\ny\ny")
    terminal.wait_for("y\r\ny\r\ny")  # the terminal's echo: it has them all
    steersman.gates.open("busy")
    terminal.wait_for("> ")
    terminal.type("r not yet\n")
    assert terminal.finish() == "I see.\n"
    assert not (steersman.folder / "n.txt").exists()
    assert "not yet" in steersman.messages()[2]["content"]


def test_ctrl_c_at_the_question_starts_nothing(steersman):
    model = steersman.script([call("write_file", path="n.txt", content="x")])
    terminal = Terminal(steersman, "write", "--model", model)
    terminal.wait_for("> ")
    terminal.process.send_signal(signal.SIGINT)
    terminal.finish()
    assert terminal.process.returncode == 130
    assert not (steersman.folder / "n.txt").exists()
    assert steersman.messages()[2]["content"] == "aborted before execution"


def test_two_processes_on_one_session_the_second_is_told_who_holds_it(steersman):
    model = steersman.script([{"gate": "held"}, "1"])
    process = steersman.start("run", "one", "--model", model, "-C", str(steersman.folder))
    wait_until(lambda: steersman.gates.is_reached("held"), "the gate")
    done = run(steersman, "two", "--model", model, "--continue")
    assert done.returncode == 1
    assert f"pid {process.pid}" in done.stderr
    steersman.gates.open("held")
    process.communicate(timeout=60)
    assert process.returncode == 0


def test_after_a_kill_the_history_is_valid_and_goes_on(steersman):
    model = steersman.script([call("list_dir")], ["half ", {"gate": "in-stream"}])
    process = steersman.start("run", "one", "--model", model, "-C", str(steersman.folder))
    wait_until(lambda: steersman.gates.is_reached("in-stream"), "the gate")
    process.kill()
    process.communicate(timeout=60)
    done = run(steersman, "two", "--model", steersman.script(["Going on."]), "--continue")
    assert (done.returncode, done.stdout) == (0, "Going on.\n")
    store = SessionStore.open(steersman.state, steersman.folder.resolve(), clock=lambda: 0.0, new_id=lambda: "x")
    try:
        check_history([each.message for each in store.messages(store.latest().id)])
    finally:
        store.close()


def test_the_server_started_by_a_person_says_what_it_is_for_and_leaves_on_ctrl_c(steersman):
    master, slave = pty.openpty()
    process = steersman.start("lsp", stdin=slave)
    os.close(slave)
    assert "talks to an editor" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    out, _ = process.communicate(timeout=60)
    os.close(master)
    # Before there is anything to close it ends by the signal itself; a shell tells 130 for either.
    assert process.returncode in {130, -signal.SIGINT}
    assert out == ""


@pytest.mark.parametrize("by", ["--model", "STEERSMAN_MODEL"])
def test_what_is_not_a_models_name_is_refused_in_one_sentence(typed, monkeypatch, by):
    monkeypatch.setitem(os.environ, by.removeprefix("--"), "gpt-5")
    printed = typed("run", "go", *(["--model", "gpt-5"] if by == "--model" else []))
    assert (printed.code, printed.out) == (64, "")
    assert [line for line in printed.err.split("\n") if line] == [
        "steersman: “gpt-5” is not a model's name. Write provider/model, such as ollama/qwen3 or demo/rules."
    ]


@pytest.mark.parametrize("command", [["run", "Read a.txt"], ["sessions", "list"], ["doctor"]])
def test_a_folder_that_was_deleted_is_told_in_one_sentence(steersman, tmp_path, command: list[str]):
    gone = tmp_path / "gone"
    gone.mkdir()
    program = "import os, sys; os.rmdir(os.getcwd()); from steersman.cli import main; sys.exit(main(sys.argv[1:]))"
    done = subprocess.run(
        [sys.executable, "-P", "-c", program, *command],
        cwd=gone,
        env=steersman.environment(),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode != 0
    assert "does not exist any more. Name an existing folder with -C." in done.stdout + done.stderr
    assert "Traceback" not in done.stdout + done.stderr
