"""The table that ``make bench`` prints: a hundred columns, one line a row, a mark for every target.

Colours only where somebody looks (a terminal, and ``NO_COLOR`` not set).
"""

from __future__ import annotations

import math
import textwrap
from dataclasses import dataclass, field

from benchmarks.rows import Row, Suite, Target, Unit

WIDTH = 100
_NAME, _NUMBER, _RATIO, _TARGET = 46, 13, 8, 12


@dataclass(frozen=True, slots=True)
class Paint:
    """How stress is shown."""

    colours: bool = False

    def dim(self, text: str) -> str:
        """Return what is read second."""
        return f"\x1b[2m{text}\x1b[0m" if self.colours else text

    def bold(self, text: str) -> str:
        """Return what is read first."""
        return f"\x1b[1m{text}\x1b[0m" if self.colours else text

    def mark(self, *, met: bool | None) -> str:
        """Return the mark of a target."""
        if met is None:
            return " "
        text = "✓" if met else "✗"
        return f"\x1b[{32 if met else 31}m{text}\x1b[0m" if self.colours else text


@dataclass(slots=True)
class Table:
    """Writes rows as they come, and counts the targets."""

    paint: Paint = field(default_factory=Paint)
    met: int = 0
    missed: list[str] = field(default_factory=list[str])
    group: str = ""

    def head(self) -> str:
        """Return the heading of the columns."""
        names = f"  {'':{_NAME}}{'ours':>{_NUMBER}}{'floor':>{_NUMBER}}{'ratio':>{_RATIO}}{'target':>{_TARGET}}"
        return self.paint.dim(names) + "\n" + "─" * WIDTH

    def open(self, suite: Suite) -> str:
        """Return the heading of a suite."""
        floor = f"  beside {suite.floor}" if suite.floor else ""
        return f"\n{self.paint.bold(suite.title)}{self.paint.dim(floor)}"

    def line(self, row: Row) -> str:
        """Return a row, its group above it where a new one begins, and its note below it."""
        begins, self.group = row.group if row.group != self.group else "", row.group
        return (f"  {begins}\n" if begins else "") + self._row(row)

    def _row(self, row: Row) -> str:
        met = row.is_met
        self.met += met is True
        if met is False:
            self.missed.append(f"{row.group}: {row.name.strip()}" if row.group else row.name)
        if row.missing:
            return f"  {row.name:{_NAME}}  " + _wrapped(row.missing, _NAME + 4)
        floor = "" if row.floor is None else row.unit.write(row.floor)
        ratio = "" if math.isnan(row.ratio) else f"{row.ratio:.2f}"
        target = "" if row.target is None else _target(row.target, row.unit)
        numbers = f"{row.unit.write(row.ours):>{_NUMBER}}{floor:>{_NUMBER}}{ratio:>{_RATIO}}"
        text = f"  {row.name:{_NAME}}{numbers}{self.paint.dim(f'{target:>{_TARGET}}')} {self.paint.mark(met=met)}"
        note = f"\n{self.paint.dim('    ' + _wrapped(row.note, 4))}" if row.note else ""
        return text.rstrip() + note

    def end(self) -> str:
        """Return how many targets were met, and which were not."""
        total = self.met + len(self.missed)
        text = f"{'─' * WIDTH}\n{self.paint.bold(f'{self.met} of {total} targets met')}"
        return text + "".join(f"\n  {self.paint.mark(met=False)} {name}" for name in self.missed)


def _target(target: Target, unit: Unit) -> str:
    sign = "≥" if target.at_least else "≤"
    return f"{sign} {target.limit:g} ×" if target.of_ratio else f"{sign} {_limit(target.limit, unit)}"


def _limit(limit: float, unit: Unit) -> str:
    """Write a limit: round numbers, so without the places of a measurement."""
    match unit:
        case Unit.SECONDS:
            return f"{limit * 1e3:g} ms" if limit < 1 else f"{limit:g} s"
        case Unit.EXPONENT:
            return f"n^{limit:g}"
        case _:
            return unit.write(limit)


def _wrapped(text: str, indent: int) -> str:
    return f"\n{' ' * indent}".join(textwrap.wrap(text, WIDTH - indent)) or text
