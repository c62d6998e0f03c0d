"""What changes something is called for by a plain instruction alone: no denial, no question, no part of a file."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from steersman.rules.choice import Chosen, ToolChooser
from support.rule_chat import converse
from support.specs import COURSE, HOUSE, spec

EFFECTS = {"edit_file", "write_file", "apply_patch", "move_file", "delete_file", "run_command"}

DENIED = [
    "Don't delete a.txt",
    "don’t delete a.txt",
    "dont delete a.txt",
    "DO NOT delete a.txt",
    "Please do *not* delete a.txt",
    "never delete a.txt",
    "You must never delete a.txt",
    "You shouldn't delete a.txt",
    "delete a.txt? No!",
    "delete a.txt, not",
    "delete nothing, a.txt least of all",
    "avoid deleting a.txt",
    "refrain from deleting a.txt",
    "Keep a.txt as it is",
    "No longer delete a.txt",
    "Instead of deleting a.txt, think",
    'replace nothing in a.txt instead of "x" with "y"',
    'replace "x" with "y" in a.txt? Never',
    'never replace "x" with "y" in a.txt',
    'Please don\'t write "x" to a.txt',
    "run anything but rm a.txt",
    "don't run make test",
    "run make test without changing anything",
    "move a.txt to b.txt? don't",
    "do not move a.txt to b.txt",
    "without moving a.txt to b.txt",
    'don\'t delete_file {"path": "a.txt"}',
    "I don't want you to delete a.txt",
    "Make sure that nobody deletes a.txt",
]  # fmt: skip

ASKED = [
    "Should I delete a.txt?",
    "should i delete a.txt",
    "Delete a.txt?",
    'Delete "a.txt"?',
    "(delete a.txt?)",
    "Who runs rm a.txt?",
    "who runs rm a.txt",
    "When was a.txt deleted?",
    "Why delete a.txt",
    "What happens when I delete a.txt?",
    "Would you delete a.txt?",
    "Could I move a.txt to b.txt?",
    "Is it wise to run make clean",
    "Explain how to delete a.txt",
    "explain delete a.txt",
    "How to delete a.txt",
    'How do I replace "x" with "y" in a.txt',
    "Tell me how to run rm a.txt",
    "Tell me what run rm a.txt does",
    "Describe the command rm a.txt",
    "Show me how to delete a.txt",
    "Show how one would run rm a.txt",
    "I wonder whether to delete a.txt",
    "My colleague said: delete a.txt",
    "The script runs rm a.txt",
    "Someone will delete a.txt",
    "It is bad to delete a.txt",
    "Deleting a.txt is a bad idea",
    "If a.txt is empty, delete it",
    "delete a.txt if it is empty",
    "delete a.txt when the tests pass",
    "delete a.txt unless b.txt is there",
    "run make clean if it is needed",
    "Can you run rm a.txt?",
    'What if we write "x" to a.txt',
    'What does "delete a.txt" mean?',
    "Compare delete a.txt with move a.txt to b.txt",
]

PARTIAL = [
    "Delete the word one in a.txt",
    "remove the second line of a.txt",
    "delete line 3 of a.txt",
    "delete lines 1 to 2 of a.txt",
    "delete line 3 in a.txt",
    "delete this line",
    "remove the function main from a.py",
    "remove main from a.py",
    "remove the last paragraph of a.txt",
    "erase the section Usage in README.md",
    "delete all text in a.txt",
    "delete the text of a.txt",
    "delete every letter e from a.txt",
    "delete the contents of a.txt",
    "remove comments in a.py",
    "delete a.txt's first line",
    "delete everything except a.txt",
    "delete all but a.txt",
    "delete the copy of a.txt",
    "delete a.txt and b.txt",
    "delete a.txt, b.txt",
    "delete *.txt",
    'remove the line "one" from a.txt',
    'remove the line containing "one" from a.txt',
    'remove everything after "one" in a.txt',
    'replace the first line of a.txt with "x"',
    'replace line 3 of a.txt with "x"',
    'replace the second "x" with "y" in a.txt',
    'replace the function foo with "y" in a.py',
    'append "x" to a.txt',
    'add "x" to a.txt',
    'prepend "x" to a.txt',
    'insert "x" into a.txt',
    'insert "x" at the beginning of a.txt',
    'write "x" at the end of a.txt',
    'write "x" to the end of a.txt',
    'write "x" to the end of end.txt',
    'write "x" as the last line in a.txt',
    'write "x" at the top of a.txt',
    'write "x" on line 3 of a.txt',
    'write "x" below "y" in a.txt',
    'put "x" before "y" in a.txt',
    'put another "x" into a.txt',
    "write x at the end to a.txt",
    "write a poem about the sea to a.txt",
    "write the summary to a.txt",
    "write line 2 of b.txt to a.txt",
    "save b.txt as a.txt for all tests",
    "create a.txt with the first line of b.txt",
    "move line 3 of a.txt to b.txt",
    "move the function foo from a.py to b.py",
    "copy a.txt to b.txt",
    "run the tests",
    "run a quick check",
    "run it",
    "run everything",
    "run make test again",
    'run "make" and "make test"',
    "change x to y everywhere in a.py",
    "move a.txt to the folder docs",
    'change the title to "X" in a.md',
    'replace "x" with "y" in a.txt and b.txt',
    'write "x" to a.txt and "y" to b.txt',
]  # fmt: skip

PLAIN = [
    ("delete a.txt", "delete_file"),
    ("Delete a.txt!", "delete_file"),
    ("please delete the file a.txt now", "delete_file"),
    ("Go ahead and delete a.txt", "delete_file"),
    ("I want you to delete a.txt", "delete_file"),
    ("remove the old file a.txt", "delete_file"),
    ("rm a.txt", "delete_file"),
    ('delete "do not delete.txt"', "delete_file"),
    ("delete the folder src", "delete_file"),
    ('delete_file {"path": "not a.txt"}', "delete_file"),
    ("delete_file path=a.txt", "delete_file"),
    ("instead delete a.txt", "delete_file"),
    ('remove the word "one" from a.txt', "edit_file"),
    ('delete "one" in a.txt', "edit_file"),
    ('replace "don\'t" with "never" in a.txt', "edit_file"),
    ('replace all occurrences of "x" with "y" in a.txt', "edit_file"),
    ('In a.txt, please replace "x" by "y"', "edit_file"),
    ("replace the word foo with bar in a.txt", "edit_file"),
    ("rename foo to bar in a.py", "edit_file"),
    ('change "x" to "y" in the file a.txt', "edit_file"),
    ('write "do not append" to a.txt', "write_file"),
    ('write the text "hello" into a new file a.txt', "write_file"),
    ('put "x" in a.txt', "write_file"),
    ('create a file named a.txt with the content "why?"', "write_file"),
    ("write hello world to a.txt", "write_file"),
    ("create an empty file a.txt", "write_file"),
    ("move the file a.txt to b.txt", "move_file"),
    ("rename a.txt to b.txt", "move_file"),
    ('run "rm not.txt"', "run_command"),
    ("run the command make test", "run_command"),
    ("run npm ci --no-audit", "run_command"),
    ("execute `grep -c if a.txt` in the folder src", "run_command"),
]

HARMLESS = [
    ("what is in a.txt?", "read_file"),
    ("what's in a.txt", "read_file"),
    ("Can you read a.txt?", "read_file"),
    ("Could you show me a.txt?", "read_file"),
    ("Which errors are in a.py?", "get_diagnostics"),
    ("read a.txt without changing it", "read_file"),
    ("don't search for \"x\"", "search"),
    ("list the files, please?", "list_dir"),
]  # fmt: skip


def effects(task: str) -> list[tuple[str, dict[str, object]]]:
    """Return the calls of a whole task that change something."""
    _, replies = converse(task, HOUSE)
    calls = [call for reply in replies for call in reply.calls]
    return [(call.name, json.loads(call.arguments)) for call in calls if call.name in EFFECTS]


@pytest.mark.parametrize("task", DENIED + ASKED + PARTIAL)
def test_what_is_no_plain_instruction_changes_nothing(task):
    chosen = ToolChooser(HOUSE).choose(task, "a.txt")
    assert chosen is None or chosen.missing or chosen.tool not in EFFECTS
    assert effects(task) == []


def test_what_no_instruction_is_is_answered_as_what_no_tool_does():
    _, replies = converse("Don't delete a.txt", HOUSE)
    assert [reply.calls for reply in replies] == [()]
    assert replies[0].text.startswith("None of my tools fits “Don't delete a.txt”.")


@pytest.mark.parametrize(("task", "tool"), PLAIN)
def test_a_plain_instruction_is_followed(task, tool):
    assert [name for name, _ in effects(task)] == [tool]


@pytest.mark.parametrize(("step", "tool"), HARMLESS)
def test_what_only_reads_needs_no_certainty(step, tool):
    chosen = ToolChooser(HOUSE).choose(step)
    assert chosen is not None
    assert chosen.tool == tool


@pytest.mark.parametrize(
    ("task", "calls"),
    [
        ("Read a.txt but don't delete it", ["read_file"]),
        ("Read a.txt, don't delete it", ["read_file"]),
        ("Read a.txt and do not delete it", ["read_file"]),
        ("Read a.txt. Never delete it.", ["read_file"]),
        ("Read a.txt without deleting it", ["read_file"]),
        ('Read a.txt; then append "x" to a.txt', ["read_file"]),
        ('Write "x" to a.txt but do not run make', ["write_file"]),
        ("Don't delete a.txt, but delete b.txt", ["delete_file"]),
        ("Don't delete a.txt. Delete b.txt.", ["delete_file"]),
        ("Don't delete a.txt; instead delete b.txt", ["delete_file"]),
        ("Don't delete a.txt. Then delete b.txt", ["delete_file"]),
        ("Don't delete a.txt!; delete b.txt", []),
        ("Don't read a.txt and then delete it", []),
        ("Never run make; then delete a.txt", []),
        ("How do I read a.txt; then delete it?", []),
        ("Is a.txt unused? Then delete it", []),
        ("Should I read a.txt, then delete it?", []),
        ("Delete a.txt. Or not?", []),
        ("Delete a.txt; or should I not?", []),
        ("Delete a.txt; no, don't", []),
        ("Delete a.txt; never mind", []),
        ("Delete a.txt, but don't!", []),
        ('Write "x" to a.txt; don\'t touch b.txt', ["write_file"]),
        ("delete a.txt, then tell me how it went", ["delete_file"]),
        ("Read a.txt; then delete it?", ["read_file"]),
        ("what is in a.txt?; then delete it", ["read_file", "delete_file"]),
        ("delete a.txt; what is in b.txt?", ["delete_file", "read_file"]),
        ("Don't delete a.txt; list the files", ["list_dir"]),
    ],
)
def test_of_several_steps_only_the_plain_ones_are_done(task, calls):
    _, replies = converse(task, HOUSE)
    made = [call.name for reply in replies for call in reply.calls]
    assert [name for name in made if name in EFFECTS] == [name for name in calls if name in EFFECTS]
    assert {*calls} <= {*made}


def test_what_is_spared_is_not_what_is_done():
    assert effects("Don't delete a.txt, but delete b.txt") == [("delete_file", {"path": "b.txt"})]
    assert effects("Read a.txt; delete b.txt, and never delete c.txt") == [("delete_file", {"path": "b.txt"})]


@pytest.mark.parametrize(
    "step", ["Should I send an email to bob about lunch?", "don't book a flight from Paris to Rome", "He set the light"]
)
def test_tools_of_others_that_change_something_need_an_instruction_too(step):
    assert ToolChooser(COURSE).choose(step) is None


def test_a_tool_is_known_by_its_fields_where_its_name_says_nothing():
    tools = [spec("shell_exec", "Shell.", command=(str, ...)), spec("swap_text", "x", old=(str, ...), new=(str, ...))]
    assert ToolChooser(tools).choose("exec make") == Chosen("shell_exec", {"command": "make"})
    assert ToolChooser(tools).choose("Who can exec make?") is None
    assert ToolChooser(tools).choose('never swap "a" with "b"') is None


files = st.builds("{}{}".format, st.text("abcé1", min_size=1, max_size=6), st.sampled_from([".txt", ".py", ".md"]))
texts = st.text("abc not?.;’", max_size=10).map('"{}"'.format)
instructions = st.one_of(
    st.builds("delete {}".format, files),
    st.builds("get rid of the file {}".format, files),
    st.builds("replace {} with {} in {}".format, texts, texts, files),
    st.builds("remove {} from {}".format, texts, files),
    st.builds("write {} to {}".format, texts, files),
    st.builds("create {} with {}".format, files, texts),
    st.builds("move {} to {}".format, files, files),
    st.builds("rename {} as {}".format, files, files),
    st.builds("run {}".format, texts),
    st.builds("run make {}".format, st.text("xyz", min_size=1, max_size=5)),
    st.sampled_from([task for task, _ in PLAIN]),
)
readings = st.one_of(st.builds("read {}".format, files), st.just("list the files"), st.just('search for "x"'))
whole_tasks = st.lists(st.one_of(instructions, readings), min_size=1, max_size=4).flatmap(
    lambda steps: st.sampled_from(["; ", ", then ", "; then ", " and then "]).map(lambda joint: joint.join(steps))
)


@settings(max_examples=150, deadline=None)
@given(whole_tasks, st.sampled_from(["Don't {}", "don’t {}", "Never {}", "Do not {}", "How do I {}?", "Should I {}?"]))
def test_any_task_that_is_denied_or_asked_about_changes_nothing(task, mood):
    assume(effects(task) and not task.lower().startswith(("instead", "i want")) and "; instead" not in task)
    assume("then instead" not in task)
    assert effects(mood.format(task)) == []
