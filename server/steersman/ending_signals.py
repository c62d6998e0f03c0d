"""Which signals ask a process to end, on this system: the server, a run and the mock model heed the same ones."""

from __future__ import annotations

import contextlib
import signal
from collections.abc import Generator

_NAMES = ("SIGINT", "SIGTERM", "SIGHUP")


def ending_signals() -> list[signal.Signals]:
    """Return them: SIGHUP, which comes when the terminal is closed, only where it is not ignored, as by ``nohup``."""
    there = [signal.Signals[name] for name in _NAMES if name in signal.Signals.__members__]
    return [number for number in there if number.name != "SIGHUP" or signal.getsignal(number) is not signal.SIG_IGN]


@contextlib.contextmanager
def ended_by_interrupt() -> Generator[None]:
    """Let Ctrl-C end the process as the system does, while there is nothing to close and until somebody handles it.

    Python would raise ``KeyboardInterrupt`` wherever it is; in a callback of the garbage collector's, of which each
    import has one, that is printed and forgotten, and the process would go on. Shells tell 130 for either end.
    """
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:  # ignored, or somebody's
        yield
        return
    with contextlib.suppress(ValueError):  # not in the main thread: whoever embeds us has its own way to stop
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            signal.signal(signal.SIGINT, signal.default_int_handler)
