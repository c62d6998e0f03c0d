"""The workspace as tools see it: the truth about every document, open in an editor or not (DESIGN W1, W2).

``disk.DiskWorkspace`` is the file system alone; the LSP face lays the editor's open documents over it. A tool never
opens a file itself, and never changes one except through ``apply``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from steersman.agent.changes import Change, ChangeSummary
from steersman.agent.tool import ToolError

if TYPE_CHECKING:
    from steersman_tools.kit.leftovers import LeftoverStore

DocumentState: TypeAlias = Literal["closed", "clean", "dirty", "stale", "conflict"]
"""closed: not open. clean: buffer = disk. dirty: unsaved. stale: the disk moved on under an unchanged buffer.
conflict: both changed (W1)."""


@dataclass(frozen=True, slots=True)
class Root:
    """One workspace folder: its name (unique among the roots) and its real path."""

    name: str
    path: Path


@dataclass(frozen=True, slots=True)
class Location:
    """A path that was resolved and lies inside a root (W7).

    Attributes:
        path: canonical absolute path: links resolved, existing parts spelled as the file system spells them.
        root: the root it lies in.
        display: as people and the model see it: relative to the run's folder with "/"; other roots as ``name/…``.
        link: the symbolic link that the path's last part named, when it did; ``path`` is where it leads. Reading and
            editing go to ``path``; moving or deleting such a location would hit the target, not the link.
        respelled: ``path`` with its last part as it was written, where that is another spelling of the same file (on
            systems that fold case or Unicode forms): what a rename that changes case alone wants.
    """

    path: Path
    root: Root
    display: str
    link: Path | None = None
    respelled: Path | None = None


@dataclass(frozen=True, slots=True)
class Document:
    """The present text of a file, wherever its truth is.

    Attributes:
        location: where it is.
        text: decoded, without byte order mark, with its own line endings.
        digest: ``text_digest(text)``.
        state: how buffer and disk stand to each other.
        encoding: Python codec name of the file on disk, such as ``utf-8`` or ``utf-16-le``.
        has_bom: whether the file on disk begins with a byte order mark.
        note: what the reader must know (a stale buffer, a conflict), or None.
    """

    location: Location
    text: str
    digest: str
    state: DocumentState = "closed"
    encoding: str = "utf-8"
    has_bom: bool = False
    note: str | None = None


@dataclass(frozen=True, slots=True)
class Applied:
    """What ``apply`` did, all of it confirmed.

    Attributes:
        changes: one summary a change, in order.
        after: canonical path -> text that stands there now (what was typed meanwhile included), for ``seen``.
        notes: what the model must be told, such as "src/app.py is open and not saved".
    """

    changes: tuple[ChangeSummary, ...]
    after: dict[str, str]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Snapshot:
    """Everything about one path that a rewind needs (S7).

    Attributes:
        path: canonical absolute path.
        data: the bytes on disk, or None when nothing is there.
        mode: permission bits, or None.
        buffer: the text of the open document, or None when it is not open.
        missing: how many of the folders above it, inside the workspace, were not there either.
    """

    path: str
    data: bytes | None
    mode: int | None
    buffer: str | None
    missing: int = 0


class FileMissingError(ToolError):
    """Nothing is at this path."""


class NotTextError(ToolError):
    """The file is binary, or cannot be decoded without loss."""


class PathRefusedError(ToolError):
    """The path leads out of the workspace, or is one that no tool may touch."""


class ChangedError(ToolError):
    """The document is no longer what the change was worked out for; nothing was changed."""


class ApplyError(ToolError):
    """A change could not be applied. The message says whether anything was changed."""


@runtime_checkable
class NotesLeftovers(Protocol):
    """A workspace that puts temporary files beside what it changes."""

    def note_in(self, stores: Callable[[], LeftoverStore]) -> None:
        """Note them in the store that this gives, so that others remove them if this process is killed."""
        ...


@runtime_checkable
class SeesBuffers(Protocol):
    """A workspace with an editor: a path whose snapshot has no buffer is not open there."""

    sees_buffers: Literal[True]


class Workspace(Protocol):
    """What tools may do. Errors are ``ToolError``s in words for the model."""

    @property
    def roots(self) -> tuple[Root, ...]:
        """All workspace folders; the run's own first. Never empty."""
        ...

    def locate(self, path: str) -> Location:
        """Resolve a path as the model wrote it (W7, W12). The file need not exist.

        Raises:
            PathRefusedError: it leads outside, or is refused always.
        """
        ...

    async def read(self, location: Location) -> Document:
        """Return the present text.

        Raises:
            FileMissingError: nothing is there (and no document is open there).
            NotTextError: binary, or not decodable without loss.
            ToolError: a directory, too large, not a regular file, no permission.
        """
        ...

    async def apply(self, changes: Sequence[Change], *, label: str) -> Applied:
        """Make all changes or none (W6). ``label`` names the edit in the editor's undo list.

        Each change's ``before_digest`` is checked against what stands there at the moment of writing.

        Raises:
            ChangedError: a document moved on; nothing was changed.
            ApplyError: not possible; the message tells what stands now.
        """
        ...

    async def open_texts(self) -> dict[str, str]:
        """Canonical path -> present text of every open document whose text differs from the disk (for search)."""
        ...

    async def exists(self, location: Location) -> bool:
        """Whether a file, folder or open document is there."""
        ...

    async def snapshot(self, path: str) -> Snapshot:
        """Take what a rewind of this canonical path would need; of a path inside the roots only."""
        ...

    async def restore(self, wanted: Snapshot, expected: Snapshot | None) -> str | None:
        """Put a path back to ``wanted``. Return None, or why it was left alone.

        ``expected`` is what the last change of ours left there; anything else is a conflict (None: do it anyway).
        """
        ...

    async def prepare_for_command(self) -> tuple[str, ...]:
        """Before a command runs: display paths of open documents that hold edits of ours that are not saved."""
        ...

    async def settle_after_command(self) -> None:
        """After a command ran: give the editor its second to reload what changed on disk (W1)."""
        ...
