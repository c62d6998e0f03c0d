"""Opening what a canonical path names, following no link on the way (DESIGN W7).

Between the moment a path was approved and the moment it is opened, any of its parts may be swapped for a link that
leads elsewhere. Where the system can open relative to an open folder, the path is walked from its root part by part
and a link anywhere is an error; elsewhere (Windows) the path is resolved again and compared just before each opening.
This module must never open what is not a regular file: a FIFO would block for ever, a device could do anything.
"""

# Names are looked up in folder handles, which pathlib does not know.
# ruff: noqa: PTH112, PTH118

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.tool import ToolError
from steersman_tools.kit.workspace import FileMissingError, PathRefusedError

HAS_FOLDER_HANDLES = {os.open, os.stat, os.unlink, os.mkdir, os.rmdir, os.rename, os.link} <= os.supports_dir_fd
_NOFOLLOW = getattr(os, "O_NOFOLLOW", 0)
_CLOEXEC = getattr(os, "O_CLOEXEC", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_CHUNK_BYTES = 1 << 20
_LOOK_BYTES = 1 << 12  # enough to see whether there is more

_KINDS = (
    (stat.S_ISDIR, "a folder"),
    (stat.S_ISLNK, "a link"),
    (stat.S_ISFIFO, "a named pipe"),
    (stat.S_ISSOCK, "a socket"),
    (stat.S_ISCHR, "a device"),
    (stat.S_ISBLK, "a device"),
)


class LinkFoundError(PathRefusedError):
    """A part of a canonical path is a link by now: somebody swapped it."""


class TooLargeError(ToolError):
    """A file is larger than what is read at once.

    Attributes:
        size: its size in bytes, as far as it is known.
    """

    def __init__(self, message: str, size: int = 0) -> None:
        super().__init__(message)
        self.size = size


@dataclass(frozen=True, slots=True)
class Folder:
    """An open folder; names are looked up in it, never paths.

    Attributes:
        path: absolute path, for messages and for systems without folder handles.
        fd: the open handle, or None on those systems.
    """

    path: str
    fd: int | None

    def lstat(self, name: str) -> os.stat_result | None:
        """Return what is at this name, links not followed; None when nothing is."""
        try:
            return os.stat(self._at(name), dir_fd=self.fd, follow_symlinks=False)
        except (FileNotFoundError, NotADirectoryError):
            return None

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        """Open a file in this folder and return its descriptor; a link is an error."""
        return os.open(self._at(name), flags | _NOFOLLOW | _CLOEXEC | _BINARY, mode, dir_fd=self.fd)

    def rename(self, name: str, to: Folder, new_name: str) -> None:
        """Rename, replacing what is there."""
        os.replace(self._at(name), to._at(new_name), src_dir_fd=self.fd, dst_dir_fd=to.fd)

    def link(self, name: str, to: Folder, new_name: str) -> None:
        """Give a file a second name; an error when something is there."""
        follows = os.link not in os.supports_follow_symlinks
        os.link(self._at(name), to._at(new_name), src_dir_fd=self.fd, dst_dir_fd=to.fd, follow_symlinks=follows)

    def set_mode(self, name: str, mode: int) -> None:
        """Set a file's permission bits."""
        if not hasattr(os, "fchmod"):
            Path(self._at(name)).chmod(mode)
            return
        fd = self.open(name, os.O_RDONLY | _NONBLOCK)  # changing by name would follow a link
        try:
            os.fchmod(fd, mode)
        finally:
            os.close(fd)

    def set_times(self, name: str, accessed_ns: int, modified_ns: int) -> None:
        """Set a file's times."""
        follows = os.utime not in os.supports_follow_symlinks
        os.utime(self._at(name), ns=(accessed_ns, modified_ns), dir_fd=self.fd, follow_symlinks=follows)

    def unlink(self, name: str) -> None:
        """Remove a file."""
        os.unlink(self._at(name), dir_fd=self.fd)

    def rmdir(self, name: str) -> None:
        """Remove an empty folder."""
        os.rmdir(self._at(name), dir_fd=self.fd)

    def sync(self) -> None:
        """Bring the folder's names to the disk, where the system can."""
        if self.fd is None:
            return
        try:
            os.fsync(self.fd)
        except OSError:  # network and FUSE file systems may not be able to; the change itself stands
            return

    def _at(self, name: str) -> str:
        return name if self.fd is not None else os.path.join(self.path, name)


@contextmanager
def open_folder(root: str, parts: Sequence[str], made: list[str] | None = None) -> Generator[Folder]:
    """Open the folder ``root/parts…`` following no link below the root.

    Args:
        root: absolute real path.
        parts: names below it.
        made: when given, missing folders are made, and their absolute paths added here.

    Raises:
        LinkFoundError: a part is a link.
        FileMissingError: a part is missing or is not a folder.
        ToolError: a part may not be opened or made.
    """
    if not HAS_FOLDER_HANDLES:
        yield _open_by_path(root, parts, made)
        return
    try:
        fd, path = os.open(root, os.O_RDONLY | _DIRECTORY | _CLOEXEC), root
    except OSError as error:
        raise reason_of(error, f"open the folder “{root}”") from None
    try:
        for part in parts:
            path = os.path.join(path, part)
            inner = _open_part(fd, part, path, made)
            os.close(fd)
            fd = inner
        yield Folder(path, fd)
    finally:
        os.close(fd)


def read_regular(folder: Folder, name: str, shown: str, max_bytes: int) -> tuple[bytes, os.stat_result]:
    """Return a regular file's bytes and its status; nothing else is opened at all.

    Raises:
        FileMissingError: nothing is there.
        TooLargeError: it has more than ``max_bytes``.
        ToolError: it is not a regular file, or may not be read.
    """
    found = folder.lstat(name)
    check_regular(found, shown)
    try:
        fd = folder.open(name, os.O_RDONLY | _NONBLOCK)
    except OSError as error:
        raise reason_of(error, f"read {shown}") from None
    try:
        opened = os.fstat(fd)
        check_regular(opened, shown)
        if opened.st_size > max_bytes:
            raise _too_large(shown, opened.st_size, max_bytes)
        data = _read_up_to(fd, max_bytes + 1, opened.st_size)
        if len(data) > max_bytes:
            raise _too_large(shown, len(data), max_bytes)
    except OSError as error:
        raise reason_of(error, f"read {shown}") from None
    else:
        return data, opened
    finally:
        os.close(fd)


def check_regular(found: os.stat_result | None, shown: str) -> None:
    """Raise the error that names what is there, unless it is a regular file."""
    if found is None:
        raise FileMissingError(f"{shown} does not exist")
    if stat.S_ISREG(found.st_mode):
        return
    kind = next((kind for test, kind in _KINDS if test(found.st_mode)), "a special file")
    if kind == "a link":
        raise LinkFoundError(f"{shown} was turned into a link meanwhile; it is not followed")
    hint = "; list_dir shows what is in it" if kind == "a folder" else "; it cannot be read or edited as a file"
    raise ToolError(f"{shown} is {kind}, not a file{hint}")


def write_all(fd: int, data: bytes) -> None:
    """Write every byte (a single write may take fewer)."""
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view[:_CHUNK_BYTES]) :]


