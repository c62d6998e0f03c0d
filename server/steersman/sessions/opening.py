"""Opens a store's database, whatever state it is in (DESIGN S1, S6).

The quick way touches nothing; creating, migrating and setting aside happen under a lock, one process at a time.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from steersman.agent.errors import StorageError
from steersman.sessions.database import Connect, Database
from steersman.sessions.failures import storage_error
from steersman.sessions.locks import Lock, Locker
from steersman.sessions.migrate import bring_up_to_date, is_current, is_damage, list_set_aside, set_aside
from steersman.sessions.oslock import LockUnsupportedError
from steersman.sessions.places import make_private, make_private_file, stores_folder
from steersman.sessions.records import Durability
from steersman.sessions.times import utc_time

DATABASE_NAME = "sessions.db"
LOCKS_NAME = "locks"

_POLL_S = 0.01


def open_database(
    place: Path,
    *,
    durability: Durability,
    locker: Locker,
    clock: Callable[[], float],
    connect: Connect = sqlite3.connect,
    busy_timeout_s: float = 10.0,
) -> tuple[Database, tuple[str, ...]]:
    """Return the database in the folder ``place`` and what a person should be told.

    Raises:
        StorageError: it cannot be opened, is newer than this program, or is not ours.
    """
    make_private(place.parent)
    make_private(place)
    make_private(place / LOCKS_NAME)
    path = place / DATABASE_NAME
    notices: tuple[str, ...] = ()
    try:
        if not _is_ready(path, connect, busy_timeout_s):
            guard = _wait_for(place / LOCKS_NAME / "opening.lock", locker, busy_timeout_s)
            try:
                notices = _make_ready(path, clock, connect, busy_timeout_s)
            finally:
                if guard is not None:
                    guard.release()
    except (sqlite3.Error, OSError) as error:
        raise storage_error(error, f"The session database {path}") from error
    return Database(path, durability=durability, connect=connect, busy_timeout_s=busy_timeout_s), notices


def all_set_aside(state_dir: Path) -> list[Path]:
    """Return the damaged databases of all workspace folders that were renamed to make room for new ones."""
    return [
        each for place in sorted(stores_folder(state_dir).glob("*")) for each in list_set_aside(place / DATABASE_NAME)
    ]


def open_memory() -> Database:
    """Return a database that lives as long as the object."""
    database = Database(None)
    with database.maintaining() as connection:
        bring_up_to_date(None, connection)
    return database


def _is_ready(path: Path, connect: Connect, busy_timeout_s: float) -> bool:
    try:
        return is_current(path, connect=connect, busy_timeout_s=busy_timeout_s)
    except sqlite3.Error as error:
        if is_damage(error):
            return False
        raise


def _make_ready(path: Path, clock: Callable[[], float], connect: Connect, busy_timeout_s: float) -> tuple[str, ...]:
    make_private_file(path)
    try:
        return _prepare(path, connect, busy_timeout_s)
    except sqlite3.Error as error:
        if not is_damage(error):
            raise
    stamp = utc_time(clock()).strftime("%Y%m%dT%H%M%S")
    aside = set_aside(path, stamp)
    make_private_file(path)
    notice = f"The session database was damaged. It was kept as {aside}, and a new one was begun."
    return (notice, *_prepare(path, connect, busy_timeout_s))


def _prepare(path: Path, connect: Connect, busy_timeout_s: float) -> tuple[str, ...]:
    with closing(connect(str(path), timeout=busy_timeout_s, isolation_level=None)) as connection:
        return bring_up_to_date(path, connection)


def _wait_for(path: Path, locker: Locker, timeout_s: float) -> Lock | None:
    """Wait for other processes that open the same store; None where the file system cannot lock."""
    for _ in range(max(int(timeout_s / _POLL_S), 1)):
        try:
            lock = locker.try_lock(path)
        except LockUnsupportedError:
            return None
        if lock is not None:
            return lock
        time.sleep(_POLL_S)
    raise StorageError(
        f"Another program has been opening {path.parent.parent} for too long.",
        hint="Close that program or try again in a moment.",
    )
