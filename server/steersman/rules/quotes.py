"""What stands in quotes is data: it is never split, and never chooses a tool."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAIRS = {"“": "”", "‘": "’", "«": "»", "„": "“", "‚": "‘"}
_FENCE = re.compile(r"```[^\n`]*\n")


@dataclass(frozen=True, slots=True)
class Quote:
    """A quoted part of a text, from ``start`` to ``end`` with its marks; ``value`` is what stands between them."""

    start: int
    end: int
    value: str


def find_quotes(text: str) -> list[Quote]:
    r"""Return the quoted parts, in order, none inside another.

    Quotes are ``"…"`` (a ``\"`` inside stands for ``"``, nothing else is an escape), ``'…'`` where it is no apostrophe,
    typographic ones, `` `…` `` and fenced blocks. A mark that is never closed is a character like any other.
    """
    quotes: list[Quote] = []
    never_closed: set[str] = set()
    position = 0
    while position < len(text):
        mark = text[position]
        quote = None if mark in never_closed else _quote_at(text, position)
        if quote is not None:
            quotes.append(quote)
            position = quote.end
            continue
        if mark in "\"`'" and _opens(text, position):
            never_closed.add(mark)
        position += 1
    return quotes


def _quote_at(text: str, start: int) -> Quote | None:
    mark = text[start]
    if mark == "`":
        return _backticks(text, start)
    if mark == '"' and _opens(text, start):
        return _double(text, start)
    if mark == "'" and _opens(text, start):
        return _single(text, start)
    if mark in _PAIRS:
        end = text.find(_PAIRS[mark], start + 1)
        return None if end < 0 else Quote(start, end + 1, text[start + 1 : end])
    return None


def _opens(text: str, start: int) -> bool:
    """Whether a straight mark can open a quote here."""
    before = text[start - 1] if start else " "
    if text[start] == "'":
        return not before.isalnum() and start + 1 < len(text) and not text[start + 1].isspace()
    return before != "\\"


def _backticks(text: str, start: int) -> Quote | None:
    fence = _FENCE.match(text, start)
    if fence is not None:
        end = text.find("```", fence.end())
        return None if end < 0 else Quote(start, end + 3, text[fence.end() : end])
    end = text.find("`", start + 1)
    return None if end <= start + 1 else Quote(start, end + 1, text[start + 1 : end])


def _double(text: str, start: int) -> Quote | None:
    end = start
    while True:
        end = text.find('"', end + 1)
        if end < 0:
            return None
        if text[end - 1] != "\\":
            return Quote(start, end + 1, text[start + 1 : end].replace('\\"', '"'))


def _single(text: str, start: int) -> Quote | None:
    end = start
    while True:
        end = text.find("'", end + 1)
        if end < 0:
            return None
        if end + 1 == len(text) or not text[end + 1].isalnum():
            return Quote(start, end + 1, text[start + 1 : end])
