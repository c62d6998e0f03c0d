"""Which tool a step means, and with which arguments."""

from typing import Literal

import pytest

from steersman.rules.choice import Chosen, ToolChooser
from support.specs import COURSE, HOUSE, spec

WORKSPACE_STEPS = [
    ("read src/app.py", "read_file", {"path": "src/app.py"}),
    ("show me src/app.py", "read_file", {"path": "src/app.py"}),
    ("what is in src/app.py?", "read_file", {"path": "src/app.py"}),
    ("look at README", "read_file", {"path": "README"}),
    ("cat Makefile", "read_file", {"path": "Makefile"}),
    ("open the README", "read_file", {"path": "README"}),
    ('read "my file.txt"', "read_file", {"path": "my file.txt"}),
    ("read app/(g)/issues/[id]/page.tsx", "read_file", {"path": "app/(g)/issues/[id]/page.tsx"}),
    ("read lines 10 to 20 of src/app.py", "read_file", {"path": "src/app.py", "offset": 10, "limit": 11}),
    ("read the first 5 lines of a.py", "read_file", {"path": "a.py", "limit": 5}),
    ("read a.py from line 7", "read_file", {"path": "a.py", "offset": 7}),
    ("read_file path=x.py limit=3", "read_file", {"path": "x.py", "limit": 3}),
    ('read_file {"path": "x.py", "limit": 2}', "read_file", {"path": "x.py", "limit": 2}),
    ("list the files", "list_dir", {}),
    ("show the files", "list_dir", {}),
    ("list src", "list_dir", {"path": "src"}),
    ("list the files in the src folder", "list_dir", {"path": "src"}),
    ("list everything 2 levels deep", "list_dir", {"depth": 2}),
    ("find *.py", "find_files", {"pattern": "*.py"}),
    ("find all *.md files in docs", "find_files", {"pattern": "*.md", "path": "docs"}),
    ("find the file app.py", "find_files", {"pattern": "app.py"}),
    ('search for "foo"', "search", {"pattern": "foo"}),
    ("search for foo in src", "search", {"pattern": "foo", "path": "src"}),
    ('grep "def main" in server', "search", {"pattern": "def main", "path": "server"}),
    ('find "foo" in src', "search", {"pattern": "foo", "path": "src"}),
    ("look for TODO", "search", {"pattern": "TODO"}),
    ("search for -77", "search", {"pattern": "-77"}),
    ('search "->"', "search", {"pattern": "->"}),
    ('search for the regex "a+" case sensitive', "search", {"pattern": "a+", "literal": False, "case_sensitive": True}),
    ('replace "x" with "y" in src/a.py', "edit_file", {"path": "src/a.py", "old_text": "x", "new_text": "y"}),
    ("change foo to bar in src/a.py", "edit_file", {"path": "src/a.py", "old_text": "foo", "new_text": "bar"}),
    ('in src/a.py replace "1" with "2"', "edit_file", {"path": "src/a.py", "old_text": "1", "new_text": "2"}),
    ("edit src/a.py: replace `a` by `b`", "edit_file", {"path": "src/a.py", "old_text": "a", "new_text": "b"}),
    ('replace "a" with "" in x.py', "edit_file", {"path": "x.py", "old_text": "a", "new_text": ""}),
    (
        'replace all "x" with "y" in a.py',
        "edit_file",
        {"path": "a.py", "old_text": "x", "new_text": "y", "replace_all": True},
    ),
    ('remove "debug" from src/a.py', "edit_file", {"path": "src/a.py", "old_text": "debug", "new_text": ""}),
    (
        'replace "$1" with "\\1 $& \\g<0>" in a.py',
        "edit_file",
        {"path": "a.py", "old_text": "$1", "new_text": "\\1 $& \\g<0>"},
    ),
    ('write "hello; then" to notes.md', "write_file", {"path": "notes.md", "content": "hello; then"}),
    ("write hello world to notes.md", "write_file", {"path": "notes.md", "content": "hello world"}),
    ('create notes.md with "hi"', "write_file", {"path": "notes.md", "content": "hi"}),
    ("make a file called a.txt containing hello there", "write_file", {"path": "a.txt", "content": "hello there"}),
    ("create an empty file a.txt", "write_file", {"path": "a.txt", "content": ""}),
    ('save "x = 1" as src/x.py', "write_file", {"path": "src/x.py", "content": "x = 1"}),
    ('rewrite src/a.py as "x"', "write_file", {"path": "src/a.py", "content": "x"}),
    ("write ```py\na = 1\n\nb = 2\n``` to a.py", "write_file", {"path": "a.py", "content": "a = 1\n\nb = 2\n"}),
    ("delete x", "delete_file", {"path": "x"}),
    ("get rid of notes.md", "delete_file", {"path": "notes.md"}),
    ("move a to b", "move_file", {"path": "a", "new_path": "b"}),
    ("rename src/a.py as src/b.py", "move_file", {"path": "src/a.py", "new_path": "src/b.py"}),
    ('move "a b.txt" to "c d.txt"', "move_file", {"path": "a b.txt", "new_path": "c d.txt"}),
    ('run "pytest -q"', "run_command", {"command": "pytest -q"}),
    ("run pytest -q", "run_command", {"command": "pytest -q"}),
    ("execute the command `ls -la | wc`", "run_command", {"command": "ls -la | wc"}),
    (
        "apply the patch ```\n*** Begin Patch\n*** End Patch\n```",
        "apply_patch",
        {"patch": "*** Begin Patch\n*** End Patch\n"},
    ),
    ("check the diagnostics of a.py", "get_diagnostics", {"path": "a.py"}),
    ("show the errors in src/app.py", "get_diagnostics", {"path": "src/app.py"}),
]


