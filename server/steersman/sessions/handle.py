"""A session held for writing: the loop's ledger (DESIGN S2, S3, S4).

Every write checks in its own transaction that this holder is still the latest one; a holder that lost the session
while it slept writes nothing more.
"""

from __future__ import annotations

import asyncio
import sqlite3
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import NamedTuple, Self, TypeAlias

from steersman.agent.changes import Change
from steersman.agent.errors import (
    InternalError,
    InvalidRequestError,
    SessionLockedError,
    SessionNotFoundError,
    SteersmanError,
)
from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage
from steersman.agent.model import Usage
from steersman.sessions import checkpoints, history, queries, rewinds, timeline
from steersman.sessions.database import Database
from steersman.sessions.locks import Lock
from steersman.sessions.queries import LATEST_ACTIVITY
from steersman.sessions.records import StoredMessage, Timing
from steersman.sessions.rewinds import RewindPlan
from steersman.sessions.rows import clean
from steersman.sessions.search import update_index
from steersman_tools.kit.workspace import Snapshot

TakeSnapshot: TypeAlias = Callable[[str], Awaitable[Snapshot]]
"""``Workspace.snapshot``: what stands at a canonical path now."""

_THREAD_ABOVE_BYTES = 256 * 1024
_INDEXED_AT_CLOSE_CHARS = 200_000
"""Little enough to be indexed in some milliseconds; what is left waits for the next search."""


@dataclass(slots=True)
class _Tail:
    """Where the conversation ends, as this holder knows it.

    Attributes:
        next_seq: the number of the next message.
        assistant_seq: of the last assistant message, -1 for none.
        open_ids: ids of its calls that have no result yet, in order.
        closings: results to write before anything else.
    """

    next_seq: int
    assistant_seq: int
    open_ids: list[str]
    closings: list[ToolMessage]


class _Use(NamedTuple):
    """What one response took."""

    usage: Usage
    cost: float | None
    run_id: str
    turn: int
    at: float


