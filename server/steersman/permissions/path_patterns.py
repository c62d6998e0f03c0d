"""Path globs of permission rules: which files a rule speaks of (DESIGN A5).

A pattern is relative to any workspace root, or absolute, or begins with ``~/``. ``*`` and ``?`` stay within one
component, ``**`` crosses them, ``[…]`` is a set. A pattern without "/" matches a name at any depth. A pattern that
matches a folder speaks of everything below it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from functools import partial

from steersman.agent.star_patterns import Gap, Piece, star_regex, walk_matches
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
    matches = _matcher(pattern, loosely=loosely)
    return any(matches(folded(name) if loosely else name) for name in _names(pattern, path, ground))


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


def _matcher(pattern: str, *, loosely: bool) -> Callable[[str], object]:
    """Return what says of a name whether the pattern matches all of it."""
    pieces = list(_pieces(pattern, loosely=loosely))
    regex = star_regex(pieces)
    if regex is not None:
        return re.compile(regex, re.DOTALL).fullmatch
    return partial(walk_matches, pieces, flags=re.DOTALL)


def _pieces(pattern: str, *, loosely: bool) -> Iterator[Piece]:
    text = folded(pattern) if loosely else pattern
    absolute = _is_absolute(text)
    text = text.replace("\\", "/") if absolute and not text.startswith("/") else text
    if text.startswith("~"):
        text = text[1:].lstrip("/")
        absolute = True
    text = text.removeprefix("./").rstrip("/")
    anywhere = "/" not in text and not absolute
    if anywhere:
        yield Gap.FOLDERS
    yield from _translate(text, loosely=loosely)


def _translate(text: str, *, loosely: bool) -> Iterator[Piece]:
    index = 0
    while index < len(text):
        found = _PIECE.match(text, index)
        assert found is not None
        piece = found.group()
        index = found.end()
        if piece == "**/":
            yield Gap.FOLDERS
        elif piece == "**":
            yield Gap.ANY
        elif piece == "*":
            yield Gap.NAME
        elif piece == "?":
            yield "[^/]"
        elif len(piece) > 1:
            yield from _character_set(piece, loosely=loosely)
        else:
            yield re.escape(piece)


def _character_set(piece: str, *, loosely: bool) -> Iterable[str]:
    """Translate ``[…]``. One that makes no sense stands for any character where that is stricter, else for itself."""
    inner = piece[1:-1]
    negated = inner.startswith("!")
    inner = re.sub(r"([\\\[\]^&~|])", r"\\\1", inner.removeprefix("!"))
    try:
        re.compile(f"[{inner}]")
    except re.error:
        return ("[^/]",) if loosely else map(re.escape, piece)
    return (f"(?!/)[{'^' if negated else ''}{inner}]",)
