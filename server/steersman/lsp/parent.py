"""Whether the client's process is still there: the one place that asks the operating system about another process.

It never signals anybody: on POSIX signal 0 only asks; Windows has no such thing (``os.kill`` would end the process
there), so a handle is opened instead.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

_SYNCHRONIZE = 0x0010_0000
_WAIT_TIMEOUT = 0x0000_0102


def is_alive(pid: int) -> bool:
    """Say whether a process with this id runs and is visible from here; a zombie counts as gone."""
    if pid <= 0:
        return False
    if sys.platform == "win32":
        return _is_alive_on_windows(pid)
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    except OverflowError:
        return False
    return not _is_zombie(pid)


def _is_zombie(pid: int) -> bool:
    """On Linux, say whether the process has ended and only waits to be noticed by its parent."""
    try:
        state = Path(f"/proc/{pid}/stat").read_bytes()
    except OSError:
        return False
    return state.rpartition(b")")[2].split()[:1] == [b"Z"]


def _is_alive_on_windows(pid: int) -> bool:
    import ctypes  # noqa: PLC0415 - Windows only

    kernel32 = getattr(ctypes, "windll").kernel32  # noqa: B009 - exists on Windows only
    handle = kernel32.OpenProcess(_SYNCHRONIZE, False, pid)  # noqa: FBT003 - the C function's own argument
    if not handle:
        return False
    try:
        return kernel32.WaitForSingleObject(handle, 0) == _WAIT_TIMEOUT
    finally:
        kernel32.CloseHandle(handle)
