"""The sessions of the folder that a person named on the command line."""

from __future__ import annotations

import argparse
import os
import shutil
import tempfile
from collections.abc import Mapping
from pathlib import Path

from steersman.agent.errors import InvalidRequestError, StorageError, StoreUnavailableError
from steersman.app import Application, HeadlessApp, headless_settings
from steersman.configuration import load_settings
from steersman.sessions.opening import DATABASE_NAME
from steersman.sessions.places import store_folder
from steersman.sessions.records import SessionRecord
from steersman.sessions.store import SessionStore
from steersman.settings import Settings
from steersman.terminal.naming import NO_SESSION, named_session, sessions_above
from steersman.terminal.output import print_warning, printable
from steersman.terminal.streams import note


class SessionsFolder:
    """The store of the folder that ``-C`` names; a store that cannot be used is an error here, never memory.

    What a person should know of how it was opened (a damaged database was set aside) is told at once.

    Args:
        args: the command's.
        only_reads: the command changes nothing: where the state folder is read-only or the disk is full, it reads a
            copy, so that nobody is kept from what was recorded.
    """

    def __init__(self, args: argparse.Namespace, *, only_reads: bool = False) -> None:
        self._copy: tempfile.TemporaryDirectory[str] | None = None
        settings = _settings()
        try:
            self.app: Application = _open(args.folder, settings, os.environ)
            self.store: SessionStore = self._own_store()
        except StoreUnavailableError as error:
            if not only_reads:
                raise
            self._open_copy(args.folder, settings, error)
        for notice in self.app.stores.notices(self.app.roots()[0].path):
            print_warning(notice)

    def session(self, wanted: str) -> SessionRecord:
        """Return the session that a person names (``naming.named_session``)."""
        return named_session(self.app, wanted)

    def say_none(self, otherwise: str = "") -> None:
        """Note that the folder has no session, and which one above has some; ``otherwise``: what to note if it has."""
        if self.store.latest() is None:
            note(printable(f"{NO_SESSION} {sessions_above(self.app) or ''}".rstrip()))
        elif otherwise:
            note(otherwise)

    def __enter__(self) -> SessionsFolder:  # noqa: PYI034 - final
        return self

    def __exit__(self, *_: object) -> None:
        self.app.stores.close()
        if self._copy is not None:
            self._copy.cleanup()

    def _own_store(self) -> SessionStore:
        return self.app.stores.of(self.app.roots()[0].path)

    def _open_copy(self, folder: str, settings: Settings, error: StoreUnavailableError) -> None:
        """Open a copy in the place of what cannot be opened; raise ``error`` where there is none to be had."""
        root = self.app.roots()[0].path
        try:
            self._copy = tempfile.TemporaryDirectory(prefix="steersman-")
            state = Path(self._copy.name)
            _copy_database(store_folder(self.app.state_folder, root), store_folder(state, root))
            self.app = _open(folder, settings, {**os.environ, "STEERSMAN_STATE_DIR": str(state)})
            self.store = self._own_store()
            if self.app.stores.notices(root):  # half a copy is damaged, which says nothing of the original
                raise error
        except (OSError, StorageError):
            self.__exit__()
            raise error from None
        print_warning(f"{error.message} What is there is read from a copy.")


def _settings() -> Settings:
    """Return the settings, of which nothing here needs more than how durable a change is to be."""
    try:
        return headless_settings()
    except InvalidRequestError as error:
        settings = load_settings(os.environ)
        print_warning(f"{error.message} {error.hint or ''} Sessions need no setting, so this goes on without.")
        return settings


def _open(folder: str, settings: Settings, environ: Mapping[str, str]) -> Application:
    return HeadlessApp(folder, settings, environ=environ, allow_memory=False).app


def _copy_database(source: Path, target: Path) -> None:
    """Copy a database with what was written last; SQLite makes the rest anew."""
    target.mkdir(parents=True, mode=0o700)
    shutil.copyfile(source / DATABASE_NAME, target / DATABASE_NAME)
    log = f"{DATABASE_NAME}-wal"
    if (source / log).exists():
        shutil.copyfile(source / log, target / log)
