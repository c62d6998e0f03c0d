"""Takes and probes the locks of sessions (DESIGN S4): who holds one, and in what words the others are told."""

from __future__ import annotations

import os
import socket
import time
from pathlib import Path

from steersman.agent.errors import SessionBusyError, SessionError, SessionLockedError
from steersman.sessions.failures import storage_error
from steersman.sessions.locks import Lock, Locker
from steersman.sessions.queries import Holder, SessionRow

SHOWN_ID_CHARS = 8
"""So much of an id stands for it where people read."""

_TRIES = 20
_PAUSE_S = 0.005


class SessionLocks:
    """The locks of one store's sessions. Safe to call from any thread."""

    def __init__(self, locker: Locker, folder: Path) -> None:
        self._locker = locker
        self._folder = folder

    def path(self, session_id: str, epoch: int) -> Path:
        """Return the lock's file; another one after each takeover, because the old one may still be locked."""
        return self._folder / f"{session_id}{f'.{epoch}' if epoch else ''}.lock"

    def take(self, row: SessionRow) -> Lock | None:
        """Lock the session; None when somebody has it.

        A process that only looks (``is_held``) is in the way for an instant; hence a few attempts.

        Raises:
            StorageError: the lock's file cannot be made.
        """
        path = self.path(row.id, row.lock_epoch)
        try:
            for attempt in range(_TRIES):
                if attempt:
                    time.sleep(_PAUSE_S)
                lock = self._locker.try_lock(path)
                if lock is not None:
                    return lock
        except OSError as error:
            raise storage_error(error, f"The lock {path}") from error
        return None

    def is_held(self, row: SessionRow) -> bool:
        """Say whether a living process holds it."""
        if row.held_by is None:
            return False
        try:
            return self._locker.is_locked(self.path(row.id, row.lock_epoch))
        except OSError:
            return False


def this_holder(name: str, now: float) -> Holder:
    """Return this process as a holder."""
    return Holder(name, os.getpid(), socket.gethostname(), now)


def busy_error(row: SessionRow) -> SessionBusyError:
    """Return the error for a session that this process holds."""
    by = f" ({row.holder.name})" if row.holder else ""
    return SessionBusyError(
        f"The session “{row.title}” has a run at work{by}.",
        hint="Wait for it, cancel it, or send it a message; a fork can go on at once.",
    )


def held_error(row: SessionRow) -> SessionError:
    """Return the error for a session that somebody holds."""
    holder, here = row.holder, socket.gethostname()
    if holder is not None and holder.pid == os.getpid() and holder.host == here:
        return busy_error(row)
    by = holder.name if holder else "another program"
    elsewhere = f" on {holder.host}" if holder and holder.host != here else ""
    return SessionLockedError(
        f"The session “{row.title}” is in use by {by}{elsewhere}.",
        hint="Finish or cancel the run there, or fork the session to go on here. If that program hangs or is "
        f"suspended, take the session over: `steersman sessions take-over {row.id[:SHOWN_ID_CHARS]}`.",
    )
