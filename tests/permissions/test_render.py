"""The question in words (A2, PROTOCOL §3)."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.approval import Option
from steersman.agent.tool import Effect, Plan
from steersman.permissions.question import Question
from steersman.permissions.render import (
    MAX_CHARS,
    buttons,
    full_text,
    headline,
    question_text,
    scoped_label,
    show_label,
    unified_diff,
)
from support.permission import ROOT, call_plan, change, command_plan, edit_plan

OPTIONS = (
    Option("reject", "Reject"),
    Option("allow_once", "Allow once"),
    Option("allow_session", "Allow for this session (edits of src/app.py)"),
    Option("allow_always", "Always allow (edits of src/app.py)"),
)


def question(plan: Plan, **more: object) -> Question:
    fields = {"tool": "edit_file", "options": OPTIONS, **more}
    return Question("run", "session", "call", plan=plan, **fields)  # pyright: ignore[reportArgumentType]


@pytest.mark.parametrize(
    ("plan", "line"),
    [
        (edit_plan(change(before="a\nb\n", after="a\nc\nd\n")), "edit src/app.py (+2 −1)"),
        (edit_plan(change("src/new.py", "create", after="a\nb\n")), "create src/new.py (+2 −0)"),
        (edit_plan(change("x", "delete", before="a\nb\nc")), "delete x (+0 −3)"),
        (edit_plan(change("b.py", "move", moved_from="src/a.py", after="a = 1\n")), "move src/a.py to b.py (+0 −0)"),
        (edit_plan(change("a"), change("b", "create")), "change 2 files (+2 −1): a, b"),
        (edit_plan(*(change(str(n)) for n in range(9))), "change 9 files (+9 −9): 0, 1, 2, 3 and 5 more"),
        (command_plan("git status"), "run: git status"),
        (command_plan("a\nb"), "run: a⏎b"),
        (replace(call_plan(Effect.NETWORK), title="fetch http://x"), "use fetch: fetch http://x"),
    ],
)
def test_tool_and_target_come_first(plan: Plan, line: str):
    assert headline(plan, "fetch") == f"Steersman wants to {line}"


def test_an_edit_is_shown_with_its_lines_and_what_would_be_remembered():
    text = question_text(question(edit_plan(), remembers="edits of src/app.py"))
    assert text.splitlines() == [
        "Steersman wants to edit src/app.py (+1 −1)",
        "“For this session” would cover: edits of src/app.py",
        "- a = 1",
        "+ a = 2",
    ]


def test_at_most_eight_lines_of_a_change_are_shown_and_the_rest_is_counted():
    text = question_text(question(edit_plan(change("x", "create", after="line\n" * 30))))
    assert text.count("\n+ line") == 8
    assert text.endswith("… and 22 more lines")


def test_warnings_stand_before_the_change():
    text = question_text(question(edit_plan(), warning="One.\nTwo."))
    assert text.splitlines()[1:3] == ["One.", "Two."]


def test_a_command_up_to_200_characters_is_shown_whole():
    command = "x" * 200
    assert headline(command_plan(command), "run_command").endswith(f": {command}")
    assert show_label(command_plan(command)) is None


def test_a_longer_command_shows_its_beginning_what_it_runs_and_a_button():
    plan = command_plan("echo " + "x" * 300 + "; rm -rf y")
    line = headline(plan, "run_command")
    assert "… (115 more characters; runs: echo, rm)" in line
    assert show_label(plan) == "Show command"
    assert full_text(plan) == plan.command


def test_a_command_cannot_hide_behind_blanks():
    line = headline(command_plan("git status" + " " * 500 + "; rm -rf ."), "run_command")
    assert "; rm -rf ." in line


@pytest.mark.parametrize("where", ["path", "line", "command", "title", "warning", "scope"])
def test_what_reorders_or_hides_is_written_out_everywhere(where: str):
    evil = "a\u202eb\x1b[8m"
    plan = {
        "path": edit_plan(change(f"{evil}.py")),
        "line": edit_plan(change(after=evil)),
        "command": command_plan(evil),
        "title": replace(call_plan(), title=evil),
    }.get(where, edit_plan())
    asked = question(plan, warning=evil if where == "warning" else None, remembers=evil if where == "scope" else None)
    for text in (question_text(asked), full_text(plan), scoped_label("x", evil)):
        assert "\u202e" not in text
        assert "\x1b" not in text
    assert "⟨U+202E⟩" in question_text(asked)


def test_look_alike_letters_are_warned_of():
    assert "mixes letters" in question_text(question(edit_plan(change("src/аpp.py"))))


def test_a_long_path_keeps_its_end():
    assert "/end.py" in headline(edit_plan(change("a/" * 200 + "end.py")), "edit_file")


@given(st.text(max_size=3000), st.text(max_size=3000), st.text(max_size=400), st.text(max_size=400))
def test_no_question_is_longer_than_clients_show(before: str, after: str, path: str, warning: str):
    plan = edit_plan(change(path, before=before, after=after))
    assert len(question_text(question(plan, warning=warning, remembers=path))) <= MAX_CHARS


@given(st.text(max_size=3000))
def test_no_question_about_a_command_is_longer_than_clients_show(command: str):
    assert len(question_text(question(command_plan(command), warning=command))) <= MAX_CHARS


def test_the_buttons_of_a_plain_box_come_in_order_with_short_titles():
    assert buttons(question(edit_plan())) == (
        Option("reject", "Reject"),
        Option("show", "Show diff"),
        Option("allow_once", "Allow once"),
        Option("allow_session", "Allow for this session"),
    )


def test_protected_paths_offer_only_reject_show_and_once():
    asked = question(edit_plan(), options=OPTIONS[:2], protected=True)
    assert [option.label for option in buttons(asked)] == ["Reject", "Show diff", "Allow once"]


def test_a_short_command_needs_no_show_button():
    assert [option.id for option in buttons(question(command_plan("ls")))] == ["reject", "allow_once", "allow_session"]


def test_a_question_about_unsaved_edits_keeps_its_own_words():
    options = (Option("reject", "Skip"), Option("save_and_allow", "Save and go on"), Option("allow_once", "Run anyway"))
    asked = question(command_plan("pytest"), options=options)
    assert buttons(asked) == options


def test_button_titles_differ_so_that_the_answer_is_clear():
    titles = [option.label for option in buttons(question(edit_plan()))]
    assert len(titles) == len(set(titles))


def test_a_scope_in_a_label_is_cut():
    assert len(scoped_label("Allow for this session", "x" * 500)) < 100


# the diff


def diff_of(before: str, after: str) -> list[str]:
    return unified_diff((change(before=before, after=after),)).split("\n")[:-1]


def test_a_diff_shows_three_lines_around_each_change():
    old = "".join(f"{n}\n" for n in range(20))
    assert diff_of(old, old.replace("10\n", "ten\n")) == [
        "--- src/app.py",
        "+++ src/app.py",
        "@@ -8,7 +8,7 @@",
        " 7",
        " 8",
        " 9",
        "-10",
        "+ten",
        " 11",
        " 12",
        " 13",
    ]


def test_changes_far_apart_are_hunks_of_their_own():
    old = "".join(f"{n}\n" for n in range(40))
    new = old.replace("\n3\n", "\nthree\n").replace("\n30\n", "\nthirty\n")
    assert [line for line in diff_of(old, new) if line.startswith("@@")] == ["@@ -1,7 +1,7 @@", "@@ -28,7 +28,7 @@"]


def test_created_deleted_and_moved_files_are_told_in_the_header():
    assert unified_diff((change("x", "create", after="a\n"),)) == "--- /dev/null\n+++ x\n@@ -0,0 +1 @@\n+a\n"
    assert unified_diff((change("x", "delete", before="a\n"),)) == "--- x\n+++ /dev/null\n@@ -1 +0,0 @@\n-a\n"
    assert unified_diff((change("x", "move", moved_from="y", after="a = 1\n"),)) == "--- y\n+++ x\n"


def test_a_binary_file_is_named_as_such():
    assert "(not a text file)" in unified_diff((change("x", "delete", before=None),))


def test_a_change_of_line_ends_alone_is_seen():
    assert diff_of("a\n", "a\r\n")[-2:] == ["-a␊", "+a␍␊"]


def test_line_ends_that_are_all_the_same_are_not_noise():
    assert diff_of("a\r\nb\r\n", "a\r\nc\r\n")[-2:] == ["-b", "+c"]


def test_a_missing_last_line_end_is_seen():
    assert diff_of("a\n", "a")[-2:] == ["-a", "+a ⟨no line end⟩"]


@given(st.text("ab\r\n\u2028\x0c", max_size=40), st.text("ab\r\n\u2028\x0c", max_size=40))
def test_any_two_texts_that_differ_show_a_difference(before: str, after: str):
    lines = diff_of(before, after)[2:]
    signs = {line[0] for line in lines}
    assert (before != after) == bool(signs & {"-", "+"})
    removed = [line[1:] for line in lines if line.startswith("-")]
    added = [line[1:] for line in lines if line.startswith("+")]
    assert before == after or removed != added


def test_a_very_large_change_is_one_block_and_quick_to_work_out():
    old = "".join(f"{n}\n" for n in range(20_000))
    new = "".join(f"{n} changed\n" for n in range(20_000))
    lines = diff_of(old, new)
    assert lines[2] == "@@ -1,20000 +1,20000 @@"
    assert len(lines) == 40_003


def test_the_source_of_a_move_is_shown_below_its_root():
    plan = edit_plan(change("lib/b.py", "move", moved_from="src/a.py"))
    assert ROOT not in question_text(question(plan))
    assert ROOT not in full_text(plan)
