"""The stores of all workspace folders, opened when first needed and kept open (DESIGN S1, S4)."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from steersman.agent.errors import SessionNotFoundError, StoreUnavailableError
from steersman.sessions.records import Durability, SessionRecord
from steersman.sessions.store import SessionStore


class StoreShelf:
    """One store a folder. Where the state folder cannot be used, a store in memory, announced in its notices.

    As long as nothing is in that store, the one on the disk is tried again: a full disk may have room by now.
    """

    def __init__(
        self,
        state_dir: Path,
        *,
        clock: Callable[[], float],
        new_id: Callable[[], str],
        durability: Durability = "normal",
        allow_memory: bool = True,
    ) -> None:
        self._state_dir = state_dir
        self._clock = clock
        self._new_id = new_id
        self._durability: Durability = durability
        self._allow_memory = allow_memory
        self._stores: dict[Path | None, SessionStore] = {}
        self._notices: dict[Path | None, tuple[str, ...]] = {}
        self._unavailable: dict[Path | None, StoreUnavailableError] = {}
        self._replaced: list[SessionStore] = []

    def of(self, folder: Path | None) -> SessionStore:
        """Return the folder's store (None: the common one).

        Raises:
            StorageError: it is newer than this program, or cannot be used and memory is not allowed.
        """
        if folder not in self._stores:
            self._stores[folder] = self._open(folder)
        elif folder in self._unavailable and not _has_sessions(self._stores[folder]):
            self._try_again(folder)
        return self._stores[folder]

    def readable(self, folder: Path | None) -> SessionStore:
        """Return the folder's store for whoever looks for sessions of before.

        Raises:
            StorageError: as ``of``; also where there is only a store in memory with nothing in it, so that nobody takes
                what cannot be read for what is not there.
        """
        store = self.of(folder)
        if folder in self._unavailable and not _has_sessions(store):
            raise self._unavailable[folder]
        return store

    def notices(self, folder: Path | None) -> tuple[str, ...]:
        """Return what a person should be told of the folder's store, as of its opening."""
        return self._notices.get(folder, ())

    def find(self, session_id: str, folders: list[Path | None]) -> tuple[SessionStore, SessionRecord]:
        """Return the session and its store, looking into the folders in order.

        Raises:
            SessionNotFoundError: none of them has it.
            StorageError: as ``readable``.
        """
        for folder in folders:
            store = self.readable(folder)
            try:
                return store, store.get(session_id)
            except SessionNotFoundError:
                continue
        unread = next((self._unavailable[folder].message for folder in folders if folder in self._unavailable), None)
        raise SessionNotFoundError(
            f"There is no session {session_id} in this workspace.", hint=unread or "List the sessions to see their ids."
        )

    def close(self) -> None:
        """Close all stores. Never raises."""
        for store in (*self._stores.values(), *self._replaced):
            store.close()
        self._stores.clear()
        self._replaced.clear()

    def _open(self, folder: Path | None) -> SessionStore:
        try:
            return self._open_on_disk(folder)
        except StoreUnavailableError as error:
            if not self._allow_memory:
                raise
            self._unavailable[folder] = error
            self._notices[folder] = (f"Nothing of this conversation will be kept. {error.message} {error.hint or ''}",)
            return SessionStore.in_memory(folder, clock=self._clock, new_id=self._new_id)

    def _try_again(self, folder: Path | None) -> None:
        """Put the store on the disk in the place of the empty one in memory, if it can be opened by now."""
        with suppress(StoreUnavailableError):
            store = self._open_on_disk(folder)
            self._replaced.append(self._stores[folder])
            self._stores[folder] = store
            del self._unavailable[folder]

    def _open_on_disk(self, folder: Path | None) -> SessionStore:
        store = SessionStore.open(
            self._state_dir, folder, clock=self._clock, new_id=self._new_id, durability=self._durability
        )
        self._notices[folder] = store.notices
        return store


def _has_sessions(store: SessionStore) -> bool:
    return store.list(limit=1).total > 0