class SessionHandle:
    """One session, one writer.

    Use it in one thread at a time. ``close`` (or leaving a ``with`` block) lets the session go. Every writing method
    raises ``SessionLockedError`` once another process has taken the session over, and ``StorageError`` when nothing
    can be written; then nothing of that call was.
    """

    def __init__(
        self,
        database: Database,
        row: queries.SessionRow,
        generation: int,
        *,
        lock: Lock,
        clock: Callable[[], float],
        snapshot: TakeSnapshot | None,
        on_close: Callable[[], None],
    ) -> None:
        self.session_id = row.id
        self.folder = row.folder
        self._database = database
        self._key = row.key
        self._generation = generation
        self._lock = lock
        self._clock = clock
        self._snapshot = snapshot
        self._on_close = on_close
        self._tail: _Tail | None = None
        self._lost: SteersmanError | None = None
        self._timings: list[Timing] = []
        self._uses: list[_Use] = []
        self._is_open = True
        self._has_appended = False

    def load(self) -> list[Message]:
        """Return the conversation, every call that an earlier holder left open closed (S3).

        Writes nothing; the closings go out with the first append.
        """
        with self._reading() as connection:
            stored = history.read_messages(connection, self._key, history.read_segments(connection, self._key))
            if self._tail is None:
                self._tail = self._read_tail(connection, stored)
        return [*(each.message for each in stored), *self._tail.closings]

    def append(self, message: Message) -> int:
        """Commit one message, after the closings that ``load`` made up, in one transaction. Return its number."""
        tail = self._known_tail()
        _check_order(tail, message)
        batch = [*tail.closings, message]
        with self._writing() as connection:
            history.insert_messages(
                connection, self._key, batch, first_seq=tail.next_seq, at=self._clock(), folder=self.folder
            )
            for result in batch:
                if isinstance(result, ToolMessage):
                    checkpoints.settle_call(connection, self._key, tail.assistant_seq, result)
            self._write_noted(connection)
            self._note_activity(connection, tail.next_seq + len(batch), len(batch), message)
        self._timings.clear()
        self._uses.clear()
        self._has_appended = True
        seq = tail.next_seq + len(batch) - 1
        self._tail = _tail_after(tail, message, seq)
        return seq

    async def checkpoint(self, call: ToolCall, changes: tuple[Change, ...]) -> None:
        """Keep what stands at every path the changes touch (S7); nothing without the ``snapshot`` of ``acquire``."""
        if self._snapshot is None:
            return
        states = checkpoints.planned_states(changes)
        taken = [(await self._snapshot(path), after) for path, after in states.items()]
        kept = await _compress(taken)
        seq = self._known_tail().assistant_seq
        with self._writing() as connection:
            checkpoints.keep(connection, self._key, kept, seq=seq, call_id=clean(call.id))

    def mark_started(self, call: ToolCall, *, durable: bool) -> None:
        """Note that the call starts now; ``durable``: it has effects, and the disk itself knows before this returns."""
        tail = self._known_tail()
        with self._writing(durable=durable) as connection:
            connection.execute(
                "INSERT OR REPLACE INTO call_start (session, seq, call_id, effects, started_at) VALUES (?, ?, ?, ?, ?)",
                (self._key, tail.assistant_seq, clean(call.id), int(durable), self._clock()),
            )

    def add_usage(self, usage: Usage, cost: float | None, *, run_id: str = "", turn: int = 0) -> None:
        """Add one response's tokens and estimated US dollars to the session."""
        with self._writing() as connection:
            self._write_use(connection, _Use(usage, cost, run_id, turn, self._clock()))

    def record_timing(self, timing: Timing) -> None:
        """Keep a span for the timeline; written with the next append or ``close``."""
        self._timings.append(timing)

    def record_usage(self, usage: Usage, cost: float | None, *, run_id: str = "", turn: int = 0) -> None:
        """``add_usage``, written with the next append (the response's own, in one transaction) or ``close``."""
        self._uses.append(_Use(usage, cost, run_id, turn, self._clock()))

    def plan_rewind(self, to_message: int, *, conversation: bool = True) -> RewindPlan:
        """Say what going back to a message would do (-1: before all); raise ``InvalidRequestError`` for no such one."""
        with self._reading() as connection:
            return rewinds.plan_rewind(connection, self._key, to_message, conversation=conversation)

    def plan_undo(self, rewind_id: str, *, force: bool = False) -> RewindPlan:
        """Say what taking a rewind back would do; raise ``InvalidRequestError`` for none, or one taken back already."""
        with self._reading() as connection:
            record = rewinds.find_rewind(connection, rewind_id)
            if record is None or record.session != self._key:
                raise InvalidRequestError(f"This session has no rewind {rewind_id!r}.")
            return rewinds.plan_undo(connection, record, force=force)

    async def begin_rewind(self, rewind_id: str, plan: RewindPlan, taken: Sequence[tuple[Snapshot, Snapshot]]) -> None:
        """Keep what a rewind is about to overwrite. ``taken``: pairs of what stands there and what is wanted there."""
        kept = await _compress([(now, checkpoints.probable_state(wanted)) for now, wanted in taken])
        with self._writing(durable=True) as connection:
            rewinds.add_rewind(connection, self._key, rewind_id, plan, self._clock())
            seq = queries.read_next_seq(connection, self._key)
            checkpoints.keep(connection, self._key, kept, seq=seq, rewind_id=rewind_id)

    def finish_rewind(self, rewind_id: str, plan: RewindPlan, left: Mapping[str, str]) -> None:
        """Note the state that each restored path was left in, and give the conversation its new head."""
        with self._writing() as connection:
            checkpoints.settle_rewind(connection, self._key, rewind_id, left)
            if plan.conversation is not None:
                rewinds.set_head(connection, self._key, plan.conversation, self._clock())
        if plan.conversation is not None:
            self._tail = None

    def close(self) -> None:
        """Let the session go. Never raises; may be called again."""
        if not self._is_open:
            return
        self._is_open = False
        try:
            with self._database.writing() as connection:
                let_go = connection.execute(
                    "UPDATE session SET holder = NULL WHERE key = ? AND generation = ?", (self._key, self._generation)
                )
                if let_go.rowcount:
                    self._write_noted(connection)
            if self._has_appended:
                update_index(self._database, max_chars=_INDEXED_AT_CLOSE_CHARS)
        except SteersmanError:
            pass  # the name of a holder without a lock means nothing, and the next search brings the index up to date
        finally:
            self._lock.release()
            self._on_close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _writing(self, *, durable: bool = False) -> Generator[sqlite3.Connection]:
        """Give a transaction in which this holder is known to be the latest one."""
        if not self._is_open:
            raise InternalError("The session was let go already.")
        with self._database.writing(durable=durable) as connection:
            self._check_latest(connection)
            yield connection

    @contextmanager
    def _reading(self) -> Generator[sqlite3.Connection]:
        with self._database.reading() as connection:
            self._check_latest(connection)
            yield connection

    def _check_latest(self, connection: sqlite3.Connection) -> None:
        """Raise, now and ever after, once another holder has the session."""
        if self._lost is None and queries.read_generation(connection, self._key) != self._generation:
            self._lost = _lost_error(queries.find_session(connection, self.session_id), self._key)
        if self._lost is not None:
            raise self._lost

    def _note_activity(self, connection: sqlite3.Connection, next_seq: int, added: int, message: Message) -> None:
        model = clean(message.model) if isinstance(message, AssistantMessage) else ""
        connection.execute(
            "UPDATE session SET next_seq = ?, messages = messages + ?, updated_at = ?,"
            f" activity = {LATEST_ACTIVITY}, model = CASE WHEN ? = '' THEN model ELSE ? END WHERE key = ?",
            (next_seq, added, self._clock(), model, model, self._key),
        )

    def _write_noted(self, connection: sqlite3.Connection) -> None:
        """Write the spans and tokens that wait."""
        if self._timings:
            timeline.insert_timings(connection, self._key, self._timings)
        for use in self._uses:
            self._write_use(connection, use)

    def _write_use(self, connection: sqlite3.Connection, use: _Use) -> None:
        queries.add_response(
            connection, self._key, run_id=use.run_id, turn=use.turn, at=use.at, usage=use.usage, cost=use.cost
        )

    def _known_tail(self) -> _Tail:
        if self._tail is None:
            with self._reading() as connection:
                segments = history.read_segments(connection, self._key)
                self._tail = self._read_tail(connection, history.read_tail(connection, self._key, segments))
        return self._tail

    def _read_tail(self, connection: sqlite3.Connection, stored: list[StoredMessage]) -> _Tail:
        closings = history.missing_results(connection, self._key, stored)
        next_seq = queries.read_next_seq(connection, self._key)
        assistant = next((each.seq for each in reversed(stored) if isinstance(each.message, AssistantMessage)), -1)
        return _Tail(next_seq, assistant, [], closings)


