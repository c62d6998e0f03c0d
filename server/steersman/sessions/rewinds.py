"""The record of rewinds: what each went back to, and what is needed to take it back (DESIGN S7). SQL only, no files.

A rewind deletes nothing: the conversation gets another head, the files' former contents are checkpoints of their own.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass

from steersman.agent.errors import InvalidRequestError
from steersman.agent.messages import AssistantMessage
from steersman.sessions import history, queries, segments
from steersman.sessions.checkpoints import Restore, load_restores, touches_behind, touches_of_rewind
from steersman.sessions.records import StoredMessage
from steersman.sessions.rows import clean
from steersman.sessions.segments import Segments


@dataclass(frozen=True, slots=True)
class RewindPlan:
    """What a rewind (or taking one back) would do.

    Attributes:
        last_kept: the number of the last message that stays, -1 for none.
        restores: the files to put back, in this order.
        uncovered: what was done behind that message and cannot be taken back: names of tools that had effects of
            which no checkpoint was taken (commands).
        conversation: the spans of the conversation afterwards, None: it stays as it is.
        undoes: the rewind that is taken back, or None.
        messages: of an undo, how many messages the conversation has afterwards; None: as many as now.
    """

    last_kept: int
    restores: tuple[Restore, ...]
    uncovered: tuple[str, ...]
    conversation: Segments | None
    undoes: str | None = None
    messages: int | None = None


@dataclass(frozen=True, slots=True)
class StandingRewind:
    """A rewind that can be taken back: its id, and when it was made."""

    id: str
    at: float


@dataclass(frozen=True, slots=True)
class RewindRecord:
    """A rewind that was made."""

    id: str
    session: int
    next_seq: int
    last_kept: int
    segments: Segments | None
    undoes: str | None


def plan_rewind(connection: sqlite3.Connection, key: int, to_message: int, *, conversation: bool) -> RewindPlan:
    """Plan to go back to a message of the conversation (-1: before all), snapped down to a group boundary.

    Raises:
        InvalidRequestError: no message of the conversation has this number.
    """
    spans = history.read_segments(connection, key)
    stored = history.read_messages(connection, key, spans)
    if to_message != -1 and all(each.seq != to_message for each in stored):
        raise segments.no_such_message(to_message)
    last_kept = segments.snap_down(stored, to_message)
    is_cut = conversation and any(each.seq > last_kept for each in stored)
    return RewindPlan(
        last_kept,
        load_restores(
            connection,
            touches_behind(connection, key, last_kept),
            history.unsaved_behind(connection, key, last_kept),
        ),
        _uncovered(connection, key, [each for each in stored if each.seq > last_kept]),
        segments.cut(spans, last_kept, queries.read_next_seq(connection, key)) if is_cut else None,
    )


def plan_undo(connection: sqlite3.Connection, record: RewindRecord, *, force: bool) -> RewindPlan:
    """Plan to take a rewind back: its files as they were before it, and the conversation it left.

    Where that was done already, ``force`` still plans for the files that were left alone then, and for no more.

    Raises:
        InvalidRequestError: it was taken back already, and nothing was left alone or it is not forced.
    """
    touches = touches_of_rewind(connection, record.session, record.id)
    undone = connection.execute("SELECT id FROM rewind WHERE undoes = ?", (record.id,)).fetchall()
    if undone:
        back = {touch.path for (undo,) in undone for touch in touches_of_rewind(connection, record.session, undo)}
        touches = [touch for touch in touches if touch.path not in back]
        if not (force and touches):
            hint = "With force, files that were left alone then are put back too." if touches else None
            raise InvalidRequestError(f"Rewind {record.id} was taken back already.", hint=hint)
    next_seq = queries.read_next_seq(connection, record.session)
    spans = None if undone or not record.segments else segments.resume(record.segments, next_seq, record.next_seq)
    messages = None if spans is None else history.count_messages(connection, record.session, spans)
    return RewindPlan(record.last_kept, load_restores(connection, touches), (), spans, record.id, messages)


def add_rewind(connection: sqlite3.Connection, key: int, rewind_id: str, plan: RewindPlan, at: float) -> None:
    """Note a rewind before it touches anything."""
    before = history.read_segments(connection, key) if plan.conversation is not None else None
    connection.execute(
        "INSERT INTO rewind (id, session, at, next_seq, last_kept, segments, undoes) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            rewind_id,
            key,
            at,
            queries.read_next_seq(connection, key),
            plan.last_kept,
            None if before is None else segments.dump(before),
            plan.undoes,
        ),
    )


def set_head(connection: sqlite3.Connection, key: int, spans: Segments, at: float) -> None:
    """Give the conversation another head."""
    connection.execute("INSERT INTO head (session, segments, at) VALUES (?, ?, ?)", (key, segments.dump(spans), at))
    connection.execute(
        f"UPDATE session SET messages = ?, updated_at = ?, activity = {queries.LATEST_ACTIVITY} WHERE key = ?",
        (history.count_messages(connection, key, spans), at, key),
    )


def find_rewind(connection: sqlite3.Connection, rewind_id: str) -> RewindRecord | None:
    """Return the rewind of that id."""
    row = connection.execute(
        "SELECT id, session, next_seq, last_kept, segments, undoes FROM rewind WHERE id = ?", (clean(rewind_id),)
    ).fetchone()
    if row is None:
        return None
    found_id, key, next_seq, last_kept, spans, undoes = row
    return RewindRecord(found_id, key, next_seq, last_kept, segments.parse(spans) if spans else None, undoes)


def standing_rewind(connection: sqlite3.Connection, key: int) -> StandingRewind | None:
    """Return a session's latest rewind that was not taken back and takes none back itself."""
    row = connection.execute(
        "SELECT id, at FROM rewind WHERE session = ? AND undoes IS NULL AND NOT EXISTS"
        " (SELECT 1 FROM rewind AS undo WHERE undo.undoes = rewind.id) ORDER BY at DESC, rowid DESC LIMIT 1",
        (key,),
    ).fetchone()
    return None if row is None else StandingRewind(*row)


