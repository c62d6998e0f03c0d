"""The trace as a person watches it: readable lines, and on a terminal one that moves while something is waited for.

The moving line is gone before anything else is printed and while a question is open, so that it never stands between
a person and what they read or type. What follows anyway is not said twice: the question, the answer, the failure.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Protocol

from steersman.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    AssistantMessageCommitted,
    Event,
    EventBody,
    ReasoningDelta,
    RetryWaiting,
    RunEnded,
    StreamDiscarded,
    TextDelta,
    ToolOutput,
    ToolResultCommitted,
    ToolStarted,
    TurnStarted,
    Warned,
)
from steersman.agent.trace import clip_line, trace_line
from steersman.terminal.output import cells, first_cells, last_cells
from steersman.terminal.style import Style

REDRAW_S = 0.125
_MAX_TAIL = 400
_MAX_TITLE = 40


class Writable(Protocol):
    """What lines can be printed to."""

    def write(self, text: str, /) -> object:
        """Write a text."""
        ...

    def flush(self) -> None:
        """Let it be seen."""
        ...


def shown_line(event: Event) -> str | None:
    """Return the event's trace line, or None where the same is printed anyway: a question, the answer, a failure."""
    match event.body:
        case ApprovalRequested() | RunEnded(result=None):
            return None
        case AssistantMessageCommitted(tool_calls=calls) if not calls:
            return None
        case _:
            return trace_line(event)


class Trace:
    """Prints each event's line to ``file``; to be subscribed to a run."""

    def __init__(self, file: Writable, style: Style) -> None:
        self._file = file
        self._style = style

    def __call__(self, event: Event) -> None:
        """Print the line, if there is one."""
        line = shown_line(event)
        if line is not None:
            look = _look(event.body)
            print(self._style.paint(line, look) if look else line, file=self._file, flush=True)


class LiveTrace(Trace):
    """The same with a moving last line; ``keep_moving`` redraws it, at most eight times a second.

    Args:
        file: the terminal.
        style: its colours.
        clock: seconds, never going back.
        columns: how wide the terminal is now.
    """

    def __init__(self, file: Writable, style: Style, *, clock: Callable[[], float], columns: Callable[[], int]) -> None:
        super().__init__(file, style)
        self._clock = clock
        self._columns = columns
        self._turn = 0
        self._waits_for = ""
        self._since = 0.0
        self._tail = ""
        self._drawn = ""

    def __call__(self, event: Event) -> None:
        """Print the line in place of the moving one, and note what is waited for now."""
        if shown_line(event) is not None:
            self.clear()
        super().__call__(event)
        self._note(event)
        if not self._waits_for:
            self.clear()

    async def keep_moving(self) -> None:
        """Redraw until cancelled."""
        while True:
            self.tick()
            await asyncio.sleep(REDRAW_S)

    def tick(self) -> None:
        """Redraw the moving line, if it changed."""
        line = self._line() if self._waits_for else ""
        if line == self._drawn:
            return
        padding = " " * max(0, cells(self._drawn) - cells(line))
        self._file.write(f"\r{self._style.paint(line, 'dim')}{padding}" + ("\b" * len(padding)))
        self._file.flush()
        self._drawn = line

    def clear(self) -> None:
        """Take the moving line away."""
        if self._drawn:
            self._file.write(f"\r{' ' * cells(self._drawn)}\r")
            self._file.flush()
            self._drawn = ""

    def _line(self) -> str:
        seconds = int(self._clock() - self._since)
        room = max(1, self._columns() - 1)  # a line that is full would begin another
        head = first_cells(f"[turn {self._turn}] {self._waits_for} · {seconds} s", room)
        tail = clip_line(self._tail, _MAX_TAIL)
        left = room - cells(head) - 3
        return f"{head} · {last_cells(tail, left)}" if tail and left > 1 else head

    def _note(self, event: Event) -> None:
        self._turn = event.turn
        match event.body:
            case TurnStarted():
                self._wait_for("model")
            case TextDelta(text=text) | ReasoningDelta(text=text):
                self._stream("model", text)
            case ToolStarted(tool=tool, title=title):
                self._wait_for(clip_line(title or tool, _MAX_TITLE))
            case ToolOutput(text=text):
                self._tail = (self._tail + text)[-_MAX_TAIL:]
            case RetryWaiting(reason=reason):
                self._wait_for(f"trying again: {clip_line(reason, _MAX_TITLE)}")
            case StreamDiscarded():
                self._wait_for("model")
            case AssistantMessageCommitted() | ApprovalRequested() | ApprovalDecided() | ToolResultCommitted():
                self._wait_for("")
            case RunEnded():
                self._wait_for("")
            case _:
                pass

    def _wait_for(self, what: str) -> None:
        self._waits_for, self._since, self._tail = what, self._clock(), ""

    def _stream(self, what: str, text: str) -> None:
        if self._waits_for != what:
            self._wait_for(what)
        self._tail = (self._tail + text)[-_MAX_TAIL:]


def _look(body: EventBody) -> str | None:
    """Return how a line looks: what a person should notice in yellow, all else dim."""
    noticed = isinstance(body, Warned) or (isinstance(body, ToolResultCommitted) and body.is_error)
    return "yellow" if noticed else "dim"
