r"""Line endings: told apart, counted and put on new lines, never changed on old ones (DESIGN W3).

A line ending is ``\n``, ``\r\n`` or ``\r``, as everywhere in Steersman. Nothing in here normalises a file: flat text
exists only to compare with what a model wrote, which never sees the endings.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from steersman.agent.lines import split_lines

_CR = re.compile(r"\r\n?")
_EXACT_LINES = 3000
_ANY_ENDING = re.compile(r"\r\n|\r|\n")


def ending_of(line: str) -> str:
    """Return the line's ending, "" when it has none."""
    if line.endswith("\r\n"):
        return "\r\n"
    return line[-1:] if line.endswith(("\n", "\r")) else ""


def commonest_ending(lines: Iterable[str]) -> str:
    """Return the ending that most of the lines have, of equally common ones the first; "" when none has one."""
    counts = Counter(ending for ending in map(ending_of, lines) if ending)
    return max(counts, key=lambda ending: counts[ending], default="")


def with_endings(text: str, ending: str) -> str:
    """Return the text with every line ending replaced by ``ending``."""
    return _ANY_ENDING.sub(lambda _: ending, text)


def ending_at(text: str, offset: int) -> str:
    """Return the ending a line inserted at ``offset`` takes on: its own line's, else the one before; "" for neither."""
    here = _ANY_ENDING.search(text, offset)
    if here:
        return here.group()
    before = max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset))
    if before < 0:
        return ""
    return "\r\n" if text[before] == "\n" and before > 0 and text[before - 1] == "\r" else text[before]


def adopt_endings(present: str, wanted: str) -> str:
    r"""Return ``wanted`` as the new whole text of a file that now holds ``present``.

    Lines that both have keep the present endings; new ones take on the ending of the line before them (W3). Only the
    final line's having an ending or not is as wanted.
    """
    lines = split_lines(present)
    styles = {ending_of(line) for line in lines} - {""}
    if not styles:
        return wanted
    if len(styles) == 1:
        return with_endings(wanted, styles.pop())
    flat = [flatten(line) for line in lines]
    return join_pieces(rewrite(lines, flat, split_lines(wanted), default=commonest_ending(lines)))


@dataclass(frozen=True, slots=True)
class Piece:
    """A line on its way into a text; ``is_fixed``: it stands outside what is changed, and no byte of it may differ."""

    text: str
    is_fixed: bool = False


def join_pieces(pieces: Iterable[Piece], *, before: str = "", after: str = "") -> str:
    r"""Join lines so that each stays a line.

    A ``\r`` in front of a ``\n`` that is a line of its own would make one ending of two; the one that is not fixed
    becomes ``\r\n`` then. ``before`` and ``after`` are what stands around.
    """
    result: list[str] = []
    last = before[-1:]
    ahead: Piece | None = None
    for piece in [*pieces, Piece(after[:1], is_fixed=True)]:
        if ahead is not None:
            text = ahead.text
            if not ahead.is_fixed and last == "\r" and text.startswith("\n"):
                text = "\r" + text
            if not ahead.is_fixed and ending_of(text) == "\r" and piece.text.startswith("\n"):
                text += "\n"
            result.append(text)
            last = text[-1:] or last
        ahead = piece
    return "".join(result)


def rewrite(
    present: Sequence[str],
    old: Sequence[str],
    new: Sequence[str],
    *,
    default: str,
    dress: Callable[[str, str, str], str] | None = None,
) -> list[Piece]:
    r"""Turn the present lines into the new ones, touching nothing that stays.

    Args:
        present: lines of the file with their endings (the last one may be a part of a line).
        old: what the model took them for, one for each; ends of line as ``\n``.
        new: what shall stand there; any ends of line.
        default: the ending for new lines where no neighbour has one; "" leaves theirs as they are.
        dress: what may adapt a new line to the one it replaces: ``(present, old, new) -> new``.

    A new line takes on the ending of the line it replaces, an added one that of the line before it.
    """
    flat_new = [flatten(line) for line in new]
    result: list[Piece] = []
    last = default
    for i1, i2, j1, j2, same in line_blocks(old, flat_new):
        if same:
            result.extend(Piece(line) for line in present[i1:i2])
            last = ending_of(present[i2 - 1]) or last
            continue
        for at, line in enumerate(new[j1:j2]):
            if i1 + at < i2:
                last = ending_of(present[i1 + at]) or last
            if dress and i2 - i1 == j2 - j1:
                line = dress(present[i1 + at], old[i1 + at], line)  # noqa: PLW2901 - the same line, dressed
            result.append(Piece(with_endings(line, last) if last else line))
    return result


def common_length(one: Sequence[str], other: Sequence[str]) -> int:
    """Return how many items both begin with; by halves, which compares long lists quickly."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one[low:middle] == other[low:middle]:
            low = middle
        else:
            high = middle - 1
    return low


def line_blocks(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int, bool]]:
    """Return the blocks ``(i1, i2, j1, j2, same)`` that turn old lines into new ones, in order, without gaps.

    Common beginnings and ends are found first; a middle of thousands of lines counts as one changed block, so that it
    stays quick.
    """
    start = common_length(old, new)
    end = common_length(old[start:][::-1], new[start:][::-1])
    blocks: list[tuple[int, int, int, int, bool]] = [(0, start, 0, start, True)]
    blocks.extend(_middle_blocks(old, new, start, end))
    blocks.append((len(old) - end, len(old), len(new) - end, len(new), True))
    return [block for block in blocks if block[0] < block[1] or block[2] < block[3]]


def _middle_blocks(
    old: Sequence[str], new: Sequence[str], start: int, end: int
) -> list[tuple[int, int, int, int, bool]]:
    i2, j2 = len(old) - end, len(new) - end
    if start in {i2, j2} or i2 + j2 - 2 * start > _EXACT_LINES:
        return [(start, i2, start, j2, False)]
    matcher = SequenceMatcher(None, old[start:i2], new[start:j2], autojunk=False)
    return [
        (start + a1, start + a2, start + b1, start + b2, tag == "equal")
        for tag, a1, a2, b1, b2 in matcher.get_opcodes()
    ]


def flatten(text: str) -> str:
    r"""Return the text with every line ending as ``\n``, to compare with what a model wrote."""
    return _CR.sub("\n", text) if "\r" in text else text


@dataclass(frozen=True, slots=True)
class FlatText:
    r"""A text beside its flat form, and the way back from offsets in the flat form.

    Attributes:
        text: as it is.
        flat: every line ending as ``\n``.
    """

    text: str
    flat: str
    _shrunk: tuple[int, ...]

    @classmethod
    def of(cls, text: str) -> FlatText:
        """Flatten a text."""
        if "\r" not in text:
            return cls(text, text, ())
        shrunk = tuple(match.start() - count for count, match in enumerate(re.finditer(r"\r\n", text)))
        return cls(text, flatten(text), shrunk)

    def offset(self, flat_offset: int) -> int:
        """Return the offset in the text of an offset in its flat form; never inside a line ending."""
        return flat_offset + bisect_left(self._shrunk, flat_offset)
