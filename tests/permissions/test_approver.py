"""The hook of one run: asking, answering, remembering, and every way of not answering (A2 to A7)."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from steersman.agent.approval import Approved, Option, Refused
from steersman.agent.tool import Plan
from steersman.permissions.approver import Approver
from steersman.permissions.memory import SessionMemories, SessionMemory
from steersman.permissions.modes import Mode
from steersman.permissions.question import Answer, Asker
from steersman.permissions.rule import Rule
from steersman.permissions.store import AlwaysStore
from support.permission import (
    ROOT,
    PatientAsker,
    ScriptedAsker,
    approval_request,
    change,
    command_plan,
    edit_plan,
    make_ground,
    read_plan,
)

ONCE, SESSION, ALWAYS, REJECT = (Answer(i) for i in ("allow_once", "allow_session", "allow_always", "reject"))


class Modes:
    """A mode that a test changes."""

    def __init__(self, mode: Mode = Mode.ASK) -> None:
        self.mode = mode

    def __call__(self) -> Mode:
        return self.mode


def approver(asker: Asker | None, **more: object) -> Approver:
    values = {"session_id": "session-1", "mode": lambda: Mode.ASK, "ground": make_ground(), "asker": asker, **more}
    return Approver(**values)  # pyright: ignore[reportArgumentType]


# what the person is shown


async def test_the_question_names_run_session_call_and_tool():
    asker = ScriptedAsker([ONCE])
    await approver(asker)(approval_request(edit_plan(), call_id="call-7"))
    (question,) = asker.questions
    assert (
        question.run_id,
        question.session_id,
        question.call_id,
        question.tool,
    ) == ("run-1", "session-1", "call-7", "edit_file")


async def test_the_options_say_what_they_would_remember(tmp_path: Path):
    asker = ScriptedAsker([ONCE])
    await approver(asker, always=AlwaysStore(tmp_path / "x.json", ROOT))(
        approval_request(command_plan("git status -s"))
    )
    assert asker.questions[0].options == (
        Option("reject", "Reject"),
        Option("allow_once", "Allow once"),
        Option("allow_session", "Allow for this session (git status …)"),
        Option("allow_always", "Always allow (git status …)"),
    )
    assert asker.questions[0].remembers == "git status …"


async def test_without_a_store_always_is_not_offered():
    asker = ScriptedAsker([ONCE])
    await approver(asker)(approval_request(edit_plan()))
    assert [option.id for option in asker.questions[0].options] == ["reject", "allow_once", "allow_session"]


async def test_a_second_file_of_a_folder_offers_the_folder_but_never_the_whole_workspace():
    asker = ScriptedAsker([SESSION] * 4)
    hook = approver(asker)
    for path in ("src/a.py", "src/b.py", "README.md", "LICENSE"):
        await hook(approval_request(edit_plan(change(path))))
    await hook(approval_request(edit_plan(change("src/deep/c.py", "create"))))
    assert [question.remembers for question in asker.questions] == [
        "edits of src/a.py",
        "edits of everything in src/",
        "edits of README.md",
        "edits of LICENSE",
    ]


async def test_what_a_plan_warns_of_is_shown():
    asker = ScriptedAsker([ONCE])
    plan = Plan("run x", command_plan("x").effects, command="x", folder=ROOT, warnings=("No sandbox here.",))
    await approver(asker)(approval_request(plan))
    assert asker.questions[0].warning == "No sandbox here."


async def test_a_later_round_says_that_the_change_is_another_one():
    asker = ScriptedAsker([ONCE, ONCE])
    hook = approver(asker)
    await hook(approval_request(edit_plan()))
    await hook(approval_request(edit_plan(change(after="a = 3\n")), round_number=2))
    assert [question.round for question in asker.questions] == [1, 2]
    assert "no longer what was asked before" in (asker.questions[1].warning or "")


# a yes


async def test_once_is_for_this_call_only():
    asker = ScriptedAsker([ONCE, ONCE])
    hook = approver(asker)
    assert await hook(approval_request(edit_plan())) == Approved("person", "allow_once")
    await hook(approval_request(edit_plan()))
    assert len(asker.questions) == 2


async def test_for_this_session_holds_in_the_next_run_of_the_session_and_in_no_other():
    memories = SessionMemories()
    asker = ScriptedAsker([SESSION, REJECT])
    await approver(asker, memory=memories.of("one"))(approval_request(edit_plan()))
    again = await approver(asker, memory=memories.of("one"))(approval_request(edit_plan(change(after="a = 9\n"))))
    assert again == Approved("rule")
    fork = await approver(asker, memory=memories.of("fork-of-one"))(approval_request(edit_plan()))
    assert isinstance(fork, Refused)


async def test_what_is_always_allowed_holds_in_another_process_until_it_is_taken_back(tmp_path: Path):
    file = tmp_path / "x.json"
    await approver(ScriptedAsker([ALWAYS]), always=AlwaysStore(file, ROOT))(approval_request(edit_plan()))
    asker = ScriptedAsker([REJECT])
    other = approver(asker, always=AlwaysStore(file, ROOT))
    assert await other(approval_request(edit_plan())) == Approved("rule")
    assert AlwaysStore(file, ROOT).reset() == 1
    assert isinstance(await other(approval_request(edit_plan())), Refused)


async def test_where_always_cannot_be_kept_the_session_remembers_and_the_person_is_told(tmp_path: Path):
    (tmp_path / "file").write_text("")
    warnings: list[str] = []
    asker = ScriptedAsker([ALWAYS])
    hook = approver(asker, always=AlwaysStore(tmp_path / "file" / "x.json", ROOT), warn=warnings.append)
    assert isinstance(await hook(approval_request(edit_plan())), Approved)
    assert await hook(approval_request(edit_plan())) == Approved("rule")
    assert any("could not be kept" in warning for warning in warnings)


# a no, in all its forms


async def test_a_reason_reaches_the_model():
    refused = await approver(ScriptedAsker([Answer("reject", "  use tabs  ")]))(approval_request(edit_plan()))
    assert refused == Refused("the person said no: use tabs", by="person")


async def test_a_very_long_reason_is_cut():
    refused = await approver(ScriptedAsker([Answer("reject", "x" * 100_000)]))(approval_request(edit_plan()))
    assert isinstance(refused, Refused)
    assert len(refused.reason) < 3000


@pytest.mark.parametrize(
    "answer", [None, Answer("yes"), Answer("allow_always"), Answer(""), RuntimeError("key=secret")]
)
async def test_silence_nonsense_and_failure_are_refusals_that_remember_nothing(answer: Answer | Exception | None):
    memory, warnings = SessionMemory(), list[str]()
    hook = approver(ScriptedAsker([answer, ONCE]), memory=memory, warn=warnings.append)
    refused = await hook(approval_request(edit_plan()))
    assert isinstance(refused, Refused)
    assert refused.by == "policy"
    assert memory.grants == ()
    assert "secret" not in refused.reason + "".join(warnings)
    assert isinstance(await hook(approval_request(edit_plan())), Approved), "silence is asked again, unlike a no"


async def test_with_nobody_to_ask_what_would_ask_is_refused_and_the_rest_goes_on():
    hook = approver(None)
    refused = await hook(approval_request(edit_plan()))
    assert isinstance(refused, Refused)
    assert "nobody to ask" in refused.reason
    assert isinstance(await hook(approval_request(read_plan())), Approved)


async def test_what_was_rejected_is_not_asked_again_in_this_run():
    asker = ScriptedAsker([Answer("reject", "not this"), ONCE])
    hook = approver(asker)
    await hook(approval_request(edit_plan()))
    again = await hook(approval_request(edit_plan()))
    assert isinstance(again, Refused)
    assert "not this" in again.reason
    assert len(asker.questions) == 1


async def test_the_same_bytes_by_another_tool_or_elsewhere_in_the_file_are_not_asked_again():
    asker = ScriptedAsker([REJECT, ONCE])
    hook = approver(asker)
    await hook(approval_request(edit_plan(change(before="a\nb\n", after="a\nc\n"))))
    moved = edit_plan(change(before="new\na\nb\n", after="new\na\nc\n"))
    assert isinstance(await hook(approval_request(moved, tool="write_file")), Refused)
    assert len(asker.questions) == 1


async def test_other_bytes_are_asked():
    asker = ScriptedAsker([REJECT, ONCE])
    hook = approver(asker)
    await hook(approval_request(edit_plan()))
    assert isinstance(await hook(approval_request(edit_plan(change(after="a = 3\n")))), Approved)


async def test_a_rejected_command_is_refused_in_the_same_folder_only():
    asker = ScriptedAsker([REJECT, ONCE])
    hook = approver(asker)
    await hook(approval_request(command_plan("make")))
    assert isinstance(await hook(approval_request(command_plan("make"))), Refused)
    assert isinstance(await hook(approval_request(command_plan("make", folder=f"{ROOT}/sub"))), Approved)


async def test_a_no_outlives_a_laxer_mode_and_a_later_yes_to_everything_around_it():
    modes, asker = Modes(), ScriptedAsker([REJECT, SESSION])
    hook = approver(asker, mode=modes)
    await hook(approval_request(edit_plan()))
    await hook(approval_request(edit_plan(change(after="a = 3\n"))))
    assert isinstance(await hook(approval_request(edit_plan())), Refused)
    modes.mode = Mode.AUTO
    assert isinstance(await hook(approval_request(edit_plan())), Refused)


async def test_a_new_run_may_ask_again():
    asker = ScriptedAsker([REJECT, ONCE])
    await approver(asker)(approval_request(edit_plan()))
    assert isinstance(await approver(asker)(approval_request(edit_plan())), Approved)


# the mode changes


async def test_the_next_call_obeys_a_changed_mode():
    modes = Modes(Mode.AUTO)
    hook = approver(None, mode=modes)
    assert isinstance(await hook(approval_request(edit_plan())), Approved)
    modes.mode = Mode.PLAN
    assert isinstance(await hook(approval_request(edit_plan())), Refused)
    modes.mode = Mode.ACCEPT_EDITS
    assert isinstance(await hook(approval_request(edit_plan())), Approved)


async def test_a_yes_that_comes_after_plan_mode_was_chosen_is_not_taken_and_not_remembered():
    modes, asker, memory = Modes(), PatientAsker(), SessionMemory()
    asking = asyncio.ensure_future(approver(asker, mode=modes, memory=memory)(approval_request(edit_plan())))
    await asker.asked.wait()
    modes.mode = Mode.PLAN
    asker.open[0][1].set_result(SESSION)
    refused = await asking
    assert isinstance(refused, Refused)
    assert "plan mode" in refused.reason
    assert memory.grants == ()


# cancelling, and several at once


async def test_a_cancelled_run_withdraws_its_question():
    asker, memory = PatientAsker(), SessionMemory()
    asking = asyncio.ensure_future(approver(asker, memory=memory)(approval_request(edit_plan())))
    await asker.asked.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert asker.withdrawn == [asker.open[0][0]]
    assert memory.grants == ()


async def test_runs_that_share_a_memory_ask_each_for_itself_and_learn_from_each_other():
    asker, memory = PatientAsker(), SessionMemory()
    asked = [
        asyncio.ensure_future(approver(asker, memory=memory)(approval_request(edit_plan(change(path)))))
        for path in ("a.py", "b.py")
    ]
    while len(asker.open) < 2:
        await asyncio.sleep(0)
    asker.open[1][1].set_result(SESSION)
    asker.open[0][1].set_result(REJECT)
    first, second = await asyncio.gather(*asked)
    assert isinstance(first, Refused)
    assert isinstance(second, Approved)
    third = await approver(None, memory=memory)(approval_request(edit_plan(change("b.py", after="a = 5\n"))))
    assert third == Approved("rule")


# unsaved edits before a command (W2)


async def test_unsaved_edits_are_asked_about_even_where_the_command_is_free_and_only_once():
    asker = ScriptedAsker([ONCE])
    hook = approver(asker, mode=lambda: Mode.AUTO)
    plan = command_plan("pytest", unsaved=("src/app.py",))
    assert isinstance(await hook(approval_request(plan)), Approved)
    assert isinstance(await hook(approval_request(plan)), Approved)
    (question,) = asker.questions
    assert [option.label for option in question.options] == ["Skip", "Run anyway"]
    assert "src/app.py" in (question.warning or "")


async def test_unsaved_edits_can_be_saved_before_the_command():
    saved: list[tuple[str, ...]] = []

    async def save(paths: tuple[str, ...]) -> None:
        saved.append(paths)

    asker = ScriptedAsker([Answer("save_and_allow")])
    hook = approver(asker, mode=lambda: Mode.AUTO, save=save)
    decision = await hook(approval_request(command_plan("pytest", unsaved=("src/app.py",))))
    assert decision == Approved("person", "save_and_allow")
    assert saved == [("src/app.py",)]
    assert [option.label for option in asker.questions[0].options] == ["Skip", "Save and go on", "Run anyway"]


async def test_with_nobody_to_ask_unsaved_edits_do_not_hold_a_free_command_up():
    hook = approver(None, mode=lambda: Mode.AUTO)
    assert isinstance(await hook(approval_request(command_plan("pytest", unsaved=("src/app.py",)))), Approved)


# other reasons


async def test_the_editors_own_reason_asks_in_every_mode_and_remembers_nothing():
    asker = ScriptedAsker([ONCE, ONCE])
    hook = approver(asker, mode=lambda: Mode.AUTO, must_ask=lambda plan: "Careful." if plan.changes else None)
    await hook(approval_request(edit_plan()))
    await hook(approval_request(edit_plan()))
    assert [option.id for option in asker.questions[0].options] == ["reject", "allow_once"]
    assert asker.questions[0].warning == "Careful."
    assert len(asker.questions) == 2


async def test_a_denying_rule_is_named_as_the_reason():
    hook = approver(ScriptedAsker([]), rules=[Rule("edit_file", "src/**", "deny")])
    assert await hook(approval_request(edit_plan())) == Refused(
        "a rule of the user's own settings denies this.", by="rule"
    )


async def test_a_damaged_file_of_permissions_is_told_once_and_asks(tmp_path: Path):
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"version": 1, "folder": ROOT, "grants": [{"type": "everything"}]}))
    file.chmod(0o600)
    warnings: list[str] = []
    asker = ScriptedAsker([ONCE, ONCE])
    hook = approver(asker, always=AlwaysStore(file, ROOT), warn=warnings.append)
    await hook(approval_request(edit_plan()))
    await hook(approval_request(edit_plan()))
    assert len(asker.questions) == 2
    assert len(warnings) == 1
