"""What our changes would overwrite, and what they left, so that they can be taken back (DESIGN S7).

A *state* is what stands at a path, as one comparable text: ``absent``, ``text:<digest>`` (the text as tools see it, so
that saving a buffer changes nothing) or ``bytes:<digest>`` (a file that is no text). Only paths of files that a call
was to change are kept; what commands did is not.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import dataclass

from steersman.agent.changes import Change, text_digest
from steersman.agent.messages import ToolMessage
from steersman.sessions.blobs import Blob, keep_blobs, make_blob, read_blob
from steersman.sessions.records import KeptFile
from steersman.sessions.rows import clean
from steersman_tools.kit.workspace import Snapshot

ABSENT = "absent"


@dataclass(frozen=True, slots=True)
class Kept:
    """A snapshot that is ready to be stored.

    Attributes:
        snapshot: what stood there before.
        after: the state that our change means to leave there.
        data: the bytes on disk, compressed; None when nothing was there.
        buffer: the open document's text, compressed; None when it was not open.
    """

    snapshot: Snapshot
    after: str
    data: Blob | None
    buffer: Blob | None


@dataclass(frozen=True, slots=True)
class Touch:
    """A path that a call or a rewind of ours was about to change.

    Attributes:
        path: canonical absolute path.
        data: digest of the bytes on disk before, or None.
        mode: permission bits before, or None.
        buffer: digest of the open document's text before, or None.
        after: the state that our change left there, or was to leave there.
        is_certain: it came to that; otherwise it may not have (the process died, the tool failed).
        missing: how many of the folders above it were not there before.
    """

    path: str
    data: str | None
    mode: int | None
    buffer: str | None
    after: str
    is_certain: bool
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Restore:
    """One file to put back.

    Attributes:
        wanted: what is to stand there.
        expected: the states in which it may be overwritten; any other is a conflict.
        unsaved: our last change of it went into an editor's buffer, which was not saved by the end of the call.
    """

    wanted: Snapshot
    expected: frozenset[str]
    unsaved: bool = False


def text_state(text: str) -> str:
    """Return the state of a text."""
    return f"text:{text_digest(text)}"


def bytes_state(data: bytes) -> str:
    """Return the state of a file that is no text."""
    return f"bytes:{hashlib.sha256(data).hexdigest()}"


def probable_state(snapshot: Snapshot) -> str:
    """Return the state of what was snapped, as far as it can be told without knowing the file's encoding."""
    if snapshot.buffer is not None:
        return text_state(snapshot.buffer)
    if snapshot.data is None:
        return ABSENT
    try:
        return text_state(snapshot.data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        return bytes_state(snapshot.data)


def planned_states(changes: Iterable[Change]) -> dict[str, str]:
    """Return the state that the changes mean to leave at each path they touch, in order of first touch."""
    states: dict[str, str] = {}
    for change in changes:
        if change.moved_from is not None:
            states[change.moved_from] = ABSENT
        if change.kind == "delete":
            states[change.path] = ABSENT
        elif change.after is not None:
            states[change.path] = text_state(change.after)
        else:
            states[change.path] = f"bytes:{change.before_digest}"
    return states


def prepare(snapshot: Snapshot, after: str) -> Kept:
    """Compress a snapshot. Slow for megabytes."""
    data = None if snapshot.data is None else make_blob(snapshot.data)
    buffer = None if snapshot.buffer is None else make_blob(snapshot.buffer.encode("utf-8", "surrogatepass"))
    return Kept(snapshot, after, data, buffer)


def keep(
    connection: sqlite3.Connection,
    key: int,
    kept: Sequence[Kept],
    *,
    seq: int,
    call_id: str | None = None,
    rewind_id: str | None = None,
) -> None:
    """Store the snapshots of one call or rewind. ``seq``: where in the conversation."""
    keep_blobs(connection, (blob for each in kept for blob in (each.data, each.buffer) if blob is not None))
    connection.executemany(
        "INSERT INTO touch (session, seq, call_id, rewind_id, path, data, mode, buffer, after, missing)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                key,
                seq,
                call_id,
                rewind_id,
                _to_column(each.snapshot.path),
                each.data.digest if each.data else None,
                each.snapshot.mode,
                each.buffer.digest if each.buffer else None,
                each.after,
                each.snapshot.missing,
            )
            for each in kept
        ),
    )


def settle_call(connection: sqlite3.Connection, key: int, seq: int, message: ToolMessage) -> None:
    """Note what a call left behind, in the transaction that records its result."""
    call = (key, seq, clean(message.tool_call_id))
    rows = connection.execute(
        "SELECT id, path, after FROM touch WHERE session = ? AND seq = ? AND call_id = ?", call
    ).fetchall()
    changed = {path for change in message.changes for path in (change.path, change.moved_from) if path is not None}
    for row_id, stored_path, planned in rows:
        path = _from_column(stored_path)
        if path in changed:
            digest = message.seen.get(path)
            after = f"text:{digest}" if digest and planned != ABSENT else planned
            connection.execute("UPDATE touch SET after = ?, settled = 1 WHERE id = ?", (after, row_id))
        elif message.outcome in {"aborted", "skipped"} or (message.outcome == "returned" and not message.is_error):
            connection.execute("UPDATE touch SET settled = -1 WHERE id = ?", (row_id,))


