"""The package's whole circle in a real Emacs: task, question, edit, undo, stop, answer, go on."""

from __future__ import annotations

from support.captures import hold
from support.emacs import PACKAGE, Emacs, EmacsWorkspace

EDIT = {"call": "edit_file", "arguments": {"path": "a.txt", "old_text": "two", "new_text": "TWO"}}
QUESTION = "*Steersman: edit a.txt*"


def start(emacs: Emacs, task: str, command: str = "steersman") -> None:
    """Give a task as a person does."""
    emacs.command(command)
    wait_for_prompt(emacs)
    emacs.terminal.type(task)
    emacs.terminal.keys("Enter")


def wait_for_prompt(emacs: Emacs) -> None:
    """Wait until the minibuffer asks for a task: mode lines show the name, too."""
    asked = "(and (active-minibuffer-window) (with-selected-window (active-minibuffer-window) (minibuffer-prompt)))"
    emacs.wait(f'(and (string-prefix-p "Steersman" (or {asked} "")) t)', "the prompt")


def wait_for_question(emacs: Emacs, name: str = QUESTION) -> None:
    """Wait until a question is on the screen."""
    emacs.wait(f'(and (get-buffer "{name}") (get-buffer-window "{name}") t)', f"the question {name}")


def answer(emacs: Emacs, *keys: str) -> None:
    """Go to the question and press keys."""
    emacs.command("steersman-answer")
    emacs.wait("(and (derived-mode-p 'steersman-question-mode) t)", "the question selected")
    emacs.terminal.keys(*keys)


def wait_for_conversation(emacs: Emacs, text: str) -> str:
    """Wait until the conversation shows a text; return all it shows."""
    emacs.wait(
        f'(and (get-buffer "*Steersman work*")'
        f' (with-current-buffer "*Steersman work*" (string-search "{text}" (buffer-string))))',
        f"{text} in the conversation",
    )
    return emacs.text("*Steersman work*")


def select(emacs: Emacs, name: str, then: str = "") -> None:
    """Go to a buffer once it is there: asked for too early, Emacs would make an empty one of that name."""
    emacs.wait(f'(and (get-buffer "{name}") t)', f"the buffer {name}")
    emacs.eval(f'(progn (pop-to-buffer "{name}") {then} nil)')


def buffer_text(emacs: Emacs, name: str = "a.txt") -> str:
    """Return the text of a file's buffer."""
    text: str = emacs.eval(f'(with-current-buffer "{name}" (buffer-string))')
    return text


def test_a_task_asks_edits_the_buffer_and_one_undo_takes_the_edit_back(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["I shall shout.", EDIT], ["Shouted."])
    work.open("a.txt", "one\ntwo\nthree\n")
    start(emacs, "shout")
    wait_for_question(emacs)
    shown = emacs.text(QUESTION)
    assert "-two" in shown
    assert "+TWO" in shown
    answer(emacs, "a")
    shown = wait_for_conversation(emacs, "complete")
    assert shown == (
        "» shout\n\nI shall shout.\n\n▸ edit_file  edit a.txt  ✓\n\nShouted.\n\ncomplete · 2 turns · 1 file changed\n"
    )
    assert buffer_text(emacs) == "one\nTWO\nthree\n"
    emacs.eval('(progn (pop-to-buffer "a.txt") nil)')
    emacs.terminal.keys("C-/")
    emacs.wait('(equal (buffer-string) "one\\ntwo\\nthree\\n")', "the undo")


def test_the_question_can_be_read_and_names_its_keys(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([EDIT], ["Then not."])
    work.open("a.txt", "one\ntwo\n")
    start(emacs, "shout")
    wait_for_question(emacs)
    screen = emacs.terminal.wait_for("Steersman wants to edit a.txt", "a  Allow once", "-two", "[Steersman?")
    assert "s  Allow for this session (edits of a.txt)" in screen
    assert "r  Reject" in screen
    answer(emacs, "q")
    wait_for_conversation(emacs, "complete")
    assert buffer_text(emacs) == "one\ntwo\n"


def test_what_is_typed_when_a_question_comes_up_goes_into_the_file(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"gate": "before"}, EDIT], ["Done."])
    work.open("a.txt", "one\n\n\ntwo\n")
    start(emacs, "shout")
    work.wait_reached("before")
    emacs.terminal.type("aaa")
    work.open_gate("before")
    wait_for_question(emacs)
    emacs.terminal.type("asA")
    emacs.wait('(string-prefix-p "aaaasA" (buffer-string))', "the typed text")
    answer(emacs, "a")
    wait_for_conversation(emacs, "complete")
    assert buffer_text(emacs) == "aaaasAone\n\n\nTWO\n", "the edit was carried to where its text is now"


