"""How an open document stands to its file: clean, dirty, stale or in conflict (DESIGN W1).

The digest of the disk's text is kept from when the document was opened or saved. Comparisons ignore byte order mark
and line-end style. Files are read, never written; one that is large is read again only when its size or time changed.
"""

from __future__ import annotations

import stat
import time
from collections.abc import Callable
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.agent.changes import text_digest
from steersman.lsp.documents import OpenDocument
from steersman.lsp.merge import plain

if TYPE_CHECKING:
    from steersman_tools.kit.workspace import DocumentState

_MOST_BYTES = 32 * 1024 * 1024
"""What tools read at most; a larger file is not compared."""

_MISSING = "nothing is there"
_UNREADABLE = "cannot be read"
_TIME_GRAIN_NS = 2_000_000_000
"""A file changed a moment ago may change again without its time telling: some file systems count in two seconds."""


@dataclass(frozen=True, slots=True)
class _Look:
    """What a file was when it was looked at."""

    size: int
    changed_ns: int
    inode: int
    digest: str
    is_settled: bool


class DiskTruth:
    """The disk's side of every open document.

    Args:
        now_ns: the wall clock of file times.
        ignores_final_newline: whether the client decides by itself how a text ends.
    """

    def __init__(
        self, now_ns: Callable[[], int] = time.time_ns, ignores_final_newline: Callable[[], bool] = lambda: False
    ) -> None:
        self._now_ns = now_ns
        self._ignores_final_newline = ignores_final_newline
        self._based_on: dict[str, str] = {}
        self._looks: dict[Path, _Look] = {}

    def opened(self, document: OpenDocument) -> None:
        """The document's text was read from what the disk holds now."""
        self.saved(document)

    def saved(self, document: OpenDocument) -> None:
        """The disk holds what the document was saved as, or what an edit was worked out on."""
        if document.path is not None:
            self._based_on[document.uri] = self._digest(document.path)

    def closed(self, document: OpenDocument) -> None:
        """The document is no longer open."""
        self._based_on.pop(document.uri, None)
        if document.path is not None:
            self._looks.pop(document.path, None)

    def state(self, document: OpenDocument) -> DocumentState:
        """Say how the document stands to its file now; one without a path is dirty."""
        if document.path is None:
            return "dirty"
        buffer, disk = self._text_digest(document.text), self._digest(document.path)
        based_on = self._based_on.get(document.uri, _MISSING)
        if buffer == disk:
            self._based_on[document.uri] = disk
            return "clean"
        if disk == based_on:
            return "dirty"
        return "stale" if buffer == based_on else "conflict"

    def is_missing(self, document: OpenDocument) -> bool:
        """Whether nothing is at the document's path."""
        return document.path is not None and self._digest(document.path) == _MISSING

    def _digest(self, path: Path) -> str:
        try:
            status = path.stat(follow_symlinks=False)
        except OSError:
            return _MISSING
        if not stat.S_ISREG(status.st_mode) or status.st_size > _MOST_BYTES:
            return _UNREADABLE
        look = self._looks.get(path)
        now = (status.st_size, status.st_mtime_ns, status.st_ino)
        if look is not None and look.is_settled and now == (look.size, look.changed_ns, look.inode):
            return look.digest
        try:
            digest = self._digest_of(path.read_bytes())
        except OSError:
            return _UNREADABLE
        settled = self._now_ns() - status.st_mtime_ns > _TIME_GRAIN_NS
        self._looks[path] = _Look(*now, digest, settled)
        return digest

    def _digest_of(self, data: bytes) -> str:
        try:
            return self._text_digest(data.decode("utf-8"))
        except UnicodeDecodeError:
            text = _other_text(data)
            return f"binary {sha256(data).hexdigest()}" if text is None else self._text_digest(text)

    def _text_digest(self, text: str) -> str:
        text = plain(text)
        return text_digest(text.removesuffix("\n") if self._ignores_final_newline() else text)


def _other_text(data: bytes) -> str | None:
    from steersman_tools.kit.text import decode  # noqa: PLC0415 - an idle editor with UTF-8 files needs none of it
    from steersman_tools.kit.workspace import NotTextError  # noqa: PLC0415 - likewise

    try:
        return decode(data).text
    except NotTextError:
        return None
