"""A clock that a test moves by hand."""

from __future__ import annotations

from collections.abc import Callable


class FakeClock:
    """Timers fire in ``advance``, in order."""

    def __init__(self, now: float = 1_000.0) -> None:
        self._now = now
        self._timers: list[tuple[float, int, Callable[[], None]]] = []
        self._count = 0

    def now(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now

    def call_later(self, seconds: float, callback: Callable[[], None]) -> Callable[[], None]:
        self._count += 1
        timer = (self._now + seconds, self._count, callback)
        self._timers.append(timer)

        def call_off() -> None:
            if timer in self._timers:
                self._timers.remove(timer)

        return call_off

    def advance(self, seconds: float) -> None:
        """Let time pass and fire what is due."""
        end = self._now + seconds
        while due := sorted(timer for timer in self._timers if timer[0] <= end)[:1]:
            self._timers.remove(due[0])
            self._now = due[0][0]
            due[0][2]()
        self._now = end