def test_a_reason_goes_to_the_model(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([EDIT], ["I see."])
    work.open("a.txt", "two\n")
    start(emacs, "shout")
    wait_for_question(emacs)
    answer(emacs, "r")
    emacs.terminal.wait_for("Why not")
    emacs.terminal.type("quietly, please")
    emacs.terminal.keys("Enter")
    wait_for_conversation(emacs, "complete")
    assert "✗" in emacs.text("*Steersman work*")
    whole = emacs.eval('(with-current-buffer "*Steersman work*" (buffer-string))')
    assert "quietly, please" in whole


def test_a_question_whose_buffer_is_killed_is_refused(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([EDIT], ["Then not."])
    work.open("a.txt", "two\n")
    start(emacs, "shout")
    wait_for_question(emacs)
    emacs.eval(f'(progn (kill-buffer "{QUESTION}") nil)')
    wait_for_conversation(emacs, "complete")
    assert buffer_text(emacs) == "two\n"


def test_allow_for_the_session_asks_no_more(emacs: Emacs, work: EmacsWorkspace) -> None:
    again = {"call": "edit_file", "arguments": {"path": "a.txt", "old_text": "TWO", "new_text": "2"}}
    work.script([EDIT], [again], ["Done."])
    work.open("a.txt", "two\n")
    start(emacs, "shout")
    wait_for_question(emacs)
    answer(emacs, "s")
    wait_for_conversation(emacs, "complete · 3 turns")
    assert buffer_text(emacs) == "2\n"


def test_a_stopped_run_withdraws_its_question(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([EDIT], ["Never said."])
    work.open("a.txt", "two\n")
    start(emacs, "shout")
    wait_for_question(emacs)
    emacs.command("steersman-stop")
    emacs.wait(f'(not (get-buffer "{QUESTION}"))', "the question's end")
    wait_for_conversation(emacs, "stopped · 1 turn")
    assert buffer_text(emacs) == "two\n"


def test_a_stream_is_shown_as_it_comes_and_vanishes_when_stopped(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["Half an ans", {"gate": "mid"}, "wer."])
    work.open("a.txt", "one\n")
    start(emacs, "talk")
    work.wait_reached("mid")
    wait_for_conversation(emacs, "Half an ans")
    emacs.terminal.wait_for("[Steersman: turn 1/")
    emacs.command("steersman-stop")
    assert wait_for_conversation(emacs, "stopped · 0 turns") == "» talk\n\nstopped · 0 turns\n"
    emacs.terminal.wait_until_gone("[Steersman:")


def test_emacs_goes_on_working_while_the_model_thinks(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"gate": "long"}, "Done."])
    work.open("a.txt", "one\n")
    start(emacs, "think")
    work.wait_reached("long")
    emacs.terminal.type("typed ")
    emacs.wait('(equal (buffer-string) "typed one\\n")', "the typed text")
    work.open_gate("long")
    wait_for_conversation(emacs, "complete")


def test_a_region_is_what_the_task_is_about(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["It says two."])
    work.open("a.txt", "one\ntwo\nthree\n")
    emacs.eval("(progn (goto-char 5) (push-mark 9 t t) (setq transient-mark-mode t) nil)")
    start(emacs, "what is it?", command="steersman-region")
    wait_for_conversation(emacs, "complete")
    whole = emacs.eval('(with-current-buffer "*Steersman work*" (buffer-string))')
    assert "line 2" in whole
    assert "two" in whole.partition("<context>")[2].partition("</context>")[0]


def test_a_reply_in_the_conversation_goes_on_with_it(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["First."], ["Second."])
    work.open("a.txt", "one\n")
    start(emacs, "begin")
    wait_for_conversation(emacs, "complete")
    select(emacs, "*Steersman work*")
    emacs.terminal.keys("i")
    wait_for_prompt(emacs)
    emacs.terminal.type("go on")
    emacs.terminal.keys("Enter")
    shown = wait_for_conversation(emacs, "Second.")
    assert shown.startswith("» begin\n\nFirst.\n\ncomplete · 1 turn\n\n» go on\n\nSecond.\n")


def test_a_reply_to_a_run_at_work_joins_before_its_next_turn(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"gate": "mid"}, "First."], ["Heard."])
    work.open("a.txt", "one\n")
    start(emacs, "begin")
    work.wait_reached("mid")
    select(emacs, "*Steersman work*")
    emacs.terminal.keys("i")
    wait_for_prompt(emacs)
    emacs.terminal.type("mind the gap")
    emacs.terminal.keys("Enter")
    emacs.terminal.wait_for("will hear of it")
    work.open_gate("mid")
    assert "First.\n\n» mind the gap\n\nHeard." in wait_for_conversation(emacs, "complete")


