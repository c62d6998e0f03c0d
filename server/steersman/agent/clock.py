"""Time, passed in so that tests own it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Clock(Protocol):
    """What a run needs of time."""

    def now(self) -> float:
        """Seconds since the epoch; may jump."""
        ...

    def monotonic(self) -> float:
        """Seconds that only grow."""
        ...

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back in the running event loop after ``seconds``; returns a function that calls it off."""
        ...


class SystemClock:
    """The machine's own clock."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds of the monotonic clock."""
        return time.monotonic()

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        """Use the running loop's timer."""
        return asyncio.get_running_loop().call_later(seconds, callback).cancel
