"""What the tools say of themselves before they are loaded (DESIGN §9)."""

from __future__ import annotations

import json

import pytest

from steersman.agent.repeats import guard_repeats
from steersman.agent.tool import Tool, parameters_schema, schema_of
from steersman.toolbox import CommandSettings, Toolbox
from steersman_tools.catalogue import FILE, read_catalogue, write_down
from steersman_tools.kit.seen import SeenTexts
from support.memory_workspace import MemoryWorkspace


@pytest.fixture
def tools() -> list[Tool]:
    box = Toolbox(CommandSettings({}))
    return guard_repeats(box.make_tools(MemoryWorkspace({}), SeenTexts(), read_only=lambda: False))


def test_the_catalogue_is_what_the_tools_say():
    assert write_down() == FILE.read_text(encoding="utf-8"), "run `make catalogue`"


def test_a_tool_of_a_run_says_the_same_before_and_after_it_is_loaded(tools):
    before = [(tool.name, tool.description, tool.effects, parameters_schema(tool)) for tool in tools]
    after = [(tool.name, tool.description, tool.effects, schema_of(tool.parameters)) for tool in tools]
    assert before == after


def test_every_tool_of_the_catalogue_can_be_loaded_and_bears_its_name(tools):
    assert [tool.name for tool in tools] == [*read_catalogue()]
    assert [tool.parameters.model_config["extra"] for tool in tools] == ["forbid"] * len(tools)


@pytest.mark.parametrize("read_only", [True, False])
def test_a_command_is_described_as_the_mode_of_the_moment_has_it(read_only):
    tools = Toolbox(CommandSettings({})).make_tools(MemoryWorkspace({}), SeenTexts(), read_only=lambda: read_only)
    said = next(tool.description for tool in tools if tool.name == "run_command")
    assert ("can write nothing" in said) == read_only


def test_all_tools_together_are_few_words(tools):
    """A small model reads them at every start, and whoever pays by the token pays for them (DESIGN §9)."""
    told = [(tool.name, tool.description, parameters_schema(tool)) for tool in tools]
    assert len(json.dumps(told, ensure_ascii=False, separators=(",", ":")).encode()) < 4_300
