"""The whole circle in a real Helix, with the configuration its README shows: menu, question, edit, undo, stop."""

from __future__ import annotations

import json

from support.captures import hold
from support.helix import README, HelixWorkspace

EDIT = {"call": "edit_file", "arguments": {"path": "a.txt", "old_text": "two", "new_text": "TWO"}}
HELLO = {
    "call": "edit_file",
    "arguments": {"path": "a.py", "old_text": "# steersman: say hello\n", "new_text": 'print("hello")\n'},
}
QUESTION = ("Steersman wants to edit a.txt (+1 −1)", "Reject", "Allow once")
ALLOW_ONCE = ("Tab", "Tab", "Enter")


def start(work: HelixWorkspace, prompt: str) -> None:
    """Give a task by typed command."""
    work.command(f"lsp-workspace-command steersman.start {json.dumps({'prompt': prompt})}")


def test_an_instruction_comment_is_done_from_the_menu_and_u_takes_it_back(work: HelixWorkspace) -> None:
    work.script([HELLO], ["Done."])
    work.open("a.py", "import os\n# steersman: say hello\n")
    work.terminal.keys("j", "Space", "a")
    work.terminal.wait_for("Steersman: do this – say hello")
    work.terminal.keys("Enter")
    work.terminal.wait_for("Steersman wants to edit a.py (+1 −1)", '+ print("hello")', "Reject", "Allow once")
    work.terminal.keys(*ALLOW_ONCE)
    work.terminal.wait_for("Steersman: Done.", '  2  print("hello")')
    work.terminal.keys("u")
    work.terminal.wait_for("  2  # steersman: say hello")


def test_enter_at_once_rejects(work: HelixWorkspace) -> None:
    work.script([EDIT], ["Then not."])
    work.open("a.txt", "one\ntwo\n")
    start(work, "shout")
    work.terminal.wait_for(*QUESTION)
    work.terminal.keys("Enter")
    assert "TWO" not in work.terminal.wait_for("Steersman: Then not.")


def test_escape_is_a_refusal(work: HelixWorkspace) -> None:
    work.script([EDIT], ["Then not."])
    work.open("a.txt", "one\ntwo\n")
    start(work, "shout")
    work.terminal.wait_for(*QUESTION)
    work.terminal.keys("Escape")
    assert "TWO" not in work.terminal.wait_for("Steersman: Then not.")


def test_the_diff_can_be_seen_before_the_answer(work: HelixWorkspace) -> None:
    work.script([EDIT], ["Then not."])
    work.open("a.txt", "one\ntwo\n")
    start(work, "shout")
    work.terminal.wait_for(*QUESTION)
    work.terminal.keys("Tab", "Enter")
    work.terminal.wait_for("-two", "+TWO", *QUESTION)
    work.terminal.keys("Enter")
    work.terminal.wait_for("Steersman: Then not.")


def test_a_problem_is_fixed_from_the_menu(work: HelixWorkspace) -> None:
    work.script([EDIT], ["Fixed."])
    work.open("a.txt", "one\ntwo\n")
    work.terminal.keys("j", "Space", "a")
    work.terminal.wait_for("Steersman: fix the problem here")
    work.terminal.keys("Enter")
    work.terminal.wait_for(*QUESTION)
    work.terminal.keys(*ALLOW_ONCE)
    work.terminal.wait_for("Steersman: Fixed.", "  2  TWO")
    assert work.save("a.txt") == "one\nTWO\n"


def test_a_selection_is_explained_and_a_long_answer_opens_beside_it(work: HelixWorkspace) -> None:
    work.script(["It is a list of numbers in words, and this sentence goes on.\n" * 8])
    work.open("a.txt", "one\ntwo\n")
    work.terminal.keys("%", "Space", "a")
    work.terminal.wait_for("Steersman: explain", "Steersman: improve")
    work.terminal.keys("Tab", "Tab", "Enter")
    work.terminal.wait_for("# Explain lines 1 to 2 of a.txt.")
    work.terminal.keys("g", "e")
    work.terminal.wait_for("It is a list of numbers in words")


def test_a_run_is_stopped_by_the_key_of_the_readme(work: HelixWorkspace) -> None:
    work.script(["Half ", {"gate": "mid"}, "an answer."])
    work.open("a.txt", "one\n")
    start(work, "talk")
    work.wait_reached("mid")
    work.terminal.wait_for("turn 1/40")
    work.terminal.keys("Space", ".")
    work.terminal.wait_until_gone("turn 1/40")


def test_typing_while_a_question_stands_is_kept(work: HelixWorkspace) -> None:
    work.script([{"gate": "before"}, EDIT], ["Done."])
    work.open("a.txt", "one\n\n\ntwo\n")
    start(work, "shout")
    work.wait_reached("before")
    work.terminal.type("ityped ")
    work.terminal.keys("Escape")
    work.terminal.wait_for("typed one")
    (work.folder.parent / "script.jsonl.gates" / "before.open").touch()
    work.terminal.wait_for(*QUESTION)
    work.terminal.keys(*ALLOW_ONCE)
    work.terminal.wait_for("Steersman: Done.")
    assert work.save("a.txt") == "typed one\n\n\nTWO\n"


def test_the_readme_shows_what_is_on_the_screen(work: HelixWorkspace) -> None:
    new = "def mean(values):\n    return sum(values) / len(values) if values else 0.0\n"
    old = "# steersman: make this handle an empty list\ndef mean(values):\n    return sum(values) / len(values)\n"
    work.script(
        [{"call": "edit_file", "arguments": {"path": "mean.py", "old_text": old, "new_text": new}}],
        ["mean() answers 0.0 for an empty list now."],
    )
    work.open("mean.py", old)
    work.terminal.keys("Space", "a")
    hold(README, "menu", work.terminal.wait_for("Steersman: do this"))
    work.terminal.keys("Enter")
    hold(README, "question", work.terminal.wait_for("Steersman wants to edit mean.py", "waiting for your answer"))
    work.terminal.keys(*ALLOW_ONCE)
    hold(README, "answer", work.terminal.wait_for("Steersman: mean() answers", "if values else 0.0"))
