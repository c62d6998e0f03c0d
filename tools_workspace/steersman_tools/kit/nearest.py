"""What to tell a model whose text fits nowhere, or in several places: the nearest candidates, with line numbers.

Quick on big files: candidates come from lines that both have, or from rare words, never from comparing with every line.
Everything shown is bounded (DESIGN W9).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import islice

from steersman_tools.kit.places import LineIndex, Tolerance, plain_typography

_MAX_PLACES = 3
_MAX_BLOCK_LINES = 200
_MAX_POSITIONS = 50
_MAX_SMALL_LINES = 2000
_MAX_SHOWN_LINES = 6
_MAX_LINES_COMPARED = 12
_MAX_COMPARED = 200
_MAX_SHOWN_CHARS = 160
_MIN_LIKENESS = 0.5
_WORD = re.compile(r"\w{2,}")
_LINE_NUMBER = re.compile(r"\s*\d+(?:\t|→| ?\||: )")


@dataclass(frozen=True, slots=True)
class Place:
    """A part of the text that is like the block.

    Attributes:
        start: index of the line that the block's first line is nearest to.
        likeness: 0 to 1.
    """

    start: int
    likeness: float


def nearest_places(text: LineIndex, block: Sequence[str]) -> list[Place]:
    """Return up to three places that are most like the block, best first; none when nothing is like it at all."""
    block = block[:_MAX_BLOCK_LINES]
    votes = _votes_of_equal_lines(text, block) or _votes_of_words(text, block) or _votes_of_likeness(text, block)
    best = sorted(votes, key=lambda start: (-votes[start], start))[: 4 * _MAX_PLACES]
    places = [Place(start, _likeness(text.lines, start, block)) for start in best]
    places.sort(key=lambda place: (-place.likeness, place.start))
    chosen: list[Place] = []
    for place in places:
        apart = all(abs(place.start - other.start) >= max(1, len(block) // 2) for other in chosen)
        if apart and place.likeness >= _MIN_LIKENESS:
            chosen.append(place)
    return chosen[:_MAX_PLACES]


def _votes_of_equal_lines(text: LineIndex, block: Sequence[str]) -> dict[int, float]:
    votes: dict[int, float] = {}
    for at, line in enumerate(block):
        if not line.strip():
            continue
        positions = list(islice(text.positions(line, Tolerance.INDENTATION), _MAX_POSITIONS))
        for position in positions:
            votes[position - at] = votes.get(position - at, 0.0) + 1 / len(positions)
    return {start: vote for start, vote in votes.items() if start > -len(block)}


def _votes_of_words(text: LineIndex, block: Sequence[str]) -> dict[int, float]:
    """Let the rare words of the block's longest lines vote for the lines they stand in."""
    votes: dict[int, float] = {}
    lines = sorted(enumerate(block), key=lambda item: -len(item[1].strip()))[:3]
    for at, line in lines:
        words = sorted(set(_WORD.findall(line[:_MAX_COMPARED])), key=lambda word: (-len(word), word))[:6]
        for word in words:
            hits = _lines_with(text.lines, word)
            for hit in hits:
                votes[hit - at] = votes.get(hit - at, 0.0) + 1 / len(hits)
    return {start: vote for start, vote in votes.items() if start > -len(block)}


def _votes_of_likeness(text: LineIndex, block: Sequence[str]) -> dict[int, float]:
    """Compare the block's longest line with every line of a small text."""
    longest = max(range(len(block)), key=lambda at: len(block[at].strip()), default=None)
    if longest is None or len(text.lines) > _MAX_SMALL_LINES:
        return {}
    matcher = SequenceMatcher(None, b=block[longest].strip()[:_MAX_COMPARED], autojunk=False)
    votes: dict[int, float] = {}
    for at, line in enumerate(text.lines):
        matcher.set_seq1(_around(line, block[longest]))
        if matcher.quick_ratio() >= _MIN_LIKENESS:
            votes[at - longest] = matcher.ratio()
    return {start: vote for start, vote in votes.items() if start > -len(block)}


