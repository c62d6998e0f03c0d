"""One SQLite database: a writer, readers, transactions, and errors in our words (DESIGN S2).

Transactions are explicit. Writes begin at once (``BEGIN IMMEDIATE``) so that they never fail half-way for want of the
lock; reads use connections of their own, each in one snapshot, and wait for nobody (WAL). Nothing in here knows what
the tables mean.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Callable, Generator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Literal, TypeAlias

from steersman.agent.errors import InvalidRequestError, StorageError
from steersman.sessions.failures import storage_error
from steersman.sessions.records import Durability

Connect: TypeAlias = Callable[..., sqlite3.Connection]
"""``sqlite3.connect``, or what a test puts in its place."""

Synchronous: TypeAlias = Literal["NORMAL", "FULL"]

_MAX_IDLE_READERS = 3
_JOURNAL_BYTES = 64 * 1024 * 1024


class Database:
    """A database that was created already (``migrate.py``), or one in memory.

    Attributes:
        path: the file, or None in memory.
        where: its name for messages.
        uses_wal: False where the file system cannot have a write-ahead log; every commit is synced then.
    """

    def __init__(
        self,
        path: Path | None,
        *,
        durability: Durability = "normal",
        connect: Connect = sqlite3.connect,
        busy_timeout_s: float = 10.0,
    ) -> None:
        self.path = path
        self.where = "The session store in memory" if path is None else f"The session database {path}"
        self._connect = connect
        self._busy_timeout_s = busy_timeout_s
        self._write_lock = threading.RLock()
        self._idle_lock = threading.Lock()
        self._idle: list[sqlite3.Connection] = []
        self._closed = False
        self._writer = self._open()
        try:
            self.uses_wal = self._writer.execute("PRAGMA journal_mode").fetchone()[0] == "wal"
        except sqlite3.Error as error:
            self._writer.close()
            raise storage_error(error, self.where) from error
        self._synchronous: Synchronous = "NORMAL" if self.uses_wal and durability == "normal" else "FULL"
        self._set: Synchronous | None = None

    @contextmanager
    def reading(self) -> Generator[sqlite3.Connection]:
        """Give a connection for queries, all of them in one snapshot."""
        if self.path is None:
            with self._write_lock, self._translated():
                yield self._writer
            return
        connection = self._take_reader()
        is_sound = True
        try:
            with self._translated():
                connection.execute("BEGIN")
                try:
                    yield connection
                finally:
                    connection.execute("ROLLBACK")
        except StorageError:
            is_sound = False
            raise
        finally:
            if is_sound:
                self._give_reader(connection)
            else:
                connection.close()

    @contextmanager
    def writing(self, *, durable: bool = False) -> Generator[sqlite3.Connection]:
        """Give the writer inside a transaction: committed when the block ends, rolled back when it raises.

        Args:
            durable: the disk itself has it, and everything before it, when this returns.
        """
        with self._write_lock, self._translated():
            if self._closed:
                raise StorageError(f"{self.where} is closed.")
            self._sync("FULL" if durable else self._synchronous)
            self._writer.execute("BEGIN IMMEDIATE")
            try:
                yield self._writer
                self._writer.execute("COMMIT")
            except BaseException:
                with suppress(sqlite3.Error):  # SQLite rolls back by itself after most errors
                    self._writer.execute("ROLLBACK")
                raise

    @contextmanager
    def maintaining(self) -> Generator[sqlite3.Connection]:
        """Give the writer outside a transaction, for what SQLite only does there (vacuum, checkpoint)."""
        with self._write_lock, self._translated():
            yield self._writer

    def close(self) -> None:
        """Close every connection. Never raises; may be called again."""
        with self._write_lock, self._idle_lock:
            self._closed = True
            for connection in (*self._idle, self._writer):
                with suppress(sqlite3.Error):
                    connection.close()
            self._idle.clear()

    @contextmanager
    def _translated(self) -> Generator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise storage_error(error, self.where) from error
        except OverflowError as error:  # Python's own, for a whole number of more than 64 bits
            raise InvalidRequestError("A number is greater than the store can hold.") from error

    def _open(self) -> sqlite3.Connection:
        with self._translated():
            connection = self._connect(
                ":memory:" if self.path is None else str(self.path),
                timeout=self._busy_timeout_s,
                isolation_level=None,
                check_same_thread=False,
            )
            try:
                configure(connection)
            except sqlite3.Error:
                connection.close()
                raise
            return connection

    def _sync(self, mode: Synchronous) -> None:
        """Choose how the next transactions reach the disk; SQLite allows this only between transactions."""
        if self._set != mode:
            self._writer.execute(f"PRAGMA synchronous = {mode}")
            self._set = mode

    def _take_reader(self) -> sqlite3.Connection:
        with self._idle_lock:
            if self._closed:
                raise StorageError(f"{self.where} is closed.")
            if self._idle:
                return self._idle.pop()
        return self._open()

    def _give_reader(self, connection: sqlite3.Connection) -> None:
        with self._idle_lock:
            if not self._closed and len(self._idle) < _MAX_IDLE_READERS:
                self._idle.append(connection)
                return
        connection.close()


def configure(connection: sqlite3.Connection) -> None:
    """Set what every connection needs, whatever it is for."""
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA fullfsync = ON")  # macOS only: its plain fsync leaves data in the drive's cache
    connection.execute("PRAGMA secure_delete = ON")  # what a person deletes is gone from the file too
    connection.execute(f"PRAGMA journal_size_limit = {_JOURNAL_BYTES}")
