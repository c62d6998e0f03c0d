"""Emacs's own client, Eglot, with the lines that the README shows and no package: code actions, question, edit, undo."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from support.emacs import PACKAGE, Emacs, EmacsWorkspace, lisp

HELLO = {
    "call": "edit_file",
    "arguments": {"path": "a.txt", "old_text": "# steersman: say hello\n", "new_text": "hello\n"},
}


def shown_configuration() -> str:
    """Return the lines for plain Eglot as the README has them."""
    blocks: list[str] = re.findall(
        r"^```elisp\n(.*?)^```$", (PACKAGE / "README.md").read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    return next(block for block in blocks if "eglot-server-programs" in block)


@pytest.fixture(scope="module")
def emacs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Emacs]:
    """An Emacs with those lines alone."""
    with Emacs(tmp_path_factory.mktemp("eglot"), shown_configuration()) as started:
        yield started


@pytest.fixture
def work(emacs: Emacs, tmp_path: Path) -> Iterator[EmacsWorkspace]:
    """A workspace of this test alone; its servers end with it."""
    workspace = EmacsWorkspace(emacs, tmp_path / "work")
    yield workspace
    emacs.terminal.keys("C-g")
    emacs.eval(
        "(progn (when (featurep 'eglot) (dolist (each (apply #'append (hash-table-values eglot--servers-by-project))) (delete-process (jsonrpc--process each)))) nil)"
    )
    workspace.close()


def open_with_eglot(emacs: Emacs, work: EmacsWorkspace, text: str) -> None:
    """Open a file and start Eglot in it, as a person does."""
    work.open("a.txt", text)
    emacs.command("eglot")
    emacs.wait("(and (fboundp 'eglot-managed-p) (eglot-managed-p) t)", "Eglot at work")


def test_an_instruction_comment_is_done_by_code_action_and_one_undo_takes_it_back(
    emacs: Emacs, work: EmacsWorkspace
) -> None:
    work.script([HELLO], ["Done."])
    open_with_eglot(emacs, work, "one\n# steersman: say hello\n")
    emacs.terminal.keys("C-n")
    emacs.command("eglot-code-actions")
    emacs.terminal.wait_for("Steersman: do this")
    emacs.terminal.keys("Enter")
    emacs.terminal.wait_for("Steersman wants to edit a.txt", "Choose an option: Reject")
    emacs.terminal.keys("C-a", "C-k")
    emacs.terminal.type("Allow once")
    emacs.terminal.keys("Enter")
    emacs.terminal.wait_for("Steersman: Done.")
    assert emacs.eval("(buffer-string)") == "one\nhello\n"
    assert work.read("a.txt") == "one\n# steersman: say hello\n"
    emacs.terminal.keys("C-/")
    emacs.wait(f"(equal (buffer-string) {lisp('one@# steersman: say hello@')})".replace("@", "\\n"), "the undo")


def test_return_at_the_question_rejects(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([HELLO], ["Then not."])
    open_with_eglot(emacs, work, "one\n# steersman: say hello\n")
    emacs.terminal.keys("C-n")
    emacs.command("eglot-code-actions")
    emacs.terminal.wait_for("Steersman: do this")
    emacs.terminal.keys("Enter")
    emacs.terminal.wait_for("Steersman wants to edit a.txt", "Choose an option: Reject")
    emacs.terminal.keys("Enter")
    emacs.terminal.wait_for("Steersman: Then not.")
    assert emacs.eval("(buffer-string)") == "one\n# steersman: say hello\n"


def test_a_task_is_given_by_the_command_of_the_readme(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["Forty-two."])
    open_with_eglot(emacs, work, "one\n")
    emacs.command("steersman-ask-eglot")
    emacs.terminal.wait_for("Steersman:")
    emacs.terminal.type("what is it?")
    emacs.terminal.keys("Enter")
    emacs.terminal.wait_for("Steersman: Forty-two.")
