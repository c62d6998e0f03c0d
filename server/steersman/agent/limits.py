"""What a run may cost: tokens, money, seconds (DESIGN L8). Turns are ``run_agent``'s own parameter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from steersman.agent.clock import Clock
from steersman.agent.model import Usage


@dataclass(frozen=True, slots=True)
class Limits:
    """The limits of one run; None means none.

    Attributes:
        max_tokens: input and output tokens of the run together; looked at after each response.
        max_cost: estimated US dollars; needs ``cost_of``.
        deadline_s: seconds from the start, standing still while a person is asked.
        max_output_tokens: output limit of one response, sent to the provider.
        stream_retries: how often a turn whose stream broke after output began may be asked again (M4).
        cost_of: estimates what some usage costs in US dollars; None where no price is known.
    """

    max_tokens: int | None = None
    max_cost: float | None = None
    deadline_s: float | None = None
    max_output_tokens: int | None = None
    stream_retries: int = 0
    cost_of: Callable[[Usage], float | None] | None = None

    def estimate_cost(self, usage: Usage) -> float | None:
        """Return the estimated cost, or None when no price is known."""
        return self.cost_of(usage) if self.cost_of is not None else None

    def is_spent(self, usage: Usage) -> bool:
        """Whether the run's usage has reached a budget."""
        if self.max_tokens is not None and usage.total_tokens >= self.max_tokens:
            return True
        cost = self.estimate_cost(usage)
        return self.max_cost is not None and cost is not None and cost >= self.max_cost


class Deadline:
    """A timer that calls once after so many running seconds; it can be paused, any number of times nested."""

    def __init__(self, seconds: float | None, clock: Clock, expire: Callable[[], None]) -> None:
        self._left = seconds
        self._clock = clock
        self._expire = expire
        self._pauses = 1
        self._since = 0.0
        self._call_off: Callable[[], None] | None = None

    def resume(self) -> None:
        """Let it run; the first call starts it."""
        self._pauses -= 1
        if self._pauses == 0 and self._left is not None:
            self._since = self._clock.monotonic()
            self._call_off = self._clock.call_later(max(self._left, 0.0), self._expire)

    def pause(self) -> None:
        """Let it stand still."""
        self._pauses += 1
        if self._pauses == 1 and self._left is not None:
            self._left -= self._clock.monotonic() - self._since
            self._stop_timer()

    def close(self) -> None:
        """Never call again."""
        self._left = None
        self._stop_timer()

    def _stop_timer(self) -> None:
        if self._call_off is not None:
            self._call_off()
            self._call_off = None
