"""At most so many times a second, and always once more for what came last."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol


class Scheduler(Protocol):
    """The part of an event loop that is needed here; ``asyncio.AbstractEventLoop`` has it."""

    def time(self) -> float:
        """Seconds on a monotonic clock."""
        ...

    def call_later(self, delay: float, callback: Callable[[], Any], /) -> Any:
        """Call back once in ``delay`` seconds; what is returned has ``cancel()``."""
        ...


class Throttle:
    """Calls ``emit`` at once when the last time is long enough ago, otherwise once as soon as it is.

    Args:
        emit: sends what is there now.
        interval_s: seconds between two calls.
        scheduler: the event loop.
    """

    def __init__(self, emit: Callable[[], None], *, interval_s: float, scheduler: Scheduler) -> None:
        self._emit = emit
        self._interval_s = interval_s
        self._scheduler = scheduler
        self._last = float("-inf")
        self._timer: Any = None

    def poke(self) -> None:
        """Something new is there."""
        if self._timer is not None:
            return
        wait_s = self._last + self._interval_s - self._scheduler.time()
        if wait_s <= 0:
            self.now()
        else:
            self._timer = self._scheduler.call_later(wait_s, self.now)

    def now(self) -> None:
        """Emit at once, and not again for what was poked before."""
        self.rest()
        self._last = self._scheduler.time()
        self._emit()

    def rest(self) -> None:
        """Forget what was poked."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
