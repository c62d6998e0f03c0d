"""A task's words, split into its steps (DESIGN M7)."""

from __future__ import annotations

import re
from bisect import bisect_right

from steersman.rules.quotes import find_quotes

_SPLIT = re.compile(r";|(?<![\w./\\-])then(?![\w/\\-]|\.\w)", re.IGNORECASE)
_LEADING = re.compile(
    r"(?:[\s,]+|[.:!?…-]+(?=\s|$)|(?:and|also|next|finally|lastly|afterwards|please|after that)\b[\s,]*"
    r"|first(?:ly)?\b(?=,|\s+[^\W\d])[\s,]*)+",
    re.IGNORECASE,
)
_JOINING_END = re.compile(r"(?:^|[\s,])(?:and|after that|finally)$", re.IGNORECASE)
_ENDS_OF_SENTENCE = ".!…"
_NOTE = re.compile(r"\s*\[[^\]\n]*\]\s*(?:\n|$)")


def split_steps(task: str) -> list[str]:
    """Return the steps of a task: its parts between ``then`` and ``;``, outside quotes, without the words that join.

    A first line that stands wholly in square brackets is a note of the host's, not part of the task.
    """
    note = _NOTE.match(task)
    if note is not None:
        task = task[note.end() :]
    quotes = find_quotes(task)
    starts = [quote.start for quote in quotes]
    parts: list[str] = []
    begin = 0
    for match in _SPLIT.finditer(task):
        inside = bisect_right(starts, match.start()) - 1
        if inside >= 0 and match.start() < quotes[inside].end:
            continue
        parts.append(task[begin : match.start()])
        begin = match.end()
    parts.append(task[begin:])
    steps = (_bare(part) for part in parts)
    return [step for step in steps if step]


def _bare(part: str) -> str:
    """Return a step without what joins it to its neighbours."""
    leading = _LEADING.match(part)
    if leading is not None:
        part = part[leading.end() :]
    while True:
        shorter = part.rstrip().rstrip(",:")
        words = shorter.rstrip(_ENDS_OF_SENTENCE)
        if words and (words[-1].isalnum() or words[-1] in "\"'”’`)]}_"):
            shorter = words  # a dot that stands alone is a folder
        joining = _JOINING_END.search(shorter[-20:])
        if joining is not None:
            shorter = shorter[: len(shorter) - len(joining.group())]
        if shorter == part:
            return part
        part = shorter
