"""A uniform difference in indentation between a file and what a model wrote of it (DESIGN W5).

Only differences that one rule explains for every line are tolerated; the same rule then indents the new lines.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

_UNITS = ("\t", " ", "  ", "   ", "    ", "        ")


def indent_of(line: str) -> str:
    """Return the spaces and tabs that the line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


@dataclass(frozen=True, slots=True)
class Reindent:
    """One rule that turns the model's indentation into the file's.

    Attributes:
        remove: what is taken from the beginning of every line, first.
        add: what is put before every line.
        unit: what one level is in the model's lines, or "" when units are not exchanged.
        into: what one level is in the file.
        shift: how many levels deeper the file's lines are, when units are exchanged.
    """

    remove: str = ""
    add: str = ""
    unit: str = ""
    into: str = ""
    shift: int = 0

    def line(self, line: str) -> str | None:
        """Return the line as the file would have it, or None when it cannot be (less indented than what is taken away).

        Lines of white space alone stay as they are.
        """
        if not line.strip():
            return line
        if self.unit:
            return self._exchanged(line)
        if not line.startswith(self.remove):
            return None
        return self.add + line[len(self.remove) :]

    def _exchanged(self, line: str) -> str | None:
        indent = indent_of(line)
        level = 0
        while indent.startswith(self.unit, level * len(self.unit)):
            level += 1
        if level + self.shift < 0:
            return None
        return self.into * (level + self.shift) + line[level * len(self.unit) :]

    def lines(self, lines: Iterable[str]) -> list[str] | None:
        """Return all lines re-indented, or None when one cannot be."""
        result: list[str] = []
        for line in lines:
            changed = self.line(line)
            if changed is None:
                return None
            result.append(changed)
        return result


def find_reindent(model: Sequence[str], file: Sequence[str]) -> Reindent | None:
    """Return the rule that turns each of the model's lines' indentation into the file's, or None when there is none.

    Both have equally many lines. Lines that are blank on the model's side are not looked at.
    """
    pairs = {(indent_of(m), indent_of(f)) for m, f in zip(model, file, strict=True) if m.strip()}
    if not pairs:
        return None
    wrote, stands = min(pairs, key=lambda pair: (len(pair[0]), len(pair[1])))
    if stands.endswith(wrote):
        add = stands[: len(stands) - len(wrote)]
        if all(f == add + m for m, f in pairs):
            return Reindent(add=add)
    if wrote.endswith(stands):
        remove = wrote[: len(wrote) - len(stands)]
        if all(m == remove + f for m, f in pairs):
            return Reindent(remove=remove)
    return _exchanged_units(pairs)


def _exchanged_units(pairs: set[tuple[str, str]]) -> Reindent | None:
    """Find tabs for spaces, or another number of spaces a level; a shift only where two levels prove it."""
    rules: list[Reindent] = []
    for unit in _UNITS:
        for into in _UNITS:
            levels = [(_levels(m, unit), _levels(f, into)) for m, f in pairs]
            shifts = {None if m is None or f is None else f - m for m, f in levels}
            shift = shifts.pop() if len(shifts) == 1 else None
            if unit != into and shift is not None and (shift == 0 or len(pairs) > 1):
                rules.append(Reindent(unit=unit, into=into, shift=shift))
    return min(rules, key=lambda rule: abs(rule.shift), default=None)


def _levels(indent: str, unit: str) -> int | None:
    count, rest = divmod(len(indent), len(unit))
    return count if rest == 0 and indent == unit * count else None
