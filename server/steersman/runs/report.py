"""What a run tells when it has ended, well or not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from steersman.agent.changes import ChangeSummary
from steersman.agent.errors import SteersmanError
from steersman.agent.events import (
    AssistantMessageCommitted,
    Event,
    RunEnded,
    ToolCallBegan,
    ToolResultCommitted,
    ToolStarted,
    UsageReported,
)
from steersman.agent.messages import ToolCall
from steersman.agent.model import Usage
from steersman.agent.result import RunResult

_REFUSED = "Refused: "


@dataclass(frozen=True, slots=True)
class RefusedCall:
    """A call that was not allowed: by a rule, the mode, a person, or because nobody could be asked.

    Attributes:
        call: as the model made it.
        reason: as the model was told.
    """

    call: ToolCall
    reason: str


@dataclass(frozen=True, slots=True)
class RunReport:
    """The end of a run (PROTOCOL §2, RunResult).

    Attributes:
        run_id: the run.
        session_id: its session.
        result: how it stopped; None when it failed.
        turns: model responses committed.
        usage: tokens.
        cost: estimated US dollars, or None.
        tool_calls: tool name -> how often it was called.
        changes: one entry a file, in the order of the first change.
        undelivered: steered texts that found no turn, in order; also of a run that failed.
        refused: the calls that were not allowed, in order.
        notes: what a person should be told once: that the demo model answered, that nothing is kept, ….
    """

    run_id: str
    session_id: str
    result: RunResult | None = None
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    tool_calls: Mapping[str, int] = field(default_factory=dict[str, int])
    changes: tuple[ChangeSummary, ...] = ()
    undelivered: tuple[str, ...] = ()
    refused: tuple[RefusedCall, ...] = ()
    notes: tuple[str, ...] = ()


class RunFailedError(Exception):
    """A run failed. What had been committed stays.

    Attributes:
        error: what was broken, for the person.
        report: what it had done by then.
    """

    def __init__(self, error: SteersmanError, report: RunReport) -> None:
        super().__init__(error.message)
        self.error = error
        self.report = report


class ReportBuilder:
    """Listens to a run's events and builds its report."""

    def __init__(self, run_id: str, session_id: str, notes: tuple[str, ...] = ()) -> None:
        self._report = RunReport(run_id, session_id, notes=notes)
        self._calls: Counter[str] = Counter()
        self._changes: list[ChangeSummary] = []
        self._waiting: ToolCall | None = None
        self.error_kind: str | None = None

    def add(self, event: Event) -> None:
        """Take an event into account."""
        match event.body:
            case AssistantMessageCommitted():
                self._report = replace(self._report, turns=self._report.turns + 1)
            case UsageReported(usage, cost):
                self._add_usage(usage, cost)
            case ToolCallBegan(call=call):
                self._waiting = call
            case ToolStarted():
                self._waiting = None
            case ToolResultCommitted(tool=tool, changes=changes) as closed:
                self._calls[tool] += 1
                self._changes.extend(changes)
                self._add_refusal(closed)
            case RunEnded(result, error_kind, undelivered=undelivered):
                self.error_kind = error_kind
                self._report = replace(self._report, result=result)
                self.add_undelivered(undelivered)
            case _:
                pass

    def add_note(self, note: str) -> None:
        """Add what a person should be told once."""
        if note not in self._report.notes:
            self._report = replace(self._report, notes=(*self._report.notes, note))

    def add_undelivered(self, texts: Iterable[str]) -> None:
        """Add what found no turn."""
        self._report = replace(self._report, undelivered=(*self._report.undelivered, *texts))

    def _add_refusal(self, closed: ToolResultCommitted) -> None:
        """Take note of a call that was closed before it started because it was not allowed."""
        call, self._waiting = self._waiting, None
        reason = closed.content.removeprefix(_REFUSED)
        if call is None or reason == closed.content or not closed.is_error:
            return
        if not reason.startswith(f"{call.name} was already called "):  # that guards against repetition
            self._report = replace(self._report, refused=(*self._report.refused, RefusedCall(call, reason)))

    def _add_usage(self, usage: Usage, cost: float | None) -> None:
        total = None if cost is None else (self._report.cost or 0.0) + cost
        self._report = replace(self._report, usage=self._report.usage + usage, cost=total)

    def build(self) -> RunReport:
        """Return the report as of now."""
        return replace(self._report, tool_calls=dict(self._calls), changes=merge_changes(self._changes))


def merge_changes(changes: Iterable[ChangeSummary]) -> tuple[ChangeSummary, ...]:
    """Return one summary a file: what the run as a whole did to it."""
    merged: dict[str, ChangeSummary] = {}
    for change in changes:
        if change.kind == "move" and change.moved_from in merged:
            earlier = merged.pop(change.moved_from)
            merged[change.path] = _after_move(earlier, change)
            continue
        earlier = merged.get(change.path)
        if earlier is None:
            merged[change.path] = change
        elif earlier.kind == "create" and change.kind == "delete":
            del merged[change.path]
        else:
            merged[change.path] = _added(earlier, change)
    return tuple(merged.values())


def _after_move(earlier: ChangeSummary, move: ChangeSummary) -> ChangeSummary:
    """A file that was created here and then moved is simply created there."""
    total = replace(move, added=earlier.added + move.added, removed=earlier.removed + move.removed)
    if earlier.kind == "create":
        return replace(total, kind="create", moved_from=None)
    return replace(total, moved_from=earlier.moved_from or move.moved_from)


def _added(earlier: ChangeSummary, change: ChangeSummary) -> ChangeSummary:
    kind = change.kind
    if change.kind == "edit":
        kind = earlier.kind
    elif change.kind == "create" and earlier.kind == "delete":
        kind = "edit"
    return replace(
        change,
        kind=kind,
        added=earlier.added + change.added,
        removed=earlier.removed + change.removed,
        moved_from=change.moved_from or (earlier.moved_from if kind == "move" else None),
    )