def settle_rewind(connection: sqlite3.Connection, key: int, rewind_id: str, left: Mapping[str, str]) -> None:
    """Note the state that a rewind left at each path it restored; the others it left alone."""
    rows = connection.execute(
        "SELECT id, path FROM touch WHERE session = ? AND rewind_id = ?", (key, rewind_id)
    ).fetchall()
    for row_id, stored_path in rows:
        after = left.get(_from_column(stored_path))
        if after is None:
            connection.execute("UPDATE touch SET settled = -1 WHERE id = ?", (row_id,))
        else:
            connection.execute("UPDATE touch SET after = ?, settled = 1 WHERE id = ?", (after, row_id))


def touches_behind(connection: sqlite3.Connection, key: int, last_kept: int) -> list[Touch]:
    """Return what was touched behind a message, in any branch of the conversation, in order."""
    return _touches(connection, "session = ? AND seq > ?", (key, last_kept))


def touches_of_rewind(connection: sqlite3.Connection, key: int, rewind_id: str) -> list[Touch]:
    """Return what a rewind touched, in order."""
    return _touches(connection, "session = ? AND rewind_id = ?", (key, rewind_id))


def plan_restores(touches: Iterable[Touch]) -> list[tuple[Touch, frozenset[str]]]:
    """Return how to take these changes back, the path touched last first.

    Returns:
        For each path the first touch (what stood before it is wanted) and the states in which the path may be
        overwritten: the one that our last change left; after changes of which it is uncertain whether they came
        about, the one that each of them meant to leave as well.
    """
    first: dict[str, Touch] = {}
    expected: dict[str, set[str]] = {}
    for touch in touches:
        first.setdefault(touch.path, touch)
        if touch.is_certain:
            expected[touch.path] = {touch.after}
        else:
            expected.setdefault(touch.path, set()).add(touch.after)
    return [(touch, frozenset(expected[path])) for path, touch in reversed(first.items())]


def load_restores(
    connection: sqlite3.Connection, touches: Iterable[Touch], unsaved: Container[str] = ()
) -> tuple[Restore, ...]:
    """Return the plan for these touches with the contents that are wanted; ``unsaved``: paths, see ``Restore``."""
    return tuple(
        Restore(_snapshot(connection, touch), states, touch.path in unsaved) for touch, states in plan_restores(touches)
    )


def list_kept(connection: sqlite3.Connection, key: int) -> list[KeptFile]:
    """Return every file of a session that was kept, in order."""
    rows = connection.execute(
        "SELECT seq, call_id, path, data, mode, buffer FROM touch WHERE session = ? ORDER BY id", (key,)
    ).fetchall()
    kept: list[KeptFile] = []
    for seq, call_id, column, data, mode, buffer in rows:
        snapshot = _snapshot(connection, Touch(_from_column(column), data, mode, buffer, "", is_certain=True))
        kept.append(KeptFile(seq, call_id, snapshot.path, snapshot.data, snapshot.buffer))
    return kept


def copy_touches(connection: sqlite3.Connection, source: int, target: int, last_kept: int) -> None:
    """Give a fork the checkpoints of the messages it took along."""
    connection.execute(
        "INSERT INTO touch (session, seq, call_id, rewind_id, path, data, mode, buffer, after, settled, missing)"
        " SELECT ?, seq, call_id, rewind_id, path, data, mode, buffer, after, settled, missing FROM touch"
        " WHERE session = ? AND seq <= ? ORDER BY id",
        (target, source, last_kept),
    )


def _to_column(path: str) -> str | bytes:
    """Return a path as SQLite can take it: a name that is not UTF-8 as its bytes."""
    try:
        path.encode("utf-8")
    except UnicodeEncodeError:
        return os.fsencode(path)
    return path


def _from_column(column: str | bytes) -> str:
    return os.fsdecode(column) if isinstance(column, bytes) else column


def _touches(connection: sqlite3.Connection, condition: str, values: tuple[object, ...]) -> list[Touch]:
    rows = connection.execute(
        "SELECT path, data, mode, buffer, after, settled, missing"
        f" FROM touch WHERE {condition} AND settled >= 0 ORDER BY id",
        values,
    ).fetchall()
    return [
        Touch(_from_column(column), data, mode, buffer, after, settled == 1, missing)
        for column, data, mode, buffer, after, settled, missing in rows
    ]


def _snapshot(connection: sqlite3.Connection, touch: Touch) -> Snapshot:
    """Return what stood at the path before."""
    return Snapshot(
        touch.path,
        None if touch.data is None else read_blob(connection, touch.data),
        touch.mode,
        None if touch.buffer is None else read_blob(connection, touch.buffer).decode("utf-8", "surrogatepass"),
        touch.missing,
    )
