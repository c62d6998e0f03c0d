"""How many of very many paths end in something, and which come first, without a look at each (DESIGN W9). Pure.

A hundred thousand paths are counted in a millisecond as one text; to cut it up takes several, to sort them many more.
Bytes are quicker than text, and in UTF-8 their order is the same.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Sequence
from typing import TypeVar

_FEW = 4000
_SAMPLE = 500

Path = TypeVar("Path", str, bytes)


def first_with_ends(joined: str, ends: Sequence[str], limit: int) -> tuple[int, list[str]] | None:
    """Return how many paths end in one of several texts, and the first of them, sorted; None where only text will do.

    Args:
        joined: the paths, each between NUL characters (``Listing.joined``).
        ends: the texts, none of which ends in another; one that begins with "/" also fits a whole path.
        limit: how many to return.
    """
    try:
        data = joined.encode()
    except UnicodeEncodeError:  # a name that is no Unicode
        return None
    tails = [end.encode() + b"\0" for end in ends]
    tails += [b"\0" + tail[1:] for tail in tails if tail.startswith(b"/")]
    count = sum(map(data.count, tails))
    if count <= _FEW:
        found = [path for tail in tails for path in _all_with(tail, data)]
    else:
        fitting = tuple(tail[:-1] for tail in tails)
        found = smallest(data[1:-1].split(b"\0"), limit, count, lambda path: (b"\0" + path).endswith(fitting))
    return count, [path.decode() for path in sorted(found)[:limit]]


def smallest(
    paths: Sequence[Path], limit: int, count: int, fits: Callable[[Path], bool] = lambda _: True
) -> list[Path]:
    """Return the first of the paths that fit, sorted: of those below a bound, which a sample gives.

    Args:
        paths: in no order.
        limit: how many to return.
        count: how many fit, about.
        fits: whether a path does.
    """
    sample = sorted(paths[:: max(len(paths) // _SAMPLE, 1)])
    at = 3 * limit * len(sample) // max(count, 1) + 3
    if at < len(sample):
        bound = sample[at]
        below = [path for path in paths if path <= bound and fits(path)]
        if len(below) >= limit:
            return sorted(below)[:limit]
    return heapq.nsmallest(limit, filter(fits, paths))


def _all_with(tail: bytes, data: bytes) -> list[bytes]:
    found: list[bytes] = []
    at = data.find(tail)
    while at >= 0:
        end = at + len(tail) - 1
        found.append(data[data.rindex(b"\0", 0, end) + 1 : end])
        at = data.find(tail, end)
    return found
