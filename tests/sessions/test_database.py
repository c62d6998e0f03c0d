"""Connections and transactions: what is committed, what is seen, what is said when it fails."""

import errno
import os
import sqlite3
import threading
from pathlib import Path

import pytest

from steersman.agent.errors import StorageError, StoreUnavailableError
from steersman.sessions.database import Database
from steersman.sessions.failures import storage_error
from steersman.sessions.locks import OsLocker
from steersman.sessions.opening import open_database
from steersman.sessions.records import Durability


def open_at(place: Path, *, durability: Durability = "normal", busy_timeout_s: float = 5.0) -> Database:
    database, _ = open_database(
        place, durability=durability, locker=OsLocker(), clock=lambda: 0.0, busy_timeout_s=busy_timeout_s
    )
    return database


def put(database: Database, name: str, *, durable: bool = False) -> None:
    with database.writing(durable=durable) as connection:
        connection.execute("INSERT INTO meta VALUES (?, '')", (name,))


def names(database: Database) -> list[str]:
    with database.reading() as connection:
        return [row[0] for row in connection.execute("SELECT name FROM meta ORDER BY name")]


def test_a_block_that_raises_writes_nothing(tmp_path: Path):
    database = open_at(tmp_path / "s")

    def fail_half_way() -> None:
        with database.writing() as connection:
            connection.execute("INSERT INTO meta VALUES ('a', '')")
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        fail_half_way()
    put(database, "b")
    assert names(database) == ["b"]
    database.close()


def test_a_reader_sees_one_state_and_waits_for_no_writer(tmp_path: Path):
    database = open_at(tmp_path / "s")
    put(database, "a")
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM meta").fetchone() == (1,)
        put(database, "b")
        assert connection.execute("SELECT count(*) FROM meta").fetchone() == (1,)
    assert names(database) == ["a", "b"]
    database.close()


def test_writers_of_several_threads_take_turns(tmp_path: Path):
    database = open_at(tmp_path / "s")
    ready = threading.Barrier(4)

    def work(number: int) -> None:
        ready.wait()
        for index in range(25):
            put(database, f"{number}-{index:02}")

    threads = [threading.Thread(target=work, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(names(database)) == 100
    database.close()


def synced(database: Database) -> int:
    with database.maintaining() as connection:
        return connection.execute("PRAGMA synchronous").fetchone()[0]


def test_a_plain_commit_is_not_synced_and_a_durable_one_is(tmp_path: Path):
    """1 is NORMAL, 2 is FULL: what the transaction before ran with."""
    database = open_at(tmp_path / "s")
    put(database, "a")
    assert synced(database) == 1
    put(database, "b", durable=True)
    assert synced(database) == 2
    put(database, "c")
    assert synced(database) == 1
    database.close()


def test_full_durability_syncs_every_commit(tmp_path: Path):
    database = open_at(tmp_path / "s", durability="full")
    put(database, "a")
    assert synced(database) == 2
    database.close()


def test_a_write_that_waits_too_long_says_who_is_to_blame(tmp_path: Path):
    one, other = open_at(tmp_path / "s"), open_at(tmp_path / "s", busy_timeout_s=0.01)
    with one.writing(), pytest.raises(StorageError, match="busy for too long"):
        put(other, "a")
    put(other, "a")
    assert names(one) == ["a"]
    one.close()
    other.close()


def test_a_closed_database_says_so(tmp_path: Path):
    database = open_at(tmp_path / "s")
    database.close()
    database.close()
    with pytest.raises(StorageError, match="closed"):
        put(database, "a")
    with pytest.raises(StorageError, match="closed"):
        names(database)


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (sqlite3.SQLITE_FULL, "disk is full"),
        (sqlite3.SQLITE_IOERR, "disk reported an error"),
        (sqlite3.SQLITE_IOERR | (3 << 8), "disk reported an error"),
        (sqlite3.SQLITE_IOERR_LOCK, "cannot lock"),
        (sqlite3.SQLITE_IOERR_SHMMAP, "cannot lock"),
        (sqlite3.SQLITE_IOERR_SHMSIZE, "disk is full"),
        (sqlite3.SQLITE_READONLY, "read-only"),
        (sqlite3.SQLITE_CANTOPEN, "read-only or permission"),
        (sqlite3.SQLITE_CORRUPT, "damaged"),
        (sqlite3.SQLITE_NOTADB, "damaged"),
        (sqlite3.SQLITE_BUSY, "busy"),
        (sqlite3.SQLITE_INTERNAL, "could not be used"),
    ],
)
def test_each_code_has_its_words(code: int, says: str):
    error = sqlite3.OperationalError("no such table: secret_table")
    error.sqlite_errorcode = code
    told = storage_error(error, "The session database /x")
    assert says in told.message
    assert "/x" in told.message
    assert told.hint
    assert "secret_table" not in told.message + told.hint


@pytest.mark.parametrize(
    ("code", "says"),
    [
        (errno.ENOSPC, "disk is full"),
        (errno.EACCES, "permission"),
        (errno.EROFS, "read-only"),
        (errno.EISDIR, "could not be used"),
        (errno.ENOENT, "could not be used (No such file"),
    ],
)
def test_the_systems_errors_have_their_words_and_say_that_the_place_cannot_be_used(code: int, says: str):
    told = storage_error(OSError(code, os.strerror(code)), "The state folder /x")
    assert says in told.message
    assert isinstance(told, StoreUnavailableError)
