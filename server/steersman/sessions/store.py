"""The sessions of one workspace folder (DESIGN S1 to S7): created, listed, read, searched, forked, deleted.

All methods are synchronous and safe to call from any thread: reads use connections of their own and never wait for
a writer; writes take turns. What may be slow on a large store (``search``, ``prune``, ``fork``, exports) belongs in a
thread when an event loop calls it. Every method raises ``StorageError`` when the store cannot be read or written.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Self

from steersman.agent.errors import InvalidRequestError, SessionBusyError, SessionLockedError, SessionNotFoundError
from steersman.sessions import checkpoints, history, housekeeping, queries, rewinds, segments, timeline
from steersman.sessions.checkup import Checkup, check_up
from steersman.sessions.database import Connect, Database
from steersman.sessions.handle import SessionHandle, TakeSnapshot
from steersman.sessions.holding import SessionLocks, busy_error, held_error, this_holder
from steersman.sessions.lease import LeaseLocker
from steersman.sessions.locks import FallbackLocker, Lock, Locker, MemoryLocker, OsLocker
from steersman.sessions.opening import LOCKS_NAME, open_database, open_memory
from steersman.sessions.places import store_folder
from steersman.sessions.queries import SessionRow
from steersman.sessions.records import (
    Durability,
    KeptFile,
    Pruned,
    ResponseUsage,
    SearchHit,
    SessionPage,
    SessionRecord,
    StoredMessage,
    StoreSize,
    Timing,
)
from steersman.sessions.rewinds import StandingRewind
from steersman.sessions.search import search_sessions
from steersman.sessions.titles import MAX_TITLE_CHARS, clip, one_line, title_from

_MAX_NUMBER = 2**63 - 1
"""The greatest whole number that SQLite holds."""

_MAX_NAMED = 5
"""How many sessions are named where the beginning of an id fits several."""


class SessionStore:
    """One database. See the module's docstring for threads and errors.

    Attributes:
        folder: canonical path of the workspace folder, or "".
        notices: what a person should be told about how it was opened (a damaged database set aside, no WAL).
        persistent: False for the store in memory.
    """

    def __init__(
        self,
        database: Database,
        locks: SessionLocks,
        folder: Path | None,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        notices: tuple[str, ...] = (),
    ) -> None:
        self.folder = "" if folder is None else os.path.realpath(folder)
        self.notices = notices
        self.persistent = database.path is not None
        self._database = database
        self._locks = locks
        self._clock = clock
        self._new_id = new_id
        self._held: set[str] = set()
        self._held_lock = threading.Lock()

    @classmethod
    def open(
        cls,
        state_dir: Path,
        folder: Path | None,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        durability: Durability = "normal",
        locker: Locker | None = None,
        connect: Connect = sqlite3.connect,
        busy_timeout_s: float = 10.0,
    ) -> SessionStore:
        """Open, and create or bring up to date, the store of a workspace folder (None: the common one).

        Args:
            state_dir: the user's state folder.
            folder: the workspace folder.
            clock: seconds since the epoch; may jump.
            new_id: makes ids: letters, digits, "-" and "_", never the same twice.
            durability: see ``Durability``.
            locker: how to lock; by default as the system does, by lease where the file system cannot.
            connect: opens a connection; for tests that make the disk fail.
            busy_timeout_s: how long to wait for another process's write.

        Raises:
            StorageError: no permission, a full disk, a newer schema, a database that is not ours. A damaged database
                is set aside (renamed, never deleted) and told in ``notices``.
        """
        place = store_folder(state_dir, folder)
        locker = locker or FallbackLocker(OsLocker(), LeaseLocker(time.monotonic))
        database, notices = open_database(
            place, durability=durability, locker=locker, clock=clock, connect=connect, busy_timeout_s=busy_timeout_s
        )
        locks = SessionLocks(locker, place / LOCKS_NAME)
        return cls(database, locks, folder, clock=clock, new_id=new_id, notices=notices)

    @classmethod
    def in_memory(cls, folder: Path | None, *, clock: Callable[[], float], new_id: Callable[[], str]) -> SessionStore:
        """Return a store of the same kind that forgets everything at ``close``; the caller announces it (S4)."""
        locks = SessionLocks(MemoryLocker(), Path())
        return cls(open_memory(), locks, folder, clock=clock, new_id=new_id)

    def now(self) -> float:
        """Return the present time of the store's clock, in seconds since the epoch."""
        return self._clock()

    def create(self, prompt: str, model: str = "", folder: Path | None = None) -> SessionRecord:
        """Create an empty session; its title comes from the prompt, which is not recorded (the loop does that)."""
        session_id = self._new_id()
        place = self.folder if folder is None else os.path.realpath(folder)
        with self._database.writing() as connection:
            queries.insert_session(
                connection,
                session_id=session_id,
                title=title_from(prompt),
                folder=place,
                model=model,
                at=self._clock(),
            )
            row = _require(connection, session_id)
        return self._record(row)

    def list(self, query: str | None = None, limit: int = 50, offset: int = 0) -> SessionPage:
        """Return sessions, the one with the latest activity first; with ``query`` those that ``search`` finds."""
        _check_page(limit, offset)
        query = (query or "").strip()
        with self._database.reading() as connection:
            rows = queries.list_sessions(connection, *((-1, 0) if query else (limit, offset)))
            total = queries.count_sessions(connection)
        if query:
            found = {hit.session.id for hit in self.search(query, limit=None)}
            rows = [row for row in rows if row.id in found]
            total, rows = len(rows), rows[offset : offset + limit]
        return SessionPage(tuple(self._record(row) for row in rows), total)

    def get(self, session_id: str) -> SessionRecord:
        """Return one session; raise ``SessionNotFoundError``."""
        with self._database.reading() as connection:
            row = _require(connection, session_id)
        return self._record(row)

    def resolve(self, prefix: str) -> SessionRecord:
        """Return the only session whose id begins so; raise ``SessionNotFoundError`` for none or several."""
        with self._database.reading() as connection:
            exact = queries.find_session(connection, prefix)
            rows = [exact] if exact else queries.find_by_prefix(connection, prefix, _MAX_NAMED + 1)
        if len(rows) > 1:
            raise _ambiguous(prefix, [self._record(row) for row in rows])
        if not rows or not prefix:
            raise _not_found(prefix)
        return self._record(rows[0])

    def latest(self) -> SessionRecord | None:
        """Return the session with the latest activity, or None."""
        sessions = self.list(limit=1).sessions
        return sessions[0] if sessions else None

    def messages(self, session_id: str, after: int = -1, limit: int | None = None) -> list[StoredMessage]:
        """Return the conversation behind number ``after``, every call closed unless a run is at work on it."""
        if limit is not None:
            _check_page(limit, 0)
        with self._database.reading() as connection:
            row = _require(connection, session_id)
            spans = history.read_segments(connection, row.key)
            stored = history.read_messages(connection, row.key, spans, after=after, limit=limit)
            is_end = limit is None or len(stored) < limit
            if not is_end or self._is_running(row):
                return stored
            closings = history.missing_results(connection, row.key, history.read_tail(connection, row.key, spans))
        made_up = [
            StoredMessage(seq, closing, row.updated_at)
            for seq, closing in enumerate(closings, row.next_seq)
            if seq > after
        ]
        return (stored + made_up)[:limit]

    def rename(self, session_id: str, title: str) -> SessionRecord:
        """Give it another title; raise ``InvalidRequestError`` for an empty one."""
        title = clip(one_line(title), MAX_TITLE_CHARS)
        if not title:
            raise InvalidRequestError("A session's title cannot be empty.")
        with self._database.writing() as connection:
            row = _require(connection, session_id)
            connection.execute("UPDATE session SET title = ? WHERE key = ?", (title, row.key))
            row = _require(connection, session_id)
        return self._record(row)

    def delete(self, session_id: str) -> None:
        """Delete it with its checkpoints; raise ``SessionBusyError`` or ``SessionLockedError`` while it is held."""
        with self.acquire(session_id, "deletion"), self._database.writing() as connection:
            housekeeping.delete_session(connection, _require(connection, session_id).key)
        housekeeping.forget_deleted(self._database)

    def fork(self, session_id: str, at_message: int | None = None) -> SessionRecord:
        """Copy the conversation up to and including a message into a new session.

        Args:
            session_id: the session; it may have a run at work.
            at_message: a number of its conversation; snapped down to a group boundary. None: the end. What a process
                that died left open comes along and is closed when the copy is loaded.

        Raises:
            InvalidRequestError: no message of the conversation has this number.
        """
        new_id = self._new_id()
        with self._database.writing() as connection:
            row = _require(connection, session_id)
            spans = history.read_segments(connection, row.key)
            stored = history.read_messages(connection, row.key, spans)
            last = _last_to_keep(stored, at_message, may_be_open=not self._is_running(row))
            key = queries.insert_session(
                connection,
                session_id=new_id,
                title=row.title,
                folder=row.folder,
                model=row.model,
                at=self._clock(),
                parent_id=row.id,
            )
            history.copy_messages(connection, row.key, key, spans, last)
            checkpoints.copy_touches(connection, row.key, key, last)
            connection.execute(
                "UPDATE session SET next_seq = ?, messages = ? WHERE key = ?",
                (last + 1, history.count_messages(connection, key, segments.WHOLE), key),
            )
            row = _require(connection, new_id)
        return self._record(row)

    def search(self, text: str, limit: int | None = 20) -> list[SearchHit]:
        """Return the sessions that hold all the words (in messages, arguments, file names, titles), best first."""
        return search_sessions(self._database, text, limit, self._record_of_key)

    def acquire(
        self, session_id: str, holder: str, *, snapshot: TakeSnapshot | None = None, take_over: bool = False
    ) -> SessionHandle:
        """Hold a session for writing (S4).

        Args:
            session_id: the session.
            holder: who does, for others: "Neovim (pid 4711)".
            snapshot: ``Workspace.snapshot``, for checkpoints; None: nothing is kept for rewinding.
            take_over: take it from a process that is stuck; that one writes nothing more, whenever it wakes.

        Raises:
            SessionNotFoundError: there is none.
            SessionBusyError: this process holds it already.
            SessionLockedError: another process holds it; the message names the holder.
        """
        with self._database.reading() as connection:
            row = _require(connection, session_id)
        with self._held_lock:
            if session_id in self._held:
                raise busy_error(row)
            self._held.add(session_id)
        try:
            return self._hold(row, holder, snapshot, take_over=take_over)
        except BaseException:
            self._let_go(session_id)
            raise

    def prune(self, *, older_than_s: float, keep: int = 0, dry_run: bool = False) -> Pruned:
        """Delete sessions without activity for ``older_than_s`` seconds, with their checkpoints.

        Never the ``keep`` with the latest activity, never one that is held. Each goes by itself, so that others can
        work meanwhile.
        """
        if older_than_s < 0 or keep < 0:
            raise InvalidRequestError("An age and a number of sessions to keep cannot be negative.")
        before = self._clock() - older_than_s
        with self._database.reading() as connection:
            rows = queries.list_sessions(connection, -1, keep)
        old = [row for row in reversed(rows) if row.updated_at < before]
        if dry_run:
            held = [row.id for row in old if self._is_running(row)]
            return Pruned(tuple(self._record(row) for row in old if row.id not in held), tuple(held))
        bytes_before = housekeeping.disk_bytes(self._database.path)
        deleted: list[SessionRecord] = []
        busy: list[str] = []
        for row in old:
            try:
                with self.acquire(row.id, "prune"), self._database.writing() as connection:
                    housekeeping.delete_session(connection, row.key)
                deleted.append(row.record(running=False))
            except (SessionBusyError, SessionLockedError):
                busy.append(row.id)
            except SessionNotFoundError:
                continue  # somebody else deleted it meanwhile
        housekeeping.shrink(self._database)
        freed = bytes_before - housekeeping.disk_bytes(self._database.path)
        return Pruned(tuple(deleted), tuple(busy), max(freed, 0))

    def size(self) -> StoreSize:
        """Return what the store takes."""
        return housekeeping.measure(self._database)

    def find_damage(self) -> list[str]:
        """Look through the whole database, which may take a while; return what is wrong with it."""
        return housekeeping.find_damage(self._database)

    def check_up(self) -> Checkup:
        """Read everything there is and say what is damaged; seconds for a large store."""

        def read_all_that_an_export_needs(session_id: str) -> None:
            self.messages(session_id)
            self.responses(session_id)
            self.timings(session_id)

        return check_up(self._database, read_all_that_an_export_needs)

    def standing_rewind(self, session_id: str) -> StandingRewind | None:
        """Return the session's latest rewind that was not taken back; None when there is none."""
        with self._database.reading() as connection:
            return rewinds.standing_rewind(connection, _require(connection, session_id).key)

    def latest_rewind(self) -> str | None:
        """Return the id of what was rewound or taken back last in the folder; None where its session was deleted."""
        with self._database.reading() as connection:
            return rewinds.latest_rewind(connection)

    def find_rewind(self, rewind_id: str) -> SessionRecord | None:
        """Return the session in which this rewind was made, or None."""
        with self._database.reading() as connection:
            record = rewinds.find_rewind(connection, rewind_id)
            rows = queries.sessions_by_key(connection, [record.session]) if record else {}
        return self._record(rows[record.session]) if record else None

    def kept_files(self, session_id: str) -> list[KeptFile]:
        """Return the files that its checkpoints hold, in order."""
        with self._database.reading() as connection:
            return checkpoints.list_kept(connection, _require(connection, session_id).key)

    def timings(self, session_id: str) -> list[Timing]:
        """Return the spans of time of all its runs, in order of their beginning."""
        with self._database.reading() as connection:
            return timeline.read_timings(connection, _require(connection, session_id).key)

    def responses(self, session_id: str) -> list[ResponseUsage]:
        """Return what each model response of all its runs used, in order."""
        with self._database.reading() as connection:
            return timeline.read_responses(connection, _require(connection, session_id).key)

    def close(self) -> None:
        """Close the database. Never raises; may be called again."""
        self._database.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _hold(self, row: SessionRow, holder: str, snapshot: TakeSnapshot | None, *, take_over: bool) -> SessionHandle:
        """Lock the file, then become the session's latest holder in one transaction."""
        while True:
            epoch = row.lock_epoch
            lock = self._locks.take(row)
            if lock is None and take_over:
                row = self._raise_epoch(row)
                continue
            if lock is None:
                with self._database.reading() as connection:  # whoever has it may have written its name by now
                    raise held_error(_require(connection, row.id))
            try:
                with self._database.writing() as connection:
                    row = _require(connection, row.id)
                    if row.lock_epoch == epoch:
                        connection.execute(
                            "UPDATE session SET generation = generation + 1, holder = ? WHERE key = ?",
                            (this_holder(holder, self._clock()).dump(), row.key),
                        )
                        return self._handle(row, lock, snapshot)
            except BaseException:
                lock.release()
                raise
            lock.release()  # somebody took over while we were locking the old file

    def _raise_epoch(self, row: SessionRow) -> SessionRow:
        """Give the lock another file, unless somebody did so meanwhile."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE session SET lock_epoch = lock_epoch + 1 WHERE key = ? AND lock_epoch = ?",
                (row.key, row.lock_epoch),
            )
            return _require(connection, row.id)

    def _handle(self, row: SessionRow, lock: Lock, snapshot: TakeSnapshot | None) -> SessionHandle:
        return SessionHandle(
            self._database,
            row,
            row.generation + 1,
            lock=lock,
            clock=self._clock,
            snapshot=snapshot,
            on_close=lambda: self._let_go(row.id),
        )

    def _let_go(self, session_id: str) -> None:
        with self._held_lock:
            self._held.discard(session_id)

    def _is_running(self, row: SessionRow) -> bool:
        return row.id in self._held or self._locks.is_held(row)

    def _record_of_key(self, key: int) -> SessionRecord | None:
        with self._database.reading() as connection:
            row = queries.sessions_by_key(connection, [key]).get(key)
        return self._record(row) if row else None

    def _record(self, row: SessionRow) -> SessionRecord:
        return row.record(running=self._is_running(row))


def _last_to_keep(stored: Sequence[StoredMessage], at_message: int | None, *, may_be_open: bool) -> int:
    """Return the last message a fork takes along; the open group of a dead process may come too, at the very end."""
    end = stored[-1].seq if stored else -1
    if at_message is None or (at_message == end and stored):
        return end if may_be_open else segments.snap_down(stored, end)
    if at_message != -1 and all(each.seq != at_message for each in stored):
        raise segments.no_such_message(at_message)
    return segments.snap_down(stored, at_message)


def _require(connection: sqlite3.Connection, session_id: str) -> SessionRow:
    row = queries.find_session(connection, session_id)
    if row is None:
        raise _not_found(session_id)
    return row


def _ambiguous(prefix: str, found: Sequence[SessionRecord]) -> SessionNotFoundError:
    """Name the candidates by as much of their ids as tells them apart."""
    shown = 8
    while len({each.id[:shown] for each in found}) < len(found):
        shown += 1
    named = [f"{each.id[:shown]} “{clip(each.title, 40)}”" for each in found[:_MAX_NAMED]]
    more = ", …" if len(found) > _MAX_NAMED else ""
    return SessionNotFoundError(
        f"Several sessions begin with {prefix!r}: {', '.join(named)}{more}.", hint="Give more of the id."
    )


def _not_found(session_id: str) -> SessionNotFoundError:
    return SessionNotFoundError(
        f"There is no session {session_id!r} in this workspace.",
        hint="`steersman sessions list` shows which there are.",
    )


def _check_page(limit: int, offset: int) -> None:
    if limit < 0 or offset < 0:
        raise InvalidRequestError("A list's limit and offset cannot be negative.")
    if max(limit, offset) > _MAX_NUMBER:
        raise InvalidRequestError(f"A list's limit and offset cannot be greater than {_MAX_NUMBER}.")
