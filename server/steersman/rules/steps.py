"""A task's words, split into its steps (DESIGN M7)."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from dataclasses import dataclass

from steersman.rules.mood import begins_as_question, contrasts, denies, has_doubt, spreads, takes_back
from steersman.rules.quotes import find_quotes

_SPLIT = re.compile(r";|(?<![\w./\\-])then(?![\w/\\-]|\.\w)", re.IGNORECASE)
_NEVER = r"(?:please\s+)?(?:do\s+not|don['’]?t|never)\b"
_DENIED_SPLIT = re.compile(
    rf"{_SPLIT.pattern}|(?<=[\w\"'”’`)][.!…])\s+|(?:,\s*|\s)(?:(?:but|and|yet|though)\s+)?(?={_NEVER})"
    r"|,?\s(?=but\b)",
    re.IGNORECASE,
)
"""Where a task in which something is denied comes apart: at its sentences, and before what is denied, too."""
_FULL_STOP = re.compile(r"[.!…]\s+$")
_LEADING = re.compile(
    r"(?:[\s,]+|[.:!?…-]+(?=\s|$)|(?:and|also|next|finally|lastly|afterwards|please|after that)\b[\s,]*"
    r"|first(?:ly)?\b(?=,|\s+[^\W\d])[\s,]*)+",
    re.IGNORECASE,
)
_JOINING_END = re.compile(r"(?:^|[\s,])(?:and|after that|finally)$", re.IGNORECASE)
_ENDS_OF_SENTENCE = ".!…"
_NOTE = re.compile(r"\s*\[[^\]\n]*\]\s*(?:\n|$)")


@dataclass(frozen=True, slots=True)
class Part:
    """One step of a task.

    Attributes:
        text: its words, without those that join it to its neighbours.
        in_doubt: the sentence it is part of denies or asks, so it is no plain instruction, whatever its own words say.
    """

    text: str
    in_doubt: bool


def split_steps(task: str) -> list[str]:
    """Return the steps of a task: its parts between ``then`` and ``;``, outside quotes, without the words that join.

    A first line that stands wholly in square brackets is a note of the host's, not part of the task.
    """
    return [part.text for part in split_task(task)]


def split_task(task: str) -> list[Part]:
    """Return the steps of a task, each with the doubt that its neighbours cast on it.

    A denial or a question goes on to what is joined to it by ``then`` or ``;``, up to the end of the sentence or a word
    such as "but" or "instead". A question mark counts for what stands before it, unless the last step asks by itself;
    what takes back ("or not?", "no, don't") does so for all before it.
    """
    note = _NOTE.match(task)
    if note is not None:
        task = task[note.end() :]
    written = list(_cut(task))
    doubts = _spread(written)
    parts = (Part(_bare(words), in_doubt) for words, in_doubt in zip(written, doubts, strict=True))
    return [part for part in parts if part.text]


def _cut(task: str) -> Iterator[str]:
    """Yield the parts of a task as written."""
    quotes = find_quotes(task)
    starts = [quote.start for quote in quotes]
    begin = 0
    for match in (_DENIED_SPLIT if denies(task) else _SPLIT).finditer(task):
        inside = bisect_right(starts, match.start()) - 1
        if inside >= 0 and match.start() < quotes[inside].end:
            continue
        if task[match.end() :][:3].lower() == "but" and not denies(task[begin : match.start()]):
            continue
        yield task[begin : match.start()] + (" " if match.group().isspace() else "")
        begin = match.end()
    yield task[begin:]


def _spread(written: list[str]) -> list[bool]:
    """Return for each part whether its sentence casts doubt on it."""
    doubts: list[bool] = []
    is_carried = False
    for words in written:
        bare = _bare(words)
        is_carried = is_carried and not contrasts(words)
        doubts.append(is_carried)
        is_carried = (is_carried or (bool(bare) and spreads(bare))) and _FULL_STOP.search(words) is None
    is_asked = is_withdrawn = False
    for index in range(len(written) - 1, -1, -1):
        words, bare = written[index], _bare(written[index])
        is_asked = is_asked and _FULL_STOP.search(words) is None
        doubts[index] = doubts[index] or is_asked or is_withdrawn
        asks_of_all = "?" in words and has_doubt(bare) and not denies(bare) and not begins_as_question(bare)
        is_asked = is_asked or asks_of_all
        is_withdrawn = is_withdrawn or takes_back(bare)
    return doubts


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
