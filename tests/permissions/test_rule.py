"""The user's own rules (A5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.tool import Plan
from steersman.permissions.rule import Rule, check_rules, strictest
from support.permission import ROOT, call_plan, change, command_plan, edit_plan, make_ground, proposal, read_plan

GROUND = make_ground()


def allows(rule: Rule, plan: Plan, tool: str | None = None) -> bool:
    one = proposal(plan, tool=tool)
    return all(rule.allows(one.tool, demand, GROUND) for demand in one.demands(GROUND))


@pytest.mark.parametrize(
    ("rule", "plan"),
    [
        (Rule("edit_file", "src/**", "allow"), edit_plan()),
        (Rule("*", "src", "allow"), edit_plan(change("src/a"), change("src/b/c"))),
        (Rule("edit_file", "*", "allow"), edit_plan(change("anything"))),
        (Rule("run_command", "make *", "allow"), command_plan("make test && make lint")),
        (Rule("fetch", "*", "allow"), call_plan()),
    ],
)
def test_a_rule_allows_what_it_names(rule: Rule, plan: Plan):
    assert allows(rule, plan, "fetch" if rule.tool == "fetch" else None)


@pytest.mark.parametrize(
    ("rule", "plan"),
    [
        (Rule("write_file", "src/**", "allow"), edit_plan()),
        (Rule("edit_file", "src/**", "allow"), edit_plan(change("src/../x"))),
        (Rule("edit_file", "src/**", "allow"), edit_plan(change("SRC/a"))),
        (Rule("edit_file", "src/**", "ask"), edit_plan()),
        (Rule("edit_file", "src/**", "deny"), edit_plan()),
        (Rule("run_command", "make *", "allow"), command_plan("make test; rm x")),
        (Rule("run_command", "make && rm", "allow"), command_plan("make && rm")),
        (Rule("fetch", "x", "allow"), call_plan()),
    ],
)
def test_a_rule_allows_no_more(rule: Rule, plan: Plan):
    assert not allows(rule, plan)


@pytest.mark.parametrize(
    ("rule", "plan"),
    [
        (Rule("*", "src/**", "deny"), edit_plan()),
        (Rule("EDIT_file", "src/**", "deny"), edit_plan()),
        (Rule("edit_file", "src/**", "deny"), edit_plan(change("x", "move", moved_from="src/x"))),
        (Rule("edit_file", "src", "deny"), edit_plan(change("a"), change("Src/x"))),
        (Rule("read_file", "*.pem", "deny"), read_plan("a/b.PEM")),
        (Rule("*", "secret", "ask"), command_plan("cat secret/x")),
        (Rule("run_command", "*", "deny"), command_plan("$(x)")),
    ],
)
def test_a_rule_that_forbids_finds_what_it_names(rule: Rule, plan: Plan):
    assert rule.forbids(proposal(plan), GROUND)


@pytest.mark.parametrize(
    ("rule", "plan"),
    [
        (Rule("write_file", "src/**", "deny"), edit_plan()),
        (Rule("*", "lib/**", "deny"), edit_plan()),
        (Rule("*", "src/**", "allow"), edit_plan()),
        (Rule("run_command", "rm *", "deny"), command_plan("ls")),
    ],
)
def test_a_rule_that_forbids_leaves_others_alone(rule: Rule, plan: Plan):
    assert not rule.forbids(proposal(plan), GROUND)


RULES = st.lists(
    st.builds(Rule, st.just("*"), st.sampled_from(["*", "src", "lib"]), st.sampled_from(["allow", "ask", "deny"])),
    max_size=6,
)


@given(RULES)
def test_the_order_of_rules_does_not_matter_and_deny_wins(rules: list[Rule]):
    one = proposal(edit_plan())
    found, back = strictest(rules, one, GROUND), strictest(rules[::-1], one, GROUND)
    actions = {rule.action for rule in rules if rule.forbids(one, GROUND)}
    expected = "deny" if "deny" in actions else "ask" if "ask" in actions else None
    assert expected == (found and found.action) == (back and back.action)


def test_a_rule_that_can_never_allow_is_warned_of():
    rules = [
        Rule("run_command", "git $x", "allow"),
        Rule("run_command", "git *", "allow"),
        Rule("*", "src/$x", "allow"),
    ]
    (warning,) = check_rules(rules)
    assert "allow run_command git $x" in warning


def test_a_rule_reads_as_it_was_written():
    assert str(Rule("edit_file", f"{ROOT}/x", "deny")) == f"deny edit_file {ROOT}/x"
