"""Reads and writes the rows of sessions. SQL only; nothing in here knows locks or messages' contents."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

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


class SessionRow(NamedTuple):
    """A session as its table has it: the columns of ``_COLUMNS`` in their order, so that a row is one as it stands."""

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
    held_by: str | None
    cost: float | None
    input_tokens: int
    cached_input_tokens: int
    cache_write_tokens: int
    output_tokens: int
    reasoning_tokens: int
    estimated: int

    @property
    def holder(self) -> Holder | None:
        """Who holds it, or held it when its process died."""
        return Holder.parse(self.held_by) if self.held_by else None

    @property
    def usage(self) -> Usage:
        """All tokens of all its runs."""
        return usage_from(self[14:]) if self.input_tokens or self.output_tokens else _NO_USAGE

    def record(self, *, running: bool) -> SessionRecord:
        """Return what the outside sees."""
        holder = self.holder if running else None
        return SessionRecord(
            self.id,
            self.title,
            self.folder,
            self.created_at,
            self.updated_at,
            self.messages,
            self.model,
            self.parent_id,
            self.usage,
            self.cost,
            running,
            holder.name if holder else None,
        )


_NO_USAGE = Usage()


def find_session(connection: sqlite3.Connection, session_id: str) -> SessionRow | None:
    """Return the session of that id."""
    row = connection.execute(f"SELECT {_COLUMNS} FROM session WHERE id = ?", (clean(session_id),)).fetchone()
    return SessionRow._make(row) if row else None


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
    return [SessionRow._make(row) for row in rows]


def list_sessions(connection: sqlite3.Connection, limit: int, offset: int) -> list[SessionRow]:
    """Return sessions, the latest activity first; ``limit`` -1: all."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM session ORDER BY activity DESC LIMIT ? OFFSET ?", (limit, offset)
    )
    return [SessionRow._make(row) for row in rows]


def sessions_by_key(connection: sqlite3.Connection, keys: Sequence[int]) -> dict[int, SessionRow]:
    """Return the sessions of these keys."""
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM session WHERE key IN ({', '.join('?' * len(keys))})", tuple(keys)
    )
    return {row[0]: SessionRow._make(row) for row in rows}


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
