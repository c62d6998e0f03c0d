"""Settings: sources, their order, and what a workspace may do (DESIGN A6, PROTOCOL §1)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.errors import InvalidRequestError
from steersman.configuration import load_settings
from steersman.lsp.diagnostics import GetDiagnostics
from steersman.permissions.modes import Mode, strictness
from steersman.permissions.tool_names import TOOL_NAMES, unknown_tool
from steersman.setting_parts import ASK_EVERYTHING, wire_name
from steersman.settings import Source, combine, parse_part, read_config_file, tightening_of
from steersman.toolbox import CommandSettings, Toolbox
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Root


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
        ({"mode": "yolo"}, "x: mode does not fit: “yolo” is not known, it has to be plan, ask, accept-edits or auto;"),
        ({"model": 7}, "x: model does not fit: it has to be text; it is ignored."),
        ({"maxTurns": -1}, "x: maxTurns does not fit: it has to be more than 0; it is ignored."),
        ({"client": {"events": True, "evnets": True}}, "x: client.evnets is not a setting"),
        ({"limits": {"maxTokens": "many"}}, "x: limits.maxTokens does not fit: it has to be a whole number;"),
        ({"durability": {"x": 1}}, "x: durability does not fit: it has to be normal or full; it is ignored."),
        (
            {"permissions": [{"tool": "search", "action": "maybe"}]},
            "x: the first rule of permissions, action does not fit: “maybe” is not known, it has to be allow, ask or deny;",
        ),
        (
            {"permissions": [{"action": "deny"}]},
            "x: the first rule of permissions, tool is missing; until it is mended",
        ),
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


def said_in(part):
    """Return the settings that a part has, be it checked by pydantic or taken as it stands (a model and a mode)."""
    return {wire_name(name) for name in getattr(part, "model_fields_set", ("model", "mode"))}


@given(st.dictionaries(keys, json_values, max_size=5))
def test_nothing_that_a_source_says_raises(data):
    part, warnings = parse_part("x", data)
    assert part is None or warnings or (part.model, part.mode) != (None, None) or set(data) & said_in(part)
    assert all(isinstance(warning, str) for warning in warnings)


words = st.text(max_size=8) | st.sampled_from([*(mode.value for mode in Mode), "auto ", "Ask", "a/b", "\ud800", "a\nb"])


@given(st.dictionaries(st.sampled_from(["model", "mode"]), words | json_values))
def test_a_model_and_a_mode_alone_mean_what_they_mean_beside_other_settings(said):
    """They are taken without pydantic where they are sound; and never otherwise than it would."""
    alone, beside = parse_part("x", said), parse_part("x", {**said, "maxTurns": 7})
    values = [(part and part.model, part and part.mode, warnings) for part, warnings in (alone, beside)]
    assert values[0] == values[1]


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


def test_a_rule_of_a_tool_that_there_is_not_is_told_and_until_it_is_mended_everything_asks():
    rules = [
        {"tool": "edit_file", "action": "maybe"},
        {"tool": "search", "action": "allow"},
        {"tool": "run_comand", "action": "deny"},
    ]
    part, warnings = parse_part("x", {"permissions": rules})
    (_, warning) = warnings
    assert warning.startswith(
        "x: the third rule of permissions: There is no tool run_comand; did you mean run_command?"
    )
    assert warning.endswith("Until it is mended, everything asks.")
    assert part.permissions[-1] == ASK_EVERYTHING
    assert parse_part("x", {"permissions": rules[1:2]})[1] == []


@pytest.mark.parametrize(
    ("name", "meant"), [("run_comand", "run_command"), ("Edit-File", "edit_file"), ("serach", "search")]
)
def test_what_a_misspelt_tool_was_meant_to_be_is_told(name, meant):
    assert unknown_tool(name) == f"There is no tool {name}; did you mean {meant}?"


def test_a_tool_like_no_other_gets_the_names_there_are():
    assert "there are read_file, list_dir" in (unknown_tool("bash") or "")
    assert unknown_tool("*") is None


def test_the_names_that_rules_may_speak_of_are_those_of_the_tools(tmp_path):
    workspace = DiskWorkspace((Root("ws", tmp_path),))
    tools = Toolbox(CommandSettings({})).make_tools(workspace, SeenTexts(), read_only=lambda: False)
    assert [*(tool.name for tool in tools), GetDiagnostics.name] == [*TOOL_NAMES]


@pytest.mark.parametrize("source", [{"STEERSMAN_MODEL": "bogus"}, {}])
def test_a_model_without_its_provider_is_refused_and_no_other_takes_its_place(tmp_path, source):
    environ = {"STEERSMAN_CONFIG": str(tmp_path / "none.toml"), **source}
    said = {} if source else {"model": "bogus"}
    with pytest.raises(InvalidRequestError) as refused:
        load_settings(environ, command_line=said, strict=True)
    assert refused.value.message == "“bogus” is not a model's name."
    settings = load_settings(environ, command_line=said)
    assert settings.model == "bogus"
    assert settings.warnings[0].endswith(
        "“bogus” is not a model's name. Write provider/model, such as ollama/qwen3 or demo/rules."
    )
    assert load_settings(environ, command_line={"model": "demo/rules"}, strict=True).warnings == ()


@pytest.mark.parametrize("said", ["paln", "", 3])
def test_a_mode_that_is_none_lets_no_laxer_source_speak(said: object):
    """It may have been meant to be the stricter one."""
    part, warnings = parse_part("environment", {"mode": said})
    assert part is not None
    assert part.mode is Mode.ASK
    assert [warning.endswith("everything asks.") for warning in warnings] == [True]
