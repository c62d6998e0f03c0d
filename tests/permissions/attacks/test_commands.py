"""Commands for real: what was allowed once more opens nothing else (situation 37), and plan mode writes nothing (40)."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from steersman.permissions.modes import Mode
from steersman.permissions.question import Answer, Question
from support.arena import Arena, Call, allow_once


def command(text: str) -> Call:
    return "run_command", {"command": text}


BEHIND_AN_ALLOWED_ONE = [
    "echo hi; touch pwned",
    "echo hi && touch pwned",
    "echo hi || touch pwned; touch pwned",
    "echo hi | tee pwned",
    "echo hi & touch pwned",
    "echo hi\ntouch pwned",
    "echo $(touch pwned)",
    "echo `touch pwned`",
    'echo "$(touch pwned)"',
    "echo <(touch pwned)",
    "echo hi > pwned",
    "echo hi >> pwned",
    "echo hi 1> pwned",
    "echo hi &> pwned",
    "echo hi >| pwned",
    "echo ${x:=$(touch pwned)}",
    "echo $((a[$(touch pwned)]))",
    "{ echo hi; touch pwned; }",
    "(echo hi; touch pwned)",
    "echo() { touch pwned; }; echo hi",
    "alias echo='touch pwned #'\necho hi",
    "shopt -s expand_aliases\nalias echo='touch pwned #'\necho hi",
    "enable -n echo; PATH=.:$PATH; echo hi",
    "env echo hi; touch pwned",
    "env touch pwned",
    "xargs touch <<< pwned",
    "find . -maxdepth 0 -exec touch pwned \\;",
    "sh -c 'touch pwned'",
    "eval touch pwned",
    "eval 'touch pwned'",
    "t''ouch pwned",
    "/usr/bin/tou?h pwned",
    "$(which touch) pwned",
    "command touch pwned",
    "./echo hi",
    "PATH=. echo hi; touch pwned",
    "trap 'touch pwned' EXIT; echo hi",
    "! touch pwned",
    "time touch pwned",
    "coproc touch pwned",
    "if echo hi; then touch pwned; fi",
    "for f in pwned; do touch $f; done",
    "case x in x) touch pwned;; esac",
    "while echo hi; do touch pwned; break; done",
    "cat <<EOF > pwned\nhi\nEOF",
    "echo hi # \ntouch pwned",
    "echo hi \\\n; touch pwned",
    "test -v 'a[$(touch pwned)]'",
    "printf -v 'a[$(touch pwned)]' x",
    "[[ -v a[$(touch pwned)] ]]",
    "let 'a[$(touch pwned)]=1'",
    "echo hi\r\ntouch pwned",
    "echo hi |& tee pwned",
    "source ./evil.sh",
    ". ./evil.sh",
    "bash evil.sh",
    "bash < evil.sh",
    "cd src && touch ../pwned",
    "cd src; touch ../pwned",
]


SCRIPT = "#!/bin/sh\n/usr/bin/touch pwned\n"


async def test_echo_was_allowed_for_the_session_and_these_still_ask(tmp_path: Path):
    arena = Arena.below(tmp_path, {"evil.sh": SCRIPT, "echo": SCRIPT})
    (arena.folder / "echo").chmod(0o755)
    arena.remember()
    arena.answer = lambda question: Answer("allow_session") if len(arena.asked) == 1 else None
    attacks = [command(text) for text in BEHIND_AN_ALLOWED_ONE]
    outcome = await arena.run(Mode.ASK, command("echo hi"), command("echo hi again"), *attacks)
    assert "hi again" in outcome.texts[1]
    assert [question.plan.command for question in arena.asked] == ["echo hi", *BEHIND_AN_ALLOWED_ONE]
    assert all(result.is_error for result in outcome.results[2:])
    assert arena.changed == []


HARMLESS = {"echo hi # \ntouch pwned", "alias echo='touch pwned #'\necho hi", "echo hi\r\ntouch pwned", "./echo hi"}


@pytest.mark.parametrize("attack", [text for text in BEHIND_AN_ALLOWED_ONE if text not in HARMLESS])
def test_these_attacks_do_work_where_nothing_stops_them(attack: str, tmp_path: Path):
    """Guards the test above: an attack that does nothing would show nothing."""
    (tmp_path / "src").mkdir()
    for name in ("evil.sh", "echo"):
        (tmp_path / name).write_text(SCRIPT)
        (tmp_path / name).chmod(0o755)
    subprocess.run(["/bin/bash", "-c", attack], cwd=tmp_path, capture_output=True, timeout=30, check=False)
    assert (tmp_path / "pwned").exists()


WRITES: list[Call] = [
    ("write_file", {"path": "new.txt", "content": "x"}),
    ("write_file", {"path": "src/app.py", "content": "x"}),
    ("edit_file", {"path": "src/app.py", "old_text": "a", "new_text": "b"}),
    ("delete_file", {"path": "src/app.py"}),
    ("move_file", {"path": "src/app.py", "new_path": "src/b.py"}),
    ("apply_patch", {"patch": "*** Begin Patch\n*** Add File: new.txt\n+x\n*** End Patch"}),
    command("touch new.txt"),
    command("echo x > src/app.py"),
    command("rm -rf src"),
    command("sed -i s/a/b/ src/app.py"),
    command("python3 -c \"open('new.txt', 'w')\""),
    command("git init nested"),
    command("mkdir new"),
    command("ln -s /etc new"),
    command("chmod 777 src/app.py && touch x"),
    command("touch ../outside/new"),
]


@pytest.mark.parametrize("sandbox", [False, True])
async def test_plan_mode_changes_no_file_by_any_tool_or_command_even_with_a_yes(sandbox: bool, tmp_path: Path):
    """Situation 40. With a sandbox that works here commands are asked for, and can write nothing all the same."""
    arena = Arena.below(tmp_path)
    arena.sandbox = sandbox
    arena.answer = allow_once
    await arena.run(
        Mode.PLAN,
        ("read_file", {"path": "src/app.py"}),
        *WRITES,
        editor={"permissions": [{"tool": "*", "match": "*", "action": "allow"}]},
    )
    assert arena.changed == []
    assert all(question.plan.confinement == "read_only" for question in arena.asked)


async def test_a_run_that_is_put_into_plan_mode_half_way_stops_writing(tmp_path: Path):
    arena = Arena.below(tmp_path)

    def answer(question: Question) -> Answer:
        assert arena.runs is not None
        arena.runs.set_mode(Mode.PLAN)
        return Answer("allow_session")

    arena.answer = answer
    outcome = await arena.run(Mode.ASK, command("touch one"), command("touch two"), WRITES[0])
    assert arena.changed == []
    assert all("plan mode" in text.lower() for text in outcome.texts)


async def test_a_run_that_is_made_laxer_half_way_goes_on_without_asking(tmp_path: Path):
    arena = Arena.below(tmp_path)

    def answer(question: Question) -> Answer:
        assert arena.runs is not None
        arena.runs.set_mode(Mode.ACCEPT_EDITS)
        return Answer("allow_once")

    arena.answer = answer
    await arena.run(Mode.ASK, WRITES[0], ("write_file", {"path": "two.txt", "content": "x"}))
    assert len(arena.asked) == 1
    assert arena.changed == ["ws/new.txt", "ws/two.txt"]


@pytest.mark.parametrize("sandbox", [False, True])
async def test_a_run_that_leaves_plan_mode_half_way_runs_its_commands(sandbox: bool, tmp_path: Path):
    """And one that was asked for as read-only while it was in plan mode stays so."""
    arena = Arena.below(tmp_path)
    arena.sandbox = sandbox

    def answer(question: Question) -> Answer:
        assert arena.runs is not None
        arena.runs.set_mode(Mode.AUTO)
        return Answer("allow_once")

    arena.answer = answer
    await arena.run(Mode.PLAN, command("touch one"), ("read_file", {"path": ".env"}), command("touch two"))
    assert arena.changed == ["ws/two"]


async def test_a_commands_question_shows_the_whole_line_and_that_nothing_holds_it(tmp_path: Path):
    arena = Arena.below(tmp_path)
    await arena.run(Mode.ASK, command("echo hi"))
    (question,) = arena.asked
    assert question.plan.command == "echo hi"
    assert "without a sandbox" in (question.warning or "")
