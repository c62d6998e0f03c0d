"""Which session a person means: by its id, the beginning of it, or as the latest."""

from __future__ import annotations

import shlex
from contextlib import suppress

from steersman.agent.errors import InvalidRequestError, SessionNotFoundError, StorageError
from steersman.app import Application
from steersman.sessions.opening import DATABASE_NAME
from steersman.sessions.places import store_folder
from steersman.sessions.records import SessionRecord
from steersman.terminal.output import counted

NO_SESSION = "There is no session in this folder yet."


def named_session(app: Application, wanted: str) -> SessionRecord:
    """Return the session of the application's folder that an id, the beginning of one, or “latest” names.

    Raises:
        SessionNotFoundError: none or several do; says which folder above has some, where this one has none.
    """
    store = app.stores.of(app.roots()[0].path)
    latest = store.latest()
    if latest is None:
        raise SessionNotFoundError(NO_SESSION, hint=sessions_above(app))
    return latest if wanted == "latest" else store.resolve(wanted)


def latest_session(app: Application) -> SessionRecord:
    """Return the latest session of the application's folder, to go on with it.

    Raises:
        InvalidRequestError: there is none; says which folder above has some, because that is easily mixed up.
    """
    latest = app.stores.of(app.roots()[0].path).latest()
    if latest is None:
        raise InvalidRequestError(
            "There is no session in this folder to go on with.",
            hint=sessions_above(app) or "Leave --continue out to begin one.",
        )
    return latest


def sessions_above(app: Application) -> str | None:
    """Return in a sentence where the nearest sessions above are, or None. Makes no store where there is none."""
    for above in app.roots()[0].path.parents:
        if (store_folder(app.state_folder, above) / DATABASE_NAME).is_file():
            with suppress(StorageError):  # whoever goes there is told what is wrong
                count = app.stores.of(above).list(limit=1).total
                if count:
                    where = shlex.quote(str(above))
                    return f"The folder above ({above}) has {counted(count, 'session')}; use -C {where}."
    return None
