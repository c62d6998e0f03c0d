"""A file system that folds case and Unicode forms, as macOS and Windows have, for tests of confinement."""

from __future__ import annotations

import posixpath
import unicodedata
from collections.abc import Iterable


class FoldingFiles:
    """Paths as they are spelled, found under any spelling; links by path."""

    def __init__(self, paths: Iterable[str], links: dict[str, str] | None = None) -> None:
        self._spelled: dict[str, str] = {}
        for path in paths:
            parts = path.strip("/").split("/")
            for count in range(1, len(parts) + 1):
                spelled = "/" + "/".join(parts[:count])
                self._spelled.setdefault(_fold(spelled), spelled)
        self._links = {_fold(path): target for path, target in (links or {}).items()}

    def real_path(self, path: str) -> str:
        """Resolve ``..`` and links; the spelling stays as given, as on macOS."""
        resolved = "/"
        for part in posixpath.normpath(path).strip("/").split("/"):
            resolved = posixpath.join(resolved, part)
            target = self._links.get(_fold(resolved))
            if target is not None:
                resolved = posixpath.normpath(posixpath.join(posixpath.dirname(resolved), target))
        return resolved

    def is_link(self, path: str) -> bool:
        """Whether a link is there."""
        return _fold(path) in self._links

    def identity(self, path: str) -> tuple[int, int] | None:
        """Return the same for every spelling."""
        return (1, hash(_fold(path))) if _fold(path) in self._spelled or path == "/" else None

    def names(self, folder: str) -> list[str]:
        """Return names as spelled."""
        inside = _fold(folder.rstrip("/") + "/")
        below = [spelled for folded, spelled in self._spelled.items() if folded.startswith(inside)]
        return [
            spelled.rpartition("/")[2] for spelled in below if spelled.count("/") == folder.rstrip("/").count("/") + 1
        ]


def _fold(path: str) -> str:
    return unicodedata.normalize("NFC", unicodedata.normalize("NFD", path).casefold())
