"""Reads a whole store to find what is damaged in it (DESIGN S6). Mends the search index alone, deletes nothing."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.errors import StorageError
from steersman.sessions import blobs, housekeeping
from steersman.sessions.database import Database
from steersman.sessions.migrate import list_set_aside
from steersman.sessions.search import mend_index


@dataclass(frozen=True, slots=True)
class Checkup:
    """What was found.

    Attributes:
        path: the database, or "" in memory.
        sessions: ids of the sessions that can be read from beginning to end, the latest activity first.
        unreadable: ids of those that cannot.
        problems: what is wrong with the database as a whole, in SQLite's words.
        lost_contents: kept contents of files that are damaged or missing: what a rewind cannot put back.
        index_mended: the search index was damaged; the next search builds it anew.
        set_aside: damaged databases of this folder that an earlier opening kept under another name.
    """

    path: str
    sessions: tuple[str, ...]
    unreadable: tuple[str, ...]
    problems: tuple[str, ...]
    lost_contents: int
    index_mended: bool
    set_aside: tuple[Path, ...]

    @property
    def is_sound(self) -> bool:
        """Say whether everything can be read."""
        return not (self.unreadable or self.problems or self.lost_contents)


def check_up(database: Database, read_session: Callable[[str], object]) -> Checkup:
    """Look through everything; takes seconds for a large store.

    Args:
        database: the store's.
        read_session: reads one session, by its id, from beginning to end.
    """
    problems = _attempt(lambda: housekeeping.find_damage(database))
    sessions, unreadable = list[str](), list[str]()
    ids, told = _read_ids(database)
    for session_id in ids:
        try:
            read_session(session_id)
            sessions.append(session_id)
        except StorageError:
            unreadable.append(session_id)
    lost = _attempt(lambda: _lost_contents(database))
    try:
        index_mended = not problems and mend_index(database)
    except StorageError:
        index_mended = False  # what keeps it from being mended is among the problems, or the disk's own
    return Checkup(
        path="" if database.path is None else str(database.path),
        sessions=tuple(sessions),
        unreadable=tuple(unreadable),
        problems=(*problems, *told),
        lost_contents=len(lost),
        index_mended=index_mended,
        set_aside=() if database.path is None else tuple(list_set_aside(database.path)),
    )


def _attempt(look: Callable[[], Sequence[str]]) -> Sequence[str]:
    """Return what was found; that it could not be looked at is a finding too."""
    try:
        return look()
    except StorageError as error:
        return [error.message]


def _read_ids(database: Database) -> tuple[list[str], list[str]]:
    """Return the sessions' ids and, where even those cannot all be read, what is wrong."""
    found: list[str] = []
    try:
        with database.reading() as connection:
            found.extend(row[0] for row in connection.execute("SELECT id FROM session ORDER BY activity DESC"))
    except StorageError as error:
        return found, [f"The list of sessions cannot be read. {error.message}"]
    return found, []


def _lost_contents(database: Database) -> list[str]:
    lost: list[str] = []
    with database.reading() as connection:
        for (digest,) in connection.execute("SELECT digest FROM blob").fetchall():
            try:
                blobs.read_blob(connection, digest)
            except sqlite3.DatabaseError:
                lost.append(digest)
    return lost
