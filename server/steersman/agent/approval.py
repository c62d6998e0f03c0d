"""The hook before every tool call: may this very plan run (DESIGN A3, A4)?"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from steersman.agent.messages import ToolCall
from steersman.agent.tool import Plan, Tool

DecidedBy: TypeAlias = Literal["policy", "rule", "person"]


@dataclass(frozen=True, slots=True)
class Approved:
    """The plan may run, exactly as shown."""

    by: DecidedBy = "policy"
    option: str = "allow_once"


@dataclass(frozen=True, slots=True)
class Refused:
    """The plan must not run. ``reason`` is told to the model."""

    reason: str
    by: DecidedBy = "policy"


Decision: TypeAlias = Approved | Refused


@dataclass(frozen=True, slots=True)
class Option:
    """One answer a person can give; ids are those of PROTOCOL §6."""

    id: str
    label: str


@dataclass(frozen=True, slots=True)
class ApprovalRequest:
    """What the hook is asked.

    Attributes:
        run_id: the run.
        turn: 1 for the first.
        call: the model's call.
        tool: the tool it names.
        plan: what it would do.
        round: 1 for the first time; higher when the plan changed while the question stood (A4).
        announce: to be called with the options just before a person is asked: the loop emits
            ``approval_requested`` and lets the deadline stand still until the hook returns.
    """

    run_id: str
    turn: int
    call: ToolCall
    tool: Tool
    plan: Plan
    round: int
    announce: Callable[[tuple[Option, ...]], None]


class BeforeToolCall(Protocol):
    """Decide on one plan. Must not raise for a "no": silence, errors and unknown answers are ``Refused``.

    It is cancelled when the run is (the question is to be withdrawn then); what it raises otherwise ends the run as
    ``approval_failed``.
    """

    async def __call__(self, request: ApprovalRequest, /) -> Decision:
        """Return the decision on ``request.plan``."""
        ...
