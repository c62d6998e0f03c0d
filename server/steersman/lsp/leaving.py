"""When the server leaves, and that it really does: within a second of losing its client (DESIGN §8).

A client is lost when its end of the connection closes, when its process is gone, or when somebody tells us to end.
What can be closed in that second is closed; a watchdog ends the process when something does not let go, because the
rest is closed on the next load (DESIGN S3).
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import threading
from collections.abc import Callable, Generator

from steersman.ending_signals import ending_signals
from steersman.lsp.parent import is_alive

GRACE_S = 0.7
"""How long closing may take before the last messages are written and the process ends."""

LAST_RESORT_S = 0.95
"""When the watchdog ends the process."""

PARENT_POLL_S = 0.3


class Leaving:
    """Why and with which exit code the server leaves; the first reason counts."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self.reason = ""
        self.code = 1

    def leave(self, reason: str, *, code: int = 1) -> None:
        """Ask the server to leave; called in the event loop."""
        if not self._asked.is_set():
            self.reason, self.code = reason, code
            self._asked.set()

    async def wait(self) -> None:
        """Return as soon as the server is to leave."""
        await self._asked.wait()


async def watch_parent(pid: int, leaving: Leaving, *, alive: Callable[[int], bool] = is_alive) -> None:
    """Ask to leave when the client's process is gone; do nothing for one that cannot be seen from the start."""
    was_there = is_there = alive(pid)
    while is_there:  # one question a turn: a second one would swallow an end that falls between the two
        await asyncio.sleep(PARENT_POLL_S)
        is_there = alive(pid)
    if was_there:
        leaving.leave("the client's process is gone")


@contextlib.contextmanager
def leave_on_signals(leaving: Leaving) -> Generator[None]:
    """Leave on what asks to end, however blocked the rest may be on its input."""
    loop = asyncio.get_running_loop()
    restore: list[Callable[[], object]] = []
    for number in ending_signals():
        code = 128 + number

        def leave(name: str = number.name, code: int = code) -> None:
            leaving.leave(name, code=code)

        try:
            loop.add_signal_handler(number, leave)
            restore.append(lambda number=number: loop.remove_signal_handler(number))
        except NotImplementedError:  # Windows' event loops know no signals
            before = signal.signal(number, lambda _n, _f, leave=leave: loop.call_soon_threadsafe(leave))
            restore.append(lambda number=number, before=before: signal.signal(number, before))
    try:
        yield
    finally:
        for undo in restore:
            undo()


def end_for_sure(code: int, *, after_s: float, end: Callable[[int], object] = os._exit) -> None:
    """Let a watchdog end the process in a while, whatever still holds it then (a thread, a lock, a full pipe)."""
    timer = threading.Timer(after_s, lambda: end(code))
    timer.daemon = True
    timer.start()
