"""Confinement: from what the model wrote to a canonical path inside a workspace folder (DESIGN W7, W12).

The text of a path is judged in ``names``; here the file system is asked where it really leads. A ``Location`` made
here says where a path led at that moment; whoever opens it goes through ``anchored``, which follows no link.
This module must never open a file, and never compare paths by prefix.
"""

# Paths are strings here: pathlib would tidy them before they are judged.
# ruff: noqa: PTH118, PTH120, PTH206, PTH208

from __future__ import annotations

import errno
import os
import stat
import string
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol

from steersman_tools.kit.anchored import Folder, open_folder
from steersman_tools.kit.names import check_names, to_absolute
from steersman_tools.kit.workspace import Location, PathRefusedError, Root

_PLACES_KEPT = 1024
_SWAP_ASCII = str.maketrans(
    string.ascii_lowercase + string.ascii_uppercase, string.ascii_uppercase + string.ascii_lowercase
)


class _Place(NamedTuple):
    """Where a path lies: the innermost root, the parts below it, and the path below the run's folder if it is there."""

    root: Root
    parts: tuple[str, ...]
    inner: str | None


class FileSystem(Protocol):
    """The four questions that confinement asks."""

    def real_path(self, path: str) -> str:
        """Return the absolute path with ``..`` and every link resolved, dangling ones too."""
        ...

    def is_link(self, path: str) -> bool:
        """Whether the path itself is a symbolic link (or a junction)."""
        ...

    def identity(self, path: str) -> tuple[int, int] | None:
        """Return what tells one file from another, or None when nothing is there."""
        ...

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder as the file system spells them; none when it cannot be read."""
        ...


class RealFileSystem:
    """The system's own file system."""

    def real_path(self, path: str) -> str:
        """Return the absolute path with ``..`` and every link resolved."""
        return os.path.realpath(path)

    def is_link(self, path: str) -> bool:
        """Whether the path itself is a link; a Windows junction counts."""
        try:
            found = os.lstat(path)
        except (OSError, ValueError):
            return False
        return stat.S_ISLNK(found.st_mode) or getattr(found, "st_reparse_tag", 0) == getattr(
            stat, "IO_REPARSE_TAG_MOUNT_POINT", -1
        )

    def identity(self, path: str) -> tuple[int, int] | None:
        """Return device and inode, or None when nothing is there."""
        try:
            found = os.lstat(path)
        except OSError as error:
            if error.errno == errno.ENAMETOOLONG:
                raise PathRefusedError("the path holds a name that is too long for the file system") from None
            return None
        return found.st_dev, found.st_ino

    def names(self, folder: str) -> list[str]:
        """Return the names in a folder; none when it cannot be read."""
        try:
            return os.listdir(folder)
        except OSError:
            return []


def respell(path: str, file_system: FileSystem, known: str | None = None) -> str:
    """Return the resolved path with every existing part spelled as the file system spells it.

    On systems that fold case or Unicode forms one file has many spellings, and a document must have one key. Where
    names are told apart exactly this costs two looks a part.

    Args:
        path: absolute, links resolved.
        file_system: what is asked.
        known: a folder that holds the path and is spelled as it should be; only what is below is looked at.
    """
    drive, rest = os.path.splitdrive(path)
    spelled = drive + os.sep
    if known is not None:
        spelled, rest = known, path[len(known) :]
    for name in rest.split(os.sep):
        if not name:
            continue
        here = os.path.join(spelled, name)
        found = file_system.identity(here)
        if found is not None and _has_other_spelling(spelled, name, found, file_system):
            here = os.path.join(spelled, _spelled_in(spelled, name, found, file_system))
        spelled = here
    return spelled


def _has_other_spelling(folder: str, name: str, found: tuple[int, int], file_system: FileSystem) -> bool:
    twins = {name.translate(_SWAP_ASCII), name.swapcase()}
    twins |= {unicodedata.normalize(form, name) for form in ("NFC", "NFD")}
    return any(file_system.identity(os.path.join(folder, twin)) == found for twin in twins - {name})


def _spelled_in(folder: str, name: str, found: tuple[int, int], file_system: FileSystem) -> str:
    names = file_system.names(folder)
    if name in names:
        return name
    wanted = unicodedata.normalize("NFC", name).casefold()
    for candidate in names:
        if unicodedata.normalize("NFC", candidate).casefold() == wanted:
            return candidate
    matching = (other for other in names if file_system.identity(os.path.join(folder, other)) == found)
    return next(matching, name)


