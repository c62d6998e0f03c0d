"""Which git repository a folder is in, and what its settings say about ignoring (DESIGN W8).

Only what ignoring needs is read, and only from regular files of a sane size: a repository's ``.git`` may hold anything.
No git program is run.
"""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

_MAX_BYTES = 4 * 1024 * 1024
_MAX_INCLUDES = 8
_FILES_KEPT = 16
_MAX_KEPT_BYTES = 64 * 1024
_PIECE_BYTES = 64 * 1024
_SECTION = re.compile(r"\s*\[\s*([\w.-]+)\s*(?:\"((?:[^\"\\]|\\.)*)\")?\s*\]")
_SETTING = re.compile(r"\s*([A-Za-z][\w-]*)\s*(?:=\s*(.*))?\Z", re.DOTALL)
_VALUE_PART = re.compile(r'\\.|"|[^\\"]', re.DOTALL)
_ESCAPES: dict[str, str] = {"\\n": "\n", "\\t": "\t", "\\b": ""}


@dataclass(frozen=True, slots=True)
class Repository:
    """A git working tree.

    Attributes:
        top: its top folder.
        git_folder: where its own data is (``.git``, or what a ``.git`` file points to).
        common_folder: what all its work trees share; ``info/exclude`` and ``config`` are there.
    """

    top: Path
    git_folder: Path
    common_folder: Path


@dataclass(frozen=True, slots=True)
class IgnoreSettings:
    """What git's configuration says about ignoring.

    Attributes:
        excludes_file: ``core.excludesFile``, or the user's default one.
        folds_case: ``core.ignoreCase``: patterns match without regard to case.
    """

    excludes_file: Path | None
    folds_case: bool


def find_repository(folder: Path) -> Repository | None:
    """Return the repository that a folder is in, looking upwards as git does."""
    for top in (folder, *folder.parents):
        git_folder = _git_folder_at(top)
        if git_folder is not None:
            return Repository(top, git_folder, _common_folder(git_folder))
    return None


def read_ignore_settings(repository: Repository | None, environ: Mapping[str, str]) -> IgnoreSettings:
    """Return what the system's, the user's and the repository's git configuration say; the last one wins.

    Args:
        repository: whose own configuration counts too.
        environ: for ``HOME``, ``XDG_CONFIG_HOME`` and git's own variables.
    """
    home = _folder_in(environ, "HOME") or _folder_in(environ, "USERPROFILE")
    xdg = _folder_in(environ, "XDG_CONFIG_HOME") or (home / ".config" if home else None)
    files = [] if environ.get("GIT_CONFIG_NOSYSTEM") else [Path("/etc/gitconfig")]
    files += [xdg / "git" / "config"] if xdg else []
    files += [home / ".gitconfig"] if home else []
    files += [repository.common_folder / "config"] if repository else []
    excludes: Path | None = xdg / "git" / "ignore" if xdg else None
    folds_case = False
    for file in files:
        for name, value in _settings(file, home, _MAX_INCLUDES):
            if name == "core.excludesfile":
                excludes = _expand(value, home, repository.top if repository else None) if value else None
            elif name == "core.ignorecase":
                folds_case = value.lower() in {"", "true", "yes", "on", "1"}
    return IgnoreSettings(excludes, folds_case)


def read_settings(file: Path) -> list[tuple[str, str]]:
    """Return a configuration file's settings as (``section.name`` or ``section.subsection.name``, value), in order.

    What it includes is not read: an ``include.path`` is a setting like others.
    """
    return list(_settings(file, None, 0))


def read_small_file(path: Path, *, follow: bool = True) -> bytes | None:
    """Return a regular file's bytes, or None when it is missing, special, unreadable or huge. Never blocks.

    ``follow`` False also leaves links alone, as git does with ignore files.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    try:
        found = path.stat() if follow else path.lstat()
        if not stat.S_ISREG(found.st_mode) or found.st_size > _MAX_BYTES:
            return None
        fd = os.open(path, flags if follow else flags | getattr(os, "O_NOFOLLOW", 0))
    except (OSError, ValueError):
        return None
    pieces: list[bytes] = []
    room = _MAX_BYTES
    try:
        while room > 0 and (piece := os.read(fd, min(room, _PIECE_BYTES))):
            pieces.append(piece)
            room -= len(piece)
    except OSError:
        return None
    else:
        return b"".join(pieces)
    finally:
        os.close(fd)


def _git_folder_at(top: Path) -> Path | None:
    dot_git = top / ".git"
    try:
        found = dot_git.stat()
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(found.st_mode):
        text = (read_small_file(dot_git) or b"").decode("utf-8", "surrogateescape").strip()
        if not text.startswith("gitdir:"):
            return None
        dot_git = top / text.removeprefix("gitdir:").strip()
    return dot_git if os.path.lexists(dot_git / "HEAD") else None


def _common_folder(git_folder: Path) -> Path:
    text = (read_small_file(git_folder / "commondir") or b"").decode("utf-8", "surrogateescape").strip()
    return git_folder / text if text else git_folder


def _settings(file: Path, home: Path | None, includes_left: int) -> Iterator[tuple[str, str]]:
    """Yield (section.name, value) of a configuration file, with what it includes; lines that are none are skipped."""
    data = read_small_file(file) or b""
    for name, value in (_kept_settings if len(data) <= _MAX_KEPT_BYTES else _parsed)(data):
        if name == "include.path" and includes_left and value:
            included = _expand(value, home, file.parent)
            yield from _settings(included, home, includes_left - 1)
        else:
            yield name, value


def _parsed(data: bytes) -> tuple[tuple[str, str], ...]:
    """Return the settings that a configuration file holds."""
    section = ""
    found: list[tuple[str, str]] = []
    text = data.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
    for line in re.sub(r"\\\r?\n", "", text).split("\n"):
        header = _SECTION.match(line)
        if header:
            section = header[1].lower() if header[2] is None else f"{header[1].lower()}.{header[2]}"
            line = line[header.end() :]  # noqa: PLW2901 (a setting may stand behind its section's header)
        setting = _SETTING.match(line)
        if setting:
            found.append((f"{section}.{setting[1].lower()}", _value(setting[2] or "")))
    return tuple(found)


_kept_settings = lru_cache(_FILES_KEPT)(_parsed)
"""Every search reads the same few files anew."""


def _value(raw: str) -> str:
    """Return a value without its comment and quotes."""
    pieces: list[str] = []
    quoted = False
    for found in _VALUE_PART.finditer(raw.strip()):
        part = found[0]
        if part == '"':
            quoted = not quoted
        elif part in {"#", ";"} and not quoted:
            break
        else:
            pieces.append(_ESCAPES.get(part, part[-1:]))
    return "".join(pieces).strip()


def _expand(value: str, home: Path | None, base: Path | None) -> Path:
    if value.startswith("~/") and home:
        return home / value[2:]
    return base / value if base else Path(value)


def _folder_in(environ: Mapping[str, str], name: str) -> Path | None:
    value = environ.get(name)
    return Path(value) if value else None