async def _compress(taken: Sequence[tuple[Snapshot, str]]) -> list[checkpoints.Kept]:
    """Make snapshots ready to be stored; large ones in a thread, so that the event loop goes on."""
    size = sum(len(snapshot.data or b"") + len(snapshot.buffer or "") for snapshot, _ in taken)
    if size < _THREAD_ABOVE_BYTES:
        return [checkpoints.prepare(*each) for each in taken]
    return await asyncio.to_thread(lambda: [checkpoints.prepare(*each) for each in taken])


def _lost_error(row: queries.SessionRow | None, key: int) -> SteersmanError:
    if row is None or row.key != key:
        return SessionNotFoundError("The session was deleted meanwhile; nothing more was recorded.")
    by = f" by {row.holder.name}" if row.holder else ""
    return SessionLockedError(
        f"The session “{row.title}” was taken over{by} while this run was suspended; nothing more was recorded here.",
        hint="Go on there, or fork the session to go on here.",
    )


def _check_order(tail: _Tail, message: Message) -> None:
    """Refuse what would make the history invalid: a fault of ours, never of the model's."""
    if isinstance(message, ToolMessage):
        if message.tool_call_id not in tail.open_ids:
            raise InternalError(f"A result for {message.tool_call_id!r} was to be recorded, which is no open call.")
    elif tail.open_ids:
        raise InternalError(f"A message was to be recorded while calls have no result: {', '.join(tail.open_ids)}.")


def _tail_after(tail: _Tail, message: Message, seq: int) -> _Tail:
    if isinstance(message, AssistantMessage):
        return _Tail(seq + 1, seq, [call.id for call in message.tool_calls], [])
    open_ids = list(tail.open_ids)
    if isinstance(message, ToolMessage):
        open_ids.remove(message.tool_call_id)
    return _Tail(seq + 1, tail.assistant_seq, open_ids, [])
