r"""Two changes of one text brought together, line by line (DESIGN W2, L3a). Pure.

Nothing is guessed: changes that touch each other do not merge.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from steersman.agent.lines import split_lines
from steersman.lsp.line_diff import Hunk, line_hunks


def plain(text: str) -> str:
    r"""Return the text as comparisons see it (W1): no byte order mark, every line ending a ``\n``."""
    return text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")


def rebase(base: str, ours: str, theirs: str) -> str | None:
    """Return ``theirs`` with the change from ``base`` to ``ours`` made in it, or None where the changes touch.

    The lines that are replaced and inserted are the same as from ``base`` to ``ours``, wherever they stand now.
    """
    base_lines, our_lines, their_lines = split_lines(base), split_lines(ours), split_lines(theirs)
    moved = _moved_hunks(line_hunks(base_lines, our_lines), line_hunks(base_lines, their_lines))
    if moved is None:
        return None
    return "".join(_spliced(their_lines, our_lines, moved))


def shows_change(base: str, expected: str, now: str) -> bool:
    """Say whether ``now`` is ``expected`` plus changes elsewhere: our regions in place, with equal lines around them.

    ``expected`` is ``base`` with our change. What else differs must be explained by changes that, made to ``base``
    alone, would have carried our change to where it stands; so a change that landed some lines off is not taken for
    one in place.
    """
    if now == expected:
        return True
    base_lines, expected_lines, now_lines = split_lines(base), split_lines(expected), split_lines(now)
    ours = line_hunks(base_lines, expected_lines)
    backwards = [Hunk(one.new_start, one.new_end, one.old_start, one.old_end) for one in ours]
    moved = _moved_hunks(backwards, line_hunks(expected_lines, now_lines))
    if moved is None:
        return False
    without_ours = "".join(_spliced(now_lines, base_lines, moved))
    return rebase(base, expected, without_ours) == now


def _moved_hunks(ours: Sequence[Hunk], theirs: Sequence[Hunk]) -> list[Hunk] | None:
    """Our hunks as they are in a text that has their changes too: ``old`` lines counted there. None if any touch."""
    moved: list[Hunk] = []
    shift, rest = 0, list(theirs)
    for hunk in ours:
        while rest and rest[0].old_end < hunk.old_start:
            shift = rest[0].new_end - rest.pop(0).old_end
        if rest and rest[0].old_start <= hunk.old_end:
            return None
        moved.append(Hunk(hunk.old_start + shift, hunk.old_end + shift, hunk.new_start, hunk.new_end))
    return moved


def _spliced(lines: list[str], new: list[str], hunks: Sequence[Hunk]) -> Iterator[str]:
    at = 0
    for hunk in hunks:
        yield from lines[at : hunk.old_start]
        yield from new[hunk.new_start : hunk.new_end]
        at = hunk.old_end
    yield from lines[at:]
