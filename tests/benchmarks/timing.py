"""Times two ways of doing the same thing in turn, so that a drift of the machine's speed meets both."""

from __future__ import annotations

import inspect
import statistics
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

Work = Callable[[], Awaitable[object] | object]


@dataclass(frozen=True, slots=True)
class Pair:
    """The medians of both, in seconds."""

    ours: float
    floor: float


async def in_turn(ours: Work, floor: Work, rounds: int = 7, *, prepare: Callable[[], object] = lambda: None) -> Pair:
    """Return how long each takes.

    Args:
        ours: our way; may be a coroutine function.
        floor: the other way.
        rounds: how often each; one more of each comes first and does not count.
        prepare: done before each, not timed.
    """
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(rounds + 1):
        for work, kept in zip((floor, ours), times, strict=True):
            prepare()
            began = time.perf_counter()
            result = work()
            if inspect.isawaitable(result):
                await result
            kept.append(time.perf_counter() - began)
    return Pair(statistics.median(times[1][1:]), statistics.median(times[0][1:]))
