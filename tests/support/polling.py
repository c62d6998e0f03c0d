"""Waiting for another process, which cannot be awaited: looks again and again, with a bound that only a fault reaches."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable

BOUND_S = 60.0


def wait_until(condition: Callable[[], object], what: str, *, pause_s: float = 0.01) -> None:
    """Return as soon as the condition holds, which is looked at every ``pause_s``; fail when it never does."""
    end = time.monotonic() + BOUND_S
    pause = threading.Event()
    while not condition():
        if time.monotonic() > end:
            raise AssertionError(f"never happened: {what}")
        pause.wait(pause_s)
