"""What a workspace's own configuration may do: be stricter, and nothing else (A6, situation 38)."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from steersman.permissions.modes import Mode, strictness
from steersman.settings import Tightening, at_most, tightening_of

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
