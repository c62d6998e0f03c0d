"""Which session a person means: by its id, the beginning of it, or as the latest."""

from __future__ import annotations

import shlex
from pathlib import Path

from steersman.agent.errors import InvalidRequestError, SessionNotFoundError
from steersman.app import Application
from steersman.sessions.opening import DATABASE_NAME
from steersman.sessions.places import store_folder
from steersman.sessions.records import SessionRecord
from steersman.sessions.store import SessionStore
from steersman.terminal.output import counted


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


def latest_session(app: Application) -> SessionRecord:
    """Return the latest session of the application's folder, to go on with it.

    Raises:
        InvalidRequestError: there is none; says which folder above has some, because that is easily mixed up.
    """
    folder = app.roots()[0].path
    latest = app.stores.of(folder).latest()
    if latest is None:
        raise InvalidRequestError(
            "There is no session in this folder to go on with.",
            hint=_folder_above(app, folder) or "Leave --continue out to begin one.",
        )
    return latest


def _folder_above(app: Application, folder: Path) -> str | None:
    """Return where the nearest sessions above are, or None. Makes no store where there is none."""
    for above in folder.parents:
        if (store_folder(app.state_folder, above) / DATABASE_NAME).is_file():
            count = app.stores.of(above).list(limit=1).total
            if count:
                return f"The folder above ({above}) has {counted(count, 'session')}; use -C {shlex.quote(str(above))}."
    return None
