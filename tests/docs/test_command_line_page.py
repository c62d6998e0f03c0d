"""docs/command-line.md names every command and every option, and no other."""

import argparse

import pytest

from steersman.agent.result import EXIT_CODES
from steersman.cli import WRONG_USAGE, build_parser
from steersman.mock_llm.server import KEY, VARIANTS
from steersman.terminal.streams import READER_LEFT
from support.documents import ROOT, code_words, read_page

PAGE = read_page(ROOT / "docs" / "command-line.md")


def commands(parser, name="steersman"):
    """Yield each command's whole name and parser; those that only hold others are left out."""
    groups = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    if not groups or name == "steersman":
        yield name, parser
    for group in groups:
        for command, inner in group.choices.items():
            yield from commands(inner, f"{name} {command}")


PARSERS = dict(commands(build_parser()))


def test_every_command_has_a_section_and_no_other():
    assert {section.title.strip("`") for section in PAGE.below("Commands")} == set(PARSERS)


def spelled(action):
    if action.option_strings:
        return max(action.option_strings, key=len)
    return action.metavar or action.dest.upper()


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_every_option_has_a_row_and_no_other(name):
    actions = [action for action in PARSERS[name]._actions if not isinstance(action, argparse._SubParsersAction)]
    rows = PAGE[f"`{name}`"].tables[0]
    assert sorted(code_words(row["option"])[0].split()[0] for row in rows) == sorted(map(spelled, actions))


@pytest.mark.parametrize("name", sorted(PARSERS))
def test_the_choices_of_an_option_and_its_default_are_told(name):
    rows = {code_words(row["option"])[0].split()[0]: row["meaning"] for row in PAGE[f"`{name}`"].tables[0]}
    for action in PARSERS[name]._actions:
        for choice in action.choices or [] if not isinstance(action, argparse._SubParsersAction) else []:
            assert f"`{choice}`" in rows[spelled(action)], choice
        if isinstance(action.default, int) and not isinstance(action.default, bool):
            assert f"default: {action.default}" in rows[spelled(action)]


def test_exit_codes_are_those_that_commands_leave_with():
    told = {int(row["code"]) for row in PAGE["Exit codes"].tables[0]}
    assert told == {*EXIT_CODES.values(), 1, WRONG_USAGE, READER_LEFT}


def test_the_mock_model_s_key_and_variants_are_told():
    assert {KEY, *VARIANTS} <= set(code_words(PAGE["`steersman mock-llm`"].text))
