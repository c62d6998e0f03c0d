"""The log of a command: ``run.log`` in the state folder, begun with the first warning; never the terminal."""

from __future__ import annotations

import logging
from collections.abc import Generator
from contextlib import contextmanager, suppress
from pathlib import Path

FILE_NAME = "run.log"
_FORMAT = "%(asctime)s %(process)d %(levelname)s %(name)s: %(message)s"


class _QuietHandler(logging.FileHandler):
    """Writes what it can; a log that cannot be written is nothing that a person at work has to be told."""

    def emit(self, record: logging.LogRecord) -> None:
        """Write it; the file is opened with the first one."""
        with suppress(OSError):
            super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - logging's name
        """Do nothing: logging would print a stack trace."""


@contextmanager
def logging_to_file(folder: Path) -> Generator[None]:
    """Keep warnings and errors, with their stack traces, in a file of the state folder meanwhile."""
    handler = _QuietHandler(folder / FILE_NAME, delay=True, encoding="utf-8", errors="backslashreplace")
    handler.setLevel(logging.WARNING)
    handler.setFormatter(logging.Formatter(_FORMAT))
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()
