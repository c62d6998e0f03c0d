"""An instruction comment, as an editor hands it over: what is to be done stands in it, the comment itself is to go.

The sentence around it is the editor's (``lsp.code_actions``), so nothing in it chooses a tool. The comment goes first:
what it quotes would otherwise be found in it as well as where it is meant.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

_WRAPPED = re.compile(
    r"Do what the instruction comment in (?P<path>[^\n]+), lines? \d+(?: to \d+)?, says, and remove that comment"
    r"(?P<lines> with its lines?)?:\n\n(?P<says>.+)",
    re.DOTALL,
)
_SELECTED = re.compile(
    r"\nSelected, lines? \d+(?: to \d+)?:\n(?P<fence>`{3,})\n(?P<text>.*)\n(?P=fence)(?=\n|\Z)", re.DOTALL
)

REMOVAL = "remove the instruction comment"
"""The step that takes the comment out."""


@dataclass(frozen=True, slots=True)
class InstructionComment:
    """An instruction comment.

    Attributes:
        says: what is to be done.
        path: the file it stands in.
        text: the comment as it stands there, with its line end where the line goes with it; None where nobody said.
    """

    says: str
    path: str
    text: str | None


def read_comment(words: str, context: str) -> InstructionComment | None:
    """Return the instruction comment that a prompt hands over, None for any other prompt.

    Args:
        words: the prompt.
        context: what the editor put behind it, which holds the comment as the selection.
    """
    wrapped = _WRAPPED.fullmatch(words)
    if wrapped is None:
        return None
    selected = _SELECTED.search(context)
    text = None if selected is None else selected["text"] + ("\n" if wrapped["lines"] else "")
    return InstructionComment(wrapped["says"], wrapped["path"], text)
