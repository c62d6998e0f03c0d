"""The methods of the LSP that make up a connection's life, handed on to the ``Face`` behind it (DESIGN §8).

Only what every LSP server has is here: initialize to exit, documents, folders, configuration, commands. What the
commands do, and what a document is, this module does not know.
"""

from __future__ import annotations

from collections.abc import Coroutine
from typing import Any, Protocol, cast

import cattrs
from lsprotocol import types
from pygls.protocol import lsp_method

from steersman.lsp.contracts import DocumentSync, JsonMapping, JsonObject
from steersman.lsp.dispatch import Dispatch, IncomingRequest
from steersman.lsp.failures import InvalidParamsError


class Face(Protocol):
    """What stands behind the protocol (``server.SteersmanServer``)."""

    @property
    def document_sync(self) -> DocumentSync:
        """Takes in the open documents."""
        ...

    def on_initialize(self, params: JsonMapping) -> JsonObject:
        """Take in the client's facts; return the answer."""
        ...

    def on_initialized(self) -> None:
        """The client is ready for our requests."""
        ...

    async def on_shutdown(self) -> None:
        """Close the runs."""
        ...

    def on_exit(self, code: int) -> None:
        """Leave."""
        ...

    def on_folders_changed(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """The workspace folders changed."""
        ...

    def on_configuration_changed(self, settings: object) -> None:
        """The client's configuration changed; ``settings`` is what it says of it, if it does."""
        ...

    def on_progress_cancelled(self, token: int | str) -> None:
        """The person stopped what runs under this progress token."""
        ...

    def on_command(
        self, request: IncomingRequest, command: str, arguments: object, token: int | str | None
    ) -> Coroutine[Any, Any, JsonObject]:
        """Do a command and return its result."""
        ...


class SteersmanProtocol(Dispatch):
    """The connection to one client."""

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self._face = cast("Face", server)
        builtin = cast("dict[str, Any]", self.fm.builtin_features)  # pyright: ignore[reportUnknownMemberType]
        for method in [method for method in builtin if method.startswith("notebookDocument/")]:
            del builtin[method]  # they would need pygls' own mirror of documents, which is not used

    @lsp_method(types.INITIALIZE)
    def lsp_initialize(self, params: Any) -> JsonObject:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Begin: read what the client is, announce what the server can do."""
        if not isinstance(params, dict):
            raise InvalidParamsError("The params of initialize are not an object.")
        result = self._face.on_initialize(cast("JsonMapping", params))
        self._stage = "running"
        return result

    @lsp_method(types.INITIALIZED)
    def lsp_initialized(self, *args: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The client is ready."""
        del args
        self._face.on_initialized()

    @lsp_method(types.SHUTDOWN)
    async def lsp_shutdown(self, *args: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Close the runs, answer, and take nothing more but ``exit``."""
        del args
        self._stage = "shut down"
        await self._face.on_shutdown()

    @lsp_method(types.EXIT)
    def lsp_exit(self, *args: Any) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Leave: with 0 after a shutdown, otherwise with 1 (LSP, ``exit``)."""
        del args
        self._face.on_exit(0 if self._stage == "shut down" else 1)

    @lsp_method(types.SET_TRACE)
    def lsp_set_trace(self, params: types.SetTraceParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Remember how much the client wants to be told."""
        self.trace = params.value

    @lsp_method(types.TEXT_DOCUMENT_DID_OPEN)
    def lsp_text_document__did_open(self, params: types.DidOpenTextDocumentParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A document was opened."""
        self._face.document_sync.did_open(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CHANGE)
    def lsp_text_document__did_change(self, params: types.DidChangeTextDocumentParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A document changed."""
        self._face.document_sync.did_change(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_SAVE)
    def lsp_text_document__did_save(self, params: types.DidSaveTextDocumentParams) -> None:
        """A document was saved."""
        self._face.document_sync.did_save(params)

    @lsp_method(types.TEXT_DOCUMENT_DID_CLOSE)
    def lsp_text_document__did_close(self, params: types.DidCloseTextDocumentParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """A document was closed."""
        self._face.document_sync.did_close(params)

    @lsp_method(types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS)
    def lsp_workspace__did_change_workspace_folders(  # pyright: ignore[reportIncompatibleMethodOverride]
        self, params: types.DidChangeWorkspaceFoldersParams
    ) -> None:
        """Folders came or went."""
        self._face.on_folders_changed(params.event)

    @lsp_method(types.WORKSPACE_DID_CHANGE_CONFIGURATION)
    def lsp_workspace__did_change_configuration(self, params: Any) -> None:
        """The configuration changed."""
        self._face.on_configuration_changed(
            cast("JsonMapping", params).get("settings") if isinstance(params, dict) else None
        )

    @lsp_method(types.WINDOW_WORK_DONE_PROGRESS_CANCEL)
    def lsp_work_done_progress_cancel(self, params: types.WorkDoneProgressCancelParams) -> None:  # pyright: ignore[reportIncompatibleMethodOverride]
        """The person stopped a progress."""
        self._face.on_progress_cancelled(params.token)

    @lsp_method(types.WORKSPACE_EXECUTE_COMMAND)
    def lsp_workspace__execute_command(self, params: Any) -> Coroutine[Any, Any, JsonObject]:  # pyright: ignore[reportIncompatibleMethodOverride]
        """Do a command, with its work-done token, in a way that ``$/cancelRequest`` reaches the run."""
        fields = cast("JsonObject", params) if isinstance(params, dict) else {}
        command, token = fields.get("command"), fields.get("workDoneToken")
        if not isinstance(command, str):
            raise InvalidParamsError("workspace/executeCommand: command is not a string.", fields=["command"])
        if isinstance(token, bool) or not isinstance(token, int | str | None):
            raise InvalidParamsError("workspace/executeCommand: workDoneToken is neither string nor number.")
        assert self._current is not None
        return self._face.on_command(self._current, command, fields.get("arguments"), token)
