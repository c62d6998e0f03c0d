"""The rule-based model with the tools that Steersman really has: what the demonstration and its tests rely on."""

import os

import pytest

from steersman.agent.loop import run_agent
from steersman.agent.model import ToolSpec
from steersman.models.demo import DemoClient
from steersman.rules.choice import Chosen, ToolChooser
from steersman.toolbox import CommandSettings, Toolbox
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Root
from support.running import results

STEPS = [
    ("read src/app.py", "read_file", {"path": "src/app.py"}),
    ("what is in src/app.py?", "read_file", {"path": "src/app.py"}),
    ("read lines 10 to 20 of src/app.py", "read_file", {"path": "src/app.py", "offset": 10, "limit": 11}),
    ("list the files", "list_dir", {}),
    ("show the files in src", "list_dir", {"path": "src"}),
    ("find *.py", "find_files", {"pattern": "*.py"}),
    ('search for "foo"', "search", {"pattern": "foo"}),
    ('find "foo" in src', "search", {"pattern": "foo", "path": "src"}),
    ('replace "x" with "y" in src/a.py', "edit_file", {"path": "src/a.py", "old_text": "x", "new_text": "y"}),
    ('write "hello" to notes.md', "write_file", {"path": "notes.md", "content": "hello"}),
    ('create notes.md with "hi"', "write_file", {"path": "notes.md", "content": "hi"}),
    ("delete x", "delete_file", {"path": "x"}),
    ("move a to b", "move_file", {"path": "a", "new_path": "b"}),
    ('run "pytest -q"', "run_command", {"command": "pytest -q"}),
    ("run make test", "run_command", {"command": "make test"}),
    ("apply the patch ```\n*** Begin Patch\n```", "apply_patch", {"patch": "*** Begin Patch\n"}),
]


@pytest.fixture
def tools(tmp_path):
    workspace = DiskWorkspace((Root("ws", tmp_path),))
    return Toolbox(CommandSettings(dict(os.environ))).make_tools(workspace, SeenTexts(), read_only=lambda: False)


@pytest.mark.parametrize(("step", "tool", "arguments"), STEPS)
def test_each_tool_is_found_by_plain_words(tools, step, tool, arguments):
    specs = [ToolSpec(tool.name, tool.description, tool.parameters.model_json_schema()) for tool in tools]
    assert ToolChooser(specs).choose(step) == Chosen(tool, arguments)


@pytest.mark.parametrize("step", ["hello", "explain monads", "explain the shell", "show the diff", "thank you"])
def test_what_no_tool_does_calls_none(tools, step):
    specs = [ToolSpec(tool.name, tool.description, tool.parameters.model_json_schema()) for tool in tools]
    assert ToolChooser(specs).choose(step) is None


async def test_a_task_about_files_is_really_done(tools, tmp_path):
    (tmp_path / "greet.py").write_bytes(b'print("Hello")\r\n')
    task = (
        'Read greet.py; then replace "Hello" with "Good morning" in it; '
        'then write "It greets." to NOTES.md; then move NOTES.md to docs/NOTES.md; then search for "greets"'
    )
    result = await run_agent(client=DemoClient(), system="", tools=tools, user=task, max_turns=10)
    assert result.turns == 6
    assert (tmp_path / "greet.py").read_bytes() == b'print("Good morning")\r\n'
    assert (tmp_path / "docs" / "NOTES.md").read_bytes() == b"It greets."
    assert "docs/NOTES.md" in results(result.messages)[-1]
    assert "this did not work" not in result.answer
