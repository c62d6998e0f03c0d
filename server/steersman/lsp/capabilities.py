"""What the client can do, read from ``initialize``, and what the server announces (PROTOCOL §1).

Both as plain JSON. The client's capabilities are read field by field: an odd value in a corner nobody asks about must
not keep an editor from starting. The answer is made without the LSP's types, which take longer to load than everything
else together: this module must never import them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast, get_args

from steersman.lsp.commands.names import NAMES
from steersman.lsp.contracts import ClientFacts, ClientOptions, JsonMapping, JsonObject, PositionEncoding

VIRTUAL_SCHEME = "steersman"
"""The scheme of our virtual documents."""

CODE_ACTION_KIND = "steersman"
"""The kind of code actions that neither fix nor rewrite: explaining, answering a question."""

_INCREMENTAL = 2  # the LSP's TextDocumentSyncKind


def read_facts(initialize: JsonMapping, options: ClientOptions) -> ClientFacts:
    """Return what is known of the client from the params of ``initialize``."""
    capabilities = initialize.get("capabilities")
    info = initialize.get("clientInfo")
    operations = _items(_at(capabilities, "workspace", "workspaceEdit", "resourceOperations"))
    versioned = _at(capabilities, "workspace", "workspaceEdit", "documentChanges") is True
    return ClientFacts(
        name=_text(_at(info, "name")),
        version=_text(_at(info, "version")),
        position_encoding=_choose_encoding(capabilities),
        apply_edit=_at(capabilities, "workspace", "applyEdit") is True,
        document_changes=versioned or bool(operations),  # operations are entries of it; Neovim declares only them
        resource_operations=frozenset(str(name) for name in operations),
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


def initialize_result(initialize: JsonMapping, version: str) -> JsonObject:
    """Return the answer to ``initialize``: a function of its params and our version alone."""
    encoding = _choose_encoding(initialize.get("capabilities"))
    return {"capabilities": announced(encoding), "serverInfo": {"name": "steersman", "version": version}}


def announced(encoding: PositionEncoding) -> JsonObject:
    """Return what the server can do, as ``ServerCapabilities`` in JSON."""
    return {
        "positionEncoding": encoding,
        # No text with a save: it bears no version, and an editor may send one that is older than what it told last.
        "textDocumentSync": {"openClose": True, "change": _INCREMENTAL, "save": {"includeText": False}},
        "codeActionProvider": {"codeActionKinds": ["quickfix", "refactor.rewrite", CODE_ACTION_KIND]},
        "codeLensProvider": {"resolveProvider": False},
        "executeCommandProvider": {"commands": list(NAMES), "workDoneProgress": True},
        "workspace": {
            "workspaceFolders": {"supported": True, "changeNotifications": True},
            "textDocumentContent": {"schemes": [VIRTUAL_SCHEME]},
        },
    }


def _choose_encoding(capabilities: object) -> PositionEncoding:
    known: tuple[PositionEncoding, ...] = get_args(PositionEncoding)
    for wanted in _items(_at(capabilities, "general", "positionEncodings")):
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
