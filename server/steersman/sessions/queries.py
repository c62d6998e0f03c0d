"""Reads and writes the rows of sessions. SQL only; nothing in here knows locks or messages' contents."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from steersman.agent.model import Usage
from steersman.sessions.records import SessionRecord
from steersman.sessions.rows import clean, usage_columns, usage_from

_COLUMNS = (
    "key, id, title, folder, model, parent_id, created_at, updated_at, messages, next_seq, generation, lock_epoch,"
    " holder, cost, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens, reasoning_tokens, estimated"
)

NEXT_ACTIVITY = "(SELECT coalesce(max(activity), 0) + 1 FROM session)"

LATEST_ACTIVITY = (
    "(SELECT CASE WHEN max(s.activity) = session.activity THEN session.activity"
    " ELSE max(s.activity) + 1 END FROM session AS s)"
)
"""For an update: unchanged where the session has the latest already, so that its index is left alone."""


@dataclass(frozen=True, slots=True)
class Holder:
    """Who holds a session: a name for people, and which process on which machine it is."""

    name: str
    pid: int
    host: str
    since: float

    def dump(self) -> str:
        """Return it as JSON."""
        return json.dumps({"name": self.name, "pid": self.pid, "host": self.host, "since": self.since})

    @classmethod
    def parse(cls, text: str) -> Holder:
        """Return it from JSON."""
        fields: dict[str, Any] = json.loads(text)
        return cls(fields["name"], fields["pid"], fields["host"], fields["since"])


@dataclass(frozen=True, slots=True)
class SessionRow:
    """A session as its table has it."""

    key: int
    id: str
    title: str
    folder: str
    model: str
    parent_id: str | None
    created_at: float
    updated_at: float
    messages: int
    next_seq: int
    generation: int
    lock_epoch: int
    holder: Holder | None
    cost: float | None
    usage: Usage

    def record(self, *, running: bool) -> SessionRecord:
        """Return what the outside sees."""
        return SessionRecord(
            id=self.id,
            title=self.title,
            folder=self.folder,
            created_at=self.created_at,
            updated_at=self.updated_at,
            messages=self.messages,
            model=self.model,
            parent_id=self.parent_id,
            usage=self.usage,
            cost=self.cost,
            running=running,
            holder=self.holder.name if running and self.holder else None,
        )


def find_session(connection: sqlite3.Connection, session_id: str) -> SessionRow | None:
    """Return the session of that id."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM session WHERE id = ?", (clean(session_id),)).fetchone()
    return _row(row) if row else None


def read_generation(connection: sqlite3.Connection, key: int) -> int | None:
    """Return the number of the session's latest holder, or None when the session is gone."""
    row = connection.execute("SELECT generation FROM session WHERE key = ?", (key,)).fetchone()
    return row[0] if row else None


def read_next_seq(connection: sqlite3.Connection, key: int) -> int:
    """Return the number of the session's next message."""
    return connection.execute("SELECT next_seq FROM session WHERE key = ?", (key,)).fetchone()[0]


def find_by_prefix(connection: sqlite3.Connection, prefix: str, limit: int) -> list[SessionRow]:
    """Return sessions whose id begins so."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM session WHERE substr(id, 1, ?) = ? ORDER BY activity DESC LIMIT ?",
        (len(prefix), clean(prefix), limit),
    )
    return [_row(row) for row in rows]


def list_sessions(connection: sqlite3.Connection, limit: int, offset: int) -> list[SessionRow]:
    """Return sessions, the latest activity first; ``limit`` -1: all."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM session ORDER BY activity DESC LIMIT ? OFFSET ?", (limit, offset)
    )
    return [_row(row) for row in rows]


def sessions_by_key(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, SessionRow]:
    """Return the sessions of these keys."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM session WHERE key IN ({', '.join('?' * len(keys))})", tuple(keys)
    )
    return {row[0]: _row(row) for row in rows}


def count_sessions(connection: sqlite3.Connection) -> int:
    """Return how many there are."""
    return connection.execute("SELECT count(*) FROM session").fetchone()[0]


def insert_session(
    connection: sqlite3.Connection,
    *,
    session_id: str,
    title: str,
    folder: str,
    model: str,
    at: float,
    parent_id: str | None = None,
) -> int:
    """Add an empty session and return its key."""
    cursor = connection.execute(
        "INSERT INTO session (id, title, folder, model, parent_id, created_at, updated_at, activity)"
        f" VALUES (?, ?, ?, ?, ?, ?, ?, {NEXT_ACTIVITY})",
        (session_id, title, clean(folder), clean(model), parent_id, at, at),
    )
    assert cursor.lastrowid is not None
    return cursor.lastrowid


def add_response(
    connection: sqlite3.Connection, key: int, *, run_id: str, turn: int, at: float, usage: Usage, cost: float | None
) -> None:
    """Keep what one response used, and add it to the session's sums."""
    columns = usage_columns(usage)
    connection.execute(
        "INSERT INTO response (session, run_id, turn, at, cost, input_tokens, cached_input_tokens,"
        " cache_write_tokens, output_tokens, reasoning_tokens, estimated) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (key, clean(run_id), turn, at, cost, *columns),
    )
    connection.execute(
        "UPDATE session SET input_tokens = input_tokens + ?, cached_input_tokens = cached_input_tokens + ?,"
        " cache_write_tokens = cache_write_tokens + ?, output_tokens = output_tokens + ?,"
        " reasoning_tokens = reasoning_tokens + ?, estimated = max(estimated, ?),"
        " cost = CASE WHEN ? IS NULL THEN cost ELSE coalesce(cost, 0) + ? END WHERE key = ?",
        (*columns, cost, cost, key),
    )


def _row(columns: Sequence[Any]) -> SessionRow:
    key, session_id, title, folder, model, parent_id, created_at, updated_at = columns[:8]
    messages, next_seq, generation, lock_epoch, holder, cost = columns[8:14]
    return SessionRow(
        key=key,
        id=session_id,
        title=title,
        folder=folder,
        model=model,
        parent_id=parent_id,
        created_at=created_at,
        updated_at=updated_at,
        messages=messages,
        next_seq=next_seq,
        generation=generation,
        lock_epoch=lock_epoch,
        holder=Holder.parse(holder) if holder else None,
        cost=cost,
        usage=usage_from(columns[14:]),
    )
