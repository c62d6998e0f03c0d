"""Settings: sources, their order, and what a workspace may do (DESIGN A6, PROTOCOL §1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.errors import InvalidRequestError
from steersman.configuration import load_settings
from steersman.permissions.modes import Mode, strictness
from steersman.settings import Source, combine, parse_part, read_config_file, tightening_of


def settings_of(*parts):
    return combine([Source(name, parse_part(name, data)[0]) for name, data in parts])


def test_the_first_source_is_the_strongest_field_by_field():
    settings = settings_of(
        ("command line", {"model": "openai/a"}),
        ("environment", {"model": "openai/b", "mode": "plan"}),
        ("file", {"mode": "auto", "maxTurns": 3, "limits": {"maxTokens": 7}}),
    )
    assert (settings.model, settings.mode, settings.max_turns, settings.max_tokens) == ("openai/a", Mode.PLAN, 3, 7)
    assert settings.model_source == "command line"


def test_both_spellings_null_and_a_wrapping_object_are_accepted():
    part, warnings = parse_part("x", {"steersman": {"max_turns": 4, "maxOutputTokens": 5, "model": None}})
    assert (part.max_turns, part.max_output_tokens, part.model, warnings) == (4, 5, None, [])


@pytest.mark.parametrize(
    ("data", "says"),
    [
        ({"modle": "a/b"}, "x: modle is not a setting"),
        ({"mode": "yolo"}, "x: mode does not fit"),
        ({"model": "no-slash"}, "x: model does not fit"),
        ({"maxTurns": -1}, "x: maxTurns does not fit"),
        ({"client": {"events": True, "evnets": True}}, "x: client.evnets is not a setting"),
        ({"limits": {"maxTokens": "many"}}, "x: limits.maxTokens does not fit"),
        ({"permissions": [{"tool": "a", "action": "maybe"}]}, "x: permissions.0.action"),
    ],
)
def test_what_does_not_fit_is_told_and_the_rest_counts(data, says):
    part, warnings = parse_part("x", {**data, "maxOutputTokens": 9})
    assert any(warning.startswith(says) for warning in warnings)
    assert part.max_output_tokens == 9
    if "client" in data:
        assert part.client.events


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
keys = st.sampled_from(["model", "mode", "maxTurns", "limits", "providers", "client", "permissions", "x", "steersman"])


@given(st.dictionaries(keys, json_values, max_size=5))
def test_nothing_that_a_source_says_raises(data):
    part, warnings = parse_part("x", data)
    assert part is not None
    assert all(isinstance(warning, str) for warning in warnings)


@given(st.dictionaries(keys, json_values, max_size=5), st.sampled_from(list(Mode)))
def test_a_workspace_never_widens_anything(data, mode):
    tightening = tightening_of(data)
    assert strictness(tightening.mode_of(mode)) >= strictness(mode)


def test_a_workspace_that_names_an_endpoint_is_ignored_with_a_warning():
    tightening = tightening_of({"providers": {"openai": {"baseUrl": "http://evil.example"}}, "mode": "plan"})
    assert tightening.mode == Mode.PLAN
    assert any("may not set providers" in warning for warning in tightening.warnings)


def test_a_config_file_that_is_not_there_says_nothing_and_a_broken_one_names_the_line(tmp_path):
    assert read_config_file(tmp_path / "none.toml")[1] == []
    broken = tmp_path / "config.toml"
    broken.write_text("model = \n")
    with pytest.raises(InvalidRequestError, match="line 1"):
        read_config_file(broken)


def test_the_environment_names_model_mode_and_file(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text('max_turns = 3\n[providers.local]\nbase_url = "http://127.0.0.1:1/v1"\n')
    environ = {"STEERSMAN_CONFIG": str(file), "STEERSMAN_MODEL": "local/q", "STEERSMAN_MODE": "plan"}
    settings = load_settings(environ)
    assert (settings.model, settings.mode, settings.max_turns) == ("local/q", Mode.PLAN, 3)
    assert settings.providers["local"]["base_url"] == "http://127.0.0.1:1/v1"


def test_a_broken_config_file_is_a_warning_for_an_editor(tmp_path):
    file = tmp_path / "my.toml"
    file.write_text("[")
    assert any("not valid TOML" in warning for warning in load_settings({"STEERSMAN_CONFIG": str(file)}).warnings)


def test_what_only_an_editor_can_say_is_told_when_it_stands_in_the_config_file(tmp_path):
    file = tmp_path / "config.toml"
    file.write_text('show_answer = "none"\n[client]\nevents = true\n')
    settings = load_settings({"STEERSMAN_CONFIG": str(file)})
    assert settings.warnings == (
        f"{file}: client is for initializationOptions; it is ignored here.",
        f"{file}: showAnswer is for initializationOptions; it is ignored here.",
    )


def test_a_workspace_that_sets_what_is_not_its_own_is_told_so():
    told = tightening_of({"maxOutputTokens": 5, "contextMaxChars": 5, "sandboxNetwork": True}).warnings
    assert [warning.split(";")[0] for warning in told] == [
        "The workspace's configuration may not set sandboxNetwork",
        "The workspace's configuration may not set maxOutputTokens",
        "The workspace's configuration may not set contextMaxChars",
    ]
