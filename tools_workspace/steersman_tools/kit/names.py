"""What the text of a path says, before any file system is asked (DESIGN W7).

Pure: works on ``PurePath``s of either flavour, so that the rules of Windows are tested everywhere. This module must
never touch the file system (asking for a UNC path already hands out the user's password hash).
"""

from __future__ import annotations

import ntpath
import os
import re
import unicodedata
from collections.abc import Callable, Iterable
from pathlib import PurePath, PureWindowsPath
from urllib.parse import unquote_to_bytes

from steersman_tools.kit.workspace import PathRefusedError

_DEVICES = frozenset(
    {"con", "prn", "aux", "nul", "conin$", "conout$", "clock$"}
    | {f"{port}{digit}" for port in ("com", "lpt") for digit in range(10)}
)
_SCHEME = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:")
_DRIVE = re.compile(r"[A-Za-z]:")
_MAX_PATH_CHARS = 4096


def fold(name: str) -> str:
    """Return the name as the most forgiving file system compares it: case, compatible and composed forms folded."""
    return unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())


def check_name(name: str) -> str | None:
    """Return why no tool may touch a file or folder of this name, or None when it may (on every system alike)."""
    if "\0" in name:
        return "it holds a NUL character"
    if ":" in name:
        return "“:” names an alternate stream on Windows"
    if name[-1:] in {".", " "}:
        return f"“{name}” ends in a {'dot' if name.endswith('.') else 'space'}, which Windows drops"
    if fold(name.split(".", maxsplit=1)[0].rstrip(" ")) in _DEVICES:
        return f"“{name}” is the name of a device on Windows; choose another, so that the repository works everywhere"
    return None


def check_names(names: Iterable[str], shown: str) -> None:
    """Raise ``PathRefusedError`` when one of a path's parts is a name that no tool may touch."""
    for name in names:
        if name in {".", ".."}:
            continue
        reason = check_name(name)
        if reason:
            raise PathRefusedError(f"path “{shown}” is refused: {reason}")


def to_absolute(
    raw: str,
    *,
    folder: PurePath,
    roots: Iterable[PurePath],
    expand_home: Callable[[str], str] = os.path.expanduser,
) -> PurePath:
    """Return the absolute path that a model's text means; ``..`` and links are still in it.

    Args:
        raw: a relative or absolute path, ``~`` or a ``file:`` URI.
        folder: where relative paths start; its flavour is the path's.
        roots: the workspace folders, whose own names are not looked at.
        expand_home: replaces a leading ``~``.

    Raises:
        PathRefusedError: it is empty, another system's, another URI's, or holds a name that no tool may touch.
    """
    roots = tuple(roots)
    text = _plain_text(raw, folder)
    flavour = type(folder)
    if text == "~" or (text.startswith("~") and ("/" in text or "\\" in text)):
        text = expand_home(text)
    path = flavour(text)
    if isinstance(path, PureWindowsPath):
        _check_windows_anchor(path, raw, roots)
    if not path.is_absolute():
        check_names(path.parts[1:] if path.root else path.parts, raw)
        return folder / path
    inside = next((path.relative_to(root).parts for root in roots if path.is_relative_to(root)), ())
    check_names(inside, raw)
    return path


def _plain_text(raw: str, folder: PurePath) -> str:
    if not raw.strip():
        raise PathRefusedError("the path is empty; “.” is the workspace folder")
    if len(raw) > _MAX_PATH_CHARS:
        raise PathRefusedError(f"the path is {len(raw)} characters long; {_MAX_PATH_CHARS} is the limit")
    if "\0" in raw:
        raise PathRefusedError("the path holds a NUL character")
    try:
        os.fsencode(raw)
    except UnicodeEncodeError:
        raise PathRefusedError("the path holds half a surrogate pair, which no file name can") from None
    windows = isinstance(folder, PureWindowsPath)
    if raw[:5].lower() == "file:":
        return _from_file_uri(raw, windows=windows)
    if _DRIVE.match(raw) and not _SCHEME.match(raw):
        if windows:
            return raw
        raise PathRefusedError(f"“{raw}” is a Windows path; this workspace is {folder}")
    scheme = _SCHEME.match(raw)
    if scheme and (scheme[0].lower() == "untitled:" or raw[scheme.end() :].startswith("//")):
        raise PathRefusedError(f"“{raw}” has no path on disk; only files of the workspace can be named")
    return raw


def _from_file_uri(raw: str, *, windows: bool) -> str:
    rest = raw[5:]
    if "?" in rest or "#" in rest:
        raise PathRefusedError(f"the URI “{raw}” holds a query or a fragment; give the path alone")
    host = ""
    if rest.startswith("//"):
        host, slash, rest = rest[2:].partition("/")
        rest = slash + rest
    if not rest.startswith("/"):
        raise PathRefusedError(f"the URI “{raw}” has no absolute path; give a path relative to the workspace folder")
    try:
        text = unquote_to_bytes(rest).decode("utf-8")
    except UnicodeDecodeError:
        raise PathRefusedError(f"the URI “{raw}” is not UTF-8 when its “%” escapes are decoded") from None
    if "\0" in text:
        raise PathRefusedError("the path holds a NUL character")
    if host.lower() not in {"", "localhost"}:
        if windows:
            return f"\\\\{host}{text}"
        raise PathRefusedError(f"the URI “{raw}” names another machine")
    if windows and re.match(r"/[A-Za-z]:", text):
        return text[1:]
    return text


def _check_windows_anchor(path: PureWindowsPath, raw: str, roots: tuple[PurePath, ...]) -> None:
    """Refuse, unasked, what would reach for a network share, a device or a drive's own current folder."""
    if path.drive and not path.root:
        raise PathRefusedError(f"“{raw}” is relative to a drive's current folder; give it relative to the workspace")
    drives = {ntpath.normcase(root.drive) for root in roots}
    if path.drive.startswith("\\\\") and ntpath.normcase(path.drive) not in drives:
        raise PathRefusedError(f"“{raw}” is a network or device path outside the workspace")
