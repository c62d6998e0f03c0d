"""Where the log goes: a rotating file in the state folder, and the client's output channel (PROTOCOL §3).

Messages of the protocol are never logged whole: they hold the person's texts.
"""

from __future__ import annotations

import contextlib
import logging
import logging.handlers
import os
from collections.abc import Callable
from pathlib import Path

FILE_NAME = "lsp.log"
MAX_BYTES = 1_000_000
KEPT_FILES = 3
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"
_LSP_TYPES = ((logging.ERROR, 1), (logging.WARNING, 2), (logging.INFO, 3))


class ClientLog(logging.Handler):
    """Sends warnings and errors to the client as ``window/logMessage``, without stack traces.

    Args:
        send: takes the LSP's message type and the text; called in the event loop's thread.
        schedule: runs a call in the event loop's thread.
    """

    def __init__(self, send: Callable[[int, str], None], schedule: Callable[[Callable[[], None]], object]) -> None:
        super().__init__(logging.WARNING)
        self._send = send
        self._schedule = schedule

    def emit(self, record: logging.LogRecord) -> None:
        """Send one record."""
        kind = next((kind for level, kind in _LSP_TYPES if record.levelno >= level), 4)
        text = f"{record.name}: {record.getMessage()}"
        with contextlib.suppress(RuntimeError):  # the event loop is closed: nobody is there to be told
            self._schedule(lambda: self._send(kind, text))


def log_to_file(folder: Path, level: str) -> logging.Handler | None:
    """Log into a rotating file that only its owner reads; return its handler, or None when it cannot be written.

    Args:
        folder: the state folder; made when it is not there.
        level: ``debug``, ``info``, ``warning`` or ``error``.
    """
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        path = folder / FILE_NAME
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT, 0o600))
        handler = logging.handlers.RotatingFileHandler(
            path, maxBytes=MAX_BYTES, backupCount=KEPT_FILES, encoding="utf-8", errors="backslashreplace"
        )
    except OSError:
        return None
    handler.setFormatter(logging.Formatter(_FORMAT))
    root = logging.getLogger()
    root.addHandler(handler)
    root.setLevel(getattr(logging, level.upper(), logging.WARNING))
    for chatty in ("pygls", "httpcore", "asyncio"):  # they log messages and addresses whole
        logging.getLogger(chatty).setLevel(logging.WARNING)
    return handler
