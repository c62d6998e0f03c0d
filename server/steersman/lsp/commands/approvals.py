"""Commands about open questions: any client can list and answer them (DESIGN A2)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steersman.lsp.commands.context import Command, CommandCall
from steersman.lsp.contracts import JsonObject

if TYPE_CHECKING:
    from steersman.lsp.params import AnswerParams, Nothing


async def list_open(call: CommandCall, _params: Nothing) -> JsonObject:
    """``steersman.approvals.list``: the questions that wait, oldest first."""
    from steersman.lsp.approvals import question_to_wire  # noqa: PLC0415 - kept out of the start

    return {"approvals": [question_to_wire(question, full=False) for question in call.face.approvals.questions]}


async def answer(call: CommandCall, params: AnswerParams) -> JsonObject:
    """``steersman.answer``: whether this answer was the first."""
    accepted = call.face.approvals.answer(params.run_id, params.call_id, params.option_id, params.reason)
    return {"accepted": accepted}


COMMANDS = (
    Command("steersman.approvals.list", "Nothing", list_open),
    Command("steersman.answer", "AnswerParams", answer),
)
