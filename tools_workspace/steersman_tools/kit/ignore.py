"""What git would ignore, decided as git does (DESIGN W8).

``.gitignore`` files count from the repository's top folder down (without a repository: from the workspace folder),
then ``.git/info/exclude``, then the user's ``core.excludesFile``. A folder that is ignored is not looked into, so the
ignore files inside it are never read. A malformed line matches nothing; an unreadable file holds no lines.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from steersman_tools.kit.wildmatch import name_regex, path_regex

IGNORE_FILE = ".gitignore"
_BOM = b"\xef\xbb\xbf"
_PATTERNS_KEPT = 2048
_MAX_KEPT_BYTES = 256
_FOLDERS_KEPT = 4096


@dataclass(frozen=True, slots=True)
class Pattern:
    """One line of an ignore file.

    Attributes:
        source: the line as git reads it.
        regex: matches the whole name, or the whole path below the file's folder; None for one that never matches.
        negated: it takes paths out again.
        folders_only: it ends in "/".
        names_only: it holds no other "/", so names at any depth are matched.
    """

    source: bytes
    regex: re.Pattern[bytes] | None
    negated: bool
    folders_only: bool
    names_only: bool

    def matches(self, path: bytes, name: bytes, *, is_folder: bool) -> bool:
        """Whether it speaks of a path (relative to the ignore file's folder)."""
        if self.regex is None or (self.folders_only and not is_folder):
            return False
        return self.regex.fullmatch(name if self.names_only else path) is not None


def parse_lines(data: bytes) -> list[bytes]:
    """Return the pattern lines of an ignore file, as git reads them."""
    lines: list[bytes] = []
    for raw in data.removeprefix(_BOM).split(b"\n"):
        line = raw.removesuffix(b"\r")
        if line and not line.startswith(b"#"):
            lines.append(_trim_spaces(line))
    return lines


def has_odd_spaces_or_mark(data: bytes) -> bool:
    """Whether a file holds what others than git trim otherwise: a byte order mark, spaces behind an escaped one."""
    lines = (line.removesuffix(b"\r") for line in data.split(b"\n"))
    return data.startswith(_BOM) or any(line.endswith(b" ") and b"\\ " in line[:-1] for line in lines)


def parse_pattern(line: bytes, *, folds_case: bool) -> Pattern:
    """Return a pattern line's meaning; a short one's is kept, as every search reads the same ignore files anew."""
    return (_kept_pattern if len(line) <= _MAX_KEPT_BYTES else _pattern)(line, folds_case)


def _pattern(line: bytes, folds_case: bool) -> Pattern:
    negated = line.startswith(b"!")
    text = line[1:] if negated else line
    folders_only = text.endswith(b"/")
    text = text.removesuffix(b"/")
    names_only = b"/" not in text
    body = name_regex(text) if names_only else path_regex(text.removeprefix(b"/"))
    flags = re.DOTALL | (re.IGNORECASE if folds_case else 0)
    regex = re.compile(body, flags) if body else None
    return Pattern(line, regex, negated, folders_only, names_only)


_kept_pattern = lru_cache(_PATTERNS_KEPT)(_pattern)


class IgnoreList:
    """The patterns of one ignore file; the last that matches decides.

    Args:
        data: the file's bytes.
        source: the file.
        folds_case: case does not count.
    """

    def __init__(self, data: bytes, source: Path | None = None, *, folds_case: bool = False) -> None:
        self.source = source
        self.has_odd_spaces_or_mark = has_odd_spaces_or_mark(data)
        self._patterns = [parse_pattern(line, folds_case=folds_case) for line in parse_lines(data)]
        self._patterns.reverse()
        self._folders: dict[bytes, bool | None] = {}

    @property
    def lines(self) -> list[bytes]:
        """The lines, in order."""
        return [pattern.source for pattern in reversed(self._patterns)]

    @property
    def names_only(self) -> bool:
        """Whether every line speaks of names at any depth, so that it does not matter where the file is."""
        return all(pattern.names_only for pattern in self._patterns)

    def decide_folder(self, path: bytes) -> bool | None:
        """Return ``decide`` of a folder; kept, as every search comes by the same ones."""
        try:
            return self._folders[path]
        except KeyError:
            decision = self.decide(path, is_folder=True)
        if len(self._folders) >= _FOLDERS_KEPT:  # several threads may be here
            self._folders.clear()
        self._folders[path] = decision
        return decision

    def decide(self, path: bytes, *, is_folder: bool) -> bool | None:
        """Return True for ignored, False for taken out again, None when no line speaks of the path."""
        name = path.rpartition(b"/")[2]
        for pattern in self._patterns:
            if pattern.matches(path, name, is_folder=is_folder):
                return not pattern.negated
        return None


def _trim_spaces(line: bytes) -> bytes:
    r"""Drop spaces at the end, except one behind a backslash."""
    kept = line.rstrip(b" ")
    backslashes = len(kept) - len(kept.rstrip(b"\\"))
    return line[: len(kept) + backslashes % 2]
