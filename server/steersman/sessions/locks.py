"""Who may write: a lock that dies with its process, and what stands in where the file system cannot lock (DESIGN S4).

A lock only keeps others out early and with a clear message. That a holder which lost it writes nothing more is
decided by the generation number in the database, never in here.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path
from typing import Protocol

from steersman.sessions.oslock import LockUnsupportedError, try_lock


class Lock(Protocol):
    """A lock that is held."""

    def release(self) -> None:
        """Let it go. Never raises; may be called again."""
        ...


class Locker(Protocol):
    """A way to lock by a file's name. Both methods raise ``OSError`` when they cannot tell."""

    def try_lock(self, path: Path) -> Lock | None:
        """Return the lock, or None when somebody else has it."""
        ...

    def is_locked(self, path: Path) -> bool:
        """Say whether somebody has it, this process included. May get in the way of ``try_lock`` for an instant."""
        ...


class OsLock:
    """An open, locked file; closing it is what frees the lock."""

    def __init__(self, path: Path, descriptor: int) -> None:
        self._path = path
        self._descriptor: int | None = descriptor

    def release(self) -> None:
        """Remove the file while it is still locked, so that nobody takes the name for free in between; close it."""
        descriptor, self._descriptor = self._descriptor, None
        if descriptor is None:
            return
        with suppress(OSError):  # Windows removes no open file; an empty one that stays behind does no harm
            self._path.unlink()
        os.close(descriptor)


class OsLocker:
    """Locks of the operating system."""

    def try_lock(self, path: Path) -> OsLock | None:
        """Lock the file of that name, creating it; raise ``LockUnsupportedError`` where that is impossible."""
        while True:
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
            try:
                locked = try_lock(descriptor)
            except OSError as error:
                os.close(descriptor)
                if isinstance(error, LockUnsupportedError):
                    with suppress(OSError):
                        path.unlink()
                raise
            if not locked:
                os.close(descriptor)
                return None
            if _is_still(path, descriptor):
                return OsLock(path, descriptor)
            os.close(descriptor)  # its last holder removed it between our opening and our locking

    def is_locked(self, path: Path) -> bool:
        """Try it for an instant, without creating the file."""
        try:
            descriptor = os.open(path, os.O_RDWR)
        except FileNotFoundError:
            return False
        try:
            return not try_lock(descriptor)
        finally:
            os.close(descriptor)


class FallbackLocker:
    """The system's locks, and another way once the file system has refused one."""

    def __init__(self, first: Locker, second: Locker) -> None:
        self._first = first
        self._second = second
        self._refused = False

    def try_lock(self, path: Path) -> Lock | None:
        """Lock in the way that works here."""
        if not self._refused:
            try:
                return self._first.try_lock(path)
            except LockUnsupportedError:
                self._refused = True
        return self._second.try_lock(path)

    def is_locked(self, path: Path) -> bool:
        """Ask in the way that works here."""
        if not self._refused:
            try:
                return self._first.is_locked(path)
            except LockUnsupportedError:
                self._refused = True
        return self._second.is_locked(path)


class MemoryLock:
    """A name that is taken."""

    def __init__(self, holders: dict[Path, MemoryLock], path: Path) -> None:
        self._holders = holders
        self._path = path

    def release(self) -> None:
        """Give the name back, unless somebody else has it by now."""
        if self._holders.get(self._path) is self:
            del self._holders[self._path]


class MemoryLocker:
    """Locks among the users of one object, for a store in memory."""

    def __init__(self) -> None:
        self._holders: dict[Path, MemoryLock] = {}

    def try_lock(self, path: Path) -> MemoryLock | None:
        """Take the name unless it is taken."""
        lock = MemoryLock(self._holders, path)
        return lock if self._holders.setdefault(path, lock) is lock else None

    def is_locked(self, path: Path) -> bool:
        """Say whether it is taken."""
        return path in self._holders


def _is_still(path: Path, descriptor: int) -> bool:
    """Say whether the name still leads to the open file."""
    try:
        return os.path.samestat(path.stat(), os.fstat(descriptor))
    except FileNotFoundError:
        return False
