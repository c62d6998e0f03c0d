"""The operating system's lock on a whole file: the one module that names ``fcntl`` (DESIGN S4).

The system itself frees such a lock when its process dies, however it dies.
"""

from __future__ import annotations

import errno
import os
import sys
from collections.abc import Callable

_HELD = frozenset({errno.EWOULDBLOCK, errno.EAGAIN, errno.EACCES, errno.EDEADLK})
_UNSUPPORTED = frozenset({errno.ENOLCK, errno.ENOSYS, errno.EOPNOTSUPP, errno.ENOTSUP, errno.EINVAL})


class LockUnsupportedError(OSError):
    """This file system cannot lock."""


def try_lock(descriptor: int) -> bool:
    """Lock an open file until it is closed. Return False when somebody else has it, in this process or another.

    Raises:
        LockUnsupportedError: the file system cannot lock.
        OSError: anything else.
    """
    try:
        _lock(descriptor)
    except OSError as error:
        if error.errno in _HELD:
            return False
        if error.errno in _UNSUPPORTED:
            raise LockUnsupportedError(error.errno, error.strerror) from error
        raise
    return True


def _choose() -> Callable[[int], None]:
    if sys.platform == "win32":
        import msvcrt  # noqa: PLC0415 - exists on Windows only

        far = 1 << 30  # locks are mandatory there: the byte lies behind everything that others may want to read

        def lock(descriptor: int) -> None:
            os.lseek(descriptor, far, os.SEEK_SET)
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

    else:
        import fcntl  # noqa: PLC0415 - exists everywhere else

        def lock(descriptor: int) -> None:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)

    return lock


_lock = _choose()
