"""The editor as the overlay needs it, over the wire (implements ``editor_client.EditorClient``).

The one place where edits and resource operations become types of the LSP. An edit goes out alone, as the first and
only entry of ``documentChanges``: Neovim compares the version of the first entry only.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from lsprotocol import types

from steersman.lsp.client_quirks import ClientQuirks, quirks_of
from steersman.lsp.contracts import Client, ClientError, ClientFacts
from steersman.lsp.convert import to_lsp_range
from steersman.lsp.editor_client import DeleteFile, DocumentEdit, EditAnswer, RenameFile, ResourceOperation

_GO_ON = "Go on"
_SAVE_S = 30.0


class LspEditorClient:
    """Edits documents through ``workspace/applyEdit``."""

    def __init__(self, client: Client) -> None:
        self._client = client

    @property
    def facts(self) -> ClientFacts:
        """What the client declared."""
        return self._client.facts

    @property
    def quirks(self) -> ClientQuirks:
        """What is known of it beyond that."""
        return quirks_of(self._client.facts)

    async def edit(self, edit: DocumentEdit, *, label: str, timeout_s: float) -> EditAnswer:
        """Send one edit of one document."""
        edits = [types.TextEdit(to_lsp_range(one.range), one.text) for one in edit.edits]
        if not self.facts.document_changes:  # such a client takes no version; its quirks make up for that
            return await self._apply(types.WorkspaceEdit(changes={edit.uri: edits}), label, timeout_s)
        document = types.OptionalVersionedTextDocumentIdentifier(uri=edit.uri, version=edit.version)
        change = types.TextDocumentEdit(text_document=document, edits=list(edits))
        return await self._apply(types.WorkspaceEdit(document_changes=[change]), label, timeout_s)

    async def operate(self, operation: ResourceOperation, *, label: str, timeout_s: float) -> EditAnswer:
        """Send one resource operation."""
        edit = types.WorkspaceEdit(document_changes=[_resource_change(operation)])
        return await self._apply(edit, label, timeout_s)

    async def confirm(self, message: str) -> bool:
        """Ask the person a plain question; anything but a clear yes is no."""
        params = types.ShowMessageRequestParams(
            type=types.MessageType.Warning,
            message=message,
            actions=[types.MessageActionItem("Cancel"), types.MessageActionItem(_GO_ON)],
        )
        try:
            answer = await self._client.request(types.WINDOW_SHOW_MESSAGE_REQUEST, params)
        except ClientError:
            return False
        return getattr(answer, "title", None) == _GO_ON

    async def save(self, uris: Sequence[str]) -> frozenset[str]:
        """Have documents saved; return those that were."""
        if not self.facts.options.save_documents or not uris:
            return frozenset()
        params = {"uris": list(uris)}
        try:
            answer = await self._client.request("steersman/saveDocuments", params, timeout_s=_SAVE_S)
        except (ClientError, TimeoutError):
            return frozenset()
        saved: object = cast("dict[str, object]", answer).get("saved") if isinstance(answer, dict) else None
        return frozenset(map(str, cast("list[object]", saved))) if isinstance(saved, list) else frozenset()

    async def _apply(self, edit: types.WorkspaceEdit, label: str, timeout_s: float) -> EditAnswer:
        params = types.ApplyWorkspaceEditParams(edit=edit, label=label)
        try:
            answer = await self._client.request(types.WORKSPACE_APPLY_EDIT, params, timeout_s=timeout_s)
        except TimeoutError:
            return EditAnswer("nothing")
        except ClientError as error:
            return EditAnswer("refused", error.message)
        if isinstance(answer, types.ApplyWorkspaceEditResult):
            return EditAnswer("applied" if answer.applied else "refused", answer.failure_reason)
        return EditAnswer("nothing")


def _resource_change(operation: ResourceOperation) -> types.RenameFile | types.DeleteFile:
    if isinstance(operation, RenameFile):
        options = types.RenameFileOptions(overwrite=False, ignore_if_exists=False)
        return types.RenameFile(old_uri=operation.uri, new_uri=operation.new_path.as_uri(), options=options)
    assert isinstance(operation, DeleteFile)
    return types.DeleteFile(uri=operation.uri, options=types.DeleteFileOptions(recursive=False))
