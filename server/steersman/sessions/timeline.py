"""Where a run's time and tokens went: kept for the timeline of an export (issue "Conversations that survive")."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from steersman.sessions.records import ResponseUsage, Timing
from steersman.sessions.rows import clean, usage_from


def insert_timings(connection: sqlite3.Connection, key: int, timings: Iterable[Timing]) -> None:
    """Keep spans of time. One that ends before it began (the clock was set back) becomes a point."""
    connection.executemany(
        "INSERT INTO timing (session, run_id, turn, kind, started, ended, call_id, label)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
        (
            (
                key,
                clean(timing.run_id),
                timing.turn,
                timing.kind,
                timing.started,
                max(timing.started, timing.ended),
                None if timing.call_id is None else clean(timing.call_id),
                clean(timing.label),
            )
            for timing in timings
        ),
    )


def read_timings(connection: sqlite3.Connection, key: int) -> list[Timing]:
    """Return all spans in order of their beginning."""
    rows = connection.execute(
        "SELECT run_id, turn, kind, started, ended, call_id, label FROM timing WHERE session = ? ORDER BY started, id",
        (key,),
    )
    return [Timing(*row) for row in rows]


def read_responses(connection: sqlite3.Connection, key: int) -> list[ResponseUsage]:
    """Return what each response used, in order."""
    rows = connection.execute(
        "SELECT run_id, turn, at, cost, input_tokens, cached_input_tokens, cache_write_tokens, output_tokens,"
        " reasoning_tokens, estimated FROM response WHERE session = ? ORDER BY id",
        (key,),
    )
    return [ResponseUsage(run_id, turn, at, usage_from(columns), cost) for run_id, turn, at, cost, *columns in rows]
