"""What a measurement comes to: one row, with its floor beside it and the target it is held to.

Nothing here measures. A row is a statement about one run on one machine; only its ratio travels.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from enum import Enum
from typing import Any


class Unit(Enum):
    """What a number counts; the value is how it is written."""

    SECONDS = "s"
    BYTES = "B"
    PER_SECOND = "/s"
    COUNT = ""
    EXPONENT = "^"

    def write(self, number: float) -> str:
        """Return the number for people, at most ten characters wide."""
        if math.isnan(number):
            return "–"
        match self:
            case Unit.SECONDS:
                return _seconds(number)
            case Unit.BYTES:
                return _bytes(number)
            case Unit.PER_SECOND:
                return f"{number:,.0f} /s" if number >= 100 else f"{number:.1f} /s"
            case Unit.COUNT:
                return f"{number:,.0f}"
            case Unit.EXPONENT:
                return f"n^{number:.2f}"


@dataclass(frozen=True, slots=True)
class Target:
    """What a row is held to.

    Attributes:
        limit: the number, in the row's unit or, for a ratio, without one.
        of_ratio: whether it bounds the ratio to the floor; otherwise our own number.
        at_least: whether more is better.
    """

    limit: float
    of_ratio: bool = True
    at_least: bool = False

    def is_met(self, row: Row) -> bool:
        """Whether the row keeps it."""
        number = row.ratio if self.of_ratio else row.ours
        return number >= self.limit if self.at_least else number <= self.limit


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table.

    Attributes:
        name: what was measured, at most 46 characters.
        ours: our number.
        floor: the floor's or peer's, measured in the same run; None where there is none.
        unit: of both.
        target: what it is held to; None: told, not judged.
        note: more of the same measurement, for people.
        missing: why there is no number, if there is none.
        group: what rows that follow each other have in common; told once, above them.
    """

    name: str
    ours: float
    floor: float | None = None
    unit: Unit = Unit.SECONDS
    target: Target | None = None
    note: str = ""
    missing: str = ""
    group: str = ""

    @property
    def ratio(self) -> float:
        """Ours beside the floor; not a number where there is none."""
        return self.ours / self.floor if self.floor else math.nan

    @property
    def is_met(self) -> bool | None:
        """Whether the target is kept; None where there is none."""
        return None if self.target is None or self.missing else self.target.is_met(self)

    def as_json(self, suite: str) -> dict[str, Any]:
        """Return the row for the file; numbers in seconds and bytes."""
        target = self.target and {
            "limit": self.target.limit,
            "of": "ratio" if self.target.of_ratio else "value",
            "at": "least" if self.target.at_least else "most",
        }
        numbers = {"ours": self.ours, "floor": self.floor, "ratio": self.ratio}
        finite = {name: None if number is None or math.isnan(number) else number for name, number in numbers.items()}
        more = {"note": self.note, "missing": self.missing, "group": self.group}
        return {"suite": suite, "name": self.name, "unit": self.unit.name.lower(), **finite, "target": target} | {
            name: text for name, text in more.items() if text
        }


@dataclass(frozen=True, slots=True)
class Suite:
    """Rows that are measured together.

    Attributes:
        name: what ``ONLY=`` takes.
        title: its heading.
        floor: what stands beside it.
        rows: measures; yields each row as it is known.
    """

    name: str
    title: str
    floor: str
    rows: Callable[[], Iterator[Row]]


def ratio_at_most(limit: float) -> Target:
    """Hold the ratio to the floor to at most this."""
    return Target(limit)


def at_most(limit: float) -> Target:
    """Hold our own number to at most this, in the row's unit."""
    return Target(limit, of_ratio=False)


def at_least(limit: float) -> Target:
    """Hold our own number to at least this, in the row's unit."""
    return Target(limit, of_ratio=False, at_least=True)


def _seconds(number: float) -> str:
    size = abs(number)
    if size >= 10:
        return f"{number:.1f} s"
    if size >= 1:
        return f"{number:.2f} s"
    if size >= 0.1:
        return f"{number * 1e3:.0f} ms"
    return f"{number * 1e3:.2f} ms" if size >= 0.001 else f"{number * 1e6:.0f} µs"


def _bytes(number: float) -> str:
    size = abs(number)
    if size >= 1e6:
        return f"{number / 1e6:.1f} MB"
    return f"{number / 1e3:.0f} kB" if size >= 1e4 else f"{number:,.0f} B"
