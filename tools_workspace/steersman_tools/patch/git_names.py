"""File names as diffs write them: prefixed, quoted, with a time behind them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_ESCAPE = re.compile(rb'\\([0-7]{3}|[abtnvfr"\\])')
_CONTROLS = {b"a": b"\a", b"b": b"\b", b"t": b"\t", b"n": b"\n", b"v": b"\v", b"f": b"\f", b"r": b"\r"}
_TIME = re.compile(r"\t.*$|\s+\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*$")
_GIT_PAIR = re.compile(r'("(?:[^"\\]|\\.)*"|.+?) ("(?:[^"\\]|\\.)*"|[a-z]/.+)$')
_PREFIXES = ("a/", "b/", "c/", "i/", "o/", "w/")
_NO_FILE = "/dev/null"


@dataclass(frozen=True, slots=True)
class GitNames:
    """The two names of a file in a diff.

    Attributes:
        old: None for no file.
        new: None for no file.
        other: what the name could mean as well (a prefix taken for a folder, or the other way), or None.
    """

    old: str | None = None
    new: str | None = None
    other: str | None = None


def is_name_pair(lines: Sequence[str], at: int) -> bool:
    """Whether a ``---`` and a ``+++`` line stand here, one behind the other."""
    return at + 1 < len(lines) and lines[at].startswith("--- ") and lines[at + 1].startswith("+++ ")


def names_of_pair(old: str, new: str) -> GitNames:
    """Return the names that a ``---`` and a ``+++`` line mean."""
    old, new = _bare(old), _bare(new)
    if old == _NO_FILE:
        return GitNames(None, _stripped(new), new if _stripped(new) != new else None)
    if new == _NO_FILE:
        return GitNames(_stripped(old), None, old if _stripped(old) != old else None)
    if _stripped(old) != old and _stripped(new) != new and old[:2] != new[:2]:
        return GitNames(_stripped(old), _stripped(new), new)
    return GitNames(old, new, _stripped(new) if _stripped(new) != new else None)


def names_of_git_header(line: str) -> GitNames:
    """Return both names of a ``diff --git`` line; one with spaces is told by both names being the same."""
    rest = line.removeprefix("diff --git ")
    middle = len(rest) // 2
    if rest[middle : middle + 1] == " ":
        names = names_of_pair(rest[:middle], rest[middle + 1 :])
        if names.old == names.new:
            return names
    pair = _GIT_PAIR.match(rest)
    return names_of_pair(pair[1], pair[2]) if pair else GitNames()


def unquoted(name: str) -> str:
    """Return a name as it is, without the quotes and escapes git puts around an unusual one."""
    name = name.strip()
    if not name.startswith('"') or name.count('"') == 1:
        return name
    inner = name[1 : name.rindex('"')].encode("utf-8", "surrogateescape")
    return _ESCAPE.sub(lambda match: _unescaped(match[1]), inner).decode("utf-8", "surrogateescape")


def _unescaped(escape: bytes) -> bytes:
    return bytes([int(escape, 8) & 0xFF]) if escape[:1].isdigit() else _CONTROLS.get(escape, escape)


def _bare(written: str) -> str:
    written = written.strip()
    return unquoted(written) if written.startswith('"') else _TIME.sub("", written)


def _stripped(name: str) -> str:
    return name[2:] if name.startswith(_PREFIXES) else name
