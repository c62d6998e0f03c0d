"""The loop's ledger over a session: loads once, and feeds the timeline and the token count from the run's events."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from steersman.agent.changes import Change
from steersman.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    Event,
    RetryWaiting,
    RunEnded,
    RunStarted,
    ToolResultCommitted,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
    Warned,
)
from steersman.agent.messages import Message, ToolCall, ToolMessage
from steersman.agent.model import Usage
from steersman.sessions.records import Timing, TimingKind
from steersman.sessions.store import SessionHandle
from steersman_tools.kit.seen import SeenTexts


class RunLedger:
    """A session's handle as the loop's ``Ledger``.

    ``load`` reads the store once a run; ``seen`` learns of what is recorded, so that it always agrees with the record.
    """

    def __init__(self, handle: SessionHandle) -> None:
        self._handle = handle
        self.seen = SeenTexts()
        self._loaded: list[Message] | None = None

    def load(self) -> list[Message]:
        """Return the history, read at the first call."""
        if self._loaded is None:
            self._loaded = self._handle.load()
            self.seen = SeenTexts.from_history(self._loaded)
        return list(self._loaded)

    def append(self, message: Message) -> int:
        """Commit one message."""
        seq = self._handle.append(message)
        if isinstance(message, ToolMessage):
            self.seen.update(message.seen)
        return seq

    async def checkpoint(self, call: ToolCall, changes: tuple[Change, ...]) -> None:
        """Keep what the changes would overwrite."""
        await self._handle.checkpoint(call, changes)

    def mark_started(self, call: ToolCall, *, durable: bool) -> None:
        """Write the start marker."""
        self._handle.mark_started(call, durable=durable)


class Chronicle(Protocol):
    """Where spans of time and tokens are kept (``SessionHandle``)."""

    def record_timing(self, timing: Timing) -> None:
        """Keep a span."""
        ...

    def record_usage(self, usage: Usage, cost: float | None, *, run_id: str = "", turn: int = 0) -> None:
        """Keep one response's tokens."""
        ...


@dataclass(slots=True)
class Timeline:
    """Turns events into spans: the run, its turns, the waits for the model and for the person, the tools."""

    chronicle: Chronicle
    _open: dict[tuple[TimingKind, str], tuple[float, str]] = field(
        default_factory=dict[tuple[TimingKind, str], tuple[float, str]]
    )

    def add(self, event: Event) -> None:
        """Take an event into account. Raises ``SessionError`` when the store cannot keep it."""
        match event.body:
            case RunStarted():
                self._begin("run", event)
            case TurnStarted():
                self._begin("turn", event)
                self._begin("model", event)
            case UsageReported(usage, cost):
                self._end("model", event)
                self.chronicle.record_usage(usage, cost, run_id=event.run_id, turn=event.turn)
            case RetryWaiting(reason, seconds):
                self._keep("retry", event, event.time, event.time + seconds, label=reason)
            case ApprovalRequested(call_id=call_id, title=title):
                self._begin("approval", event, call_id, title)
            case ApprovalDecided(call_id=call_id, decision=decision):
                self._end("approval", event, call_id, decision)
            case ToolStarted(call_id=call_id, title=title):
                self._begin("tool", event, call_id, title)
            case ToolResultCommitted(call_id=call_id):
                self._end("tool", event, call_id)
            case Warned(kind=kind):
                self._keep("error", event, event.time, event.time, label=kind)
            case TurnEnded():
                self._end("model", event)
                self._end("turn", event)
            case RunEnded(result=result, error_kind=error_kind):
                self._end("run", event, label=error_kind or (result.stop_reason if result else ""))
            case _:
                pass

    def _begin(self, kind: TimingKind, event: Event, call_id: str = "", label: str = "") -> None:
        self._open[kind, call_id] = (event.time, label)

    def _end(self, kind: TimingKind, event: Event, call_id: str = "", label: str = "") -> None:
        began = self._open.pop((kind, call_id), None)
        if began is not None:
            self._keep(kind, event, began[0], event.time, call_id, label or began[1])

    def _keep(
        self, kind: TimingKind, event: Event, started: float, ended: float, call_id: str = "", label: str = ""
    ) -> None:
        turn = 0 if kind == "run" else event.turn
        self.chronicle.record_timing(
            Timing(event.run_id, turn, kind, started, max(started, ended), call_id or None, label)
        )
