"""The mirror of the editor's open documents, letter by letter (DESIGN W1, §8).

It takes in what the client tells and nothing else; pygls' own mirror splits lines where the LSP does not and is not
used. Documents are keyed by canonical path and addressed by the client's own URI. This module never reads a file
itself, never sends anything, and never changes a text by itself.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Generator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from steersman.lsp.client_quirks import ClientQuirks
from steersman.lsp.contracts import PositionEncoding
from steersman.lsp.positions import LineRule, Range
from steersman.lsp.text_lines import TextLines


@dataclass(frozen=True, slots=True)
class ContentChange:
    """One content change of a ``didChange``: the text of a range, or of the whole document when it has no range."""

    text: str
    range: Range | None = None


@dataclass(frozen=True, slots=True)
class Present:
    """What a watch saw: the document's text after one content change (or an opening), or that it was closed.

    Attributes:
        text: the whole text; None when the document was closed.
        version: the client's number of the notification that brought it.
        last: it is the last one of its notification, so the version names this very text.
        opened: the document was opened (again) with this text.
    """

    text: str | None
    version: int
    last: bool = True
    opened: bool = False


class OpenDocument:
    """An open document. Its attributes are for reading; only ``Documents`` changes them."""

    def __init__(self, uri: str, path: Path | None, language_id: str, version: int, lines: TextLines) -> None:
        self.uri = uri
        self.path = path
        self.language_id = language_id
        self.version = version
        self.lines = lines
        self.opened_empty = not lines.text

    @property
    def text(self) -> str:
        """The present text, as the client has it (line endings and all)."""
        return self.lines.text


@dataclass(slots=True)
class Watch:
    """What happens to one document from some moment on, in order."""

    seen: list[Present] = field(default_factory=list[Present])
    _more: asyncio.Event = field(default_factory=asyncio.Event)

    def add(self, present: Present) -> None:
        """Take one in; called by ``Documents`` only."""
        self.seen.append(present)
        self._more.set()

    @property
    def closed(self) -> bool:
        """Whether the document was closed, and not opened again since."""
        return bool(self.seen) and self.seen[-1].text is None

    async def more(self) -> None:
        """Return as soon as something was seen since the last call."""
        await self._more.wait()
        self._more.clear()


def _ignore(_document: OpenDocument) -> None:
    """Nobody listens."""


@dataclass(frozen=True, slots=True)
class DocumentListeners:
    """Who is told at once, in the same turn of the event loop. Must not raise.

    Attributes:
        opened: a document was opened.
        changed: a document's text changed.
        saved: a document was saved.
        closed: a document was closed.
    """

    opened: Callable[[OpenDocument], None] = _ignore
    changed: Callable[[OpenDocument], None] = _ignore
    saved: Callable[[OpenDocument], None] = _ignore
    closed: Callable[[OpenDocument], None] = _ignore


class Documents:
    """All open documents of one client.

    ``resolve`` gives the canonical path for a ``file:`` URI in any spelling, or None for what is no file (W11). All
    methods belong to the event loop's thread. A notification that makes no sense (a change of a document that was
    never opened) returns False and changes nothing.
    """

    def __init__(self, resolve: Callable[[str], Path | None]) -> None:
        self._resolve = resolve
        self._by_uri: dict[str, OpenDocument] = {}
        self._watches: dict[str, list[Watch]] = {}
        self._listeners: list[DocumentListeners] = []
        self._own: dict[str, int] = {}
        self.encoding: PositionEncoding = "utf-16"
        self.quirks = ClientQuirks()
        self.epoch = 0
        """Counts up whenever a document changed and no edit of ours was under way in it (L11)."""

    def configure(self, encoding: PositionEncoding, quirks: ClientQuirks) -> None:
        """Take over what was agreed on in ``initialize``; before any document is opened."""
        self.encoding, self.quirks = encoding, quirks

    def listen(self, listeners: DocumentListeners) -> None:
        """Tell these listeners from now on."""
        self._listeners.append(listeners)

    def open(self, uri: str, language_id: str, version: int, text: str) -> bool:
        """A document was opened (again: the new text replaces the old one)."""
        lines = TextLines(text, self._rule)
        document = OpenDocument(uri, self._resolve(uri), language_id, version, lines)
        self._by_uri[uri] = document
        self._tell(uri, Present(text, version, opened=True))
        for listener in self._listeners:
            listener.opened(document)
        return True

    def change(self, uri: str, version: int, changes: Sequence[ContentChange]) -> bool:
        """A document's text changed; the changes come one after the other, each on the text the one before left."""
        document = self._by_uri.get(uri)
        if document is None:
            return False
        if not self._own.get(uri):
            self.epoch += 1
        document.version = version
        for number, change in enumerate(changes, 1):
            if change.range is None:
                document.lines = TextLines(change.text, self._rule)
            else:
                document.lines.replace(change.range, change.text, self.encoding)
            if self._watches.get(uri):
                self._tell(uri, Present(document.text, version, last=number == len(changes)))
        if not changes:
            self._tell(uri, Present(document.text, version))
        for listener in self._listeners:
            listener.changed(document)
        return True

    def save(self, uri: str) -> bool:
        """A document was saved.

        A text that a client sends along is not for the mirror: it bears no version, and Helix, which goes on taking
        keys while it writes, sends the one from before them.
        """
        document = self._by_uri.get(uri)
        if document is None:
            return False
        for listener in self._listeners:
            listener.saved(document)
        return True

    def close(self, uri: str) -> bool:
        """A document was closed."""
        document = self._by_uri.pop(uri, None)
        if document is None:
            return False
        self._tell(uri, Present(None, document.version))
        for listener in self._listeners:
            listener.closed(document)
        return True

    def path_of(self, uri: str) -> Path | None:
        """Return the canonical path of a URI in any spelling, open or not; None for what is no file."""
        return self._resolve(uri)

    def get(self, uri: str) -> OpenDocument | None:
        """Return the open document with this URI, in the client's spelling or any other of the same file."""
        found = self._by_uri.get(uri)
        if found is not None:
            return found
        path = self._resolve(uri)
        return next(iter(self.at(path)), None) if path is not None else None

    def get_exactly(self, uri: str) -> OpenDocument | None:
        """Return the open document that the client itself names so, or None."""
        return self._by_uri.get(uri)

    def at(self, path: Path) -> tuple[OpenDocument, ...]:
        """Return the open documents of a canonical path: one for each spelling that the client has opened."""
        return tuple(document for document in self._by_uri.values() if document.path == path)

    def all(self) -> tuple[OpenDocument, ...]:
        """Return all open documents, in the order in which they were opened."""
        return tuple(self._by_uri.values())

    @contextmanager
    def watch(self, uri: str) -> Generator[Watch]:
        """See every text that the document with this URI has from now on; its changes do not count up ``epoch``."""
        watch = Watch()
        self._watches.setdefault(uri, []).append(watch)
        self._own[uri] = self._own.get(uri, 0) + 1
        try:
            yield watch
        finally:
            self._own[uri] -= 1
            self._watches[uri].remove(watch)

    @property
    def _rule(self) -> LineRule:
        return "lf" if self.quirks.line_feeds_only else "lsp"

    def _tell(self, uri: str, present: Present) -> None:
        for watch in self._watches.get(uri, ()):
            watch.add(present)
