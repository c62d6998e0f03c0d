"""Glob patterns with any number of stars, matched without trying every way to fill them (DESIGN W8, W12, A5).

The globs of ignore files, of the model and of permission rules differ in how they are written; what they come down to
is the same: pieces that match one character each, and gaps. The obvious regular expression takes exponential time for
eight stars, and nothing can end it. Here a gap that another one follows is filled with as little as will do, once and
for all: what comes behind can make up for the rest. Pure; must never take more than polynomial time in any pattern.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from enum import Enum
from typing import TypeAlias


class Gap(Enum):
    """Any number of characters."""

    NAME = "within a name: anything but “/”"
    ANY = "anything"
    FOLDERS = "nothing, or anything that ends in “/”"


Piece: TypeAlias = str | Gap
"""A gap, or the regular expression of exactly one character: "/" itself, or one that never matches "/"."""


def star_regex(pieces: Iterable[Piece], *, any_char: str = ".", name_char: str = "[^/]") -> str | None:
    """Return the regular expression for a whole text; None where only ``walk_matches`` is both right and quick.

    Args:
        pieces: the pattern. Without a gap of kind ``NAME`` or ``FOLDERS``, a piece may match "/" and others.
        any_char: what a gap may hold.
        name_char: what a gap within a name may hold.
    """
    merged = _merged(pieces)
    if not _is_orderly(merged):
        return None
    blocks = _blocks(merged)
    lazy = {
        Gap.NAME: f"{name_char}*?",
        Gap.ANY: f"{any_char}*?",
        Gap.FOLDERS: f"(?:|{any_char}*?/)",
    }
    last = {Gap.NAME: f"{name_char}*", Gap.ANY: f"{any_char}*", Gap.FOLDERS: f"(?:{any_char}*/)?"}
    regex: list[str] = []
    for number, (gap, chunks) in enumerate(blocks, 1):
        is_last = number == len(blocks)
        firm, loose = (chunks[1:-1], chunks[-1:]) if is_last else (chunks[1:], [])
        if is_last and len(chunks) == 1:
            firm, loose = [], []
        inner = [chunks[0], *(f"(?>{lazy[Gap.NAME]}{chunk})" for chunk in firm)]
        inner += [last[Gap.NAME] + chunk for chunk in loose]
        body = "".join(inner)
        if gap is None:
            regex.append(body)
        else:
            regex.append(last[gap] + body if is_last else f"(?>{lazy[gap]}{body})")
    return "".join(regex)


def walk_matches(pieces: Iterable[Piece], text: str, flags: int = 0) -> bool:
    """Whether a pattern of any kind matches a whole text, piece by piece: slower, and right for all of them."""
    places = {0}
    for piece in pieces:
        if not places:
            return False
        if isinstance(piece, str):
            char = re.compile(piece, flags)
            places = {place + 1 for place in places if place < len(text) and char.match(text, place)}
        elif piece is Gap.NAME:
            places = _within_names(places, text)
        else:
            first = min(places)
            behind = range(first, len(text) + 1)
            places = set(behind) if piece is Gap.ANY else places | {at for at in behind[1:] if text[at - 1] == "/"}
    return len(text) in places


def _within_names(places: set[int], text: str) -> set[int]:
    reached: set[int] = set()
    for place in sorted(places):
        at = place
        while at not in reached:
            reached.add(at)
            if at == len(text) or text[at] == "/":
                break
            at += 1
    return reached


def _merged(pieces: Iterable[Piece]) -> list[Piece]:
    """Return the pieces with gaps that follow one another made into one, where one says the same."""
    merged: list[Piece] = []
    for piece in pieces:
        before = merged[-1] if merged else None
        if isinstance(piece, Gap) and isinstance(before, Gap):
            if before is piece or before is Gap.ANY:
                continue
            if piece is Gap.ANY:
                while merged and isinstance(merged[-1], Gap):
                    merged.pop()
        merged.append(piece)
    return merged


def _is_orderly(pieces: Sequence[Piece]) -> bool:
    """Whether before each gap of folders there is "/", or no other gap.

    Behind anything else ("*a**/b") it may have to be empty, and then it cannot make up for what came before.
    """
    has_gap = False
    for index, piece in enumerate(pieces):
        if piece is Gap.FOLDERS and has_gap and pieces[index - 1] != "/":
            return False
        has_gap = has_gap or isinstance(piece, Gap)
    return True


def _blocks(pieces: Sequence[Piece]) -> list[tuple[Gap | None, list[str]]]:
    """Cut at the gaps that cross "/"; return each with the chunks behind it, between which are gaps within names."""
    blocks: list[tuple[Gap | None, list[str]]] = [(None, [""])]
    for piece in pieces:
        gap, chunks = blocks[-1]
        if isinstance(piece, str):
            chunks[-1] += piece
        elif piece is Gap.NAME:
            if gap is Gap.ANY and len(chunks) == 1:  # by folders, then within a name: so few places to begin at
                blocks[-1] = (Gap.FOLDERS, ["", *chunks])
            blocks[-1][1].append("")
        else:
            blocks.append((piece, [""]))
    return blocks
