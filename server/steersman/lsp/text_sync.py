"""The client's text synchronization, from the wire's types to ``Documents`` (the one place that translates them)."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from steersman.lsp.documents import ContentChange, Documents
from steersman.lsp.positions import Position, Range

if TYPE_CHECKING:
    from lsprotocol import types

_log = logging.getLogger(__name__)


class TextSync:
    """Feeds ``Documents`` (implements ``contracts.DocumentSync``). Odd input is logged, never raised."""

    def __init__(self, documents: Documents) -> None:
        self._documents = documents

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document was opened."""
        item = params.text_document
        self._documents.open(item.uri, item.language_id, item.version, item.text)

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document's text changed."""
        document = params.text_document
        changes = [_content_change(change) for change in params.content_changes]
        self._expect(self._documents.change(document.uri, document.version, changes), "changed")

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """A document was saved."""
        self._expect(self._documents.save(params.text_document.uri), "saved")

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document was closed."""
        self._expect(self._documents.close(params.text_document.uri), "closed")

    def _expect(self, known: bool, what: str) -> None:
        if not known:
            _log.warning("the client %s a document that it had not opened; ignored", what)


def _content_change(change: types.TextDocumentContentChangeEvent) -> ContentChange:
    where = getattr(change, "range", None)
    if where is None:
        return ContentChange(change.text)
    start = Position(where.start.line, where.start.character)
    end = Position(where.end.line, where.end.character)
    return ContentChange(change.text, Range(start, end))
