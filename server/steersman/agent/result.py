"""How a run ends (DESIGN L8)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage
from steersman.agent.model import Usage


class StopReason(StrEnum):
    """Why a run stopped; ``COMPLETE`` means that the model chose to stop, not that the task succeeded."""

    COMPLETE = "complete"
    MAX_TURNS = "max_turns"
    ABORTED = "aborted"
    TIMEOUT = "timeout"
    BUDGET = "budget"
    NO_PROGRESS = "no_progress"
    TRUNCATED = "truncated"


EXIT_CODES: dict[StopReason, int] = {
    StopReason.COMPLETE: 0,
    StopReason.MAX_TURNS: 2,
    StopReason.BUDGET: 3,
    StopReason.NO_PROGRESS: 4,
    StopReason.TRUNCATED: 5,
    StopReason.TIMEOUT: 124,
    StopReason.ABORTED: 130,
}
"""The command line's exit code for each stop reason (1 is a failure, 64 wrong usage)."""


@dataclass(frozen=True, slots=True)
class RunResult:
    """What a run gives back.

    Attributes:
        messages: the whole history, earlier runs included; no system message.
        stop_reason: why it stopped.
        turns: model responses committed in this run.
        usage: tokens of this run.
        undelivered: steered texts that found no turn, in order.
        first_new: index in ``messages`` of this run's first message.
        cost: estimated US dollars of this run, None when no price is known.
    """

    messages: tuple[Message, ...]
    stop_reason: StopReason
    turns: int
    usage: Usage
    undelivered: tuple[str, ...] = ()
    first_new: int = 0
    cost: float | None = None

    @property
    def answer(self) -> str:
        """The text of this run's last assistant message, or ""; replies cut by the output limit are joined to it."""
        pieces: list[str] = []
        for message in reversed(self.messages[self.first_new :]):
            if isinstance(message, AssistantMessage):
                if pieces and not message.truncated:
                    break
                pieces.append(message.content)
            elif pieces and not (isinstance(message, UserMessage) and message.origin == "host"):
                break
        return "".join(reversed(pieces))

    def brief(self) -> RunResult:
        """Return the result with nothing of the history but the answer."""
        answer = (AssistantMessage(self.answer),) if self.answer else ()
        return replace(self, messages=answer, first_new=0)

    @property
    def changes(self) -> tuple[ChangeSummary, ...]:
        """Every change of this run in order, not merged."""
        new = self.messages[self.first_new :]
        return tuple(change for message in new if isinstance(message, ToolMessage) for change in message.changes)
