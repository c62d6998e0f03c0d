"""Path globs of permission rules: which files a rule speaks of (DESIGN A5).

A pattern is relative to any workspace root, or absolute, or begins with ``~/``. ``*`` and ``?`` stay within one
component, ``**`` crosses them, ``[…]`` is a set. A pattern without "/" matches a name at any depth. A pattern that
matches a folder speaks of everything below it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from steersman.permissions.ground import Ground, folded

_PIECE = re.compile(r"\*\*/|\*\*|\[!?\]?[^]/]*\]|.", re.DOTALL)


def path_matches(pattern: str, path: str, ground: Ground, *, loosely: bool) -> bool:
    """Say whether the pattern speaks of the path.

    Args:
        pattern: as the user wrote it.
        path: canonical and absolute.
        ground: roots and home of the run.
        loosely: ignore case and Unicode form: for rules that ask or deny, never for ones that allow.
    """
    regex = _compile(pattern, loosely=loosely)
    return any(regex.fullmatch(folded(name) if loosely else name) is not None for name in _names(pattern, path, ground))


def _names(pattern: str, path: str, ground: Ground) -> Iterator[str]:
    """The path as the pattern would write it: absolute or below each root; then each folder above it."""
    if pattern.startswith("~"):
        starts = [ground.home] if ground.home else []
    elif _is_absolute(pattern):
        yield from _with_parents(path.replace("\\", "/") if ground.windows else path)
        return
    else:
        starts = list(ground.roots)
    for start in starts:
        below = ground.relative(path, start)
        if below:
            yield from _with_parents(below)


def _with_parents(name: str) -> Iterator[str]:
    while name:
        yield name
        name = name.rpartition("/")[0]


def _is_absolute(pattern: str) -> bool:
    return pattern.startswith("/") or re.match(r"[A-Za-z]:[/\\]", pattern) is not None


def _compile(pattern: str, *, loosely: bool) -> re.Pattern[str]:
    text = folded(pattern) if loosely else pattern
    absolute = _is_absolute(text)
    text = text.replace("\\", "/") if absolute and not text.startswith("/") else text
    if text.startswith("~"):
        text = text[1:].lstrip("/")
        absolute = True
    text = text.removeprefix("./").rstrip("/")
    anywhere = "/" not in text and not absolute
    return re.compile(("(?:.*/)?" if anywhere else "") + "".join(_translate(text, loosely=loosely)), re.DOTALL)


def _translate(text: str, *, loosely: bool) -> Iterator[str]:
    """Yield the regular expression's pieces."""
    index = 0
    while index < len(text):
        found = _PIECE.match(text, index)
        assert found is not None
        piece = found.group()
        index = found.end()
        if piece == "**/":
            yield "(?:.*/)?"
        elif piece == "**":
            yield ".*"
        elif piece == "*":
            yield "[^/]*"
        elif piece == "?":
            yield "[^/]"
        elif len(piece) > 1:
            yield _character_set(piece, loosely=loosely)
        else:
            yield re.escape(piece)


def _character_set(piece: str, *, loosely: bool) -> str:
    """Translate ``[…]``. One that makes no sense stands for any character where that is stricter, else for itself."""
    inner = piece[1:-1]
    negated = inner.startswith("!")
    inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner.removeprefix("!"))
    try:
        re.compile(f"[{inner}]")
    except re.error:
        return "[^/]" if loosely else re.escape(piece)
    return f"(?!/)[{'^' if negated else ''}{inner}]"
