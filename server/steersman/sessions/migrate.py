"""Creates a database and brings an older one up to date (DESIGN S6).

Migrations are numbered, append-only SQL files; each runs in one transaction together with its number. A newer or a
foreign database is refused, a damaged one is renamed; nothing is ever deleted.
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.errors import StorageError
from steersman.sessions.database import Connect, configure
from steersman.sessions.failures import DAMAGED_CODES, primary_code

APPLICATION_ID = 0x53_54_52_53
"""Marks the file as ours ("STRS")."""

_FOLDER = Path(__file__).parent / "migrations"
_COMPANIONS = ("", "-wal", "-shm", "-journal")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step: ``number`` is the schema it leads to."""

    number: int
    path: Path


def list_migrations() -> list[Migration]:
    """Return all migrations in order: 1, 2, 3, …."""
    return [Migration(int(path.name[:4]), path) for path in sorted(_FOLDER.glob("[0-9][0-9][0-9][0-9]_*.sql"))]


def is_current(path: Path, *, connect: Connect, busy_timeout_s: float) -> bool:
    """Say whether the file is a database of ours that needs no work.

    Raises:
        sqlite3.Error: it cannot be read; a damaged one with a code of ``DAMAGED_CODES``.
        StorageError: it is newer than this program, or not ours.
    """
    if not path.exists() or path.stat().st_size == 0:
        return False
    with closing(connect(str(path), timeout=busy_timeout_s, isolation_level=None)) as connection:
        version = _check_ours(connection, path)
        journal = connection.execute("PRAGMA journal_mode").fetchone()[0]
        return version == list_migrations()[-1].number and journal == "wal"


def bring_up_to_date(path: Path | None, connection: sqlite3.Connection, *, upto: int | None = None) -> tuple[str, ...]:
    """Apply what is missing. The caller keeps other processes out of the file meanwhile.

    Args:
        path: for messages; None in memory.
        connection: in autocommit mode.
        upto: stop at this schema (for tests of migrations).

    Returns:
        What a person should be told.

    Raises:
        sqlite3.Error: it cannot be read or written.
        StorageError: it is newer than this program, or not ours.
    """
    version = 0 if path is None else _check_ours(connection, path)
    notices: list[str] = []
    if version == 0:
        connection.execute("PRAGMA auto_vacuum = INCREMENTAL")  # possible before the first table only
    if connection.execute("PRAGMA journal_mode = WAL").fetchone()[0] != "wal" and path is not None:
        notices.append(f"{path.parent} is on a file system without write-ahead logging; recording is slower there.")
    configure(connection)
    connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
    for migration in list_migrations():
        if version < migration.number <= (upto or migration.number):
            _apply(connection, migration)
    return tuple(notices)


def set_aside(path: Path, stamp: str) -> Path:
    """Rename a damaged database and its companions; return its new name.

    Raises:
        OSError: it cannot be renamed.
    """
    target, attempt = path.with_name(f"{path.stem}.damaged-{stamp}{path.suffix}"), 0
    while target.exists():
        attempt += 1
        target = path.with_name(f"{path.stem}.damaged-{stamp}-{attempt}{path.suffix}")
    for companion in reversed(_COMPANIONS):  # the database last: a crash in between leaves it in its place
        with suppress(FileNotFoundError):
            os.rename(f"{path}{companion}", f"{target}{companion}")  # noqa: PTH104 - suffixes, not paths
    return target


def list_set_aside(path: Path) -> list[Path]:
    """Return the damaged databases that were renamed to make room for this one, the oldest first."""
    return sorted(path.parent.glob(f"{path.stem}.damaged-*{path.suffix}"))


def is_damage(error: sqlite3.Error) -> bool:
    """Say whether the error means that the file is not a sound database."""
    return primary_code(error) in DAMAGED_CODES


def _check_ours(connection: sqlite3.Connection, path: Path) -> int:
    """Return the schema's number, 0 for an empty database."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    tables: int = connection.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
    known = list_migrations()[-1].number
    if tables and connection.execute("PRAGMA application_id").fetchone()[0] != APPLICATION_ID:
        raise StorageError(
            f"{path} is a database of another program.",
            hint="Move it away, or choose another state folder with STEERSMAN_STATE_DIR. Nothing was changed.",
        )
    if version > known:
        raise StorageError(
            f"{path} was written by a newer Steersman (schema {version}; this one knows {known}).",
            hint="Update Steersman, or choose another state folder with STEERSMAN_STATE_DIR. Nothing was changed.",
        )
    return version


def _apply(connection: sqlite3.Connection, migration: Migration) -> None:
    connection.execute("BEGIN IMMEDIATE")
    try:
        if connection.execute("PRAGMA user_version").fetchone()[0] >= migration.number:
            connection.execute("ROLLBACK")  # another process was quicker
            return
        for statement in _statements(migration.path.read_text("utf-8")):
            connection.execute(statement)
        connection.execute(f"PRAGMA user_version = {migration.number}")
        connection.execute("COMMIT")
    except BaseException:
        with suppress(sqlite3.Error):
            connection.execute("ROLLBACK")
        raise


def _statements(script: str) -> Iterator[str]:
    """Split a script; ``executescript`` would commit by itself."""
    statement = ""
    for line in script.split("\n"):
        statement += line + "\n"
        if sqlite3.complete_statement(statement):
            yield statement
            statement = ""
