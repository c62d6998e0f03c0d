"""Git's glob language as regular expressions (gitignore(5), and the corner cases that git itself decides).

Bytes throughout, as in git: ``?`` is one byte. A pattern that git finds malformed matches nothing and never raises.
Pure.
"""

from __future__ import annotations

import re

from steersman.agent.star_patterns import Gap, Piece, star_regex

_SPECIAL = re.compile(rb"[*?\[\\]")
_MAX_PATH_BYTES = 1 << 16  # no system has longer ones
_STARS = re.compile(rb"\*+")
_CLASSES = {  # of the C locale
    b"alnum": rb"0-9A-Za-z",
    b"alpha": rb"A-Za-z",
    b"blank": rb"\ \t",
    b"cntrl": rb"\x00-\x1f\x7f",
    b"digit": rb"0-9",
    b"graph": rb"\x21-\x7e",
    b"lower": rb"a-z",
    b"print": rb"\x20-\x7e",
    b"punct": rb"\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e",
    b"space": rb"\ \t\n\v\f\r",
    b"upper": rb"A-Z",
    b"xdigit": rb"0-9A-Fa-f",
}


class _MalformedError(Exception):
    """The pattern matches nothing."""


def literal_length(pattern: bytes) -> int:
    """Return how many bytes at the beginning stand for themselves."""
    found = _SPECIAL.search(pattern)
    return found.start() if found else len(pattern)


def name_regex(pattern: bytes) -> bytes | None:
    """Return the regular expression of a pattern for one name, or None when it matches nothing."""
    pieces = _translate(pattern, is_path=False)
    return None if pieces is None else _regex(pieces)


def path_regex(pattern: bytes) -> bytes | None:
    """Return the regular expression of a pattern for a whole relative path, or None when it matches nothing.

    Git compares the literal beginning by itself, so that stars right behind it count as a component's beginning.
    """
    start = literal_length(pattern)
    rest = _translate(pattern[start:], is_path=True)
    return None if rest is None else re.escape(pattern[:start]) + _regex(rest)


def _regex(pieces: list[Piece]) -> bytes:
    regex = star_regex(pieces)
    assert regex is not None  # "**/" is one only behind "/" and at the beginning
    return regex.encode("latin-1")


def _translate(pattern: bytes, *, is_path: bool) -> list[Piece] | None:
    pieces: list[Piece] = []
    position = 0
    try:
        while position < len(pattern):
            piece, position = _next_piece(pattern, position, is_path=is_path)
            pieces.append(piece)
    except _MalformedError:
        return None
    return pieces if sum(isinstance(piece, str) for piece in pieces) <= _MAX_PATH_BYTES else None


def _next_piece(pattern: bytes, position: int, *, is_path: bool) -> tuple[Piece, int]:
    char = pattern[position : position + 1]
    if char == b"*":
        return _stars(pattern, position, is_path=is_path)
    if char == b"?":
        return ("[^/]" if is_path else "."), position + 1
    if char == b"[":
        inner, position = _bracket(pattern, position + 1, is_path=is_path)
        return inner.decode("latin-1"), position
    if char == b"\\":
        if position + 1 == len(pattern):
            raise _MalformedError
        return _itself(pattern[position + 1 : position + 2]), position + 2
    return _itself(char), position + 1


def _itself(char: bytes) -> str:
    return re.escape(char).decode("latin-1")


def _stars(pattern: bytes, position: int, *, is_path: bool) -> tuple[Gap, int]:
    stars = _STARS.match(pattern, position)
    assert stars is not None
    end = stars.end()
    if not is_path:
        return Gap.ANY, end
    is_component = (position == 0 or pattern[position - 1 : position] == b"/") and end - position > 1
    if is_component and pattern[end : end + 1] == b"/":
        return Gap.FOLDERS, end + 1
    if is_component and (end == len(pattern) or pattern[end : end + 2] == b"\\/"):
        return Gap.ANY, end
    return Gap.NAME, end


def _bracket(pattern: bytes, position: int, *, is_path: bool) -> tuple[bytes, int]:
    """Translate a bracket expression; ``position`` is behind its ``[``. The first ``]`` stands for itself."""
    negated = pattern[position : position + 1] in {b"!", b"^"}
    position += negated
    items: list[bytes] = []
    previous: int | None = None
    is_first = True
    while is_first or pattern[position : position + 1] != b"]":
        is_first = False
        item, previous, position = _bracket_item(pattern, position, previous)
        items.append(item)
    chosen = b"".join(items)
    inner = b"(?!)" if not chosen else b"[" + chosen + b"]"  # a set of backward ranges only is empty
    if negated:
        inner = b"(?!" + inner + b")."
    return (b"(?!/)" if is_path else b"") + inner, position + 1


def _bracket_item(pattern: bytes, position: int, previous: int | None) -> tuple[bytes, int | None, int]:
    """Return one item as a set's inside, the byte a range could start from, and where to go on."""
    char = _byte(pattern, position)
    if char == ord("\\"):
        char = _byte(pattern, position + 1)
        return _set_byte(char), char, position + 2
    is_range = char == ord("-") and previous is not None and pattern[position + 1 : position + 2] not in {b"", b"]"}
    if is_range and previous is not None:
        position += 1
        if pattern[position : position + 1] == b"\\":
            position += 1
        end = _byte(pattern, position)
        return (_set_byte(previous) + b"-" + _set_byte(end) if previous <= end else b""), None, position + 1
    if char == ord("[") and pattern[position + 1 : position + 2] == b":":
        return _class_item(pattern, position)
    return _set_byte(char), char, position + 1


def _class_item(pattern: bytes, position: int) -> tuple[bytes, int | None, int]:
    close = pattern.find(b"]", position + 2)
    if close < 0:
        raise _MalformedError
    if close - (position + 2) < 1 or pattern[close - 1 : close] != b":":
        return _set_byte(ord("[")), ord("["), position + 1
    name = pattern[position + 2 : close - 1]
    if name not in _CLASSES:
        raise _MalformedError
    return _CLASSES[name], None, close + 1


def _byte(pattern: bytes, position: int) -> int:
    if position >= len(pattern):
        raise _MalformedError
    return pattern[position]


def _set_byte(char: int) -> bytes:
    return b"\\x%02x" % char
