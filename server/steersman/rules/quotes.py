"""What stands in quotes is data: it is never split, and never chooses a tool."""

from __future__ import annotations

import re
from dataclasses import dataclass

_PAIRS = {
    "“": "”", "„": "“”", "”": "”", "‘": "’", "‚": "‘’", "«": "»", "»": "«", "‹": "›", "›": "‹", "「": "」", "『": "』",
}  # fmt: skip
"""What may close each typographic mark; some languages open with what others close with."""

_CLOSES_ELSEWHERE = "”»›"
_INNER_SPACES = " \u00a0\u202f"
"""Between French marks and what they enclose stands one of these."""
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
    typographic ones of many languages, `` `…` `` and fenced blocks. A mark that is never closed is a character like any
    other.
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
        if (mark in "\"`'" and _opens(text, position)) or (mark in _PAIRS and _opens_typographic(text, position)):
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
        return _typographic(text, start, _PAIRS[mark])
    return None


def _typographic(text: str, start: int, closing: str) -> Quote | None:
    """A mark that closes elsewhere opens only before a word; an apostrophe inside a word closes nothing."""
    if not _opens_typographic(text, start):
        return None
    for end in range(start + 1, len(text)):
        if text[end] in closing and not (text[end] in "‘’" and text[end + 1 : end + 2].isalnum()):
            value = text[start + 1 : end]
            if text[start] == "«" and len(value) > 1 and value[0] in _INNER_SPACES and value[-1] in _INNER_SPACES:
                value = value[1:-1]
            return Quote(start, end + 1, value)
    return None


def _opens_typographic(text: str, start: int) -> bool:
    before, after = text[max(start - 1, 0) : start], text[start + 1 : start + 2]
    return text[start] not in _CLOSES_ELSEWHERE or (not before.strip() and bool(after.strip()))


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
