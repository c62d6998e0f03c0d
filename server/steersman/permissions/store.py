"""What "Always allow" left behind: one small file for each workspace folder, in the user's state directory (DESIGN A5).

The file is read anew whenever it changed, so that a permission that was taken back is gone at the next call, in every
process. A file that cannot be read, does not belong to this folder or could have been written by somebody else grants
nothing, and says so. It must never be kept inside a workspace without being protected (see ``Ground.own``).
"""

from __future__ import annotations

import json
import os
import tempfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, cast

from steersman.permissions.command_patterns import CommandPattern
from steersman.permissions.grants import CallGrant, CommandGrant, Grant, PathGrant

_VERSION = 1


class AlwaysStore:
    """The grants of one workspace folder.

    Args:
        path: the file; see ``places.always_file``.
        folder_key: names the folder; a file that names another one grants nothing.
    """

    def __init__(self, path: Path, folder_key: str) -> None:
        self._path = path
        self._folder = folder_key
        self._stamp: tuple[int, ...] | None = None
        self._grants: tuple[Grant, ...] = ()
        self._problem: str | None = None

    @property
    def problem(self) -> str | None:
        """What is wrong with the file, for people, or None. While there is a problem nothing is granted."""
        self._refresh()
        return self._problem

    @property
    def grants(self) -> tuple[Grant, ...]:
        """What is always allowed here now. Never raises."""
        self._refresh()
        return self._grants

    def add(self, grants: Iterable[Grant]) -> None:
        """Keep more. A file that cannot be read is set aside first, never overwritten.

        Raises:
            OSError: it could not be written; nothing changed.
        """
        self._refresh()
        if self._problem is not None and self._path.exists():
            self._path.replace(self._path.with_suffix(".bad.json"))
        self._write(tuple(dict.fromkeys((*self._grants, *grants))))

    def reset(self) -> int:
        """Forget all; return how many there were. Raises ``OSError`` when the file cannot be removed."""
        count = len(self.grants)
        with suppress(FileNotFoundError, NotADirectoryError):
            self._path.unlink()
        return count

    def _refresh(self) -> None:
        """Read the file again if it changed."""
        try:
            status = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._stamp, self._grants, self._problem = None, (), None
            return
        except OSError as error:
            self._stamp, self._grants, self._problem = None, (), self._say(str(error.strerror or error))
            return
        stamp = (status.st_mtime_ns, status.st_size, status.st_ino, status.st_mode)
        if stamp == self._stamp:
            return
        self._stamp, self._grants, self._problem = stamp, (), None
        if os.name == "posix" and (status.st_mode & 0o022 or status.st_uid not in {os.getuid(), 0}):
            self._problem = self._say("others may write to it")
            return
        try:
            self._grants = _parse(json.loads(self._path.read_text(encoding="utf-8")), self._folder)
        except OSError as error:
            self._stamp, self._problem = None, self._say(str(error.strerror or error))
        except (ValueError, KeyError, TypeError, RecursionError) as error:
            self._problem = self._say(f"it is damaged ({type(error).__name__})")

    def _say(self, what: str) -> str:
        return (
            f"The permissions in {self._path} are not used: {what}. Mend or remove the file; until then each call asks."
        )

    def _write(self, grants: tuple[Grant, ...]) -> None:
        data = {"version": _VERSION, "folder": self._folder, "grants": [grant_to_json(grant) for grant in grants]}
        self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, name = tempfile.mkstemp(dir=self._path.parent, prefix=".permissions-")
        temporary = Path(name)
        try:
            with os.fdopen(handle, "w", encoding="utf-8") as file:
                json.dump(data, file, indent=1)
                file.flush()
                os.fsync(file.fileno())
            temporary.replace(self._path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise


def grant_to_json(grant: Grant) -> dict[str, Any]:
    """Return the grant as JSON, as it is kept and listed."""
    match grant:
        case PathGrant(path, kind, below):
            return {"type": "path", "path": path, "kind": kind, "below": below}
        case CommandGrant(pattern, folder, tool, network):
            return {
                "type": "command",
                "words": list(pattern.words),
                "openEnded": pattern.open_ended,
                "folder": folder,
                "tool": tool,
                "network": network,
            }
        case CallGrant(tool, arguments):
            return {"type": "call", "tool": tool, "arguments": arguments}


def _parse(data: object, folder: str) -> tuple[Grant, ...]:
    if not isinstance(data, dict):
        raise TypeError("not an object")
    values = cast("Mapping[str, Any]", data)
    if values["version"] != _VERSION or values["folder"] != folder:
        raise ValueError("another version or folder")
    return tuple(_parse_grant(item) for item in values["grants"])


def _parse_grant(item: Mapping[str, Any]) -> Grant:
    """Read one grant; raises for anything that is not exactly what ``grant_to_json`` writes."""
    kind = item["type"]
    if kind == "path" and item["kind"] in {"edit", "delete", "move"}:
        return PathGrant(_text(item["path"]), _text(item["kind"]), _flag(item["below"]))
    if kind == "command":
        words = tuple(_text(word) for word in item["words"])
        if not words:
            raise ValueError("a command without words")
        pattern = CommandPattern(words, _flag(item["openEnded"]))
        return CommandGrant(pattern, _text(item["folder"]), _text(item["tool"]), _flag(item["network"]))
    if kind == "call":
        return CallGrant(_text(item["tool"]), _text(item["arguments"]))
    raise ValueError("an unknown kind of permission")


def _text(value: object) -> str:
    if not isinstance(value, str) or not value:
        raise TypeError("not a text")
    return value


def _flag(value: object) -> bool:
    if not isinstance(value, bool):
        raise TypeError("not true or false")
    return value
