"""All sessions of the workspace folders: listed, shown, renamed, forked, deleted, as the wire's objects (PROTOCOL §2).

What may take long on a large store runs in a thread; the event loop stays free.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path

from steersman.agent.errors import InvalidRequestError, SessionBusyError
from steersman.runs import Run, RunRegistry
from steersman.runs.shelf import StoreShelf
from steersman.sessions.records import SessionRecord
from steersman.sessions.store import SessionStore
from steersman.wire import Json, message_to_wire, session_to_wire

MAX_LISTED = 500


class SessionLibrary:
    """See the module's docstring. ``folders`` returns the workspace folders as of now; empty: the common store."""

    def __init__(self, shelf: StoreShelf, folders: Callable[[], list[Path]], runs: RunRegistry) -> None:
        self._shelf = shelf
        self._folders = folders
        self._runs = runs

    async def list(self, *, folder: Path | None, query: str | None, limit: int, offset: int) -> Json:
        """Return ``{sessions, total}``, newest first; of all folders when ``folder`` is None."""
        if not 0 < limit <= MAX_LISTED or offset < 0:
            raise InvalidRequestError(f"limit must be 1 to {MAX_LISTED} and offset at least 0.")
        stores = [self._shelf.of(each) for each in ([folder] if folder is not None else self._places())]
        pages = [await asyncio.to_thread(store.list, query, limit + offset, 0) for store in stores]
        records = [record for page in pages for record in page.sessions]
        if len(stores) > 1:
            records.sort(key=lambda record: record.updated_at, reverse=True)
        shown = records[offset : offset + limit]
        return {"sessions": [self._wire(record) for record in shown], "total": sum(page.total for page in pages)}

    async def get(self, session_id: str, *, after: int | None, limit: int | None) -> Json:
        """Return ``{session, messages}``; only messages with a number above ``after``."""
        store, record = self.find(session_id)
        messages = await asyncio.to_thread(store.messages, session_id, -1 if after is None else after, limit)
        return {"session": self._wire(record), "messages": [message_to_wire(message) for message in messages]}

    async def rename(self, session_id: str, title: str) -> Json:
        """Return ``{session}``."""
        store, _ = self.find(session_id)
        return {"session": self._wire(store.rename(session_id, title))}

    async def delete(self, session_id: str) -> Json:
        """Return ``{deleted: true}``; a session at work is busy."""
        store, _ = self.find(session_id)
        self.check_free(session_id)
        await asyncio.to_thread(store.delete, session_id)
        return {"deleted": True}

    async def fork(self, session_id: str, *, at_message: int | None) -> Json:
        """Return ``{session}``, the new one."""
        store, _ = self.find(session_id)
        return {"session": self._wire(await asyncio.to_thread(store.fork, session_id, at_message))}

    def find(self, session_id: str) -> tuple[SessionStore, SessionRecord]:
        """Return the session's store and record; raise ``SessionNotFoundError``."""
        return self._shelf.find(session_id, self._places())

    def check_free(self, session_id: str) -> None:
        """Raise ``SessionBusyError`` while a run of this process is at work on it."""
        run: Run | None = self._runs.active_in(session_id)
        if run is not None:
            raise SessionBusyError(
                f"A run is at work in session {session_id}.", hint="Wait for it or cancel it, then try again."
            )

    def _places(self) -> list[Path | None]:
        return [*self._folders()] or [None]

    def _wire(self, record: SessionRecord) -> Json:
        wire = session_to_wire(record)
        wire["running"] = wire["running"] or self._runs.active_in(record.id) is not None
        return wire
