"""What a patch says, whichever format it was written in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from steersman.agent.tool import ToolError

LineKind: TypeAlias = Literal[" ", "-", "+"]
"""Context (stands before and after), removed, added."""


class PatchError(ToolError):
    """The patch cannot be read, or does not fit; the message says where, and nothing was changed."""


@dataclass(frozen=True, slots=True)
class PatchLine:
    r"""One line of a hunk.

    Attributes:
        kind: context, removed or added.
        text: without its ending.
        ending: the ending it has in the patch; "" for one marked ``\ No newline at end of file``.
    """

    kind: LineKind
    text: str
    ending: str = "\n"


@dataclass(frozen=True, slots=True)
class Hunk:
    """One changed region of a file.

    Attributes:
        number: 1 for the file's first hunk, for errors.
        lines: in order.
        anchors: lines of the file that stand somewhere before the region, outermost first (``@@ class A``).
        line_number: where the patch says that the region begins, from 1 (of an empty one: the line before it), or None.
        at_end: the region reaches the end of the file.
        loose_blanks: how many of the last lines are bare empty lines that may only separate this hunk from the next.
    """

    number: int
    lines: tuple[PatchLine, ...]
    anchors: tuple[str, ...] = ()
    line_number: int | None = None
    at_end: bool = False
    loose_blanks: int = 0

    @property
    def name(self) -> str:
        """How errors call it."""
        return f"hunk {self.number}" + (f" (@@ {self.anchors[-1]})" if self.anchors else "")


@dataclass(frozen=True, slots=True)
class AddFile:
    """A new file.

    Attributes:
        path: as written.
        content: its whole text.
        may_overwrite: the format lets it replace a file that is there.
    """

    path: str
    content: str
    may_overwrite: bool = False


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """A file that goes.

    Attributes:
        path: as written.
        hunks: where given, they say what it must hold.
        other_path: what ``path`` means if nothing is there, or None.
    """

    path: str
    hunks: tuple[Hunk, ...] = ()
    other_path: str | None = None


@dataclass(frozen=True, slots=True)
class UpdateFile:
    """A file that changes, or moves, or both.

    Attributes:
        path: as written.
        hunks: in the order of the patch.
        new_path: where it moves to, or None.
        is_copy: the file stays, and a copy of it is changed at ``new_path``.
        may_overwrite: the format lets a move replace a file that is there.
        other_path: what ``path`` means if nothing is there, or None.
    """

    path: str
    hunks: tuple[Hunk, ...]
    new_path: str | None = None
    is_copy: bool = False
    may_overwrite: bool = False
    other_path: str | None = None


FilePatch: TypeAlias = AddFile | DeleteFile | UpdateFile
"""What a patch says about one file."""
