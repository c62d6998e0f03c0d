"""Time that passes only when a test says so; stands in for an event loop's ``time`` and ``call_later``."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any


@dataclass
class Timer:
    """One call to come."""

    at: float
    callback: Callable[[], Any]
    cancelled: bool = False

    def cancel(self) -> None:
        """Never call back."""
        self.cancelled = True


class FakeTime:
    """A scheduler under the test's hand."""

    def __init__(self) -> None:
        self.now = 0.0
        self._timers: list[Timer] = []

    def time(self) -> float:
        """Return the present time in seconds."""
        return self.now

    def call_later(self, delay: float, callback: Callable[[], Any], /) -> Timer:
        """Call back when the test has let ``delay`` seconds pass."""
        timer = Timer(self.now + delay, callback)
        self._timers.append(timer)
        return timer

    def pass_seconds(self, seconds: float) -> None:
        """Let time pass, calling back what is due, in order."""
        end = self.now + seconds
        while due := [timer for timer in self._timers if not timer.cancelled and timer.at <= end]:
            timer = min(due, key=lambda timer: timer.at)
            self._timers.remove(timer)
            self.now = max(self.now, timer.at)
            timer.callback()
        self.now = end
