"""What the parts of the LSP face need of one another, as small protocols.

The connection (``protocol.py``) offers a ``Client``; the editor's documents (``documents.py``, ``text_sync.py``) offer
``Documents`` and ``DocumentSync``. Neither side imports the other. Nothing in here does anything.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from lsprotocol import types

PositionEncoding: TypeAlias = Literal["utf-8", "utf-16", "utf-32"]


@dataclass(frozen=True, slots=True)
class ClientOptions:
    """What a richer client declares in ``initializationOptions.client`` (PROTOCOL §6); all absent by default."""

    events: bool = False
    approvals: bool = False
    save_documents: bool = False
    diagnostics: bool = False


@dataclass(frozen=True, slots=True)
class ClientFacts:
    """What is known of the client since ``initialize``, in our own words.

    Attributes:
        name: ``clientInfo.name``, or "".
        version: ``clientInfo.version``, or "".
        position_encoding: the agreed unit of columns.
        apply_edit: it takes ``workspace/applyEdit``.
        document_changes: it takes versioned ``documentChanges`` in an edit.
        resource_operations: which of create, rename, delete it takes in an edit.
        show_document: it takes ``window/showDocument``.
        work_done_progress: it takes ``window/workDoneProgress/create``.
        text_document_content: it can ask for the text of our virtual documents.
        configuration: it answers ``workspace/configuration``.
        dynamic_configuration: it lets us register for ``workspace/didChangeConfiguration``.
        code_action_literals: it takes code actions, not only commands, from ``textDocument/codeAction``.
        code_lens_refresh: it takes ``workspace/codeLens/refresh``.
        options: what it declares beyond the LSP.
    """

    name: str = ""
    version: str = ""
    position_encoding: PositionEncoding = "utf-16"
    apply_edit: bool = False
    document_changes: bool = False
    resource_operations: frozenset[str] = frozenset()
    show_document: bool = False
    work_done_progress: bool = False
    text_document_content: bool = False
    configuration: bool = False
    dynamic_configuration: bool = False
    code_action_literals: bool = False
    code_lens_refresh: bool = False
    options: ClientOptions = field(default_factory=ClientOptions)


class ClientError(Exception):
    """The client answered a request of ours with an error, or with something that makes no sense."""

    def __init__(self, message: str, *, code: int | None = None) -> None:
        super().__init__(message)
        self.message = message
        self.code = code


class ClientLacksMethodError(ClientError):
    """The client does not know the method (MethodNotFound)."""


class ClientGoneError(ClientError):
    """There is no client any more: the connection is closed."""


class Client(Protocol):
    """The editor at the other end."""

    @property
    def facts(self) -> ClientFacts:
        """What is known of it; the defaults before ``initialize``."""
        ...

    async def request(self, method: str, params: object, *, timeout_s: float | None = None) -> Any:
        """Send a request and return its answer.

        ``params`` is the LSP type of the method, or JSON for a method of our own; the answer likewise (None for null).
        When the caller is cancelled, or the time is up, the request is withdrawn by ``$/cancelRequest`` and a late
        answer is discarded in silence (A7).

        Raises:
            ClientLacksMethodError: MethodNotFound.
            ClientGoneError: the connection is closed, or closed while waiting.
            ClientError: any other error, or an answer of the wrong shape.
            TimeoutError: no answer within ``timeout_s`` seconds (None: waits as long as it takes).
        """
        ...

    def notify(self, method: str, params: object) -> None:
        """Send a notification: the LSP type of the method, or JSON. Never blocks and never raises for a lost client."""
        ...


class OpenDocument(Protocol):
    """An open document, as far as code actions, lenses and instruction comments read it."""

    @property
    def uri(self) -> str:
        """The client's own spelling."""
        ...

    @property
    def path(self) -> Path | None:
        """Canonical path, or None for a document that is no file (W11)."""
        ...

    @property
    def language_id(self) -> str:
        """As the client names it, such as ``python``."""
        ...

    @property
    def version(self) -> int:
        """The client's number of the present text."""
        ...

    @property
    def text(self) -> str:
        """The present text."""
        ...


class Documents(Protocol):
    """The open documents."""

    def get(self, uri: str) -> OpenDocument | None:
        """Return the open document with this URI in any spelling, or None."""
        ...

    @property
    def epoch(self) -> int:
        """Counts up whenever the person (not an edit of ours) changed a document (L11)."""
        ...


class DocumentSync(Protocol):
    """Takes in the client's text synchronization, in the order of the wire. Must not raise for odd input: it logs."""

    def did_open(self, params: types.DidOpenTextDocumentParams) -> None:
        """A document was opened."""
        ...

    def did_change(self, params: types.DidChangeTextDocumentParams) -> None:
        """A document's text changed."""
        ...

    def did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """A document was saved."""
        ...

    def did_close(self, params: types.DidCloseTextDocumentParams) -> None:
        """A document was closed."""
        ...


JsonObject: TypeAlias = dict[str, Any]
"""A JSON object on its way to or from the wire."""

JsonMapping: TypeAlias = Mapping[str, Any]
"""A JSON object that is only read."""
