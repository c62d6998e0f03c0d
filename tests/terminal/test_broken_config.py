"""A config.toml that cannot be read stops what needs settings, and nobody from looking at what is kept (PROTOCOL §7)."""

import json

import pytest


@pytest.fixture
def config(steersman, edited):
    """A broken config.toml, in a folder with one session that changed a file."""
    file = steersman.state.parent / "config.toml"
    file.write_text('model = "openai/x\n')
    return file


READING = [["list"], ["show", "latest"], ["search", "alpha"], ["export", "latest"], ["check"], ["prune", "--dry-run"]]
CHANGING = [
    ["rename", "latest", "x"],
    ["fork", "latest"],
    ["take-over", "latest"],
    ["rewind", "latest"],
    ["delete", "latest"],
]


@pytest.mark.parametrize("words", [*READING, *CHANGING], ids=lambda words: words[0])
def test_sessions_need_no_setting_and_say_what_is_wrong_with_the_file(typed, config, words):
    printed = typed("sessions", *words)
    assert printed.code == 0, printed.err
    (said,) = [line for line in printed.err.splitlines() if str(config) in line]
    assert "is not valid TOML: " in said
    assert "line 1" in said
    assert said.endswith("Mend the file. Sessions need no setting, so this goes on without.")


def test_what_is_printed_for_programs_is_whole(typed, config):
    printed = typed("sessions", "list", "--json")
    assert json.loads(printed.out)["total"] == 1
    assert str(config) in printed.err


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_permissions_are_listed_with_what_holds_while_the_file_is_broken(typed, config, options):
    printed = typed("permissions", "list", *options)
    assert printed.code == 0
    assert str(config) in printed.err
    assert "Until then everything asks." in printed.err


def test_permissions_can_be_reset(typed, config):
    assert typed("permissions", "reset")[:2] == (0, "Forgot 0 permissions.\n")


def test_a_model_without_a_provider_s_name_keeps_nobody_from_looking_either(typed, edited, monkeypatch):
    monkeypatch.setenv("STEERSMAN_MODEL", "gpt")
    printed = typed("sessions", "list")
    assert (printed.code, edited[:8] in printed.out, "gpt" in printed.err) == (0, True, True)


@pytest.mark.parametrize("words", [["run", "go"], ["run", "go", "--continue"], ["models"]], ids=" ".join)
def test_what_needs_settings_refuses_and_names_the_file(steersman, typed, config, words):
    printed = typed(*words)
    assert (printed.code, printed.out) == (64, "")
    assert f"{config} is not valid TOML: " in printed.err
    assert (steersman.folder / "a.txt").read_text() == "omega\n"


def test_a_file_that_is_no_text_is_named_as_well(typed, config):
    config.write_bytes(b"\xff\xfe\x00")
    printed = typed("sessions", "list")
    assert (printed.code, f"{config} cannot be read" in printed.err) == (0, True)