def _lines_with(lines: Sequence[str], word: str) -> list[int]:
    """Return the lines that hold the word as a whole, the first few of them."""
    whole = re.compile(rf"\b{word}\b")
    return list(islice((at for at, line in enumerate(lines) if word in line and whole.search(line)), _MAX_POSITIONS))


def _likeness(lines: Sequence[str], start: int, block: Sequence[str]) -> float:
    total = weight = 0.0
    for at, wanted in enumerate(block[:_MAX_LINES_COMPARED]):
        if not wanted.strip():
            continue
        weight += 1
        if 0 <= start + at < len(lines):
            total += _line_likeness(lines[start + at], wanted)
    return total / weight if weight else 0.0


def _line_likeness(line: str, wanted: str) -> float:
    one, other = _around(line, wanted), wanted.strip()[:_MAX_COMPARED]
    return SequenceMatcher(None, one, other, autojunk=False).ratio() if one != other else 1.0


def _around(line: str, wanted: str) -> str:
    """Return the part of the line to compare: all of it, or of a very long one what stands about the first word."""
    line = line.strip()
    if len(line) <= _MAX_COMPARED:
        return line
    start = _first_common(line, wanted)
    return line[start : start + len(wanted.strip()[:_MAX_COMPARED])]


def _first_common(line: str, wanted: str) -> int:
    for word in _WORD.finditer(wanted[:_MAX_COMPARED]):
        found = line.find(word.group())
        if found >= 0:
            return max(0, found - (word.start() - (len(wanted) - len(wanted.lstrip()))))
    return 0


def describe_places(text: LineIndex, block: Sequence[str]) -> str:
    """Return the nearest places as lines for the model, or a hint where there are none."""
    if hint := _line_number_hint(block):
        return hint
    places = nearest_places(text, block)
    if not places:
        return "Nothing in it is like this text; read the file again."
    shown = [_describe(text, place, block) for place in places]
    return ("The nearest place is " if len(shown) == 1 else "The nearest places are ") + "\n".join(shown)


def _line_number_hint(block: Sequence[str]) -> str | None:
    filled = [line for line in block if line.strip()]
    if filled and all(_LINE_NUMBER.match(line) for line in filled):
        return "The text begins every line with a line number; leave those out."
    return None


def _describe(text: LineIndex, place: Place, block: Sequence[str]) -> str:
    first = max(0, place.start)
    last = min(len(text.lines), place.start + len(block))
    differing, why = _difference(text.lines, place.start, block)
    top = max(first, differing - _MAX_SHOWN_LINES // 2)
    shown = [
        number_line(at, _around_shown(text.lines[at], block[at - place.start]))
        for at in range(top, min(last, top + _MAX_SHOWN_LINES))
    ]
    where = f"line {first + 1}" if last == first + 1 else f"lines {first + 1}-{last}"
    return f"{where} ({why}):\n" + "\n".join(shown)


def _difference(lines: Sequence[str], start: int, block: Sequence[str]) -> tuple[int, str]:
    """Return the index of the first line that differs, and in which way."""
    for at, wanted in enumerate(block, start):
        if at < 0:
            return 0, "the file begins only here"
        if at >= len(lines):
            return len(lines) - 1, "the file ends here"
        if plain_typography(lines[at]).strip() != plain_typography(wanted).strip():
            return at, f"line {at + 1} differs; yours: {clip(wanted.strip())}"
    uneven = next((at for at, wanted in enumerate(block, start) if lines[at].rstrip() != wanted.rstrip()), start)
    return uneven, f"the indentation differs from line {uneven + 1} on, and not evenly"


def _around_shown(line: str, wanted: str) -> str:
    if len(line) <= _MAX_SHOWN_CHARS:
        return line
    start = max(0, _first_common(line.strip(), wanted) - 20)
    return ("…" if start else "") + line[start : start + _MAX_SHOWN_CHARS]


def number_line(at: int, line: str) -> str:
    """Return a line with its number from 1, clipped, as every error shows lines."""
    return f"{at + 1:>6} | {clip(line, _MAX_SHOWN_CHARS + 1)}"


def clip(line: str, limit: int = _MAX_SHOWN_CHARS) -> str:
    """Return the line, shortened and marked when it is longer than ``limit`` characters."""
    return line if len(line) <= limit else line[:limit] + "…"
