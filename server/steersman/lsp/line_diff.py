"""The shortest edit script between two lists of lines. Pure; quick on long lists with few differences.

Myers' algorithm up to a bound of steps; where more differs, lines that occur once on both sides serve as anchors
(as in patience diff), and what holds no anchor counts as one changed region.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

_MOST_STEPS = 600
"""Longest edit script (in lines) that is looked for before anchors are."""


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines ``old_start`` to ``old_end`` became lines ``new_start`` to ``new_end`` (ends not included)."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


def line_hunks(old: Sequence[str], new: Sequence[str]) -> list[Hunk]:
    """Return what differs between two lists of lines, in order; neighbouring hunks are apart by an equal line."""
    numbers: dict[str, int] = {}
    one = [numbers.setdefault(line, len(numbers)) for line in old]
    other = [numbers.setdefault(line, len(numbers)) for line in new]
    return list(_hunks(one, other, Hunk(0, len(one), 0, len(other))))


def _hunks(old: list[int], new: list[int], region: Hunk) -> Iterator[Hunk]:
    region = _trimmed(old, new, region)
    if region.old_start == region.old_end or region.new_start == region.new_end:
        if region.old_start < region.old_end or region.new_start < region.new_end:
            yield region
        return
    script = _shortest_script(old[region.old_start : region.old_end], new[region.new_start : region.new_end])
    if script is not None:
        for hunk in script:
            yield _moved(hunk, region)
        return
    gaps = _gaps_between_anchors(old, new, region)
    if len(gaps) == 1:
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


def _trimmed(old: list[int], new: list[int], region: Hunk) -> Hunk:
    """The region without the lines that both sides begin or end with."""
    a, b, c, d = region.old_start, region.old_end, region.new_start, region.new_end
    while a < b and c < d and old[a] == new[c]:
        a, c = a + 1, c + 1
    while a < b and c < d and old[b - 1] == new[d - 1]:
        b, d = b - 1, d - 1
    return Hunk(a, b, c, d)


def _shortest_script(old: list[int], new: list[int]) -> list[Hunk] | None:
    """Myers' greedy search: the hunks, or None when the script is longer than ``_MOST_STEPS``."""
    if abs(len(old) - len(new)) > _MOST_STEPS:
        return None
    reached: dict[int, int] = {1: 0}
    trail: list[dict[int, int]] = []
    for steps in range(min(len(old) + len(new), _MOST_STEPS) + 1):
        trail.append(reached.copy() if steps else {1: 0})
        for diagonal in range(-steps, steps + 1, 2):
            down = diagonal == -steps or (diagonal != steps and reached[diagonal - 1] < reached[diagonal + 1])
            x = reached[diagonal + 1] if down else reached[diagonal - 1] + 1
            y = x - diagonal
            while x < len(old) and y < len(new) and old[x] == new[y]:
                x, y = x + 1, y + 1
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


def _gaps_between_anchors(old: list[int], new: list[int], region: Hunk) -> list[Hunk]:
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
    for b, d in _longest_rising(pairs):
        gaps.append(Hunk(a, b, c, d))
        a, c = b + 1, d + 1
    gaps.append(Hunk(a, region.old_end, c, region.new_end))
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
