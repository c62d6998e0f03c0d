"""The sessions of the folder that a person named on the command line."""

from __future__ import annotations

import argparse

from steersman.app import Application, HeadlessApp, headless_settings
from steersman.sessions.records import SessionRecord
from steersman.sessions.store import SessionStore
from steersman.terminal.naming import named_session
from steersman.terminal.output import print_warning


class SessionsFolder:
    """The store of the folder that ``-C`` names; a store that cannot be used is an error here, never memory.

    What a person should know of how it was opened (a damaged database was set aside) is told at once.
    """

    def __init__(self, args: argparse.Namespace) -> None:
        headless = HeadlessApp(args.folder, headless_settings(), allow_memory=False)
        self.app: Application = headless.app
        folder = self.app.roots()[0].path
        self.store: SessionStore = self.app.stores.of(folder)
        for notice in self.app.stores.notices(folder):
            print_warning(notice)

    def session(self, wanted: str) -> SessionRecord:
        """Return the session that a person names (``naming.named_session``)."""
        return named_session(self.store, wanted)

    def __enter__(self) -> SessionsFolder:  # noqa: PYI034 - final
        return self

    def __exit__(self, *_: object) -> None:
        self.app.stores.close()