@pytest.mark.parametrize(("step", "tool", "arguments"), WORKSPACE_STEPS)
def test_a_step_about_files_finds_its_tool_and_arguments(step, tool, arguments):
    assert ToolChooser(HOUSE).choose(step) == Chosen(tool, arguments)


@pytest.mark.parametrize(
    ("step", "tool", "arguments"),
    [
        ("add 2 and 40", "add", {"a": 2, "b": 40}),
        ("Add -3 to 1,000", "add", {"a": -3, "b": 1000}),
        ("what is 2+40? add them", "add", {"a": 2, "b": 40}),
        ("add two and forty", "add", {"a": 2, "b": 40}),
        ("sum 1, 2 and 3.5", "sum_list", {"numbers": [1, 2, 3.5]}),
        ("multiply 3 by 2.5", "multiply", {"x": 3, "y": 2.5}),
        ("calculate 2 + 40 * 3", "calculator", {"expression": "2 + 40 * 3"}),
        ("get the weather in Siem Reap", "get_weather", {"city": "Siem Reap"}),
        ("get the weather in siem reap", "get_weather", {"city": "siem reap"}),
        ("What is the weather in Paris today?", "get_weather", {"city": "Paris"}),
        ("weather: Siem Reap", "get_weather", {"city": "Siem Reap"}),
        ("what is the population of Siem Reap?", "lookup", {"town": "Siem Reap"}),
        ("ping", "ping", {}),
        ("ping hello", "ping", {"text": "hello"}),
        ("echo hello big world", "echo", {"text": "hello big world"}),
        ("translate good morning to French", "translate_text", {"text": "good morning", "target_language": "French"}),
        (
            'send an email to bob@example.com about lunch saying "come at 12"',
            "send_email",
            {"to": "bob@example.com", "subject": "lunch", "body": "come at 12"},
        ),
        ("book a flight from Paris to Siem Reap", "book_flight", {"origin": "Paris", "destination": "Siem Reap"}),
        ("convert 5 USD to EUR", "convert", {"amount": 5, "source": "USD", "target": "EUR"}),
        ("what time is it in Tokyo?", "get_time", {"timezone": "Tokyo"}),
        ("set the light in the kitchen to red", "set_light", {"color": "red", "room": "kitchen"}),
        ("roll a dice", "roll_dice", {}),
        ("roll dice with 20 sides", "roll_dice", {"sides": 20}),
    ],
)
def test_a_step_about_anything_else_does_too(step, tool, arguments):
    assert ToolChooser(COURSE).choose(step) == Chosen(tool, arguments)


