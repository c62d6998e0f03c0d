"""Choosing one place for each hunk so that they follow one another; counted, so that a guess is known as one."""

from __future__ import annotations

from collections.abc import Sequence

from steersman_tools.kit.places import Fit


def choose_in_order(candidates: Sequence[Sequence[Fit]]) -> tuple[int, list[Fit]]:
    """Return in how many ways each hunk can have a place behind the one before (2 for "several"), and one of them.

    ``candidates`` holds the places of each hunk in the order of the text. With no way at all the list is empty.
    """
    counts: list[list[int]] = []
    for number, fits in enumerate(candidates):
        if number == 0:
            counts.append([1] * len(fits))
            continue
        before, ways = candidates[number - 1], counts[-1]
        row: list[int] = []
        total = taken = 0
        for fit in fits:
            while taken < len(before) and before[taken].end <= fit.start:
                total += ways[taken]
                taken += 1
            row.append(min(total, 2))
        counts.append(row)
    if not counts:
        return 1, []
    total = sum(counts[-1])
    return (min(total, 2), _trace(candidates, counts)) if total else (0, [])


def _trace(candidates: Sequence[Sequence[Fit]], counts: Sequence[Sequence[int]]) -> list[Fit]:
    chosen: list[Fit] = []
    limit: int | None = None
    for fits, ways in zip(reversed(candidates), reversed(counts), strict=True):
        fit = next(f for f, count in zip(fits, ways, strict=True) if count and (limit is None or f.end <= limit))
        chosen.append(fit)
        limit = fit.start
    return chosen[::-1]


def every_way(candidates: Sequence[Sequence[Fit]], limit: int) -> list[list[Fit]] | None:
    """Return every way in which each hunk has a place behind the one before, or None when there are more."""
    ways: list[list[Fit]] = [[]]
    for fits in candidates:
        ways = [[*way, fit] for way in ways for fit in fits if not way or way[-1].end <= fit.start]
        if len(ways) > limit:
            return None
    return ways
