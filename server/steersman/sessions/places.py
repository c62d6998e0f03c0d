"""Where a workspace folder's sessions lie, and that nobody else can read them (DESIGN S1).

Nothing is ever written into the workspace itself.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from pathlib import Path

from steersman.sessions.failures import storage_error

_NO_FOLDER = "no-folder"
_MAX_NAME_CHARS = 40


def store_folder(state_dir: Path, folder: Path | None) -> Path:
    """Return where the store of a workspace folder lies: readable name, unambiguous digest."""
    base = stores_folder(state_dir)
    if folder is None:
        return base / _NO_FOLDER
    key = folder_key(folder)
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", Path(key).name).strip("-.")[:_MAX_NAME_CHARS] or "root"
    digest = hashlib.sha256(key.encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return base / f"{name}-{digest}"


def stores_folder(state_dir: Path) -> Path:
    """Return where the stores of all workspace folders lie."""
    return state_dir / "workspaces"


def folder_key(folder: Path) -> str:
    """Return the folder's real path, the same for every spelling that the file system takes for the same."""
    real = os.path.realpath(folder)
    return unicodedata.normalize("NFC", real).casefold() if folds_case(Path(real)) else real


def folds_case(path: Path) -> bool:
    """Say whether the file system takes another case for the same name; False where that cannot be seen."""
    for part in (path, *path.parents):
        other = part.with_name(part.name.swapcase()) if part.name.swapcase() != part.name else part
        if other is part:
            continue
        try:
            return other.samefile(part)
        except OSError:
            return False
    return False


def make_private(folder: Path) -> None:
    """Create the folder (mode 0700, also its new parents) and take other people's rights away from an existing one.

    Raises:
        StorageError: it cannot be created or is not a folder.
    """
    try:
        missing = [part for part in (folder, *folder.parents) if not part.exists()]
        for part in reversed(missing):
            part.mkdir(mode=0o700, exist_ok=True)
        if os.name == "posix" and folder.stat().st_mode & 0o077:
            folder.chmod(0o700)
    except OSError as error:
        raise storage_error(error, f"The state folder {folder}") from error


def make_private_file(path: Path) -> None:
    """Create an empty file of mode 0600 unless it is there; SQLite gives its companions the same mode.

    Raises:
        StorageError: it cannot be created.
    """
    try:
        os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
        if os.name == "posix" and path.stat().st_mode & 0o077:
            path.chmod(0o600)
    except OSError as error:
        raise storage_error(error, f"The session database {path}") from error
