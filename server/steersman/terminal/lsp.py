"""``steersman lsp``."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from steersman import __version__
from steersman.ending_signals import ended_by_interrupt
from steersman.terminal.streams import note
from steersman.user_folders import check_named, state_dir

if TYPE_CHECKING:
    from steersman.agent.errors import InvalidRequestError
    from steersman.lsp.host import Editor, Engine


class LateHost:
    """The composition root as the LSP face sees it, loaded with the first command, so that an editor starts quickly."""

    version = __version__

    @property
    def state_dir(self) -> Path:
        """Where logs, proposed changes and transcripts go; it need not exist yet."""
        return state_dir(os.environ)

    def open(self, editor: Editor) -> Engine:
        """Make everything behind the face."""
        from steersman.app import LspApp  # noqa: PLC0415 - heavy

        return LspApp().open(editor)


def serve(args: argparse.Namespace) -> int:
    """Serve the editor at the other end of standard input and output until it leaves."""
    with ended_by_interrupt():
        if sys.stdin.isatty():
            note("steersman lsp talks to an editor, which starts it. Ctrl-C leaves.")
        from steersman.lsp.server import serve as serve_lsp  # noqa: PLC0415 - kept late so that --help stays quick

        try:
            check_named(os.environ)
            return serve_lsp(LateHost(), log_level=args.log_level)
        except _invalid_request() as error:
            note(f"steersman: {error.message} {error.hint}")
            return 64


def _invalid_request() -> type[InvalidRequestError]:
    """Return the error; its module is loaded only once something is wrong."""
    from steersman.agent.errors import InvalidRequestError  # noqa: PLC0415 - the client's first answer does not wait

    return InvalidRequestError
