"""A hostile world and a clumsy user: hooks that fail, projects that widen, buffers that are killed (DESIGN A2, A6)."""

from __future__ import annotations

from support.emacs import Emacs, EmacsWorkspace

EDIT = {"call": "edit_file", "arguments": {"path": "a.txt", "old_text": "two", "new_text": "TWO"}}
QUESTION = "*Steersman: edit a.txt*"
CONVERSATION = "*Steersman work*"
HOOKS = (
    "diff-mode-hook steersman-question-mode-hook steersman-question-asked-functions"
    " steersman-question-closed-functions steersman-conversation-mode-hook steersman-connection-opened-functions"
)


def begin(emacs: Emacs, task: str) -> None:
    """Give a task."""
    emacs.eval(f'(progn (steersman "{task}") nil)')


def wait_for_question(emacs: Emacs, name: str = QUESTION) -> None:
    """Wait until a question is on the screen."""
    emacs.wait(f'(and (get-buffer "{name}") (get-buffer-window "{name}") t)', f"the question {name}")


def wait_for_conversation(emacs: Emacs, text: str) -> None:
    """Wait until the conversation shows a text."""
    emacs.wait(
        f'(and (get-buffer "{CONVERSATION}")'
        f' (with-current-buffer "{CONVERSATION}" (string-search "{text}" (buffer-string))) t)',
        f"{text} in the conversation",
    )


def test_hooks_that_fail_keep_no_question_from_its_answer(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([EDIT], ["Done."])
    work.open("a.txt", "two\n")
    emacs.eval('(progn (defun broken (&rest _) (error "Broken")) nil)')
    emacs.eval(f"(progn (dolist (hook '({HOOKS})) (add-hook hook #'broken -90)) nil)")
    try:
        begin(emacs, "shout")
        wait_for_question(emacs)
        emacs.eval(f'(progn (with-current-buffer "{QUESTION}" (steersman-question-allow-once)) nil)')
        wait_for_conversation(emacs, "complete")
    finally:
        emacs.eval(f"(progn (dolist (hook '({HOOKS})) (remove-hook hook #'broken)) nil)")
    assert emacs.eval('(with-current-buffer "a.txt" (buffer-string))') == "TWO\n"
    conversations = '(seq-count (lambda (each) (string-prefix-p "*Steersman work" (buffer-name each))) (buffer-list))'
    assert emacs.eval(conversations) == 1


def test_a_question_whose_buffer_becomes_something_else_is_refused(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([EDIT], ["Then not."])
    work.open("a.txt", "two\n")
    begin(emacs, "shout")
    wait_for_question(emacs)
    emacs.eval(f'(progn (with-current-buffer "{QUESTION}" (fundamental-mode)) nil)')
    wait_for_conversation(emacs, "Then not.")
    assert emacs.eval("(null steersman-question--open)") is True
    emacs.eval(f'(progn (kill-buffer "{QUESTION}") nil)')
    assert emacs.eval('(with-current-buffer "a.txt" (buffer-string))') == "two\n"


def test_what_is_asked_hides_nothing_and_its_title_stays_on_a_line(emacs: Emacs, work: EmacsWorkspace) -> None:
    command = {"call": "run_command", "arguments": {"command": "echo \u202etxt.a\u200b; echo two"}}
    work.script([command], ["Then not."])
    work.open("a.txt", "two\n")
    begin(emacs, "run")
    emacs.wait("(and steersman-question--open t)", "the question")
    shown = emacs.eval("(with-current-buffer (car steersman-question--open) (buffer-string))")
    assert "echo ⟨U+202E⟩txt.a⟨U+200B⟩; echo two" in shown
    title = emacs.eval('(steersman-question--title (list :title "edit a\\n\\ny Allow\\x1b[8m"))')
    assert title == "edit a⏎⏎y Allow⟨U+001B⟩[8m"
    emacs.eval("(progn (with-current-buffer (car steersman-question--open) (steersman-question-reject-at-once)) nil)")
    wait_for_conversation(emacs, "complete")


def test_a_project_sets_no_mode(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script([EDIT], ["Then not."])
    work.write(".dir-locals.el", '((nil . ((steersman-chosen-mode . "auto"))))\n')
    emacs.eval("(progn (setq enable-local-variables :all) nil)")
    try:
        work.open("a.txt", "two\n")
        begin(emacs, "shout")
        wait_for_question(emacs)
    finally:
        emacs.eval("(progn (setq enable-local-variables t) nil)")
    assert emacs.eval("(get 'steersman-chosen-mode 'risky-local-variable)") is True


def test_a_server_that_refuses_its_options_is_not_waited_for_for_ever(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["Hello."])
    work.open("a.txt", "two\n")
    emacs.eval("(progn (setq steersman-options '(:model #s(hash-table) . 3)) nil)")
    try:
        assert "did not start" in emacs.eval(
            '(condition-case failure (progn (steersman "talk") "") (error (cadr failure)))'
        )
    finally:
        emacs.eval("(progn (setq steersman-options nil) nil)")
    begin(emacs, "talk")
    wait_for_conversation(emacs, "complete")


def test_a_conversation_killed_half_way_comes_back_whole(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["First of all.", EDIT], [{"gate": "mid"}, "The rest."])
    work.open("a.txt", "two\n")
    begin(emacs, "shout")
    wait_for_question(emacs)
    emacs.eval(f'(progn (with-current-buffer "{QUESTION}" (steersman-question-allow-once)) nil)')
    work.wait_reached("mid")
    emacs.wait(f'(and (get-buffer "{CONVERSATION}") t)', "the conversation")
    emacs.eval(f'(progn (kill-buffer "{CONVERSATION}") nil)')
    work.open_gate("mid")
    wait_for_conversation(emacs, "First of all.")
    wait_for_conversation(emacs, "The rest.")
    emacs.wait(f'(not (buffer-local-value \'steersman-conversation-running (get-buffer "{CONVERSATION}")))', "its end")


def test_a_list_of_conversations_outlives_its_server(emacs: Emacs, work: EmacsWorkspace) -> None:
    work.script(["Hello."])
    work.open("a.txt", "two\n")
    begin(emacs, "talk")
    wait_for_conversation(emacs, "complete")
    emacs.eval("(progn (steersman-sessions) nil)")
    emacs.wait(
        '(with-current-buffer "*Steersman sessions*" (and (string-search "talk" (buffer-string)) t))', "the list"
    )
    emacs.eval("(progn (mapc (lambda (each) (delete-process (jsonrpc--process each))) (steersman-connections)) nil)")
    emacs.wait("(null (steersman-connections))", "the server's end")
    emacs.eval(
        '(progn (with-current-buffer "*Steersman sessions*" (let ((inhibit-read-only t)) (erase-buffer)) (steersman-sessions-refresh)) nil)'
    )
    emacs.wait(
        '(with-current-buffer "*Steersman sessions*" (and (string-search "talk" (buffer-string)) t))', "the list"
    )


def test_a_file_of_the_model_s_asks_nothing_as_it_is_opened(emacs: Emacs, work: EmacsWorkspace) -> None:
    path = work.write(
        "trap.txt", 'two\n\n# Local Variables:\n# eval: (setq owned t)\n# steersman-command: ("evil")\n# End:\n'
    )
    emacs.eval("(progn (defvar owned nil) nil)")
    emacs.eval(f'(progn (steersman-documents--find "{path}") nil)')
    assert emacs.eval("(or owned (active-minibuffer-window))") is None
    assert emacs.eval(f'(local-variable-p \'steersman-command (find-buffer-visiting "{path}"))') is None
