"""What is asked of the Python interpreter itself, so that nobody waits long (DESIGN §9).

Whole process, so only ``server.serve`` does it, never a part that a test or another program may run in its own process.
"""

from __future__ import annotations

import gc
import sys
from typing import Any

SWITCH_INTERVAL_S = 0.0005
"""A thread that is ready waits so long for one that computes. Python's own 5 ms are paid at each of the several
steps by which a request comes in and its answer goes out, while a stream is read at full speed."""

_FULL = 2


def take_quick_turns() -> None:
    """Let the threads that read and write have their turn soon while the event loop computes."""
    sys.setswitchinterval(SWITCH_INTERVAL_S)


def spare_what_stays() -> None:
    """Look no more for garbage in what is loaded by now: modules stay, and looking through them takes long.

    What a first run loads is spared as well, after the first full look that comes by itself; no later one is, so that
    what runs leave behind can always be found.
    """
    gc.freeze()

    def freeze_after_first(phase: str, info: dict[str, Any]) -> None:
        if phase == "stop" and info["generation"] == _FULL:
            gc.callbacks.remove(freeze_after_first)
            gc.freeze()

    gc.callbacks.append(freeze_after_first)
