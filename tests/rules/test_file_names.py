"""Names of files that hold blanks and quotes, as people write them."""

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from steersman.agent.loop import run_agent
from steersman.models.demo import DemoClient
from steersman.rules.choice import Chosen, ToolChooser
from steersman.rules.quotes import find_quotes
from steersman.toolbox import CommandSettings, Toolbox
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Root
from support.specs import HOUSE

PAIRS = ["“”", "„“", "„”", "””", "‘’", "‚‘", "«»", "»«", "‹›", "›‹", "「」", '""', "''", "``"]

stems = st.text("abXé1 -_()'\"“”„‘’«»`", min_size=1, max_size=14).filter(lambda name: name == name.strip())
names = st.builds("{}{}".format, stems, st.sampled_from([".txt", ".py", ""]))


def closing(pair):
    """Return the marks that may not stand within."""
    return pair + {"„": "“”", "‚": "‘’"}.get(pair[0], "")


def quoted(name, pair):
    return pair[0] + name + pair[1]


@given(names, st.sampled_from(PAIRS))
def test_any_name_in_any_quotes_is_taken_whole(name, pair):
    assume(not set(closing(pair)) & set(name))
    said = quoted(name, pair)
    chooser = ToolChooser(HOUSE)
    hello = {"path": name, "old_text": "Hello", "new_text": "Hi"}
    assert chooser.choose(f'replace "Hello" with "Hi" in {said}') == Chosen("edit_file", hello)
    assert chooser.choose(f'in {said} replace "Hello" with "Hi"') == Chosen("edit_file", hello)
    assert chooser.choose(f'create {said} with "x"') == Chosen("write_file", {"path": name, "content": "x"})
    assert chooser.choose(f'write "x" to {said}') == Chosen("write_file", {"path": name, "content": "x"})
    assert chooser.choose(f"move {said} to b.txt") == Chosen("move_file", {"path": name, "new_path": "b.txt"})


@given(st.sampled_from(PAIRS), st.sampled_from(PAIRS))
def test_text_and_name_may_be_in_different_quotes(text, name):
    said = f"replace {quoted('Hello', text)} with {quoted('Hi', text)} in {quoted('my file.txt', name)}"
    assert ToolChooser(HOUSE).choose(said) == Chosen(
        "edit_file", {"path": "my file.txt", "old_text": "Hello", "new_text": "Hi"}
    )


@pytest.mark.parametrize(
    ("said", "tool", "path"),
    [
        ("Read größe 1.txt", "read_file", "größe 1.txt"),
        ("read the file größe 1.txt", "read_file", "größe 1.txt"),
        ("what is in Annual report 2.txt?", "read_file", "Annual report 2.txt"),
        ("delete größe 1.txt", "delete_file", "größe 1.txt"),
        ('replace "a" with "b" in größe 1.txt', "edit_file", "größe 1.txt"),
        ('write "a" to größe 1.txt', "write_file", "größe 1.txt"),
        ("read the module greet.py", "read_file", "greet.py"),
        ("read lines 1 to 2 of greet.py", "read_file", "greet.py"),
        ('Read "größe 1.txt"', "read_file", "größe 1.txt"),
        ("Read « größe 1.txt »", "read_file", "größe 1.txt"),
    ],
)
def test_a_name_of_several_words_is_one_name(said, tool, path):
    chosen = ToolChooser(HOUSE).choose(said)
    assert chosen is not None
    assert (chosen.tool, chosen.arguments["path"]) == (tool, path)


@pytest.mark.parametrize("text", ["it’s a dog’s life", "a ” b ”", "5 » 4", "rock ‘n’ roll’s"])
def test_apostrophes_and_lone_marks_quote_no_more_than_they_enclose(text):
    assert all(" " not in quote.value for quote in find_quotes(text))


@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(stems.filter(lambda name: "/" not in name), st.sampled_from(PAIRS))
async def test_the_file_that_is_there_is_the_one_that_is_changed(tmp_path, name, pair):
    assume(not set(closing(pair)) & set(name))
    folder = tmp_path / str(len([*tmp_path.iterdir()]))
    folder.mkdir()
    file = folder / f"{name}.txt"
    file.write_text("Hello\n")
    (folder / "other.txt").write_text("Hello\n")
    tools = Toolbox(CommandSettings({})).make_tools(
        DiskWorkspace((Root("ws", folder),)), SeenTexts(), read_only=lambda: False
    )
    task = f'Read {quoted(file.name, pair)}; then replace "Hello" with "Hi" in it'
    await run_agent(client=DemoClient(), system="", tools=tools, user=task, max_turns=5)
    assert {path.name: path.read_text() for path in folder.iterdir()} == {file.name: "Hi\n", "other.txt": "Hello\n"}
