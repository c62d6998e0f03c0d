"""What is read from the client's capabilities, and what is announced."""

from typing import Any

import pytest
from lsprotocol import types
from pygls.protocol import default_converter

from steersman.lsp.capabilities import announced, initialize_result, read_facts
from steersman.lsp.commands.names import NAMES
from steersman.lsp.commands.table import COMMANDS
from steersman.lsp.contracts import ClientFacts, ClientOptions


def facts(capabilities: Any, **more: Any) -> ClientFacts:
    return read_facts({"capabilities": capabilities, **more}, ClientOptions())


@pytest.mark.parametrize(
    ("offered", "chosen"),
    [
        (None, "utf-16"),
        ([], "utf-16"),
        (["utf-7"], "utf-16"),
        (["utf-8", "utf-16"], "utf-8"),
        (["utf-32", "utf-8"], "utf-32"),
        ("utf-8", "utf-16"),
    ],
)
def test_the_clients_favourite_position_encoding_is_taken(offered: object, chosen: str) -> None:
    assert facts({"general": {"positionEncodings": offered}}).position_encoding == chosen


@pytest.mark.parametrize(
    "capabilities", [None, {}, [], 3, {"window": None}, {"window": {"showDocument": True}, "workspace": 1}]
)
def test_odd_capabilities_count_as_absent(capabilities: object) -> None:
    assert facts(capabilities) == ClientFacts()


def test_capabilities_are_read() -> None:
    got = facts(
        {
            "window": {"workDoneProgress": True, "showDocument": {"support": True}},
            "workspace": {
                "applyEdit": True,
                "configuration": True,
                "workspaceEdit": {"documentChanges": True, "resourceOperations": ["rename", "delete"]},
                "textDocumentContent": {},
            },
        },
        clientInfo={"name": "Neovim", "version": "0.11.4"},
    )
    assert got == ClientFacts(
        name="Neovim",
        version="0.11.4",
        apply_edit=True,
        document_changes=True,
        resource_operations=frozenset({"rename", "delete"}),
        show_document=True,
        work_done_progress=True,
        text_document_content=True,
        configuration=True,
    )


def test_a_client_with_resource_operations_takes_document_changes() -> None:
    """Neovim 0.11 declares the operations alone, which there is no other place for."""
    assert facts({"workspace": {"workspaceEdit": {"resourceOperations": ["rename"]}}}).document_changes
    assert not facts({"workspace": {"workspaceEdit": {}}}).document_changes


def test_what_pygls_would_leave_out_is_announced() -> None:
    capabilities = announced("utf-8")
    assert capabilities["executeCommandProvider"] == {"commands": list(NAMES), "workDoneProgress": True}
    assert capabilities["workspace"]["textDocumentContent"] == {"schemes": ["steersman"]}
    assert capabilities["workspace"]["workspaceFolders"] == {"supported": True, "changeNotifications": True}
    assert capabilities["positionEncoding"] == "utf-8"
    assert capabilities["textDocumentSync"] == {"openClose": True, "change": 2, "save": {"includeText": False}}


def test_the_answer_to_initialize_is_one_of_the_lsps() -> None:
    converter = default_converter()
    result = initialize_result({"capabilities": {}}, "1.2.3")
    typed = converter.structure(result, types.InitializeResult)
    assert converter.unstructure(typed) == result


def test_the_names_are_those_of_the_table() -> None:
    assert list(NAMES) == list(COMMANDS)
