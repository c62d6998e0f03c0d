"""What a store takes on the disk, and how it gets smaller (issue "Conversations that survive").

Deletes what it is told to, with all that belongs to it; who may be deleted is decided by the store.
"""

from __future__ import annotations

import sqlite3
from pathlib import Path

from steersman.sessions import blobs, queries, rewinds
from steersman.sessions.database import Database
from steersman.sessions.records import StoreSize
from steersman.sessions.search import compact_index, forget_in_index

_COMPANIONS = ("", "-wal", "-shm", "-journal")


def delete_session(connection: sqlite3.Connection, key: int) -> None:
    """Delete a session with its messages, markers, checkpoints and timings. ``forget_deleted`` comes after."""
    forget_in_index(connection, key)
    rewinds.forget_latest(connection, key)
    connection.execute("DELETE FROM session WHERE key = ?", (key,))


def forget_deleted(database: Database) -> None:
    """See to it that nothing of what was deleted stays in the files."""
    with database.writing() as connection:
        blobs.drop_unused(connection)
    compact_index(database)
    with database.maintaining() as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def shrink(database: Database) -> None:
    """Forget what was deleted, and give free pages back to the file system, without rewriting what is left."""
    forget_deleted(database)
    with database.maintaining() as connection:
        connection.executescript("PRAGMA incremental_vacuum")  # ``execute`` would give back one page only
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()


def measure(database: Database) -> StoreSize:
    """Return what the store takes."""
    with database.reading() as connection:
        sessions = queries.count_sessions(connection)
        messages: int = connection.execute("SELECT count(*) FROM message").fetchone()[0]
        kept = blobs.stored_bytes(connection)
    path = "" if database.path is None else str(database.path)
    return StoreSize(path, sessions, messages, kept, disk_bytes(database.path))


def disk_bytes(path: Path | None) -> int:
    """Return the size of the database and its companions, 0 in memory."""
    if path is None:
        return 0
    total = 0
    for companion in _COMPANIONS:
        try:
            total += Path(f"{path}{companion}").stat().st_size
        except OSError:
            continue
    return total


def find_damage(database: Database) -> list[str]:
    """Look through the whole database; return what is wrong with it, nothing when it is sound."""
    with database.reading() as connection:
        found = [row[0] for row in connection.execute("PRAGMA quick_check(20)")]
        broken = connection.execute("PRAGMA foreign_key_check").fetchall()
    problems = [text for text in found if text != "ok"]
    return [*problems, *(f"a row of {row[0]} belongs to nothing" for row in broken[:20])]