@pytest.mark.parametrize(
    "step",
    [
        "hello",
        "explain monads",
        "what does this do?",
        "thank you",
        "explain the shell",
        "tell me a story",
        "show the diff",
    ],
)
def test_a_step_that_no_tool_fits_finds_none(step):
    assert ToolChooser(HOUSE).choose(step) is None


@pytest.mark.parametrize(
    ("step", "tool", "missing"),
    [
        ("read it", "read_file", ("path",)),
        ("write a poem", "write_file", ("content",)),
        ("fix the bug", "edit_file", ("old_text", "new_text")),
    ],
)
def test_what_the_words_do_not_tell_is_named_and_not_made_up(step, tool, missing):
    chosen = ToolChooser(HOUSE).choose(step)
    assert chosen is not None
    assert (chosen.tool, chosen.missing) == (tool, missing)


def test_it_means_the_path_named_before():
    assert ToolChooser(HOUSE).choose("delete it", "src/a.py") == Chosen("delete_file", {"path": "src/a.py"})


def test_the_name_of_a_tool_chooses_it_whatever_else_is_said():
    tools = [spec("alpha", "Read files."), spec("beta", "Does nothing.")]
    assert ToolChooser(tools).choose("please read files with beta") == Chosen("beta", {})


def test_a_choice_is_found_by_its_words_and_is_the_first_otherwise():
    tool = spec("paint", "Paint the wall.", color=(Literal["red", "dark_blue"], ...))
    chooser = ToolChooser([tool])
    assert chooser.choose("paint the wall blue") == Chosen("paint", {"color": "dark_blue"})
    assert chooser.choose("paint the wall") == Chosen("paint", {"color": "red"})


def test_nested_objects_and_optional_fields_of_pydantic_are_understood():
    point = spec("point", "A point.", x=(int, ...), y=(int, ...)).parameters
    wrapped = {"type": "object", "properties": {"at": {"$ref": "#/$defs/P"}}, "required": ["at"], "$defs": {"P": point}}
    tool = spec("draw", "Draw a dot.", note=(str | None, None))
    nested = type(tool)("dot", "Make a dot.", wrapped)
    assert ToolChooser([nested]).choose("dot 3 4") == Chosen("dot", {"at": {"x": 3, "y": 4}})


@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"type": "object"},
        {"properties": []},
        {"properties": {"x": True}, "required": ["x"]},
        {"properties": {"x": {"$ref": "#/$defs/Loop"}}, "required": ["x"], "$defs": {"Loop": {"$ref": "#/$defs/Loop"}}},
        {"properties": {"x": {"enum": []}}, "required": "x"},
        {"properties": {"x": {"type": ["null", "string"]}}, "required": ["x", 3]},
    ],
)
def test_a_schema_that_is_nonsense_is_no_reason_to_fail(parameters):
    tool = type(spec("a", "b"))("ping", "Send a ping.", parameters)
    chosen = ToolChooser([tool]).choose("ping hello")
    assert chosen is not None
    assert chosen.tool == "ping"


def test_words_behind_an_order_fill_what_they_can():
    chooser = ToolChooser(COURSE)
    assert chooser.fill_words("ping", "hello") == {"text": "hello"}
    assert chooser.fill_words("add", "1 2") == {"a": 1, "b": 2}
    assert chooser.fill_words("get_weather", "Paris") == {"city": "Paris"}
    assert chooser.fill_words("nothing_like_it", "x") == {}
