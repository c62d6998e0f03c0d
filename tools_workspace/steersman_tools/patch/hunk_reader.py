"""Lines of an update put together to hunks, where no counts say how many belong to each."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from steersman.agent.lines import strip_ending
from steersman_tools.kit.endings import ending_of
from steersman_tools.patch.model import Hunk, PatchLine

END_OF_FILE = "*** End of File"
NO_NEWLINE = "\\ No newline"
_RANGE = re.compile(r"@@+ *-(\d+)(?:,(\d+))? +\+\d+(?:,\d+)? *(?:@@|\Z)")
_DOTS = frozenset({"...", "\u2026", ".."})  # in place of numbers that the model did not count


def parse_anchor(line: str) -> tuple[str | None, int | None]:
    """Return the text after ``@@`` (None when there is none) and the line number in it (likewise)."""
    if numbers := _RANGE.match(line):
        return None, int(numbers[1])
    text = line.lstrip("@").strip()
    if text.endswith("@@"):
        text = text[:-2].rstrip()
    return None if text in _DOTS else text or None, None


@dataclass(slots=True)
class HunkReader:
    """Takes lines one by one; shared by both formats, for headers without line numbers."""

    hunks: list[Hunk] = field(default_factory=list[Hunk])
    _lines: list[PatchLine] = field(default_factory=list[PatchLine])
    _anchors: list[str] = field(default_factory=list[str])
    _line_number: int | None = None
    _blanks: int = 0

    def take(self, line: str) -> None:
        """Take the next line of an update."""
        text, ending = strip_ending(line), ending_of(line) or "\n"
        if line.startswith("@@"):
            self._header(text)
        elif line.rstrip() == END_OF_FILE:
            self._close(at_end=True)
        elif line.startswith(NO_NEWLINE):
            if self._lines:
                last = self._lines.pop()
                self._lines.append(PatchLine(last.kind, last.text, ""))
        elif not text:
            self._lines.append(PatchLine(" ", "", ending))
            self._blanks += 1
        else:
            kind = text[0] if text[0] in " -+" else None
            self._lines.append(_patch_line(kind, text, ending))
            self._blanks = 0

    def finish(self) -> tuple[Hunk, ...]:
        """Return all hunks."""
        self._close()
        return tuple(self.hunks)

    def _header(self, text: str) -> None:
        if len(self._lines) > self._blanks:
            self._close()
        self._lines, self._blanks = [], 0
        anchor, number = parse_anchor(text)
        if anchor is not None:
            self._anchors.append(anchor)
        if number is not None:
            self._line_number = number

    def _close(self, *, at_end: bool = False) -> None:
        lines, blanks = tuple(self._lines), self._blanks
        if len(lines) > blanks:
            self.hunks.append(
                Hunk(len(self.hunks) + 1, lines, tuple(self._anchors), self._line_number, at_end, loose_blanks=blanks)
            )
        self._lines, self._anchors, self._line_number, self._blanks = [], [], None, 0


def _patch_line(kind: str | None, text: str, ending: str) -> PatchLine:
    if kind == "-":
        return PatchLine("-", text[1:], ending)
    if kind == "+":
        return PatchLine("+", text[1:], ending)
    return PatchLine(" ", text[1:] if kind else text, ending)
