"""What the client can do, read from ``initialize``, and what the server announces (PROTOCOL §1).

The client's capabilities are read from the plain JSON, field by field: an odd value in a corner nobody asks about must
not keep an editor from starting.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from lsprotocol import types

from steersman.lsp.contracts import ClientFacts, ClientOptions, JsonMapping, PositionEncoding

VIRTUAL_SCHEME = "steersman"
"""The scheme of our virtual documents."""

CODE_ACTION_KIND = "steersman"
"""The kind of code actions that neither fix nor rewrite: explaining, answering a question."""


def read_facts(initialize: JsonMapping, options: ClientOptions) -> ClientFacts:
    """Return what is known of the client from the params of ``initialize``."""
    capabilities = initialize.get("capabilities")
    info = initialize.get("clientInfo")
    operations = _at(capabilities, "workspace", "workspaceEdit", "resourceOperations")
    return ClientFacts(
        name=_text(_at(info, "name")),
        version=_text(_at(info, "version")),
        position_encoding=_choose_encoding(_at(capabilities, "general", "positionEncodings")),
        apply_edit=_at(capabilities, "workspace", "applyEdit") is True,
        document_changes=_at(capabilities, "workspace", "workspaceEdit", "documentChanges") is True,
        resource_operations=frozenset(str(name) for name in _items(operations)),
        show_document=_at(capabilities, "window", "showDocument", "support") is True,
        work_done_progress=_at(capabilities, "window", "workDoneProgress") is True,
        text_document_content=isinstance(_at(capabilities, "workspace", "textDocumentContent"), Mapping),
        configuration=_at(capabilities, "workspace", "configuration") is True,
        dynamic_configuration=_at(capabilities, "workspace", "didChangeConfiguration", "dynamicRegistration") is True,
        code_action_literals=isinstance(
            _at(capabilities, "textDocument", "codeAction", "codeActionLiteralSupport"), Mapping
        ),
        code_lens_refresh=_at(capabilities, "workspace", "codeLens", "refreshSupport") is True,
        options=options,
    )


def announce(encoding: PositionEncoding, commands: Sequence[str]) -> types.ServerCapabilities:
    """Return what the server can do."""
    return types.ServerCapabilities(
        position_encoding=encoding,
        text_document_sync=types.TextDocumentSyncOptions(
            open_close=True,
            change=types.TextDocumentSyncKind.Incremental,
            save=types.SaveOptions(include_text=False),
        ),
        code_action_provider=types.CodeActionOptions(
            code_action_kinds=[types.CodeActionKind.QuickFix, types.CodeActionKind.RefactorRewrite, CODE_ACTION_KIND]
        ),
        code_lens_provider=types.CodeLensOptions(resolve_provider=False),
        execute_command_provider=types.ExecuteCommandOptions(commands=list(commands), work_done_progress=True),
        workspace=types.WorkspaceOptions(
            workspace_folders=types.WorkspaceFoldersServerCapabilities(supported=True, change_notifications=True),
            text_document_content=types.TextDocumentContentOptions(schemes=[VIRTUAL_SCHEME]),
        ),
    )


def _choose_encoding(offered: object) -> PositionEncoding:
    known: tuple[PositionEncoding, ...] = get_args(PositionEncoding)
    for wanted in _items(offered):
        for encoding in known:
            if wanted == encoding:
                return encoding
    return "utf-16"


def _at(value: object, *path: str) -> object:
    for name in path:
        if not isinstance(value, Mapping):
            return None
        value = cast("Mapping[str, Any]", value).get(name)
    return value


def _items(value: object) -> Sequence[object]:
    return cast("Sequence[object]", value) if isinstance(value, list) else ()


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
