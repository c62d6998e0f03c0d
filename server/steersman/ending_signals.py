"""Which signals ask a process to end, on this system: the server, a run and the mock model heed the same ones."""

from __future__ import annotations

import signal

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


def ending_signals() -> list[signal.Signals]:
    """Return them: SIGHUP, which comes when the terminal is closed, only where it is not ignored, as by ``nohup``."""
    there = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    return [number for number in there if number.name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN]
