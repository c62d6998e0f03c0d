"""What the store gives back: plain records, free of SQL and of the wire.

Times are seconds since the epoch by the injected clock; the wire turns them into RFC 3339. Paths are canonical and
absolute. Nothing in here reads or writes anything.

What comes by the thousand is a tuple with names: Python makes one in a tenth of the time of a frozen dataclass.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple, TypeAlias

from steersman.agent.messages import Message
from steersman.agent.model import Usage

Durability: TypeAlias = Literal["normal", "full"]
"""``normal``: a process's death loses nothing. ``full``: neither does a power cut; some milliseconds a commit (S2)."""

TimingKind: TypeAlias = Literal["run", "turn", "model", "retry", "approval", "tool", "error"]
"""What a span of time was spent on; an ``error`` is a point in time."""


class SessionRecord(NamedTuple):
    """One session as lists show it (PROTOCOL §2, ``Session``).

    Attributes:
        id: unique in the store.
        title: from the first prompt, or as renamed; one line.
        folder: canonical path of the workspace folder, or "" when there is none.
        created_at: when it was created.
        updated_at: when the last message came in or it was rewound.
        messages: how many messages the conversation has now.
        model: ``provider/model`` last used, or "".
        parent_id: the session it was forked from, or None; that one may be gone.
        usage: all tokens of all its runs, abandoned branches included.
        cost: estimated US dollars of all its runs, None when no price was known.
        running: a process holds it right now.
        holder: who holds it, or None.
    """

    id: str
    title: str
    folder: str
    created_at: float
    updated_at: float
    messages: int = 0
    model: str = ""
    parent_id: str | None = None
    usage: Usage = Usage()
    cost: float | None = None
    running: bool = False
    holder: str | None = None


@dataclass(frozen=True, slots=True)
class SessionPage:
    """One page of a list; ``total`` counts all sessions that fit the query."""

    sessions: tuple[SessionRecord, ...]
    total: int


class StoredMessage(NamedTuple):
    """One message of a conversation.

    Attributes:
        seq: its number in the session: grows from 0, never used twice, with gaps where the conversation was rewound.
        message: the message.
        created_at: when it was recorded.
    """

    seq: int
    message: Message
    created_at: float


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One session that a search found; the best match stands for it.

    Attributes:
        session: the session.
        seq: the message that matches best, or None when the title does.
        role: ``user``, ``assistant``, ``tool`` or ``title``.
        line: the matching line, clipped around the match, on one line.
        rank: higher is better; comparable within one search only.
    """

    session: SessionRecord
    seq: int | None
    role: str
    line: str
    rank: float


@dataclass(frozen=True, slots=True)
class Timing:
    """A span of time in a run, for the timeline of an export.

    Attributes:
        run_id: the run.
        turn: 0 before the first turn, then 1, 2, ….
        kind: what the time went to.
        started: when it began.
        ended: when it ended; equal to ``started`` for a point, never smaller.
        call_id: the tool call, or None.
        label: a few words: the tool's title, the decision, the stop reason, the error's kind.
    """

    run_id: str
    turn: int
    kind: TimingKind
    started: float
    ended: float
    call_id: str | None = None
    label: str = ""


@dataclass(frozen=True, slots=True)
class ResponseUsage:
    """What one model response used.

    Attributes:
        run_id: the run, or "".
        turn: the turn, or 0.
        at: when it was reported.
        usage: its tokens.
        cost: estimated US dollars, or None.
    """

    run_id: str
    turn: int
    at: float
    usage: Usage
    cost: float | None


@dataclass(frozen=True, slots=True)
class KeptFile:
    """A file as it was before a call changed it.

    Attributes:
        seq: the assistant message that made the call.
        call_id: the call, or None for a rewind.
        path: canonical absolute path.
        data: the bytes on disk, None when nothing was there.
        buffer: the text of the open document, None when it was not open.
    """

    seq: int
    call_id: str | None
    path: str
    data: bytes | None
    buffer: str | None


@dataclass(frozen=True, slots=True)
class StoreSize:
    """What a store takes on the disk.

    Attributes:
        path: the database, or "" in memory.
        sessions: how many sessions.
        messages: how many messages, abandoned branches included.
        checkpoint_bytes: compressed bytes of the files kept for rewinding.
        disk_bytes: the database and its companions.
    """

    path: str
    sessions: int
    messages: int
    checkpoint_bytes: int
    disk_bytes: int


@dataclass(frozen=True, slots=True)
class Pruned:
    """What a prune removed, or would remove.

    Attributes:
        sessions: the sessions, oldest first.
        kept_running: ids that were old enough but are held by a process.
        freed_bytes: how much smaller the database became; 0 for a dry run.
    """

    sessions: tuple[SessionRecord, ...]
    kept_running: tuple[str, ...] = ()
    freed_bytes: int = 0
