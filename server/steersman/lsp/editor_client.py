"""What the overlay asks of the editor, in our own words; the fakes of the tests offer the same.

The one implementation for real clients is ``client_edits.LspEditorClient``. Answers are what the client *said*; whether
an edit is there is decided by the document's later texts alone (DESIGN W2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, Protocol, TypeAlias

from steersman.lsp.client_quirks import ClientQuirks
from steersman.lsp.contracts import ClientFacts
from steersman.lsp.positions import TextEdit

Said: TypeAlias = Literal["applied", "refused", "nothing"]
"""What the client answered: that it applied the edit, that it did not (an error counts), or nothing in time."""


@dataclass(frozen=True, slots=True)
class EditAnswer:
    """A client's answer to an edit, and its reason for refusing where it gave one."""

    said: Said
    reason: str | None = None


@dataclass(frozen=True, slots=True)
class DocumentEdit:
    """An edit of one open document, made for exactly one version of it."""

    uri: str
    version: int
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class RenameFile:
    """Move a file that is open; ``uri`` is the client's own spelling. Never overwrites."""

    uri: str
    new_path: Path


@dataclass(frozen=True, slots=True)
class DeleteFile:
    """Delete a file that is open."""

    uri: str


ResourceOperation: TypeAlias = RenameFile | DeleteFile


class EditorClient(Protocol):
    """The editor, as far as its documents go. No method raises for a client that is slow, odd or gone."""

    @property
    def facts(self) -> ClientFacts:
        """What the client declared."""
        ...

    @property
    def quirks(self) -> ClientQuirks:
        """What is known of it beyond that."""
        ...

    async def edit(self, edit: DocumentEdit, *, label: str, timeout_s: float) -> EditAnswer:
        """Send one edit of one document; ``label`` names it in the undo list."""
        ...

    async def operate(self, operation: ResourceOperation, *, label: str, timeout_s: float) -> EditAnswer:
        """Send one resource operation."""
        ...

    async def confirm(self, message: str) -> bool:
        """Ask the person a plain question; anything but a clear yes is no (A3)."""
        ...

    async def save(self, uris: Sequence[str]) -> frozenset[str]:
        """Have documents saved; return those that were. Empty when the client cannot (PROTOCOL §6)."""
        ...
