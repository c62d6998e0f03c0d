"""The open documents with offsets and positions in the client's own way of counting (for actions, lenses, requests)."""

from __future__ import annotations

from pathlib import Path

from steersman.lsp.contracts import OpenDocument
from steersman.lsp.documents import Documents
from steersman.lsp.positions import LineRule, Position, Range, offsets_to_positions, position_to_offset


class EditorTexts:
    """Reads ``Documents``; changes nothing."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def path_of(self, uri: str) -> Path | None:
        """Return the canonical path of a URI, or None for what is no file."""
        return self._documents.path_of(uri)

    def get(self, uri: str) -> OpenDocument | None:
        """Return the open document, or None."""
        return self._documents.get(uri)

    def offset(self, document: OpenDocument, position: Position) -> int:
        """Return the offset of a position in the document's text."""
        return position_to_offset(document.text, position, self._documents.encoding, self._rule(document))

    def range(self, document: OpenDocument, start: int, end: int) -> Range:
        """Return the range between two offsets of the document's text."""
        first, last = offsets_to_positions(document.text, [start, end], self._documents.encoding, self._rule(document))
        return Range(first, last)

    def _rule(self, document: OpenDocument) -> LineRule:
        found = self._documents.get_exactly(document.uri)
        return found.lines.rule if found is not None else "lsp"
