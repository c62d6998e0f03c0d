"""Which session a person means: by its id, the beginning of it, or as the latest."""

from __future__ import annotations

from steersman.agent.errors import SessionNotFoundError
from steersman.sessions.records import SessionRecord
from steersman.sessions.store import SessionStore


def named_session(store: SessionStore, wanted: str) -> SessionRecord:
    """Return the session that an id, the beginning of one, or “latest” names.

    Raises:
        SessionNotFoundError: none or several do.
    """
    if wanted == "latest":
        latest = store.latest()
        if latest is None:
            raise SessionNotFoundError("There is no session in this folder yet.")
        return latest
    return store.resolve(wanted)
