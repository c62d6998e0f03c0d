"""What a person was asked and allowed holds for one edit (DESIGN §8, A4)."""

from dataclasses import replace

import pytest

from steersman.agent.approval import Option
from steersman.agent.changes import Change, text_digest
from steersman.agent.tool import Effect, Plan
from steersman.lsp.answered import AnsweredChanges, RememberingAsker
from steersman.permissions.question import Answer, Question

BEFORE, AFTER = "one\ntwo\n", "one\nTWO\n"
CHANGE = Change("/a", "edit", text_digest(BEFORE), BEFORE, AFTER)
OPTIONS = (Option("reject", "Reject"), Option("allow_once", "Allow once"))
QUESTION = Question("r", "s", "c", "edit_file", Plan("edit a", frozenset({Effect.EDIT}), changes=(CHANGE,)), OPTIONS)


class Person:
    def __init__(self, answer):
        self.answer = answer

    async def ask(self, question):
        return self.answer


def test_an_answer_is_used_up_by_its_edit():
    answered = AnsweredChanges()
    answered.record((CHANGE,))
    assert [answered.take((CHANGE,)), answered.take((CHANGE,))] == [True, False]


def test_an_answer_holds_wherever_the_text_stands_now():
    answered = AnsweredChanges()
    answered.record((CHANGE,))
    moved = replace(CHANGE, before=f"typed\n{BEFORE}", after=f"typed\n{AFTER}", before_digest="other")
    assert answered.take((moved,))


def test_an_answer_does_not_hold_for_another_change():
    answered = AnsweredChanges()
    answered.record((CHANGE,))
    assert not answered.take((replace(CHANGE, after="one\nother\n"),))


@pytest.mark.parametrize(
    ("answer", "allowed"),
    [(Answer("allow_once"), True), (Answer("reject"), False), (None, False), (Answer("allow_everything"), False)],
)
async def test_only_an_offered_yes_is_remembered(answer, allowed):
    answered = AnsweredChanges()
    assert await RememberingAsker(Person(answer), answered).ask(QUESTION) is answer
    assert answered.take((CHANGE,)) is allowed
