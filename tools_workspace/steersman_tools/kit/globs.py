"""The globs that a model gives to ``find_files`` and ``search`` (DESIGN W12). Pure.

``*`` and ``?`` stay within a name, ``**`` goes across folders, ``{a,b}`` is either, ``[…]`` is a set. A pattern without
"/" matches names at any depth, hidden ones too. Folders such as ``[id]`` and ``(group)`` are ordinary names in many
projects, so a pattern whose brackets fit literally means them literally.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise

from steersman.agent.star_patterns import Gap, Piece, star_regex
from steersman.agent.tool import ToolError
from steersman_tools.kit.choosing import first_with_ends, smallest

_MAX_ALTERNATIVES = 256
_MAX_CHARS = 1000
_GLOBS_KEPT = 64
_CHARS_AT_ONCE = 1 << 16
_PLAIN_END = re.compile(r"/?[^*?\[\]{}\\/\0]+")
_ANY, _IN_NAME = r"[^\0]", r"[^/\0]"  # never across the NUL between two paths
_PIECE = re.compile(r"\*\*/|\*+|\?|\[[!^]?\]?(?:[^\]\\]|\\.)*\]|\\.|.", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Glob:
    """A glob, ready to match.

    Attributes:
        pattern: as the model gave it.
        sets: matches whole paths, brackets meaning sets.
        literal: the same with brackets meaning themselves; None when there are none.
        folders_only: it ends in "/".
        ends: what those that match end in, and no others: a plain name behind "/", or the end of one; empty where more
            has to be looked at.
    """

    pattern: str
    sets: re.Pattern[str]
    literal: re.Pattern[str] | None
    folders_only: bool
    ends: tuple[str, ...] = ()

    def first_in(self, joined: str, limit: int) -> tuple[int, list[str]]:
        """Return how many paths match, and the first of them, sorted; see ``find_in``."""
        quickly = first_with_ends(joined, self.ends, limit) if self.ends else None
        if quickly is not None:
            return quickly
        found = self.find_in(joined)
        return len(found), smallest(found, limit, len(found))

    def find_in(self, joined: str) -> list[str]:
        """Return the paths that match, in order; where brackets fit literally, only those.

        Args:
            joined: the paths, each between NUL characters (``Listing.joined``): one search is many times quicker than
                a match for each.
        """
        if self.literal is not None:
            found = _find_all(self.literal, joined)
            if found:
                return found
        return _find_all(self.sets, joined)

    def choose(self, paths: Iterable[str]) -> list[str]:
        """Return the paths that match, in order; where brackets fit literally, only those."""
        return self.find_in("\0".join(["", *paths, ""]))

    def matches(self, path: str) -> bool:
        """Whether a path matches in either reading."""
        return bool(self.sets.fullmatch(path) or (self.literal and self.literal.fullmatch(path)))


def _find_all(regex: re.Pattern[str], joined: str) -> list[str]:
    """Look through the paths by portions: between two of them, other threads have their turn."""
    in_line = re.compile(f"\0({regex.pattern})(?=\0)", regex.flags)
    found: list[str] = []
    start = 0
    while start + 1 < len(joined):
        end = joined.find("\0", start + _CHARS_AT_ONCE)
        end = end if end >= 0 else len(joined) - 1
        found += in_line.findall(joined, start, end + 1)
        start = end
    return found


@lru_cache(_GLOBS_KEPT)
def compile_glob(pattern: str, *, ignores_case: bool = False) -> Glob:
    """Return a glob relative to the folder that is looked through; kept, as a call asks for it more than once.

    Raises:
        ToolError: it is empty, leads upwards, or has too many alternatives.
    """
    text = pattern.strip().removeprefix("./")
    folders_only = text.endswith("/")
    text = text.rstrip("/").lstrip("/") if text.strip("/") else ""
    if not text:
        raise ToolError("the pattern is empty; “*” matches every file, “**/*.py” all Python files")
    if len(text) > _MAX_CHARS:
        raise ToolError(f"the pattern is {len(text)} characters long; {_MAX_CHARS} is the limit")
    if "\0" in text:
        raise ToolError("the pattern holds a NUL character, which no file name holds")
    if ".." in re.split(r"[/\\]", text):
        raise ToolError(f"the pattern “{pattern}” leads upwards; name the folder by path instead")
    alternatives = alternatives_of(text)
    flags = re.DOTALL | (re.IGNORECASE if ignores_case else 0)
    return Glob(
        text,
        re.compile("|".join(_translate(each, literal=False) for each in alternatives), flags),
        re.compile("|".join(_translate(each, literal=True) for each in alternatives), flags) if "[" in text else None,
        folders_only,
        () if ignores_case or "/" in text else _ends(alternatives),
    )


def _ends(alternatives: Iterable[str]) -> tuple[str, ...]:
    """Return ``Glob.ends`` for patterns of names."""
    ends = {each.removeprefix("*") if each.startswith("*") else f"/{each}" for each in alternatives}
    if not all(map(_PLAIN_END.fullmatch, ends)) or any(a != b and a.endswith(b) for a in ends for b in ends):
        return ()
    return tuple(sorted(ends))


def alternatives_of(text: str) -> list[str]:
    """Expand ``{a,b}``; a brace that is never closed, or holds no comma, stands for itself."""
    found: list[str] = []
    waiting = [text]
    while waiting:
        each = waiting.pop()
        group = _first_group(each)
        if group is None:
            found.append(each)
        else:
            start, end, choices = group
            waiting += [each[:start] + choice + each[end:] for choice in reversed(choices)]
        if len(found) + len(waiting) > _MAX_ALTERNATIVES:
            raise ToolError(f"the pattern “{text}” has more than {_MAX_ALTERNATIVES} alternatives; make it simpler")
    return found


def _first_group(text: str) -> tuple[int, int, list[str]] | None:
    groups: list[list[int]] = []  # of each that is open: where it begins, and its commas
    first: list[int] | None = None
    for at, char in enumerate(text):
        if char == "{":
            groups.append([at])
        elif char == "," and groups:
            groups[-1].append(at)
        elif char == "}" and groups:
            cuts = groups.pop()
            if len(cuts) > 1 and (first is None or cuts[0] < first[0]):
                first = [*cuts, at]
    if first is None:
        return None
    return first[0], first[-1] + 1, [text[a + 1 : b] for a, b in pairwise(first)]


def _translate(text: str, *, literal: bool) -> str:
    anywhere = [] if "/" in text else [Gap.FOLDERS]
    regex = star_regex([*anywhere, *_pieces(text, literal=literal)], any_char=_ANY, name_char=_IN_NAME)
    assert regex is not None  # a gap of folders is only behind "/" and at the beginning
    return regex


def _pieces(text: str, *, literal: bool) -> Iterator[Piece]:
    position = 0
    while position < len(text):
        found = _PIECE.match(text, position)
        assert found is not None
        piece, at, position = found[0], position, found.end()
        if piece[0] == "[" and len(piece) > 1 and literal:
            yield re.escape("[")
            position = at + 1
        elif piece == "**/" and (at == 0 or text[at - 1] == "/"):
            yield Gap.FOLDERS
        elif piece == "**/":
            yield Gap.ANY
            yield "/"
        elif piece[0] == "*":
            yield Gap.NAME if len(piece) == 1 else Gap.ANY
        elif piece == "?":
            yield _IN_NAME
        elif piece[0] == "[" and len(piece) > 1:
            yield from _set(piece)
        else:
            yield re.escape(piece[-1])


def _set(piece: str) -> Iterable[str]:
    """Return the piece for a set, or those for what it is written with when it makes no sense."""
    inner = piece[1:-1]
    negated = inner[:1] in {"!", "^"}
    inner = re.sub(r"([\[\]^&~|])", r"\\\1", inner[1:] if negated else inner)
    try:
        re.compile(f"[{inner}]")
    except re.error:
        return map(re.escape, piece)
    return (f"(?![/\0])[{'^' if negated else ''}{inner}]",)
