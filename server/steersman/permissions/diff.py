"""A change as people read it: lines with a sign, a little of what stands around them, line numbers (DESIGN A2).

It is for eyes, not for ``patch``: characters that cannot be seen are written out, and a change of line endings alone is
shown. It must stay quick on large files, so the middle of a very large change counts as one block.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Literal, TypeAlias

from steersman.agent.changes import Change
from steersman.agent.lines import split_lines, strip_ending
from steersman.permissions.visible import visible, visible_name

Sign: TypeAlias = Literal[" ", "-", "+"]
Block: TypeAlias = tuple[int, int, int, int]
"""Old lines from:to become new lines from:to (0-based, end exclusive)."""

_EXACT_DIFF_LINES = 4000
_CONTEXT = 3


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line: removed, added or unchanged; ``text`` is fit to be shown."""

    sign: Sign
    text: str


def changed_blocks(old: Sequence[str], new: Sequence[str]) -> list[Block]:
    """Return the blocks of lines that differ, in order."""
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    old_end, new_end = len(old) - end, len(new) - end
    if start == old_end and start == new_end:
        return []
    if start in {old_end, new_end} or old_end + new_end - 2 * start > _EXACT_DIFF_LINES:
        return [(start, old_end, start, new_end)]
    matcher = SequenceMatcher(None, old[start:old_end], new[start:new_end], autojunk=False)
    return [
        (start + i1, start + i2, start + j1, start + j2)
        for tag, i1, i2, j1, j2 in matcher.get_opcodes()
        if tag != "equal"
    ]


def changed_lines(change: Change) -> Iterator[DiffLine]:
    """Yield the removed and added lines only, in order."""
    old, new, shown = _prepared(change)
    for i1, i2, j1, j2 in changed_blocks(old, new):
        yield from (DiffLine("-", shown(line)) for line in old[i1:i2])
        yield from (DiffLine("+", shown(line)) for line in new[j1:j2])


def unified_lines(change: Change) -> Iterator[str]:
    """Yield the lines of a unified diff of one change, header first, without line ends."""
    name = visible_name(change.display or change.path)
    source = visible_name(source_name(change))
    yield "--- /dev/null" if change.kind == "create" else f"--- {source}"
    yield "+++ /dev/null" if change.kind == "delete" else f"+++ {name}"
    if change.before is None and change.after is None:
        yield "(not a text file)"
        return
    old, new, shown = _prepared(change)
    for hunk in _hunks(changed_blocks(old, new)):
        yield from _hunk_lines(hunk, old, new, shown)


def source_name(change: Change) -> str:
    """Return the path that the change starts from, as people see it."""
    shown, old, new = change.display or change.path, change.moved_from, change.path.replace("\\", "/")
    if old is None:
        return shown
    old = old.replace("\\", "/")
    root = new.removesuffix(shown)
    return old.removeprefix(root) if root != new and old.startswith(root) else old


def _prepared(change: Change) -> tuple[list[str], list[str], _Shown]:
    old, new = split_lines(change.before or ""), split_lines(change.after or "")
    endings = {line[len(strip_ending(line)) :] for line in [*old, *new]} - {""}
    return old, new, _Shown(show_endings=len(endings) > 1, last=(old[-1:], new[-1:]))


@dataclass(frozen=True, slots=True)
class _Shown:
    """Makes a line fit to be shown; line ends are written out where they differ, and where a last one is missing."""

    show_endings: bool
    last: tuple[list[str], list[str]]

    def __call__(self, line: str) -> str:
        text = strip_ending(line)
        ending = line[len(text) :]
        mark = {"\r\n": "␍␊", "\r": "␍", "\n": "␊"}.get(ending, "") if self.show_endings else ""
        if not ending and self.last[0] != self.last[1]:
            mark = " ⟨no line end⟩"
        return visible(text, keep="\t") + mark


def _hunks(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    """Put blocks together that stand so near each other that their surroundings touch."""
    hunk: list[Block] = []
    for block in blocks:
        if hunk and block[0] - hunk[-1][1] > 2 * _CONTEXT:
            yield hunk
            hunk = []
        hunk.append(block)
    if hunk:
        yield hunk


def _hunk_lines(hunk: list[Block], old: list[str], new: list[str], shown: _Shown) -> Iterator[str]:
    before = min(_CONTEXT, hunk[0][0])
    after = min(_CONTEXT, len(old) - hunk[-1][1])
    old_start, new_start = hunk[0][0] - before, hunk[0][2] - before
    old_count, new_count = hunk[-1][1] + after - old_start, hunk[-1][3] + after - new_start
    yield f"@@ -{_span(old_start, old_count)} +{_span(new_start, new_count)} @@"
    position = old_start
    for i1, i2, j1, j2 in hunk:
        yield from (f" {shown(line)}" for line in old[position:i1])
        yield from (f"-{shown(line)}" for line in old[i1:i2])
        yield from (f"+{shown(line)}" for line in new[j1:j2])
        position = i2
    yield from (f" {shown(line)}" for line in old[position : position + after])


def _span(start: int, count: int) -> str:
    first = start + 1 if count else start
    return f"{first}" if count == 1 else f"{first},{count}"
