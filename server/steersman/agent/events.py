"""The closed union of things that happen in a run (DESIGN L9, PROTOCOL §6).

They nest, and every start has its end, also under cancellation and failure::

    run_started
      user_message
      turn_started
        text_delta* reasoning_delta* retry_waiting* (stream_discarded)
        usage? assistant_message
        tool_call
          (approval_requested approval_decided)*
          tool_started tool_output*
        tool_result
        user_message* (steered, or the host asking a cut reply to go on)
      turn_ended
    run_ended

``tool_call`` comes for each call of the assistant message as it is taken up, ``tool_result`` closes it (also when the
store failed to record it: the run then ends with ``storage``). ``warning``
and ``context_trimmed`` may come anywhere inside the run.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from steersman.agent.approval import DecidedBy, Option
from steersman.agent.changes import Change, ChangeSummary
from steersman.agent.messages import Outcome, ToolCall
from steersman.agent.model import Usage

if TYPE_CHECKING:
    from steersman.agent.result import RunResult


@dataclass(frozen=True, slots=True)
class RunStarted:
    """The run begins; ``mode`` and ``folder`` are "" where the caller gave none."""

    prompt: str
    model: str
    mode: str = ""
    folder: str = ""


@dataclass(frozen=True, slots=True)
class UserMessageAdded:
    """A user message was recorded."""

    seq: int
    text: str
    steered: bool


@dataclass(frozen=True, slots=True)
class TurnStarted:
    """A request is about to go out."""

    max_turns: int


@dataclass(frozen=True, slots=True)
class TextDelta:
    """Tentative text."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """Tentative reasoning."""

    text: str


@dataclass(frozen=True, slots=True)
class StreamDiscarded:
    """What this turn streamed so far is void (L4)."""

    reason: str


@dataclass(frozen=True, slots=True)
class RetryWaiting:
    """The provider is asked again in a moment."""

    reason: str
    seconds: float
    attempt: int


@dataclass(frozen=True, slots=True)
class AssistantMessageCommitted:
    """A model's response is recorded. ``seq`` is None without a session."""

    seq: int | None
    content: str
    tool_calls: tuple[ToolCall, ...]
    truncated: bool = False


@dataclass(frozen=True, slots=True)
class ToolCallBegan:
    """The loop takes up a call."""

    call: ToolCall


@dataclass(frozen=True, slots=True)
class ApprovalRequested:
    """A person is asked."""

    call_id: str
    tool: str
    title: str
    changes: tuple[Change, ...]
    command: str | None
    options: tuple[Option, ...]


@dataclass(frozen=True, slots=True)
class ApprovalDecided:
    """The question is closed. ``decision``: the option's id, ``reject``, or ``withdrawn``."""

    call_id: str
    decision: str
    by: DecidedBy
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class ToolStarted:
    """The tool runs now."""

    call_id: str
    tool: str
    title: str


@dataclass(frozen=True, slots=True)
class ToolOutput:
    """A piece of a running tool's output."""

    call_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ToolResultCommitted:
    """The call is closed and its result recorded."""

    call_id: str
    tool: str
    content: str
    is_error: bool
    outcome: Outcome
    duration_ms: int
    changes: tuple[ChangeSummary, ...] = ()


@dataclass(frozen=True, slots=True)
class ContextTrimmed:
    """Older messages are left out of the request (not of the session)."""

    messages_left_out: int
    chars: int


@dataclass(frozen=True, slots=True)
class UsageReported:
    """One response's usage; ``cost`` is an estimate in US dollars, or None when no price is known."""

    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True)
class Warned:
    """Something a person should know, that ends nothing."""

    kind: str
    message: str


@dataclass(frozen=True, slots=True)
class TurnEnded:
    """The turn's calls are all closed."""


@dataclass(frozen=True, slots=True)
class RunEnded:
    """The run is over: ``result`` when it stopped, ``error_kind`` and ``error_message`` when it failed.

    ``turns``, ``usage``, ``cost`` and ``changes`` tell what a failed run did as well, ``undelivered`` what it was told
    in vain.
    """

    result: RunResult | None
    error_kind: str | None = None
    error_message: str | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    changes: tuple[ChangeSummary, ...] = ()
    undelivered: tuple[str, ...] = ()


EventBody: TypeAlias = (
    RunStarted
    | UserMessageAdded
    | TurnStarted
    | TextDelta
    | ReasoningDelta
    | StreamDiscarded
    | RetryWaiting
    | AssistantMessageCommitted
    | ToolCallBegan
    | ApprovalRequested
    | ApprovalDecided
    | ToolStarted
    | ToolOutput
    | ToolResultCommitted
    | ContextTrimmed
    | UsageReported
    | Warned
    | TurnEnded
    | RunEnded
)


@dataclass(frozen=True, slots=True)
class Event:
    """One event in its envelope.

    Attributes:
        run_id: the run.
        seq: 0, 1, 2, … within the run.
        turn: 0 before the first turn, then 1, 2, ….
        time: seconds since the epoch, by the injected clock.
        body: what happened.
    """

    run_id: str
    seq: int
    turn: int
    time: float
    body: EventBody
