"""What a workspace's own configuration may do: be stricter, and nothing else (A6, situation 38)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.configuration import load_settings
from steersman.permissions.modes import Mode, strictness
from steersman.setting_parts import ASK_EVERYTHING, PermissionPart
from steersman.settings import Tightening, at_most, parse_part, tightening_of

JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-5, 5)
    | st.text(max_size=5)
    | st.sampled_from([mode.value for mode in Mode]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
KEYS = st.sampled_from(
    [
        "mode",
        "model",
        "maxTurns",
        "limits",
        "providers",
        "prices",
        "permissions",
        "client",
        "durability",
        "showAnswer",
        "sandboxNetwork",
        "sandbox_network",
        "max_turns",
        "steersman",
        "contextMaxChars",
        "maxOutputTokens",
        "apiKey",
    ]
)
CONFIGURATIONS = st.dictionaries(KEYS, JSON, max_size=6)


@given(CONFIGURATIONS, st.sampled_from(Mode))
def test_no_configuration_of_a_workspace_makes_a_mode_laxer(data: dict[str, Any], mode: Mode):
    assert strictness(tightening_of(data).mode_of(mode)) >= strictness(mode)


@given(CONFIGURATIONS, st.none() | st.integers(1, 100))
def test_no_configuration_of_a_workspace_raises_a_limit(data: dict[str, Any], limit: int | None):
    tight = tightening_of(data)
    for bound in (tight.max_turns, tight.max_tokens, tight.max_cost, tight.deadline_s):
        assert limit is None or (at_most(limit, bound) or 0) <= limit


def test_a_workspace_cannot_say_anything_but_limits_mode_and_how_the_answer_is_shown():
    """The type itself has no place for an endpoint, a key, a program or a rule."""
    fields = set(Tightening.__dataclass_fields__)
    assert fields == {"mode", "max_turns", "max_tokens", "max_cost", "deadline_s", "show_answer", "warnings"}


def test_what_it_tried_to_set_is_told():
    data = {
        "providers": {"x": {"baseUrl": "http://evil"}},
        "permissions": [{"tool": "*", "action": "allow"}],
        "mode": "auto",
    }
    tight = tightening_of(data)
    assert any("providers" in warning for warning in tight.warnings)
    assert any("permissions" in warning for warning in tight.warnings)
    assert tight.mode_of(Mode.ASK) is Mode.ASK


@pytest.mark.parametrize(
    "rule",
    [
        {"tool": "edit_file", "path": "src/**", "action": "allow"},
        {"tool": "edit_file", "match": "src/**", "action": "dney"},
        {"tool": "edit_file", "match": 7, "action": "allow"},
        {"action": "allow"},
        "deny everything",
    ],
)
def test_a_rule_that_cannot_be_read_is_not_read_as_a_wider_one_and_everything_asks(rule: object):
    """Left out alone, a misspelt field would widen an ``allow`` and a misspelt action would lift a ``deny``."""
    good = {"tool": "read_file", "match": "x", "action": "deny"}
    part, warnings = parse_part("config.toml", {"permissions": [rule, good]})
    assert part.permissions == [PermissionPart(tool="read_file", match="x", action="deny"), ASK_EVERYTHING]
    assert any("everything asks" in warning for warning in warnings)


def test_rules_that_are_no_list_make_everything_ask():
    part, _ = parse_part("config.toml", {"permissions": "deny"})
    assert part.permissions == [ASK_EVERYTHING]


def test_a_configuration_file_that_cannot_be_read_makes_everything_ask(tmp_path: Path):
    (tmp_path / "config.toml").write_text("permissions = [")
    settings = load_settings({"STEERSMAN_CONFIG": str(tmp_path / "config.toml")}, editor={"mode": "auto"})
    assert settings.permissions == (ASK_EVERYTHING,)
    assert any("everything asks" in warning for warning in settings.warnings)
