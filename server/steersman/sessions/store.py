"""The sessions of one workspace folder (DESIGN S1 to S7): created, listed, read, searched, forked, deleted.

All methods are synchronous and safe to call from any thread: reads use connections of their own and never wait for
a writer; writes take turns. What may be slow on a large store (``search``, ``prune``, ``fork``, exports) belongs in a
thread when an event loop calls it. Every method raises ``StorageError`` when the store cannot be read or written.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Self, TypeAlias

from steersman.agent.changes import Change
from steersman.agent.messages import Message, ToolCall
from steersman.agent.model import Usage
from steersman.sessions.records import (
    Durability,
    Pruned,
    SearchHit,
    SessionPage,
    SessionRecord,
    StoredMessage,
    StoreSize,
    Timing,
)
from steersman_tools.kit.workspace import Snapshot

TakeSnapshot: TypeAlias = Callable[[str], Awaitable[Snapshot]]
"""``Workspace.snapshot``: what stands at a canonical path now."""


class SessionHandle:
    """A session held for writing by one run: the loop's ``Ledger`` (agent/ledger.py).

    Use it in one thread at a time. ``close`` (or leaving a ``with`` block) lets the session go. Every writing method
    raises ``SessionLockedError`` once another process has taken the session over: nothing more is written then.
    """

    session_id: str

    def load(self) -> list[Message]:
        """Return the conversation, every call closed (S3). Writes nothing; the closings go out with the first append."""
        raise NotImplementedError

    def append(self, message: Message) -> int:
        """Commit one message, after the closings that ``load`` made up, in one transaction. Return its number."""
        raise NotImplementedError

    async def checkpoint(self, call: ToolCall, changes: tuple[Change, ...]) -> None:
        """Keep what stands at every path the changes touch (S7); nothing without the ``snapshot`` of ``acquire``."""
        raise NotImplementedError

    def mark_started(self, call: ToolCall, *, durable: bool) -> None:
        """Note that the call starts now; ``durable``: it has effects, and the disk itself knows before this returns."""
        raise NotImplementedError

    def add_usage(self, usage: Usage, cost: float | None, *, run_id: str = "", turn: int = 0) -> None:
        """Add one response's tokens and estimated US dollars to the session."""
        raise NotImplementedError

    def record_timing(self, timing: Timing) -> None:
        """Keep a span for the timeline; written with the next append or ``close``."""
        raise NotImplementedError

    def close(self) -> None:
        """Let the session go. Never raises; may be called again."""
        raise NotImplementedError

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


class SessionStore:
    """One database. See the module's docstring for threads and errors.

    Attributes:
        notices: what a person should be told about how it was opened (a damaged database set aside, no WAL).
        persistent: False for the store in memory.
    """

    notices: tuple[str, ...]
    persistent: bool

    @classmethod
    def open(
        cls,
        state_dir: Path,
        folder: Path | None,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        durability: Durability = "normal",
    ) -> SessionStore:
        """Open, and create or bring up to date, the store of a workspace folder (None: the common one).

        Raises:
            StorageError: no permission, a full disk, a newer schema, a database that is not ours. A damaged database
                is set aside (renamed, never deleted) and told in ``notices``.
        """
        raise NotImplementedError

    @classmethod
    def in_memory(cls, folder: Path | None, *, clock: Callable[[], float], new_id: Callable[[], str]) -> SessionStore:
        """Return a store of the same kind that forgets everything at ``close``; the caller announces it (S4)."""
        raise NotImplementedError

    def create(self, prompt: str, model: str = "", folder: Path | None = None) -> SessionRecord:
        """Create an empty session; its title comes from the prompt, which is not recorded (the loop does that)."""
        raise NotImplementedError

    def list(self, query: str | None = None, limit: int = 50, offset: int = 0) -> SessionPage:
        """Return sessions, the one with the latest activity first; with ``query`` those that ``search`` finds."""
        raise NotImplementedError

    def get(self, session_id: str) -> SessionRecord:
        """Return one session; raise ``SessionNotFoundError``."""
        raise NotImplementedError

    def resolve(self, prefix: str) -> SessionRecord:
        """Return the only session whose id begins so; raise ``SessionNotFoundError`` for none or several."""
        raise NotImplementedError

    def latest(self) -> SessionRecord | None:
        """Return the session with the latest activity, or None."""
        raise NotImplementedError

    def messages(self, session_id: str, after: int = -1, limit: int | None = None) -> list[StoredMessage]:
        """Return the conversation behind number ``after``, every call closed unless a run is at work on it."""
        raise NotImplementedError

    def rename(self, session_id: str, title: str) -> SessionRecord:
        """Give it another title; raise ``InvalidRequestError`` for an empty one."""
        raise NotImplementedError

    def delete(self, session_id: str) -> None:
        """Delete it with its checkpoints; raise ``SessionBusyError`` or ``SessionLockedError`` while it is held."""
        raise NotImplementedError

    def fork(self, session_id: str, at_message: int | None = None) -> SessionRecord:
        """Copy the conversation up to and including a message, snapped down to a group boundary (None: all)."""
        raise NotImplementedError

    def search(self, text: str, limit: int = 20) -> list[SearchHit]:
        """Return the sessions that hold all the words (in messages, file names, titles), best first."""
        raise NotImplementedError

    def prune(self, *, older_than_s: float, keep: int = 0, dry_run: bool = False) -> Pruned:
        """Delete sessions without activity for that long, never the ``keep`` latest, never one that is held."""
        raise NotImplementedError

    def size(self) -> StoreSize:
        """Return what the store takes."""
        raise NotImplementedError

    def acquire(self, session_id: str, holder: str, *, snapshot: TakeSnapshot | None = None) -> SessionHandle:
        """Hold a session for writing (S4). ``holder`` names who does, for others: "Neovim (pid 4711)".

        Raises:
            SessionNotFoundError: there is none.
            SessionBusyError: this process holds it already.
            SessionLockedError: another process holds it; the message names the holder.
        """
        raise NotImplementedError

    def close(self) -> None:
        """Close the database. Never raises; may be called again."""
        raise NotImplementedError
