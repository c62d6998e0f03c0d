"""Where things stand on an axis: round steps for time, tokens and money."""

from __future__ import annotations

import math
from dataclasses import dataclass

_TIME_STEPS_S = (
    0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 15, 30, 60, 120, 300, 600,
    900, 1800, 3600, 7200, 14400, 28800, 43200, 86400,
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Scale:
    """Maps values from ``low`` to ``high`` onto pixels from ``start`` to ``end``."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the pixel of a value; values outside lie at the edge."""
        if self.high <= self.low:
            return self.start
        share = (min(max(value, self.low), self.high) - self.low) / (self.high - self.low)
        return self.start + share * (self.end - self.start)


def time_ticks(span_s: float, most: int = 9) -> list[float]:
    """Return round points in time from 0 up to the span, at most ``most`` of them."""
    step = next((step for step in _TIME_STEPS_S if span_s / step < most), 86400 * math.ceil(span_s / 86400 / most))
    return [index * step for index in range(int(span_s / step) + 1)]


def value_ticks(highest: float, most: int = 4) -> list[float]:
    """Return round values from 0 up to at least the highest; about ``most`` of them."""
    if highest <= 0 or not math.isfinite(highest):
        return [0.0, 1.0]
    raw = highest / most
    magnitude = 10.0 ** math.floor(math.log10(raw))
    step = next(factor * magnitude for factor in (1, 2, 2.5, 5, 10) if factor * magnitude >= raw * 0.999)
    return [index * step for index in range(math.ceil(highest / step - 1e-9) + 1)]


def time_label(seconds: float) -> str:
    """Return a point in time since the beginning: 500 ms, 40 s, 3 min, 3:20 min, 2 h, 2:05 h."""
    if 0 < seconds < 1:
        return f"{seconds * 1000:.0f} ms"
    if seconds < 60:
        return f"{seconds:g} s"
    if seconds < 3600:
        minutes, rest = divmod(round(seconds), 60)
        return f"{minutes}:{rest:02} min" if rest else f"{minutes} min"
    hours, rest = divmod(round(seconds / 60), 60)
    return f"{hours}:{rest:02} h" if rest else f"{hours} h"


def short_number(value: float) -> str:
    """Return a number of tokens in short: 950, 12k, 1.5M."""
    for size, unit in ((1_000_000, "M"), (1_000, "k")):
        if value >= size:
            return f"{value / size:.3g}{unit}"
    return f"{value:.3g}"