def test_an_earlier_conversation_is_opened_from_the_list_and_goes_on(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["Let me look.", {"call": "read_file", "arguments": {"path": "a.txt"}}], ["It is one."], ["Yes."])
    work.open("a.txt", "one\n")
    start(emacs, "what is it?")
    first = wait_for_conversation(emacs, "complete")
    emacs.eval('(progn (kill-buffer "*Steersman work*") nil)')
    emacs.command("steersman-sessions")
    emacs.terminal.wait_for("what is it?")
    select(emacs, "*Steersman sessions*", "(goto-char (point-min))")
    emacs.terminal.keys("Enter")
    shown = wait_for_conversation(emacs, "It is one.")
    assert shown == first.replace("\n\ncomplete · 2 turns", "").replace("read_file  read a.txt", "read_file")
    emacs.wait("(and (derived-mode-p 'steersman-conversation-mode) t)", "the conversation selected")
    emacs.terminal.keys("i")
    wait_for_prompt(emacs)
    emacs.terminal.type("sure?")
    emacs.terminal.keys("Enter")
    wait_for_conversation(emacs, "Yes.")


def test_results_of_tools_are_folded_and_unfolded(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"call": "read_file", "arguments": {"path": "a.txt"}}], ["Read."])
    work.open("a.txt", "a line of the file\n")
    start(emacs, "read")
    assert "a line of the file" not in wait_for_conversation(emacs, "complete")
    select(emacs, "*Steersman work*")
    emacs.terminal.keys("Tab")
    emacs.terminal.wait_for("a line of the file")


def test_a_server_that_dies_is_told_and_the_next_reply_starts_another(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"gate": "never"}, "Never said."])
    work.open("a.txt", "one\n")
    start(emacs, "think")
    work.wait_reached("never")
    emacs.eval("(progn (mapc (lambda (c) (signal-process (jsonrpc--process c) 9)) (steersman-connections)) nil)")
    wait_for_conversation(emacs, "The server has ended")
    work.script(["Here again."])
    select(emacs, "*Steersman work*")
    emacs.terminal.keys("i")
    wait_for_prompt(emacs)
    emacs.terminal.type("go on")
    emacs.terminal.keys("Enter")
    wait_for_conversation(emacs, "Here again.")


def test_a_rewind_puts_file_and_conversation_back_and_is_taken_back(emacs: Emacs, work: EmacsWorkspace) -> None:
    shouted(emacs, work)
    rewind(emacs)
    emacs.wait('(with-current-buffer "a.txt" (string-search "two" (buffer-string)))', "the old text")
    emacs.wait('(with-current-buffer "*Steersman work*" (not (string-search "Shouted" (buffer-string))))', "the past")
    emacs.terminal.wait_for("1 file put back")
    emacs.command("steersman-rewind-undo")
    emacs.wait('(with-current-buffer "a.txt" (string-search "TWO" (buffer-string)))', "the new text")
    wait_for_conversation(emacs, "Shouted.")


