"""The ground that a run stands on, as far as permission has to know it: folders, protected paths, the system.

Permission itself touches no file system. Whoever starts a run passes in the two functions that do.
"""

from __future__ import annotations

import ntpath
import posixpath
import unicodedata
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol, TypeAlias


class Protection(Protocol):
    """Why a path always asks (W7)."""

    @property
    def reason(self) -> str:
        """In plain words, to follow "asks because": "it may hold secrets"."""
        ...

    @property
    def is_secret(self) -> bool:
        """Whether reading it asks too."""
        ...


ProtectionOf: TypeAlias = Callable[[str], Protection | None]
"""Says of a canonical absolute path why it always asks, or None."""


@dataclass(frozen=True, slots=True)
class OwnFiles:
    """Steersman's own state and configuration: whoever could write there could grant itself anything."""

    reason: str = "it is Steersman's own settings or memory"
    is_secret: bool = True


def _nothing() -> ProtectionOf:
    return lambda _: None


def _unchanged(path: str) -> str:
    return path


def _always(path: str) -> bool:
    del path
    return True


@dataclass(frozen=True, slots=True)
class Ground:
    """What policy is told about the place.

    Attributes:
        roots: canonical absolute paths of the workspace folders, the run's own first; never empty.
        protection: looks at the place as it is now, and returns what answers for each path (the list of W7). Called
            once a decision.
        resolve: absolute path -> the same with links resolved; the path need not exist. Must not raise.
        exists: whether anything is at this absolute path. Must not raise.
        own: canonical absolute paths of Steersman's own folders and files (state, configuration): always protected.
        home: the user's home folder, for ``~`` in rules; "" when there is none.
        windows: paths are Windows paths, and commands always ask (W10).
    """

    roots: tuple[str, ...]
    protection: Callable[[], ProtectionOf] = _nothing
    resolve: Callable[[str], str] = _unchanged
    exists: Callable[[str], bool] = _always
    own: tuple[str, ...] = ()
    home: str = ""
    windows: bool = False

    def protected(self) -> ProtectionOf:
        """Look at the place now; return what says of a canonical path why it always asks."""
        look = self.protection()

        def protection_of(path: str) -> Protection | None:
            if any(self.contains(own, path) for own in self.own):
                return OwnFiles()
            return look(path)

        return protection_of

    def is_inside(self, path: str) -> bool:
        """Whether a canonical path lies in one of the roots."""
        return any(self.contains(root, path) for root in self.roots)

    def contains(self, folder: str, path: str) -> bool:
        """Whether the path is the folder or lies below it. Compares whole components, never a prefix (W7)."""
        return self.relative(path, folder) is not None

    def relative(self, path: str, folder: str) -> str | None:
        """Return the path below the folder with "/" ("" for the folder itself), or None when it is not there."""
        outer, inner = self.components(folder), self.components(path)
        if len(inner) < len(outer) or inner[: len(outer)] != outer:
            return None
        return "/".join(self.components(path, fold=False)[len(outer) :])

    def join(self, folder: str, path: str) -> str:
        """Return the absolute, lexically normal path that ``path`` names from ``folder``."""
        flavour = ntpath if self.windows else posixpath
        return flavour.normpath(flavour.join(folder, path))

    def parent(self, path: str) -> str:
        """Return the folder a path lies in."""
        return (ntpath if self.windows else posixpath).dirname(path)

    def components(self, path: str, *, fold: bool = True) -> list[str]:
        """Split an absolute path; on Windows case does not count."""
        flavour = ntpath if self.windows else posixpath
        plain = flavour.normpath(path)
        if self.windows:
            plain = plain.replace("\\", "/")
            plain = plain.casefold() if fold else plain
        return [part for part in plain.split("/") if part]


def folded(text: str) -> str:
    """Return the text as a file system without case and with one Unicode form sees it; for whatever is stricter."""
    return unicodedata.normalize("NFC", unicodedata.normalize("NFC", text).casefold())
