"""Where a block of lines fits into a text: exactly, or with a tolerance that never changes a token (DESIGN W5, W6).

Tolerances, in this order: trailing white space; typographic quotes, dashes and spaces; a uniform difference in
indentation. A looser one is tried only where no stricter one fits anywhere.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum
from itertools import accumulate

from steersman.agent.lines import split_lines, strip_ending
from steersman_tools.kit.endings import flatten
from steersman_tools.kit.indentation import Reindent, find_reindent

_MAX_COUNTED = 6
_TYPOGRAPHY = {
    **dict.fromkeys("\u2018\u2019\u201a\u201b", "'"),
    **dict.fromkeys("\u201c\u201d\u201e\u201f", '"'),
    **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
    **dict.fromkeys("\u00a0\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u202f\u205f\u3000", " "),
}
_TABLE = str.maketrans(_TYPOGRAPHY)


class Tolerance(IntEnum):
    """How far a fit is from exact; each includes the ones before it."""

    EXACT = 0
    TRAILING_SPACE = 1
    TYPOGRAPHY = 2
    INDENTATION = 3

    @property
    def words(self) -> str:
        """What was not looked at, for a note to the model; "" for an exact fit."""
        return (
            "",
            "but for trailing white space",
            "but for typographic characters",
            "but for the indentation, which was adapted",
        )[self]


def plain_typography(text: str) -> str:
    """Return the text with typographic quotes, dashes and spaces as typewritten ones; offsets stay the same."""
    return text if text.isascii() else text.translate(_TABLE)


def keep_typography(present: str, old: str, new: str) -> str:
    """Return the new line with the file's own characters where it begins and ends like the line it replaces.

    ``present`` is the line in the file, ``old`` what the model took it for; both of one length, or nothing is done.
    The ending is the new line's.
    """
    stands, was, shall = strip_ending(present), strip_ending(old), strip_ending(new)
    if len(stands) != len(was):
        return new
    start = end = 0
    while start < min(len(was), len(shall)) and was[start] == shall[start]:
        start += 1
    while end < min(len(was), len(shall)) - start and was[-1 - end] == shall[-1 - end]:
        end += 1
    return stands[:start] + shall[start : len(shall) - end] + stands[len(stands) - end :] + new[len(shall) :]


_KEYS: dict[Tolerance, Callable[[str], str]] = {
    Tolerance.EXACT: lambda line: line,
    Tolerance.TRAILING_SPACE: str.rstrip,
    Tolerance.TYPOGRAPHY: lambda line: plain_typography(line).rstrip(),
    Tolerance.INDENTATION: lambda line: plain_typography(line).strip(),
}


@dataclass(frozen=True, slots=True)
class Fit:
    """One place where a block fits.

    Attributes:
        start: index of its first line.
        end: index behind its last line.
        tolerance: how exactly.
        reindent: how the model's lines are to be indented here, or None for as they are.
    """

    start: int
    end: int
    tolerance: Tolerance = Tolerance.EXACT
    reindent: Reindent | None = None


def _with_newlines(lines: Sequence[str], text: str) -> Sequence[str]:
    """Return what ``split_lines(text)`` does, quickly, for a text without carriage returns."""
    raw = [f"{line}\n" for line in lines]
    if raw and not text.endswith("\n"):
        raw[-1] = lines[-1]
    return raw


class LineIndex:
    """The lines of one text, made to find blocks in quickly also when they are many.

    Attributes:
        raw: with their endings; joined they are the text.
        lines: without their endings.
    """

    def __init__(self, text: str) -> None:
        flat = flatten(text)
        self._flat = flat.removesuffix("\n")
        self.lines: Sequence[str] = self._flat.split("\n") if flat else []
        self.raw: Sequence[str] = split_lines(text) if "\r" in text else _with_newlines(self.lines, text)
        self._plain = plain_typography(self._flat)
        self._starts = list(accumulate((len(line) + 1 for line in self.lines), initial=0))

    def fits(self, block: Sequence[str]) -> list[Fit]:
        """Return every place where the block fits at the strictest tolerance that fits anywhere, in order.

        An empty block fits nowhere; one of blank lines only exactly.
        """
        for tolerance in Tolerance:
            if found := self.fits_at(block, tolerance):
                return found
        return []

    def fits_at(self, block: Sequence[str], tolerance: Tolerance) -> list[Fit]:
        """Return every place where the block fits when compared at this tolerance, in order; see ``fits``."""
        if not block or (tolerance > Tolerance.EXACT and not any(line.strip() for line in block)):
            return []
        key = _KEYS[tolerance]
        wanted = [key(line) for line in block]
        rarest = self._rarest(wanted, tolerance)
        found: list[Fit] = []
        for position in self.positions(block[rarest], tolerance):
            start, end = position - rarest, position - rarest + len(block)
            if start < 0 or end > len(self.lines):
                continue
            if any(key(line) != shall for line, shall in zip(self._between(start, end), wanted, strict=True)):
                continue
            if tolerance < Tolerance.INDENTATION:
                found.append(Fit(start, end, tolerance))
            elif reindent := find_reindent(block, self.lines[start:end]):
                found.append(Fit(start, end, tolerance, reindent))
        return found

    def positions(self, line: str, tolerance: Tolerance) -> Iterator[int]:
        """Yield the indices of the lines that equal this one when compared at the tolerance."""
        key = _KEYS[tolerance]
        wanted = key(line)
        if not wanted:
            yield from (at for at, other in enumerate(self.lines) if not key(other))
            return
        hay = self._plain if tolerance >= Tolerance.TYPOGRAPHY else self._flat
        hit = hay.find(wanted)
        while hit >= 0:
            at = bisect_right(self._starts, hit) - 1
            if key(self.lines[at]) == wanted:
                yield at
            hit = hay.find(wanted, self._starts[at + 1])

    def _between(self, start: int, end: int) -> Iterator[str]:
        return (self.lines[at] for at in range(start, end))

    def _rarest(self, wanted: Sequence[str], tolerance: Tolerance) -> int:
        """Return the index of the line to look for first: the rarest of the longest few."""
        hay = self._plain if tolerance >= Tolerance.TYPOGRAPHY else self._flat
        longest = sorted(set(wanted), key=lambda line: (-len(line), line))[:_MAX_COUNTED]
        return wanted.index(min(longest, key=lambda line: hay.count(line) if line else len(hay)))
