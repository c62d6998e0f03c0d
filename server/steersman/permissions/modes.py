"""How much a run may do without asking: four modes in a strict order (DESIGN A1).

What each mode means is in ``policy``; here is only which one is stricter, so that two sources can be combined
without either widening the other (A6).
"""

from __future__ import annotations

from enum import StrEnum


class Mode(StrEnum):
    """A run's mode, strictest first."""

    PLAN = "plan"
    ASK = "ask"
    ACCEPT_EDITS = "accept-edits"
    AUTO = "auto"


DEFAULT_MODE = Mode.ASK
"""What holds when nobody chose."""


def strictness(mode: Mode) -> int:
    """Return a number that is higher for a stricter mode."""
    return len(Mode) - list(Mode).index(mode)


def tighten(one: Mode, other: Mode) -> Mode:
    """Return the stricter of the two."""
    return max(one, other, key=strictness)
