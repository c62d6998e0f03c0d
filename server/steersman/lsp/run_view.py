"""One run as its client sees it: progress, events, and one end (PROTOCOL §3)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from steersman.agent.events import Event, RunEnded, TurnStarted
from steersman.agent.result import StopReason
from steersman.lsp.events import EventStream
from steersman.lsp.progress import Progress, ProgressClient, ProgressTokens, Token
from steersman.lsp.throttle import Scheduler

if TYPE_CHECKING:
    from steersman.lsp.host import ActiveRun
    from steersman.runs.report import RunFailedError, RunReport

ENDINGS: dict[StopReason, str] = {
    StopReason.COMPLETE: "complete",
    StopReason.MAX_TURNS: "turn limit reached",
    StopReason.ABORTED: "stopped",
    StopReason.TIMEOUT: "time limit reached",
    StopReason.BUDGET: "budget used up",
    StopReason.NO_PROGRESS: "stopped, it went in circles",
    StopReason.TRUNCATED: "cut off by the output limit",
}
"""How a run ended, in words: ``complete`` is never worded as success (DESIGN L8)."""


class OpenQuestions(Protocol):
    """Knows which runs wait for ``steersman.answer`` (``Approvals``)."""

    def needs_command(self, run_id: str) -> bool:
        """Whether the run waits for a command because the client cannot ask."""
        ...


class RunView:
    """Made before its run starts, so that it hears every event; ``attach`` tells it which run it is."""

    def __init__(self, views: RunViews, token: Token | None, prompt: str) -> None:
        self._views = views
        self._token = token
        self._prompt = prompt
        self._run: ActiveRun | None = None
        self._progress: Progress | None = None
        self._events: EventStream | None = None
        self._max_turns = 0

    def listen(self, event: Event) -> None:
        """Take in an event of the run."""
        if isinstance(event.body, TurnStarted):
            self._max_turns = event.body.max_turns
        if self._events is not None:
            self._events.add(event)
        if not isinstance(event.body, RunEnded):  # what is said of the end is said by ``end`` and ``fail``
            self.refresh()

    def attach(self, run: ActiveRun) -> None:
        """Begin to show this run."""
        self._run = run
        self._progress = self._views.tokens.open(self._token, run_id=run.id, message=self._prompt, stop=run.signal.set)
        self._events = self._views.event_stream(run)
        self._views.add(run.id, self)

    def refresh(self) -> None:
        """Show what the run does now."""
        run = self._run
        if run is None or self._progress is None or run.turn == 0:
            return
        activity = run.activity
        if self._views.questions.needs_command(run.id):
            _, _, title = activity.partition(": ")
            activity = f"this editor cannot ask: use a code action or steersman.answer: {title}"
        self._progress.report(f"turn {run.turn}/{self._max_turns} · {activity}")

    def end(self, report: RunReport) -> None:
        """The run stopped."""
        assert report.result is not None
        self._close(f"{ENDINGS[report.result.stop_reason]}{summary(report)}")

    def fail(self, failed: RunFailedError) -> None:
        """The run failed."""
        self._close(f"failed: {failed.error.message}")

    def _close(self, message: str) -> None:
        assert self._run is not None
        assert self._progress is not None
        if self._events is not None:
            self._events.flush()
        self._progress.end(message)
        self._views.remove(self._run.id)


class RunViews:
    """The views of all runs at work."""

    def __init__(
        self, client: ProgressClient, tokens: ProgressTokens, questions: OpenQuestions, scheduler: Scheduler
    ) -> None:
        self._client = client
        self._scheduler = scheduler
        self._views: dict[str, RunView] = {}
        self.tokens = tokens
        self.questions = questions

    def event_stream(self, run: ActiveRun) -> EventStream | None:
        """Return a stream of the run's events, if the client takes them."""
        if not self._client.facts.options.events:
            return None
        from steersman.wire import EventWire  # noqa: PLC0415 - kept out of the start

        return EventStream(self._client.notify, EventWire(run.id, run.session_id), self._scheduler)

    def add(self, run_id: str, view: RunView) -> None:
        """The run is shown by this view."""
        self._views[run_id] = view

    def remove(self, run_id: str) -> None:
        """The run has ended."""
        self._views.pop(run_id, None)

    def refresh(self) -> None:
        """A question opened or closed."""
        for view in list(self._views.values()):
            view.refresh()


def summary(report: RunReport) -> str:
    """Return turns and changed files in words, with a leading separator."""
    turns = "1 turn" if report.turns == 1 else f"{report.turns} turns"
    files = len(report.changes)
    changed = f" · {files} file{'' if files == 1 else 's'} changed" if files else ""
    return f" · {turns}{changed}"
