"""The decision on one call: what a table cannot show (A1, A5, W7, W10)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.tool import Effect, Plan
from steersman.permissions.command_patterns import CommandPattern
from steersman.permissions.grants import CallGrant, CommandGrant, Grant, PathGrant
from steersman.permissions.modes import Mode, strictness
from steersman.permissions.policy import Allow, Ask, Deny, Verdict, decide
from steersman.permissions.proposal import Proposal
from steersman.permissions.rule import Action, Rule
from support.permission import (
    ROOT,
    FakeProtection,
    call_plan,
    change,
    command_plan,
    edit_plan,
    make_ground,
    proposal,
    read_plan,
)

GROUND = make_ground()


def verdict_on(plan: Plan, mode: Mode = Mode.ASK, *rules: Rule, remembered: tuple[Grant, ...] = ()) -> Verdict:
    return decide(proposal(plan), mode, ground=GROUND, rules=rules, remembered=remembered)


# what a plan shows counts for more than what it declares


def test_a_plan_that_holds_a_command_executes_whatever_it_declares():
    plan = replace(command_plan("rm x"), effects=frozenset({Effect.READ}))
    assert isinstance(verdict_on(plan, Mode.ACCEPT_EDITS), Ask)
    assert isinstance(verdict_on(plan, Mode.PLAN), Deny)


def test_a_plan_that_changes_a_file_changes_whatever_it_declares():
    plan = replace(edit_plan(), effects=frozenset({Effect.READ}))
    assert isinstance(verdict_on(plan, Mode.ASK), Ask)
    assert isinstance(verdict_on(plan, Mode.PLAN), Deny)


def test_a_tool_that_declares_nothing_executes_even_if_its_plan_only_reads():
    undeclared = proposal(read_plan(), tool="mcp_thing", undeclared=True)
    assert isinstance(decide(undeclared, Mode.ACCEPT_EDITS, ground=GROUND), Ask)
    assert isinstance(decide(undeclared, Mode.PLAN, ground=GROUND), Deny)


def test_a_call_that_does_several_things_gets_the_strictest():
    plan = replace(edit_plan(), effects=frozenset({Effect.EDIT, Effect.NETWORK}))
    assert isinstance(verdict_on(plan, Mode.ACCEPT_EDITS), Ask)


def test_an_edit_without_changes_or_targets_is_remembered_as_this_very_call():
    verdict = verdict_on(call_plan(Effect.EDIT))
    assert Ask((CallGrant("read_file", "{}"),)) == verdict


# plan mode


def test_plan_mode_offers_a_command_only_in_a_wholly_read_only_sandbox():
    assert isinstance(verdict_on(command_plan("ls", confinement="read_only"), Mode.PLAN), Ask)
    assert isinstance(verdict_on(command_plan("ls", confinement="roots"), Mode.PLAN), Deny)
    assert isinstance(verdict_on(command_plan("ls"), Mode.PLAN), Deny)


def test_plan_mode_refuses_a_confined_command_that_may_use_the_network():
    assert isinstance(verdict_on(command_plan("ls", confinement="read_only", network=True), Mode.PLAN), Deny)


def test_plan_mode_refuses_changes_that_come_with_a_confined_command():
    plan = replace(command_plan("ls", confinement="read_only"), changes=(change(),))
    assert isinstance(verdict_on(plan, Mode.PLAN), Deny)


def test_plan_mode_says_what_to_do_instead():
    verdict = verdict_on(edit_plan(), Mode.PLAN)
    assert isinstance(verdict, Deny)
    assert verdict.reason == "plan mode only reads; changes are not possible in it. Say what you would do instead."


# protected paths (W7)


@pytest.mark.parametrize(
    "plan",
    [
        edit_plan(change(".vscode/settings.json")),
        edit_plan(change(".git/hooks/pre-commit", "create")),
        edit_plan(change("AGENTS.md")),
        edit_plan(change(".env", "delete")),
        edit_plan(change("x", "move", moved_from=".git/config")),
        edit_plan(change(".git/hooks/x", "move", moved_from="x")),
        edit_plan(change(), change("a.py"), change(".vscode/tasks.json")),
        command_plan("echo x > .git/hooks/pre-commit"),
        command_plan("cp evil .vscode/settings.json"),
        command_plan("sh -c 'cp evil .git/hooks/pre-commit'"),
        command_plan("tee AGENTS.md < x"),
        command_plan("cat .env"),
        command_plan("cat .e''nv"),
        command_plan("cat .e?v"),
        command_plan("cat ./.e*"),
        command_plan("cat .*"),
        command_plan("rm -rf .gi[t]"),
        command_plan("cd .git && rm config"),
        command_plan("cd .git; rm hooks/x"),
        command_plan("git show HEAD:.env"),
        command_plan("touch x", folder=f"{ROOT}/.git"),
        command_plan("python3 -c \"open('.env')\""),
        command_plan("x=.env; cat $x"),
        command_plan("git config core.hooksPath evil"),
        command_plan("git -c x=y config alias.x '!rm'"),
        command_plan("sh -c 'git config core.pager evil'"),
        command_plan("git log --output=.vscode/tasks.json"),
        command_plan("cat /state/permissions/x.json"),
        command_plan("cp x ../state/y"),
    ],
    ids=lambda plan: plan.command or plan.changes[-1].path,
)
@pytest.mark.parametrize("mode", [Mode.ASK, Mode.ACCEPT_EDITS, Mode.AUTO])
def test_a_protected_path_asks_in_every_mode_and_nothing_covers_it(plan: Plan, mode: Mode):
    """Situation 39; however it is named, and even if everything was allowed before."""
    everything = (
        PathGrant(ROOT, "edit", below=True),
        PathGrant(ROOT, "move", below=True),
        PathGrant(ROOT, "delete", below=True),
        CommandGrant(CommandPattern((), open_ended=True), ROOT, "run_command"),
    )
    verdict = verdict_on(plan, mode, Rule("*", "*", "allow"), remembered=everything)
    assert isinstance(verdict, Ask)
    assert verdict.protected
    assert not verdict.grants


@pytest.mark.parametrize(
    "command",
    [
        "cat AGENTS.md",
        "ls .vscode",
        "git diff .git/x",
        "git log | head -3",
        "git log -- AGENTS.md",
        "grep -rn '.env' .",
        "git config --get user.name",
        "git config --list",
    ],
)
def test_reading_what_is_protected_but_no_secret_is_an_ordinary_command(command: str):
    ground = replace(GROUND, exists=lambda path: not path.endswith("/.env"))
    assert isinstance(decide(proposal(command_plan(command)), Mode.AUTO, ground=ground), Allow)


def test_a_word_that_only_looks_like_a_secret_is_none_unless_it_is_there():
    plan = command_plan("node -e 'console.log(process.env, event.key)' > out")
    secret = FakeProtection("it may hold secrets", is_secret=True)
    protects = replace(GROUND, protection=lambda: lambda path: secret if ".key" in path else None)
    absent = replace(protects, exists=lambda _: False)
    assert isinstance(decide(proposal(plan), Mode.AUTO, ground=absent), Allow)
    assert isinstance(decide(proposal(plan), Mode.AUTO, ground=protects), Ask)


def test_reading_what_is_protected_but_no_secret_is_free():
    assert isinstance(verdict_on(read_plan("AGENTS.md"), Mode.PLAN), Allow)


def test_reading_a_secret_asks_even_in_plan_mode():
    verdict = verdict_on(read_plan(".env"), Mode.PLAN)
    assert verdict == Ask(protected=True, because=(".env always asks: it may hold secrets.",))


def test_a_link_to_a_protected_file_is_followed_in_a_command():
    ground = replace(GROUND, resolve=lambda path: f"{ROOT}/.git/hooks/x" if path == f"{ROOT}/notes" else path)
    verdict = decide(proposal(command_plan("cp evil notes")), Mode.AUTO, ground=ground)
    assert isinstance(verdict, Ask)
    assert verdict.protected


# what always asks besides


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.ACCEPT_EDITS, Mode.AUTO])
def test_commands_always_ask_on_windows(mode: Mode):
    ground = make_ground(["C:\\ws"], windows=True)
    plan = command_plan("git status", folder="C:\\ws")
    rules = [Rule("*", "*", "allow")]
    grants = [CommandGrant(CommandPattern(("git", "status"), open_ended=True), "C:\\ws", "run_command")]
    verdict = decide(proposal(plan), mode, ground=ground, rules=rules, remembered=grants)
    assert verdict == Ask(because=("Commands always ask on Windows.",))


def test_what_the_editor_wants_asked_is_asked_in_every_mode():
    verdict = decide(
        proposal(edit_plan()),
        Mode.AUTO,
        ground=GROUND,
        rules=[Rule("*", "*", "allow")],
        must_ask=lambda: "This editor cannot tell what was typed.",
    )
    assert verdict == Ask(because=("This editor cannot tell what was typed.",))


def test_what_the_editor_wants_asked_does_not_concern_reading():
    assert Allow() == decide(proposal(read_plan()), Mode.ASK, ground=GROUND, must_ask=lambda: "no")


def test_a_command_line_that_is_not_understood_is_not_allowed_by_any_rule():
    verdict = verdict_on(command_plan("make $x"), Mode.ASK, Rule("*", "*", "allow"))
    assert verdict == Ask(because=("Asked each time, because it depends on a variable.",))


def test_where_something_is_denied_a_line_that_is_not_understood_asks_even_in_auto():
    rules = [Rule("run_command", "curl *", "deny")]
    assert isinstance(verdict_on(command_plan("$(echo cu)rl x"), Mode.AUTO, *rules), Ask)
    assert isinstance(verdict_on(command_plan("make x"), Mode.AUTO, *rules), Allow)
    assert isinstance(verdict_on(command_plan("curl x"), Mode.AUTO, *rules), Deny)


# rules


def test_deny_wins_over_every_other_rule():
    rules = [Rule("*", "*", "allow"), Rule("edit_file", "src/**", "deny"), Rule("*", "*", "ask")]
    for order in (rules, rules[::-1]):
        assert Deny("a rule of the user's own settings denies this.", by="rule") == verdict_on(
            edit_plan(), Mode.AUTO, *order
        )


def test_every_file_of_a_call_has_to_be_covered():
    rule = Rule("*", "src/**", "allow")
    assert Allow(by="rule") == verdict_on(edit_plan(change("src/a.py"), change("src/b.py")), Mode.ASK, rule)
    assert isinstance(verdict_on(edit_plan(change("src/a.py"), change("b.py")), Mode.ASK, rule), Ask)
    assert isinstance(verdict_on(edit_plan(change("src/a.py", "move", moved_from="b.py")), Mode.ASK, rule), Ask)


def test_a_rule_and_an_earlier_answer_cover_a_call_together():
    plan = edit_plan(change("src/a.py"), change("b.py"))
    grants = (PathGrant(f"{ROOT}/b.py", "edit"),)
    assert Allow(by="rule") == verdict_on(plan, Mode.ASK, Rule("*", "src/**", "allow"), remembered=grants)


def test_a_rule_for_files_does_not_allow_a_command():
    assert isinstance(verdict_on(command_plan("rm src/app.py"), Mode.ASK, Rule("*", "src/**", "allow")), Ask)


@pytest.mark.parametrize(
    "command", ["cat secret/x", "cat ./secret/x", "cat SECRET/x", "cd secret && cat x", "x=secret/x"]
)
def test_a_rule_that_denies_a_path_to_every_tool_denies_it_to_commands(command: str):
    assert isinstance(verdict_on(command_plan(command), Mode.AUTO, Rule("*", "secret/**", "deny")), Deny)


def test_a_rule_can_deny_reading():
    assert isinstance(verdict_on(read_plan("secret/x"), Mode.ASK, Rule("read_file", "secret", "deny")), Deny)


# properties

RULES = st.builds(
    Rule,
    st.sampled_from(["*", "run_command", "edit_file", "read_file", "other"]),
    st.sampled_from(["*", "**", "src/**", "git *", "rm *", "ls", "x"]),
    st.sampled_from(["allow", "ask", "deny"]),
)
GRANTS = st.one_of(
    st.builds(
        PathGrant, st.sampled_from([ROOT, f"{ROOT}/src"]), st.sampled_from(["edit", "delete", "move"]), st.booleans()
    ),
    st.builds(
        CommandGrant, st.just(CommandPattern((), open_ended=True)), st.just(ROOT), st.just("run_command"), st.booleans()
    ),
    st.builds(CallGrant, st.sampled_from(["edit_file", "run_command"]), st.just("{}")),
)
EFFECTS = st.frozensets(st.sampled_from([*Effect, "teleport"]))
CHANGES = st.lists(
    st.builds(
        change,
        st.sampled_from(["src/app.py", ".git/config", ".env", "x"]),
        st.sampled_from(["edit", "create", "delete", "move"]),
    ),
    max_size=2,
)
COMMANDS = st.none() | st.sampled_from(["git status", "rm x", "$(rm x)", "cat .env"]) | st.text(max_size=12)
PLANS = st.builds(
    lambda effects, changes, command, confinement: Plan(
        "t",
        effects,
        changes=tuple(changes),
        command=command,
        folder=ROOT,
        confinement=confinement,
        targets=tuple(one.path for one in changes),
    ),
    EFFECTS,
    CHANGES,
    COMMANDS,
    st.sampled_from(["none", "roots", "read_only"]),
)
PROPOSALS = st.builds(
    lambda plan, tool, undeclared: proposal(plan, tool=tool, undeclared=undeclared),
    PLANS,
    st.sampled_from(["run_command", "edit_file", "mcp"]),
    st.booleans(),
)


@given(PROPOSALS, st.lists(RULES, max_size=4), st.lists(GRANTS, max_size=3), st.booleans())
def test_no_rule_set_and_no_input_makes_plan_mode_write(
    one: Proposal, rules: list[Rule], grants: list[Grant], asks: bool
):
    """Situation 40: in plan mode nothing that changes, executes unconfined or uses the network is ever offered."""
    must_ask: Callable[[], str | None] = (lambda: "asked") if asks else (lambda: None)
    verdict = decide(one, Mode.PLAN, ground=GROUND, rules=rules, remembered=grants, must_ask=must_ask)
    if isinstance(verdict, Deny):
        return
    assert not one.plan.changes
    assert not one.reach & {"change", "network", "unknown"}
    assert "execute" not in one.reach or (one.plan.command is not None and one.plan.confinement == "read_only")


@given(PROPOSALS, st.lists(RULES, max_size=4), st.lists(GRANTS, max_size=3))
def test_what_is_protected_is_never_allowed_unasked(one: Proposal, rules: list[Rule], grants: list[Grant]):
    touches = any("/.git/" in path or "/.env" in path for path in one.plan.targets) and not one.only_reads
    for mode in Mode:
        verdict = decide(one, mode, ground=GROUND, rules=rules, remembered=grants)
        assert not (touches and isinstance(verdict, Allow))


@given(PROPOSALS, st.lists(RULES, max_size=4), RULES, st.sampled_from(["ask", "deny"]), st.lists(GRANTS, max_size=3))
def test_a_rule_that_asks_or_denies_never_makes_anything_laxer(
    one: Proposal, rules: list[Rule], more: Rule, action: Action, grants: list[Grant]
):
    stricter = [*rules, replace(more, action=action)]
    for mode in Mode:
        before = decide(one, mode, ground=GROUND, rules=rules, remembered=grants)
        after = decide(one, mode, ground=GROUND, rules=stricter, remembered=grants)
        assert _rank(before) <= _rank(after)


@given(PROPOSALS, st.lists(RULES, max_size=4), st.lists(GRANTS, max_size=3))
def test_a_stricter_mode_never_makes_anything_laxer(one: Proposal, rules: list[Rule], grants: list[Grant]):
    ranks = [
        _rank(decide(one, mode, ground=GROUND, rules=rules, remembered=grants)) for mode in sorted(Mode, key=strictness)
    ]
    assert ranks == sorted(ranks)


def _rank(verdict: Verdict) -> int:
    return [Allow, Ask, Deny].index(type(verdict))


# without a sandbox


def test_a_command_that_writes_under_a_computed_name_asks_in_auto_unless_a_sandbox_holds_it():
    line = "d=.g; echo x > ${d}it/hooks/pre-commit"
    asked = verdict_on(command_plan(line), Mode.AUTO)
    assert isinstance(asked, Ask)
    assert asked.because == ("Asked without a sandbox, because it writes to a file whose name is computed.",)
    assert asked.grants == ()
    assert verdict_on(command_plan(line, confinement="roots"), Mode.AUTO) == Allow()
    assert verdict_on(command_plan("for f in a b; do cat $f; done"), Mode.AUTO) == Allow()


# rules that are near


@pytest.mark.parametrize(
    ("rule", "line", "why"),
    [
        ("pytest *", "pytest -p evil", "what -p does is not known to be harmless"),
        ("pytest *", "pytest ../other", "../other leads outside of the workspace"),
        ("pytest *", "pytest t*.py", "the shell makes something else of t*.py"),
        ("pytest -q", "pytest -q tests", "no more words may follow; end it with * to allow more"),
    ],
)
def test_a_rule_that_seems_to_allow_a_command_and_does_not_says_why(rule, line, why):
    asked = verdict_on(command_plan(line), Mode.ASK, Rule("run_command", rule, "allow"))
    assert isinstance(asked, Ask)
    assert asked.because == (f"Your rule “allow run_command {rule}” does not cover this: {why}.",)


@pytest.mark.parametrize("line", ["pytest --version", "pytest --help", "pytest -q tests"])
def test_a_rule_covers_what_only_prints_and_what_is_plain_without_a_word(line):
    rules = [Rule("run_command", "pytest *", "allow")]
    assert verdict_on(command_plan(line), Mode.ASK, *rules) == Allow(by="rule")


def test_a_rule_for_another_command_explains_nothing():
    asked = verdict_on(command_plan("make"), Mode.ASK, Rule("run_command", "pytest *", "allow"))
    assert isinstance(asked, Ask)
    assert asked.because == ()
