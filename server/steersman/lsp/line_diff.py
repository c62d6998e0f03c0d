"""The shortest edit script between two lists of lines. Pure; quick on long lists with few differences.

Myers' algorithm up to a bound of lines and steps; beyond it, lines that occur once on both sides serve as anchors (as
in patience diff), and what is too long and holds no anchor counts as one changed region.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_BLOCK = 64
_MANY_LINES = 20_000
_FEW_STEPS = 60
_MOST_STEPS = 600
"""Longest edit script (in lines) that is looked for before anchors are; the few for texts with many lines."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``old_start`` to ``old_end`` became lines ``new_start`` to ``new_end`` (ends not included)."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def line_hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    """Return what differs between two lists of lines, in order; neighbouring hunks are apart by an equal line."""
    return list(_hunks(old, new, Hunk(0, len(old), 0, len(new))))


def _hunks(old: Sequence[str], new: Sequence[str], region: Hunk) -> Iterator[Hunk]:
    region = _trimmed(old, new, region)
    if region.old_start == region.old_end or region.new_start == region.new_end:
        if region.old_start < region.old_end or region.new_start < region.new_end:
            yield region
        return
    script = _shortest_script(old[region.old_start : region.old_end], new[region.new_start : region.new_end])
    if script is not None:
        yield from (_moved(hunk, region) for hunk in script)
        return
    gaps = _gaps_between_anchors(old, new, region)
    if gaps == [region]:
        yield region
        return
    for gap in gaps:
        yield from _hunks(old, new, gap)


def _moved(hunk: Hunk, region: Hunk) -> Hunk:
    return Hunk(
        hunk.old_start + region.old_start,
        hunk.old_end + region.old_start,
        hunk.new_start + region.new_start,
        hunk.new_end + region.new_start,
    )


def _trimmed(old: Sequence[str], new: Sequence[str], region: Hunk) -> Hunk:
    """The region without the lines that both sides begin or end with."""
    a, b, c, d = region.old_start, region.old_end, region.new_start, region.new_end
    same = _equal_run(old, a, b, new, c, d)
    a, c = a + same, c + same
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return Hunk(a, b, c, d)


def _equal_run(old: Sequence[str], x: int, old_end: int, new: Sequence[str], y: int, new_end: int) -> int:
    """How many lines are equal from two places on; compared in blocks, which is quick for long runs."""
    most, run = min(old_end - x, new_end - y), 0
    while run + _BLOCK <= most and old[x + run : x + run + _BLOCK] == new[y + run : y + run + _BLOCK]:
        run += _BLOCK
    while run < most and old[x + run] == new[y + run]:
        run += 1
    return run


def _shortest_script(old: Sequence[str], new: Sequence[str]) -> list[Hunk] | None:
    """Myers' greedy search: the hunks, or None when the script is longer than what is looked for."""
    most = _MOST_STEPS if len(old) + len(new) <= _MANY_LINES else _FEW_STEPS
    if abs(len(old) - len(new)) > most:
        return None
    reached: dict[int, int] = {1: 0}
    trail: list[dict[int, int]] = []
    for steps in range(min(len(old) + len(new), most) + 1):
        trail.append(reached.copy() if steps else {1: 0})
        for diagonal in range(-steps, steps + 1, 2):
            down = diagonal == -steps or (diagonal != steps and reached[diagonal - 1] < reached[diagonal + 1])
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y = x - diagonal
            if x < len(old) and y < len(new) and old[x] == new[y]:
                same = _equal_run(old, x, len(old), new, y, len(new))
                x, y = x + same, y + same
            reached[diagonal] = x
            if x >= len(old) and y >= len(new):
                return _backtracked(trail, len(old), len(new))
    return None


def _backtracked(trail: list[dict[int, int]], x: int, y: int) -> list[Hunk]:
    """Walk the search back from its end, gathering single steps into hunks."""
    hunks: list[Hunk] = []
    for steps in range(len(trail) - 1, 0, -1):
        reached, diagonal = trail[steps], x - y
        down = diagonal == -steps or (diagonal != steps and reached[diagonal - 1] < reached[diagonal + 1])
        before = diagonal + 1 if down else diagonal - 1
        from_x = reached[before]
        from_y = from_x - before
        step = Hunk(from_x, from_x + (not down), from_y, from_y + down)
        if hunks and hunks[-1].old_start == step.old_end and hunks[-1].new_start == step.new_end:
            step = Hunk(step.old_start, hunks[-1].old_end, step.new_start, hunks.pop().new_end)
        hunks.append(step)
        x, y = from_x, from_y
    return hunks[::-1]


def _gaps_between_anchors(old: Sequence[str], new: Sequence[str], region: Hunk) -> list[Hunk]:
    """Cut the region at lines that occur once on both sides and stand in the same order on both."""
    often_old = Counter(old[region.old_start : region.old_end])
    often_new = Counter(new[region.new_start : region.new_end])
    places = {line: at for at, line in enumerate(new[region.new_start : region.new_end], region.new_start)}
    pairs = [
        (at, places[line])
        for at, line in enumerate(old[region.old_start : region.old_end], region.old_start)
        if often_old[line] == 1 == often_new[line]
    ]
    gaps: list[Hunk] = []
    a, c = region.old_start, region.new_start
    for b, d in (*_longest_rising(pairs), (region.old_end, region.new_end)):
        if a < b or c < d:
            gaps.append(Hunk(a, b, c, d))
        a, c = b + 1, d + 1
    return gaps


def _longest_rising(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """The longest run of pairs whose second parts rise too (patience sorting)."""
    tops: list[int] = []
    top_pairs: list[int] = []
    previous: list[int] = []
    for index, (_, place) in enumerate(pairs):
        pile = bisect_left(tops, place)
        previous.append(top_pairs[pile - 1] if pile else -1)
        if pile == len(tops):
            tops.append(place)
            top_pairs.append(index)
        else:
            tops[pile], top_pairs[pile] = place, index
    chosen: list[tuple[int, int]] = []
    at = top_pairs[-1] if top_pairs else -1
    while at >= 0:
        chosen.append(pairs[at])
        at = previous[at]
    return chosen[::-1]
