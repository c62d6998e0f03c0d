"""Modes and their order (A1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.permissions.modes import Mode, strictness, tighten

MODES = st.sampled_from(Mode)


def test_plan_is_the_strictest_and_auto_the_laxest():
    assert sorted(Mode, key=strictness) == [Mode.AUTO, Mode.ACCEPT_EDITS, Mode.ASK, Mode.PLAN]


@pytest.mark.parametrize(
    ("one", "other", "both"), [("auto", "ask", "ask"), ("plan", "auto", "plan"), ("ask", "accept-edits", "ask")]
)
def test_the_stricter_of_two_modes_holds(one: str, other: str, both: str):
    assert tighten(Mode(one), Mode(other)) is Mode(both)


@given(MODES, MODES)
def test_tightening_never_loosens_and_does_not_care_about_order(one: Mode, other: Mode):
    assert tighten(one, other) is tighten(other, one)
    assert strictness(tighten(one, other)) == max(strictness(one), strictness(other))
