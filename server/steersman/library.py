"""All sessions of the workspace folders: listed, shown, renamed, forked, deleted, as the wire's objects (PROTOCOL §2).

What may take long on a large store runs in a thread; the event loop stays free.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path

from steersman.agent.errors import InvalidRequestError, SessionBusyError
from steersman.rewind import Conflict, PreviewedFile, RewindPreview, RewindResult, rewind, undo_rewind
from steersman.runs import Run, RunRegistry
from steersman.runs.shelf import StoreShelf
from steersman.sessions.records import SessionRecord
from steersman.sessions.store import SessionStore
from steersman.wire import Json, hit_to_wire, message_to_wire, path_to_uri, planned_change_to_wire, session_to_wire
from steersman_tools.kit.workspace import Root, Workspace

MAX_LISTED = 500
MAX_OFFSET = 2**53 - 1


class SessionLibrary:
    """See the module's docstring. ``roots`` returns the workspace folders as of now; none: the common store."""

    def __init__(
        self,
        shelf: StoreShelf,
        runs: RunRegistry,
        *,
        roots: Callable[[], Sequence[Root]],
        open_workspace: Callable[[Sequence[Root]], Workspace],
        new_id: Callable[[], str],
        holder: str,
    ) -> None:
        self._shelf = shelf
        self._runs = runs
        self._roots = roots
        self._open_workspace = open_workspace
        self._new_id = new_id
        self._holder = holder

    async def list(self, *, folder: Path | None, query: str | None, limit: int, offset: int) -> Json:
        """Return ``{sessions, total}``, newest first; of all folders when ``folder`` is None."""
        if not 0 < limit <= MAX_LISTED or not 0 <= offset <= MAX_OFFSET:
            raise InvalidRequestError(f"limit must be 1 to {MAX_LISTED} and offset 0 to {MAX_OFFSET}.")
        stores = [self._shelf.readable(each) for each in ([folder] if folder is not None else self._places())]
        pages = [await asyncio.to_thread(store.list, query, limit + offset, 0) for store in stores]
        records = [record for page in pages for record in page.sessions]
        if len(stores) > 1:
            records.sort(key=lambda record: record.updated_at, reverse=True)
        shown = records[offset : offset + limit]
        return {"sessions": [self._wire(record) for record in shown], "total": sum(page.total for page in pages)}

    async def search(self, *, folder: Path | None, query: str, limit: int) -> Json:
        """Return ``{hits}``, the best first; of all folders when ``folder`` is None."""
        if not 0 < limit <= MAX_LISTED:
            raise InvalidRequestError(f"limit must be 1 to {MAX_LISTED}.")
        hits: list[Json] = []
        ranks: list[float] = []
        for store in [self._shelf.readable(each) for each in ([folder] if folder is not None else self._places())]:
            found = await asyncio.to_thread(store.search, query, limit)
            ranks += [hit.rank for hit in found]
            hits += [hit_to_wire(hit) | {"session": self._wire(hit.session)} for hit in found]
        order = sorted(range(len(hits)), key=lambda index: ranks[index], reverse=True)
        return {"hits": [hits[index] for index in order[:limit]]}

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

    async def export(
        self,
        session_id: str,
        *,
        format: str,  # noqa: A002 - the wire's word
        mask_secrets: bool = True,
        with_files: bool = False,
    ) -> str:
        """Return the session as ``json``, ``markdown`` or ``html`` text; file contents (JSON only) if asked."""
        from steersman.sessions.export import export_session  # noqa: PLC0415 - only when asked for

        store, _ = self.find(session_id)
        return await asyncio.to_thread(
            export_session, store, session_id, format, mask_secrets=mask_secrets, with_files=with_files
        )

    async def take_over(self, session_id: str) -> Json:
        """Take the session from another process and let it go; return ``{session, takenFrom}``."""
        store, before = self.find(session_id)
        self.check_free(session_id)
        if before.running:
            await asyncio.to_thread(_take_over, store, session_id, self._holder)
        return {"session": self._wire(store.get(session_id)), "takenFrom": before.holder}

    async def rewind(
        self,
        session_id: str,
        *,
        to_message: int,
        files: bool,
        conversation: bool,
        force: bool,
        dry_run: bool = False,
        preview: str | None = None,
    ) -> Json:
        """Return a RewindResult (PROTOCOL §2): what was done, or would be; a session at work is busy."""
        store, record = self.find(session_id)
        self.check_free(session_id)
        result = await rewind(
            store, self._workspace(record), session_id, to_message, new_id=self._new_id, holder=self._holder,
            files=files, conversation=conversation, force=force, dry_run=dry_run, preview=preview,
        )  # fmt: skip
        return rewind_to_wire(result)

    async def undo_rewind(self, rewind_id: str, *, force: bool = False, dry_run: bool = False) -> Json:
        """Return ``{restored, conflicts, rewindId}``, or what would be done."""
        for place in self._places():
            store = self._shelf.readable(place)
            record = store.find_rewind(rewind_id)
            if record is not None:
                self.check_free(record.id)
                workspace = self._workspace(record)
                result = await undo_rewind(
                    store, workspace, rewind_id,
                    new_id=self._new_id, holder=self._holder, force=force, dry_run=dry_run,
                )  # fmt: skip
                return rewind_to_wire(result)
        raise InvalidRequestError(f"There is no rewind {rewind_id} in this workspace.")

    def _workspace(self, record: SessionRecord) -> Workspace:
        """Open the workspace with the session's own folder first."""
        roots = self._roots()
        own = [root for root in roots if str(root.path) == record.folder]
        if not own and record.folder:
            own = [Root(Path(record.folder).name or "root", Path(record.folder))]
        return self._open_workspace([*own, *(root for root in roots if root not in own)])

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
        return [root.path for root in self._roots()] or [None]

    def _wire(self, record: SessionRecord) -> Json:
        wire = session_to_wire(record)
        wire["running"] = wire["running"] or self._runs.active_in(record.id) is not None
        return wire


def _take_over(store: SessionStore, session_id: str, holder: str) -> None:
    store.acquire(session_id, holder, take_over=True).close()


def rewind_to_wire(result: RewindResult | RewindPreview) -> Json:
    """Return what a rewind did, with ``rewindId``, or what it would do, with ``files`` and ``preview``."""
    wire: Json = {
        "restored": [path_to_uri(path) for path in result.restored],
        "conflicts": [_conflict_to_wire(each) for each in result.conflicts],
        "uncovered": list(result.uncovered),
    }
    if isinstance(result, RewindResult):
        wire["rewindId"] = result.rewind_id
        return wire
    wire["preview"] = result.token
    wire["files"] = [_previewed_to_wire(each) for each in result.files]
    if result.messages is not None:
        wire["messages"] = result.messages
    return wire


def _conflict_to_wire(conflict: Conflict) -> Json:
    wire: Json = {"uri": path_to_uri(conflict.path), "reason": conflict.reason}
    if conflict.never_saved:
        wire["neverSaved"] = True
    return wire


def _previewed_to_wire(file: PreviewedFile) -> Json:
    wire = planned_change_to_wire(file.change, full=True)
    if file.conflict is not None:
        wire["conflict"] = file.conflict
    return wire