class Confinement:
    """The workspace folders, and what lies in them.

    Args:
        roots: all workspace folders, the run's own first; their paths are made canonical.
        folder: where relative paths start; inside a root (default: the first root).
        file_system: injected by tests for systems that fold names.
    """

    def __init__(
        self, roots: Sequence[Root], folder: Path | None = None, file_system: FileSystem | None = None
    ) -> None:
        if not roots:
            raise ValueError("a workspace has at least one folder")
        self._fs = file_system or RealFileSystem()
        self._place = lru_cache(_PLACES_KEPT)(self._find_place)
        self.roots: tuple[Root, ...] = ()
        self.roots = tuple(Root(root.name, self._canonical(str(root.path))) for root in roots)
        self.folder = self._canonical(str(folder)) if folder is not None else self.roots[0].path
        if self._root_of(self.folder) is None:
            raise ValueError(f"{self.folder} lies in no workspace folder")

    def locate(self, raw: str) -> Location:
        """Resolve a path as the model wrote it; nothing need be there.

        Raises:
            PathRefusedError: it leads outside, or is refused always; the message says which.
        """
        named = self._other_root(raw)
        wanted = to_absolute(named or raw, folder=self.folder, roots=(root.path for root in self.roots))
        absolute = str(wanted)
        path = self._canonical(absolute)
        location = self.at(path, shown=raw)
        if os.sep == "/" and "\\" in raw and self._fs.identity(str(path)) is None:
            raise PathRefusedError(f"path “{raw}” does not exist; write “/” between folders")
        if absolute != str(path) and self._fs.is_link(absolute):
            link = self._canonical(os.path.dirname(absolute)) / wanted.name
            return Location(location.path, location.root, location.display, link=link)
        if wanted.name != path.name and _is_spelling_of(wanted.name, path.name):
            return Location(location.path, location.root, location.display, respelled=path.with_name(wanted.name))
        return location

    def at(self, path: Path, *, shown: str | None = None) -> Location:
        """Return the location of a canonical path.

        Raises:
            PathRefusedError: it lies in no workspace folder, or is refused always.
        """
        shown = shown if shown is not None else str(path)
        return Location(path, self._checked_place(path, shown).root, self.display(path))

    def display(self, path: Path) -> str:
        """Return a canonical path as people and the model see it; ``locate`` takes it back to the same path."""
        place = self._place(str(path))
        if place is not None and place.inner is not None:
            shown = place.inner
            return f"./{shown}" if shown.startswith("~") or self._other_root(shown) else shown
        if place is None or self._is_taken(place.root.name):
            return path.as_posix()
        return "/".join((place.root.name, *place.parts))

    def parent(self, path: Path, made: list[str] | None = None) -> AbstractContextManager[Folder]:
        """Open the folder that a canonical path lies in, following no link; see ``open_folder``."""
        place = self._checked_place(path, str(path))
        return open_folder(str(place.root.path), place.parts[:-1], made)

    def is_respelling(self, path: Path, of: Path) -> bool:
        """Whether ``path`` is but another spelling of the existing file ``of`` (case, Unicode form) on this system."""
        return path != of and self._canonical(str(path)) == of

    def _canonical(self, path: str) -> Path:
        try:
            real = self._fs.real_path(path)
        except (OSError, ValueError) as error:
            raise PathRefusedError(f"path “{path}” cannot be resolved: {error}") from None
        known = next((str(root.path) for root in self.roots if _is_inside(Path(real), root.path)), None)
        if any(self._fs.is_link(part) for part in _parts_of(real, known)):
            raise PathRefusedError(f"path “{path}” goes round in a loop of links")
        return Path(respell(real, self._fs, known))

    def _checked_place(self, path: Path, shown: str) -> _Place:
        place = self._place(str(path))
        if place is None:
            folders = ", ".join(str(each.path) for each in self.roots)
            raise PathRefusedError(f"path “{shown}” leads out of the workspace ({folders})")
        check_names(place.parts, shown)
        return place

    def _find_place(self, path: str) -> _Place | None:
        """Return where a canonical path lies, by its text alone; kept, as one change asks for it ten times."""
        whole = Path(path)
        root = self._root_of(whole)
        if root is None:
            return None
        inner = whole.relative_to(self.folder).as_posix() if whole.is_relative_to(self.folder) else None
        return _Place(root, whole.relative_to(root.path).parts, inner)

    def _root_of(self, path: Path) -> Root | None:
        """Return the innermost root that holds the path."""
        holding = [root for root in self.roots if _is_inside(path, root.path)]
        return max(holding, key=lambda root: len(root.path.parts), default=None)

    def _other_root(self, raw: str) -> str | None:
        """Return the absolute path of ``name/…`` where ``name`` is another root and nothing here has that name."""
        first, _, rest = raw.replace("\\", "/").partition("/") if os.sep == "\\" else raw.partition("/")
        for root in self.roots:
            if root.name == first and root.path != self.folder and not self._is_taken(first):
                return str(root.path / rest.lstrip("/")) if rest else str(root.path)
        return None

    def _is_taken(self, name: str) -> bool:
        return self._fs.identity(str(self.folder / name)) is not None


def _parts_of(path: str, known: str | None) -> Iterator[str]:
    """Yield the path and the folders it lies in, up to the known one; all of them where there is none."""
    yield path
    while path != known and (parent := os.path.dirname(path)) != path:
        path = parent
        yield path


def _is_spelling_of(name: str, other: str) -> bool:
    return unicodedata.normalize("NFC", name).casefold() == unicodedata.normalize("NFC", other).casefold()


def _is_inside(path: Path, root: Path) -> bool:
    try:
        return os.path.commonpath((path, root)) == str(root)
    except ValueError:  # different drives
        return False