def reason_of(error: OSError, doing: str) -> ToolError:
    """Return a system's error in words for the model; ``doing`` is like "read src/app.py"."""
    if error.errno == errno.ENOENT:
        return FileMissingError(f"cannot {doing}: it does not exist")
    if error.errno == errno.ELOOP:
        return LinkFoundError(f"cannot {doing}: it was turned into a link meanwhile, which is not followed")
    if error.errno in {errno.EACCES, errno.EPERM}:
        return ToolError(f"cannot {doing}: permission denied")
    if error.errno in {errno.ENOSPC, getattr(errno, "EDQUOT", None)}:
        return ToolError(f"cannot {doing}: the disk is full")
    if error.errno == errno.EROFS:
        return ToolError(f"cannot {doing}: the file system is read-only")
    return ToolError(f"cannot {doing}: {(error.strerror or type(error).__name__).lower()}")


def _open_by_path(root: str, parts: Sequence[str], made: list[str] | None) -> Folder:
    """Where folders have no handles: look at the whole path, then trust it for the moment that follows."""
    path = root
    for part in parts:
        path = os.path.join(path, part)
        if made is not None and not os.path.lexists(path):
            _make(part, None, path, made)
        if not os.path.isdir(path):
            raise FileMissingError(f"the folder “{path}” does not exist")
    if os.path.normcase(os.path.realpath(path)) != os.path.normcase(path):
        raise LinkFoundError(f"“{path}” was turned into a link meanwhile; it is not followed")
    return Folder(path, None)


def _open_part(fd: int, part: str, path: str, made: list[str] | None) -> int:
    try:
        try:
            return os.open(part, os.O_RDONLY | _DIRECTORY | _NOFOLLOW | _CLOEXEC, dir_fd=fd)
        except FileNotFoundError:
            if made is None:
                raise FileMissingError(f"the folder “{path}” does not exist") from None
            _make(part, fd, path, made)
            return os.open(part, os.O_RDONLY | _DIRECTORY | _NOFOLLOW | _CLOEXEC, dir_fd=fd)
    except OSError as error:
        if _is_link(fd, part):
            raise LinkFoundError(f"“{path}” was turned into a link meanwhile; it is not followed") from None
        if error.errno == errno.ENOTDIR:
            raise FileMissingError(f"“{path}” is not a folder") from None
        raise reason_of(error, f"open the folder “{path}”") from None


def _make(part: str, fd: int | None, path: str, made: list[str]) -> None:
    try:
        os.mkdir(path if fd is None else part, dir_fd=fd)
    except FileExistsError:  # somebody else made it just now, so it is not ours to take back
        return
    except OSError as error:
        raise reason_of(error, f"make the folder “{path}”") from None
    made.append(path)


def _is_link(fd: int, part: str) -> bool:
    try:
        return stat.S_ISLNK(os.stat(part, dir_fd=fd, follow_symlinks=False).st_mode)
    except OSError:
        return False


def _read_up_to(fd: int, max_bytes: int, expected: int) -> bytes:
    """Return what is there, up to the limit: as a rule in one piece of the size that is expected, copied nowhere."""
    pieces: list[bytes] = []
    left, at_once = max_bytes, max(expected, _LOOK_BYTES)
    while left > 0 and (piece := os.read(fd, min(left, at_once))):
        pieces.append(piece)
        left -= len(piece)
        at_once = _LOOK_BYTES if left == max_bytes - expected else _CHUNK_BYTES
    return b"".join(pieces)


def _too_large(shown: str, size: int, max_bytes: int) -> TooLargeError:
    return TooLargeError(
        f"{shown} is too large to be read as a whole ({size / 1e6:,.1f} MB, the limit is {max_bytes / 1e6:,.0f} MB); "
        "use search, or run_command with head, tail or sed -n, to see parts of it",
        size,
    )
