"""The whole of policy as one table: kind of call x protected x rule x mode x the client's answer (A1 to A5).

``yes``: runs unasked. ``ask``: a person decides, and may allow it for the session. ``once``: a person decides, for this
one time. ``no``: refused unasked.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from steersman.agent.approval import Approved, Option, Refused
from steersman.agent.tool import Effect, Plan
from steersman.permissions.approver import Approver
from steersman.permissions.memory import SessionMemory
from steersman.permissions.modes import Mode
from steersman.permissions.question import Answer
from steersman.permissions.rule import Rule
from steersman.permissions.store import AlwaysStore
from support.permission import (
    ROOT,
    PlannedTool,
    ScriptedAsker,
    approval_request,
    call_plan,
    change,
    command_plan,
    edit_plan,
    make_ground,
    read_plan,
)

TABLE = """
kind       protected rule  | plan  ask   accept-edits auto
read       no        -     | yes   yes   yes   yes
read       no        allow | yes   yes   yes   yes
read       no        ask   | once  once  once  once
read       no        deny  | no    no    no    no
read       yes       -     | once  once  once  once
read       yes       allow | once  once  once  once
read       yes       ask   | once  once  once  once
read       yes       deny  | no    no    no    no
edit       no        -     | no    ask   yes   yes
edit       no        allow | no    yes   yes   yes
edit       no        ask   | no    once  once  once
edit       no        deny  | no    no    no    no
edit       yes       -     | no    once  once  once
edit       yes       allow | no    once  once  once
edit       yes       ask   | no    once  once  once
edit       yes       deny  | no    no    no    no
create     no        -     | no    ask   yes   yes
create     no        allow | no    yes   yes   yes
create     no        ask   | no    once  once  once
create     no        deny  | no    no    no    no
create     yes       -     | no    once  once  once
create     yes       allow | no    once  once  once
create     yes       ask   | no    once  once  once
create     yes       deny  | no    no    no    no
delete     no        -     | no    ask   yes   yes
delete     no        allow | no    yes   yes   yes
delete     no        ask   | no    once  once  once
delete     no        deny  | no    no    no    no
delete     yes       -     | no    once  once  once
delete     yes       allow | no    once  once  once
delete     yes       ask   | no    once  once  once
delete     yes       deny  | no    no    no    no
move       no        -     | no    ask   yes   yes
move       no        allow | no    yes   yes   yes
move       no        ask   | no    once  once  once
move       no        deny  | no    no    no    no
move       yes       -     | no    once  once  once
move       yes       allow | no    once  once  once
move       yes       ask   | no    once  once  once
move       yes       deny  | no    no    no    no
command    no        -     | no    ask   ask   yes
command    no        allow | no    yes   yes   yes
command    no        ask   | no    once  once  once
command    no        deny  | no    no    no    no
command    yes       -     | no    once  once  once
command    yes       allow | no    once  once  once
command    yes       ask   | no    once  once  once
command    yes       deny  | no    no    no    no
sandboxed  no        -     | ask   ask   ask   yes
sandboxed  no        allow | yes   yes   yes   yes
sandboxed  no        ask   | once  once  once  once
sandboxed  no        deny  | no    no    no    no
sandboxed  yes       -     | once  once  once  once
sandboxed  yes       allow | once  once  once  once
sandboxed  yes       ask   | once  once  once  once
sandboxed  yes       deny  | no    no    no    no
network    no        -     | no    ask   ask   yes
network    no        allow | no    yes   yes   yes
network    no        ask   | no    once  once  once
network    no        deny  | no    no    no    no
network    yes       -     | no    once  once  once
network    yes       allow | no    once  once  once
network    yes       ask   | no    once  once  once
network    yes       deny  | no    no    no    no
undeclared no        -     | no    ask   ask   yes
undeclared no        allow | no    yes   yes   yes
undeclared no        ask   | no    once  once  once
undeclared no        deny  | no    no    no    no
undeclared yes       -     | no    once  once  once
undeclared yes       allow | no    once  once  once
undeclared yes       ask   | no    once  once  once
undeclared yes       deny  | no    no    no    no
unknown    no        -     | no    once  once  once
unknown    no        allow | no    once  once  once
unknown    no        ask   | no    once  once  once
unknown    no        deny  | no    no    no    no
unknown    yes       -     | no    once  once  once
unknown    yes       allow | no    once  once  once
unknown    yes       ask   | no    once  once  once
unknown    yes       deny  | no    no    no    no
"""

ANSWERS: dict[str, Answer | Exception | None] = {
    "silence": None,
    "failure": RuntimeError("the client is gone"),
    "nonsense": Answer("perhaps"),
    "empty": Answer(""),
    "show": Answer("show"),
    "reject": Answer("reject"),
    "reject with a reason": Answer("reject", "use tabs"),
    "once": Answer("allow_once"),
    "session": Answer("allow_session"),
    "always": Answer("allow_always"),
}
REFUSING = {"silence", "failure", "nonsense", "empty", "show", "reject", "reject with a reason"}


def cells() -> list[tuple[str, bool, str, Mode, str]]:
    """Every cell of the table: kind, protected, rule, mode, outcome."""
    found: list[tuple[str, bool, str, Mode, str]] = []
    for line in TABLE.strip().splitlines()[1:]:
        row, _, outcomes = line.partition("|")
        kind, protected, rule = row.split()
        found.extend(
            (kind, protected == "yes", rule, mode, word) for mode, word in zip(Mode, outcomes.split(), strict=True)
        )
    return found


def plan_of(kind: str, *, protected: bool) -> Plan:
    """A plan of this kind, of something on the protected list or not."""
    path = ".git/hooks/pre-commit" if protected else "src/app.py"
    match kind:
        case "read":
            return read_plan(".env" if protected else "src/app.py")
        case "edit" | "create" | "delete":
            return edit_plan(change(path, kind))
        case "move":
            return edit_plan(change(path, "move", moved_from="src/old.py"))
        case "command":
            return command_plan(f"touch {path}")
        case "sandboxed":
            return command_plan(f"touch {path}", confinement="read_only")
        case _:
            effects = {"network": [Effect.NETWORK], "unknown": ["teleport"], "undeclared": []}[kind]
            return replace(call_plan(*effects), targets=(f"{ROOT}/{path}",))


class Cell:
    """One cell at work: an approver for it, and what it did."""

    def __init__(
        self,
        kind: str,
        mode: Mode,
        answer: Answer | Exception | None,
        folder: Path,
        *,
        protected: bool = False,
        rule: str = "-",
    ):
        self.plan = plan_of(kind, protected=protected)
        self.asker = ScriptedAsker([answer] * 3)
        self.announced: list[tuple[Option, ...]] = []
        self.memory = SessionMemory()
        self.always = AlwaysStore(folder / "always.json", ROOT)
        self.approver = Approver(
            session_id="session",
            mode=lambda: mode,
            ground=make_ground(),
            asker=self.asker,
            rules=[] if rule == "-" else [Rule("tool", "*", rule)],
            memory=self.memory,
            always=self.always,
        )

    async def decide(self):
        request = approval_request(self.plan, announce=self.announced.append)
        return await self.approver(replace(request, tool=PlannedTool("tool", self.plan.effects)))

    @property
    def remembered(self) -> bool:
        return bool(self.memory.grants or self.always.grants)


def test_the_table_is_complete():
    """Every kind, protected or not, with every rule, in every mode: once."""
    found = [cell[:4] for cell in cells()]
    kinds = {cell[0] for cell in found}
    assert len(kinds) * 2 * 4 * len(Mode) == len(found) == len(set(found))
    assert {"yes", "ask", "once", "no"} == {cell[4] for cell in cells()}


@pytest.mark.parametrize(("kind", "protected", "rule", "mode", "outcome"), cells())
async def test_every_cell_with_every_answer(
    kind: str, protected: bool, rule: str, mode: Mode, outcome: str, tmp_path: Path
):
    for name, answer in ANSWERS.items():
        folder = tmp_path / name
        folder.mkdir()
        cell = Cell(kind, mode, answer, folder, protected=protected, rule=rule)
        decision = await cell.decide()
        expected = expected_of(outcome, name)
        assert expected == isinstance(decision, Approved), f"{name}: {decision}"
        assert (outcome in {"ask", "once"}) == bool(cell.asker.questions) == bool(cell.announced), name
        assert cell.remembered == (outcome == "ask" and name in {"session", "always"}), name
        if cell.asker.questions:
            check_question(cell, decision, protected=protected, remembers=outcome == "ask")


def expected_of(outcome: str, answer: str) -> bool:
    """Whether the call runs, by the table."""
    if outcome in {"yes", "no"}:
        return outcome == "yes"
    return answer == "once" or (answer in {"session", "always"} and outcome == "ask")


def check_question(cell: Cell, decision: Approved | Refused, *, protected: bool, remembers: bool) -> None:
    """What every question has to hold."""
    (question,) = cell.asker.questions
    assert cell.announced == [question.options]
    ids = [option.id for option in question.options]
    assert ids == ["reject", "allow_once", *(["allow_session", "allow_always"] if remembers else [])]
    assert question.plan is cell.plan
    assert question.protected == protected
    assert (question.remembers is not None) == remembers
    assert isinstance(decision, Refused) or decision.by == "person"


@pytest.mark.parametrize(("kind", "protected", "rule", "mode", "outcome"), cells())
async def test_with_nobody_to_ask_what_would_ask_is_refused(
    kind: str, protected: bool, rule: str, mode: Mode, outcome: str, tmp_path: Path
):
    cell = Cell(kind, mode, Answer("allow_once"), tmp_path, protected=protected, rule=rule)
    cell.approver = Approver(
        session_id="session",
        mode=lambda: mode,
        ground=make_ground(),
        rules=[] if rule == "-" else [Rule("tool", "*", rule)],
    )
    assert (outcome == "yes") == isinstance(await cell.decide(), Approved)
    assert cell.announced == []


@pytest.mark.parametrize("answer", [Answer("allow_session"), Answer("allow_always")])
@pytest.mark.parametrize(("kind", "protected", "rule", "mode", "outcome"), cells())
async def test_what_was_remembered_is_not_asked_again_and_nothing_else_changes(
    kind: str, protected: bool, rule: str, mode: Mode, outcome: str, answer: Answer, tmp_path: Path
):
    cell = Cell(kind, mode, answer, tmp_path, protected=protected, rule=rule)
    first = await cell.decide()
    second = await cell.decide()
    assert type(first) is type(second)
    assert (outcome == "once") == (len(cell.asker.questions) == 2)


async def test_what_was_allowed_in_a_laxer_mode_is_refused_in_plan_mode(tmp_path: Path):
    cell = Cell("edit", Mode.ASK, Answer("allow_always"), tmp_path)
    await cell.decide()
    strict = Cell("edit", Mode.PLAN, Answer("allow_once"), tmp_path)
    strict.memory.add(cell.memory.grants)
    assert isinstance(await strict.decide(), Refused)
