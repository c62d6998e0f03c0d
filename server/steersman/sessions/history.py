"""Reads and writes the messages of one session (DESIGN S2, S3). SQL and the order of things; no locks, no files."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Sequence

from steersman.agent.closing import close_call, open_calls
from steersman.agent.messages import AssistantMessage, Message, ToolMessage
from steersman.sessions import segments as spans
from steersman.sessions.failures import damage
from steersman.sessions.records import StoredMessage
from steersman.sessions.rows import from_row, to_row
from steersman.sessions.segments import Segments
from steersman.sessions.words import words_of

_COLUMNS = "seq, created_at, role, content, call_id, extra"


def read_segments(connection: sqlite3.Connection, key: int) -> Segments:
    """Return the spans of the present conversation."""
    row = connection.execute("SELECT segments FROM head WHERE session = ? ORDER BY id DESC LIMIT 1", (key,)).fetchone()
    return spans.parse(row[0] if row else None)


def read_messages(
    connection: sqlite3.Connection, key: int, segments: Segments, *, after: int = -1, limit: int | None = None
) -> list[StoredMessage]:
    """Return the recorded messages of the conversation behind number ``after``, in order."""
    found: list[StoredMessage] = []
    for first, last in segments:
        if last is not None and last <= after:
            continue
        rest = -1 if limit is None else limit - len(found)
        if rest == 0:
            break
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM message WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq LIMIT ?",
            (key, max(first, after + 1), _end(last), rest),
        )
        found.extend(_stored(row) for row in rows)
    return found


def read_tail(connection: sqlite3.Connection, key: int, segments: Segments) -> list[StoredMessage]:
    """Return the last group: the last message that is not a result, and the results behind it."""
    tail: list[StoredMessage] = []
    for first, last in reversed(segments):
        rows = connection.execute(
            f"SELECT {_COLUMNS} FROM message WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq DESC",
            (key, first, _end(last)),
        )
        for row in rows:
            tail.insert(0, _stored(row))
            if tail[0].message.role != "tool":
                rows.close()
                return tail
    return tail


def count_messages(connection: sqlite3.Connection, key: int, segments: Segments) -> int:
    """Return how many messages the conversation has."""
    return sum(
        connection.execute(
            "SELECT count(*) FROM message WHERE session = ? AND seq BETWEEN ? AND ?", (key, first, _end(last))
        ).fetchone()[0]
        for first, last in segments
    )


def unsaved_behind(connection: sqlite3.Connection, key: int, last_kept: int) -> frozenset[str]:
    """Return the paths whose last change behind a message, in any branch, went into a buffer that was not saved."""
    unsaved: set[str] = set()
    rows = connection.execute(
        f"SELECT {_COLUMNS} FROM message"
        " WHERE session = ? AND seq > ? AND role = 'tool' AND instr(extra, '\"changes\"') ORDER BY seq",
        (key, last_kept),
    )
    for message in (_stored(row).message for row in rows):
        for change in message.changes if isinstance(message, ToolMessage) else ():
            unsaved -= {change.path, change.moved_from or change.path}
            if not change.saved:
                unsaved.add(change.path)
    return frozenset(unsaved)


def missing_results(connection: sqlite3.Connection, key: int, history: Sequence[StoredMessage]) -> list[ToolMessage]:
    """Return the results that close what a process that died left open (S3)."""
    still_open = open_calls([stored.message for stored in _last_group(history)])
    if not still_open:
        return []
    seq = next(stored.seq for stored in reversed(history) if isinstance(stored.message, AssistantMessage))
    rows = connection.execute("SELECT call_id FROM call_start WHERE session = ? AND seq = ?", (key, seq))
    started = {row[0] for row in rows}
    return [close_call(call, "interrupted" if call.id in started else "aborted") for call in still_open]


def insert_messages(
    connection: sqlite3.Connection, key: int, messages: Iterable[Message], *, first_seq: int, at: float, folder: str
) -> None:
    """Add messages, numbered from ``first_seq``."""
    connection.executemany(
        "INSERT INTO message (session, seq, created_at, role, content, call_id, extra, words)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        _insert_rows(key, messages, first_seq, at, folder),
    )


def copy_messages(connection: sqlite3.Connection, source: int, target: int, segments: Segments, last_kept: int) -> None:
    """Copy a conversation up to a message into an empty session, numbers kept, with its start markers."""
    for first, last in segments:
        until = min(_end(last), last_kept)
        connection.execute(
            "INSERT INTO message (session, seq, created_at, role, content, call_id, extra, words)"
            " SELECT ?, seq, created_at, role, content, call_id, extra, words FROM message"
            " WHERE session = ? AND seq BETWEEN ? AND ? ORDER BY seq",
            (target, source, first, until),
        )
        connection.execute(
            "INSERT INTO call_start (session, seq, call_id, effects, started_at)"
            " SELECT ?, seq, call_id, effects, started_at FROM call_start WHERE session = ? AND seq BETWEEN ? AND ?",
            (target, source, first, until),
        )


def _insert_rows(
    key: int, messages: Iterable[Message], first_seq: int, at: float, folder: str
) -> Iterator[tuple[object, ...]]:
    for seq, message in enumerate(messages, first_seq):
        row = to_row(message)
        yield key, seq, at, row.role, row.content, row.call_id, row.extra, words_of(message, folder)


def _last_group(history: Sequence[StoredMessage]) -> Sequence[StoredMessage]:
    start = len(history) - 1
    while start > 0 and history[start].message.role == "tool":
        start -= 1
    return history[max(start, 0) :]


def _stored(row: tuple[int, float, str, str, str | None, str | None]) -> StoredMessage:
    seq, created_at, role, content, call_id, extra = row
    try:
        return StoredMessage(seq, from_row(role, content, call_id, extra), created_at)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise damage(f"message {seq} cannot be read") from error


def _end(last: int | None) -> int:
    return last if last is not None else 2**62
