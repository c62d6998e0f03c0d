"""Putting one file's bytes on disk so that it is the old file or the new one, never a torn one (DESIGN W2).

A new file beside the old one, synced, with the old one's mode and attributes, then renamed over it. Where a rename
would lose something (hard links, a foreign owner, attributes that cannot be copied) or is impossible (a folder without
write permission, a busy file), the file is written in place. This module decides nothing about what may be written.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from dataclasses import dataclass

from steersman_tools.kit.anchored import Folder, write_all

_UNSUPPORTED = {getattr(errno, name) for name in ("ENOTSUP", "EOPNOTSUPP", "ENOSYS") if hasattr(errno, name)}
_NO_LINKS = {errno.EPERM, errno.EMLINK, errno.EXDEV, errno.EACCES} | _UNSUPPORTED
_BUSY = {errno.EBUSY, errno.EACCES, errno.EPERM}
_LABEL = "security.selinux"  # set anew by the folder's own rules


@dataclass(frozen=True, slots=True)
class Original:
    """The file whose mode, owner and attributes a new one takes over."""

    folder: Folder
    name: str
    status: os.stat_result


def write_beside(folder: Folder, temp: str, data: bytes, original: Original | None) -> bool:
    """Write ``data`` to the temporary file ``temp``, as like ``original`` as can be.

    Args:
        folder: the target's folder.
        temp: a name that is free there.
        data: the whole new content.
        original: the file to be replaced, or None for a new one.

    Returns:
        False, and no temporary file, when the original has to be written in place.

    Raises:
        OSError: a new file cannot be made here.
    """
    if original is not None and original.status.st_nlink > 1:
        return False
    try:
        fd = folder.open(temp, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666 if original is None else 0o600)
    except PermissionError:
        if original is None:
            raise
        return False
    try:
        write_all(fd, data)
        is_like = original is None or _take_over(original, fd)
        os.fsync(fd)
    except BaseException:
        os.close(fd)
        remove_quietly(folder, temp)
        raise
    os.close(fd)
    if not is_like:
        remove_quietly(folder, temp)
    return is_like


def replace(folder: Folder, name: str, temp: str | None, data: bytes) -> None:
    """Make ``name`` the new file: by renaming ``temp`` over it, or in place where that is impossible.

    Raises:
        OSError: neither worked. When writing in place failed half-way the file is torn, and the caller restores it.
    """
    if temp is not None:
        try:
            folder.rename(temp, folder, name)
        except OSError as error:
            if error.errno not in _BUSY:
                raise
            remove_quietly(folder, temp)
        else:
            return
    write_in_place(folder, name, data)


def write_in_place(folder: Folder, name: str, data: bytes) -> None:
    """Overwrite an existing regular file, keeping its inode."""
    fd = folder.open(name, os.O_WRONLY | getattr(os, "O_NONBLOCK", 0))
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(errno.EINVAL, "not a regular file")
        write_all(fd, data)
        os.ftruncate(fd, len(data))
        os.fsync(fd)
    finally:
        os.close(fd)


def place_new(folder: Folder, name: str, to: Folder, new_name: str) -> None:
    """Rename a file to a name that must be free; never replaces anything.

    Raises:
        FileExistsError: something is there.
        OSError: as the system says.
    """
    try:
        folder.link(name, to, new_name)
    except FileExistsError:
        raise
    except OSError as error:
        if error.errno not in _NO_LINKS:
            raise
        if to.lstat(new_name) is not None:
            raise FileExistsError(errno.EEXIST, "exists") from None
        folder.rename(name, to, new_name)
    else:
        folder.unlink(name)


def remove_quietly(folder: Folder, name: str) -> None:
    """Remove a temporary file of ours; that it is gone already is fine."""
    with contextlib.suppress(OSError):
        folder.unlink(name)


def _take_over(original: Original, fd: int) -> bool:
    """Give the new file the old one's attributes and mode; False when something of it would be lost."""
    mine, like = os.fstat(fd), original.status
    if (mine.st_uid, mine.st_gid) != (like.st_uid, like.st_gid) or not _copy_attributes(original, fd):
        return False
    if hasattr(os, "fchmod"):
        os.fchmod(fd, stat.S_IMODE(like.st_mode))
    return True


def _copy_attributes(original: Original, fd: int) -> bool:
    """Copy extended attributes (access lists are among them on Linux)."""
    if not hasattr(os, "listxattr"):
        return True
    try:
        old = original.folder.open(original.name, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0))
    except OSError:
        return False
    try:
        for attribute in os.listxattr(old):
            if attribute != _LABEL:
                os.setxattr(fd, attribute, os.getxattr(old, attribute))
    except OSError as error:
        return error.errno in _UNSUPPORTED
    finally:
        os.close(old)
    return True
