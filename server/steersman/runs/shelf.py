"""The stores of all workspace folders, opened when first needed and kept open (DESIGN S1, S4)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from steersman.agent.errors import SessionNotFoundError, StoreUnavailableError
from steersman.sessions.records import Durability, SessionRecord
from steersman.sessions.store import SessionStore


class StoreShelf:
    """One store a folder. Where the state folder cannot be used, a store in memory, announced in its notices."""

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

    def of(self, folder: Path | None) -> SessionStore:
        """Return the folder's store (None: the common one).

        Raises:
            StorageError: it is newer than this program, or cannot be used and memory is not allowed.
        """
        if folder not in self._stores:
            self._stores[folder] = self._open(folder)
        return self._stores[folder]

    def notices(self, folder: Path | None) -> tuple[str, ...]:
        """Return what a person should be told of the folder's store, as of its opening."""
        return self._notices.get(folder, ())

    def find(self, session_id: str, folders: list[Path | None]) -> tuple[SessionStore, SessionRecord]:
        """Return the session and its store, looking into the folders in order.

        Raises:
            SessionNotFoundError: none of them has it.
        """
        for folder in folders:
            store = self.of(folder)
            try:
                return store, store.get(session_id)
            except SessionNotFoundError:
                continue
        raise SessionNotFoundError(
            f"There is no session {session_id} in this workspace.", hint="List the sessions to see their ids."
        )

    def close(self) -> None:
        """Close all stores. Never raises."""
        for store in self._stores.values():
            store.close()
        self._stores.clear()

    def _open(self, folder: Path | None) -> SessionStore:
        try:
            store = SessionStore.open(
                self._state_dir, folder, clock=self._clock, new_id=self._new_id, durability=self._durability
            )
        except StoreUnavailableError as error:
            if not self._allow_memory:
                raise
            self._notices[folder] = (f"Nothing of this conversation will be kept. {error.message} {error.hint or ''}",)
            return SessionStore.in_memory(folder, clock=self._clock, new_id=self._new_id)
        self._notices[folder] = store.notices
        return store