def latest_rewind(connection: sqlite3.Connection) -> str | None:
    """Return the id of the latest rewind or undo of all sessions; None when that went with its session, or none was.

    An undo that did nothing (every file was in the way) stands for what it was to take back: that still can be forced.
    """
    row = connection.execute("SELECT id, undoes, overtaken FROM rewind ORDER BY rowid DESC LIMIT 1").fetchone()
    if row is None or row[2]:
        return None
    while row[1] is not None and not _did_anything(connection, row[0]):
        row = connection.execute("SELECT id, undoes FROM rewind WHERE id = ?", (row[1],)).fetchone()
    return row[0]


def forget_latest(connection: sqlite3.Connection, key: int) -> None:
    """See to it, before a session is deleted, that no rewind older than its own becomes the latest by that."""
    connection.execute(
        "UPDATE rewind SET overtaken = 1 WHERE rowid < (SELECT max(rowid) FROM rewind WHERE session = ?)", (key,)
    )


def _did_anything(connection: sqlite3.Connection, rewind_id: str) -> bool:
    return bool(
        connection.execute(
            "SELECT segments IS NOT NULL OR EXISTS"
            " (SELECT 1 FROM touch WHERE touch.session = rewind.session AND rewind_id = rewind.id AND settled >= 0)"
            " FROM rewind WHERE id = ?",
            (rewind_id,),
        ).fetchone()[0]
    )


def _uncovered(connection: sqlite3.Connection, key: int, behind: Sequence[StoredMessage]) -> tuple[str, ...]:
    """Return the tools that ran with effects and left no checkpoint, each once, in order."""
    rows = connection.execute(
        "SELECT seq, call_id FROM call_start WHERE session = ? AND effects = 1 AND NOT EXISTS"
        " (SELECT 1 FROM touch WHERE touch.session = call_start.session AND touch.seq = call_start.seq"
        " AND touch.call_id = call_start.call_id)",
        (key,),
    )
    started = {(seq, call_id) for seq, call_id in rows}
    names = [
        call.name
        for each in behind
        if isinstance(each.message, AssistantMessage)
        for call in each.message.tool_calls
        if (each.seq, call.id) in started
    ]
    return tuple(dict.fromkeys(names))
