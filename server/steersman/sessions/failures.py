"""SQLite's and the system's errors in our words (DESIGN S6): what happened, to what, what to do next.

The only place where a foreign error of the store becomes a ``StorageError``. It must never show an SQL statement.
"""

from __future__ import annotations

import errno
import sqlite3

from steersman.agent.errors import StorageError, StoreUnavailableError

DAMAGED_CODES = frozenset({sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB})
"""The codes that say that the file is not a sound database."""

_FULL = (
    "The disk is full: {where} could not be written.",
    "Free some space and try again. What was recorded before is safe.",
)
_BUSY = ("{where} has been busy for too long.", "Another program holds it; close that one, or try again in a moment.")
_READ_ONLY = (
    "{where} cannot be written: it is read-only or permission is missing.",
    "Give yourself permission to write there, or choose another state folder with STEERSMAN_STATE_DIR.",
)
_IN_THE_WAY = (
    "{where} cannot be made: a file is where a folder should be.",
    "Move the file away, or choose another state folder with STEERSMAN_STATE_DIR.",
)
_DAMAGED = (
    "{where} is damaged.",
    "Nothing was deleted. `steersman sessions check` says what can be saved, and how to go on.",
)
_IO = ("{where} could not be read or written: the disk reported an error.", "Check the disk; nothing was deleted.")
_NO_LOCKS = (
    "{where} is on a file system that cannot lock files.",
    "Choose a state folder on a disk of this machine with STEERSMAN_STATE_DIR.",
)
_UNUSABLE = (
    "{where} could not be used ({name}).",
    "Nothing was deleted. Choose another state folder with STEERSMAN_STATE_DIR.",
)
_OTHER = ("{where} could not be used ({name}).", "Nothing was deleted. See the log for details.")

_BY_CODE: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_FULL: _FULL,
    sqlite3.SQLITE_BUSY: _BUSY,
    sqlite3.SQLITE_LOCKED: _BUSY,
    sqlite3.SQLITE_PROTOCOL: _BUSY,
    sqlite3.SQLITE_READONLY: _READ_ONLY,
    sqlite3.SQLITE_CANTOPEN: _READ_ONLY,
    sqlite3.SQLITE_PERM: _READ_ONLY,
    sqlite3.SQLITE_CORRUPT: _DAMAGED,
    sqlite3.SQLITE_NOTADB: _DAMAGED,
    sqlite3.SQLITE_IOERR: _IO,
}

_BY_EXTENDED_CODE: dict[int, tuple[str, str]] = {
    sqlite3.SQLITE_IOERR_LOCK: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_RDLOCK: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_UNLOCK: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_SHMLOCK: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_SHMOPEN: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_SHMMAP: _NO_LOCKS,
    sqlite3.SQLITE_IOERR_SHMSIZE: _FULL,  # there is no room for the few kilobytes that all who read share
}

_OUTSIDE = frozenset({_FULL, _READ_ONLY, _IO, _IN_THE_WAY, _NO_LOCKS, _UNUSABLE})
"""What is no fault of the store's own: at the start, memory is the better choice (S4)."""

_BY_ERRNO: dict[int, tuple[str, str]] = {
    errno.ENOSPC: _FULL,
    errno.EDQUOT: _FULL,
    errno.EACCES: _READ_ONLY,
    errno.EPERM: _READ_ONLY,
    errno.EROFS: _READ_ONLY,
    errno.EIO: _IO,
    errno.EEXIST: _IN_THE_WAY,
    errno.ENOTDIR: _IN_THE_WAY,
}


def primary_code(error: sqlite3.Error) -> int:
    """Return SQLite's primary result code, or 0 where the error bears none (a misuse of the module)."""
    if "Could not decode to UTF-8" in str(error):  # Python's own, and without a code
        return sqlite3.SQLITE_CORRUPT
    return getattr(error, "sqlite_errorcode", 0) & 0xFF


def damage(what: str) -> sqlite3.DatabaseError:
    """Return the error for content that SQLite finds sound and we do not."""
    error = sqlite3.DatabaseError(what)
    error.sqlite_errorcode = sqlite3.SQLITE_CORRUPT
    return error


def storage_error(error: sqlite3.Error | OSError, where: str) -> StorageError:
    """Put a foreign error into words. ``where`` names the thing, such as "The session database /x/sessions.db"."""
    if isinstance(error, sqlite3.Error):
        plain = _BY_CODE.get(primary_code(error), _OTHER)
        message, hint = _BY_EXTENDED_CODE.get(getattr(error, "sqlite_errorcode", 0), plain)
        name = getattr(error, "sqlite_errorname", type(error).__name__)
    else:
        message, hint = _BY_ERRNO.get(error.errno or 0, _UNUSABLE)
        name = error.strerror or type(error).__name__
    kind = StoreUnavailableError if (message, hint) in _OUTSIDE else StorageError
    return kind(message.format(where=where, name=name), hint=hint)