def test_what_was_changed_since_is_restored_only_when_the_person_says_so(emacs: Emacs, work: EmacsWorkspace) -> None:
    shouted(emacs, work)
    emacs.eval('(with-current-buffer "a.txt" (goto-char (point-min)) (insert "mine\\n") nil)')
    rewind(emacs)
    emacs.terminal.wait_for("a.txt:", "Restore them too")
    assert buffer_text(emacs) == "mine\none\nTWO\n"
    emacs.terminal.keys("y")
    emacs.wait('(equal (with-current-buffer "a.txt" (buffer-string)) "one\\ntwo\\n")', "the old text")
    emacs.eval('(with-current-buffer "a.txt" (goto-char (point-min)) (insert "since\\n") nil)')
    emacs.command("steersman-rewind-undo")
    emacs.terminal.wait_for("a.txt:", "Restore them too")
    assert buffer_text(emacs) == "since\none\ntwo\n"
    emacs.terminal.keys("y")
    emacs.wait('(equal (with-current-buffer "a.txt" (buffer-string)) "mine\\none\\nTWO\\n")', "what there was before")


def shouted(emacs: Emacs, work: EmacsWorkspace) -> None:
    """Let a task be done that edits a file."""
    work.script([EDIT], ["Shouted."])
    work.open("a.txt", "one\ntwo\n")
    start(emacs, "shout")
    wait_for_question(emacs)
    answer(emacs, "a")
    wait_for_conversation(emacs, "complete")


def rewind(emacs: Emacs) -> None:
    """Go back to before the latest task, files and conversation, as a person does."""
    select(emacs, "*Steersman work*")
    emacs.command("steersman-rewind")
    emacs.terminal.wait_for("Back to the moment before:")
    emacs.terminal.keys("Enter")
    emacs.terminal.wait_for("Take back:")
    emacs.terminal.keys("Enter")


def test_a_missing_program_is_told(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.open("a.txt", "one\n")
    emacs.eval('(progn (setq kept steersman-command steersman-command \'("no-such-program")) nil)')
    start(emacs, "anything")
    emacs.terminal.wait_for("There is no program no-such-program")
    emacs.eval("(progn (setq steersman-command kept) nil)")


def test_a_project_cannot_choose_the_program(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.write(".dir-locals.el", '((nil . ((steersman-command . ("no-such-program")))))')
    work.script(["Fine."])
    emacs.eval("(progn (setq enable-local-variables :all) nil)")
    work.open("a.txt", "one\n")
    emacs.eval("(progn (setq enable-local-variables t) nil)")
    assert emacs.eval("(car steersman-command)") == "no-such-program"
    start(emacs, "anything")
    wait_for_conversation(emacs, "Fine.")


def test_a_command_is_shown_whole_before_it_runs(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([{"call": "run_command", "arguments": {"command": "echo 100% sure > b.txt"}}], ["Ran."])
    work.open("a.txt", "one\n")
    start(emacs, "run it")
    name = emacs.wait(
        '(car (seq-filter (lambda (n) (string-prefix-p "*Steersman: run" n)) (mapcar #\'buffer-name (buffer-list))))'
    )
    assert "echo 100% sure > b.txt" in emacs.text(name)
    answer(emacs, "q")
    wait_for_conversation(emacs, "complete")
    assert not (work.folder / "b.txt").exists()


def test_the_readme_shows_what_is_on_the_screen(emacs: Emacs, work: EmacsWorkspace) -> None:
    new = "    return sum(values) / len(values) if values else 0.0\n"
    old = "    return sum(values) / len(values)\n"
    work.script(
        [
            "An empty list divides by zero here.",
            {"call": "edit_file", "arguments": {"path": "mean.py", "old_text": old, "new_text": new}},
        ],
        ["mean() answers 0.0 for an empty list now."],
    )
    work.open("mean.py", f"def mean(values):\n{old}")
    start(emacs, "make mean() handle an empty list")
    wait_for_question(emacs, "*Steersman: edit mean.py*")
    answering = "waiting for your answer: edit mean.py"
    emacs.command("steersman-answer")
    emacs.eval("(progn (message nil) nil)")
    emacs.terminal.wait_until_gone("M-x")
    screen = emacs.terminal.wait_for("[Steersman? edit mean.py]", "+    return", "(Steersman?)")
    assert answering not in screen
    hold(PACKAGE / "README.md", "question", screen)
    emacs.terminal.keys("a")
    wait_for_conversation(emacs, "complete")
    select(emacs, "*Steersman work*", "(message nil)")
    emacs.terminal.wait_until_gone("[Steersman")
    hold(PACKAGE / "README.md", "conversation", emacs.terminal.wait_for("1 file changed", "if values else 0.0\n"))
