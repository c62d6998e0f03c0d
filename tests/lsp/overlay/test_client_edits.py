"""The editor over the wire: what is sent for an edit, and what its answers mean."""

from pathlib import Path

import pytest
from lsprotocol import types

from steersman.lsp.client_edits import LspEditorClient
from steersman.lsp.client_quirks import quirks_of
from steersman.lsp.contracts import ClientError, ClientFacts, ClientLacksMethodError, ClientOptions
from steersman.lsp.editor_client import DeleteFile, DocumentEdit, EditAnswer, RenameFile
from steersman.lsp.positions import Position, Range, TextEdit

EDIT = DocumentEdit("file:///a", 7, (TextEdit(Range(Position(0, 1), Position(0, 2)), "x"),))
FACTS = ClientFacts(name="Editor", apply_edit=True, document_changes=True)


class Wire:
    """A connection that answers with what it is given."""

    def __init__(self, answer, facts=FACTS):
        self.answer = answer
        self.facts = facts
        self.sent = []

    async def request(self, method, params, *, timeout_s=None):
        self.sent.append((method, params, timeout_s))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def notify(self, method, params):
        raise AssertionError


async def test_an_edit_goes_out_alone_with_its_version_and_label():
    wire = Wire(types.ApplyWorkspaceEditResult(applied=True))
    await LspEditorClient(wire).edit(EDIT, label="an edit", timeout_s=5)
    method, params, timeout_s = wire.sent[0]
    (change,) = params.edit.document_changes
    assert (method, params.label, timeout_s) == ("workspace/applyEdit", "an edit", 5)
    assert (change.text_document.uri, change.text_document.version) == ("file:///a", 7)
    assert [(edit.range.start.character, edit.new_text) for edit in change.edits] == [(1, "x")]


async def test_a_client_without_versioned_edits_gets_plain_ones_and_is_treated_with_care():
    wire = Wire(types.ApplyWorkspaceEditResult(applied=True), ClientFacts(name="Old", apply_edit=True))
    client = LspEditorClient(wire)
    await client.edit(EDIT, label="an edit", timeout_s=5)
    assert list(wire.sent[0][1].edit.changes) == ["file:///a"]
    assert client.quirks.hides_typing


@pytest.mark.parametrize(
    ("answer", "meaning"),
    [
        (types.ApplyWorkspaceEditResult(applied=True), EditAnswer("applied")),
        (types.ApplyWorkspaceEditResult(applied=False, failure_reason="stale"), EditAnswer("refused", "stale")),
        (ClientError("Invalid version"), EditAnswer("refused", "Invalid version")),
        (TimeoutError(), EditAnswer("nothing")),
        (None, EditAnswer("nothing")),
    ],
)
async def test_what_the_client_says(answer, meaning):
    assert await LspEditorClient(Wire(answer)).edit(EDIT, label="an edit", timeout_s=5) == meaning


async def test_resource_operations_never_overwrite():
    wire = Wire(types.ApplyWorkspaceEditResult(applied=True))
    client = LspEditorClient(wire)
    await client.operate(RenameFile("file:///a", Path("/b c")), label="a move", timeout_s=5)
    await client.operate(DeleteFile("file:///a"), label="a delete", timeout_s=5)
    move, delete = (params.edit.document_changes[0] for _, params, _ in wire.sent)
    assert (move.kind, move.old_uri, move.new_uri, move.options.overwrite) == (
        "rename",
        "file:///a",
        Path("/b c").as_uri(),
        False,
    )
    assert (delete.kind, delete.uri) == ("delete", "file:///a")


@pytest.mark.parametrize(
    ("answer", "agreed"),
    [
        (types.MessageActionItem("Go on"), True),
        (types.MessageActionItem("Cancel"), False),
        (None, False),
        (ClientLacksMethodError("no"), False),
    ],
)
async def test_only_a_clear_yes_is_one(answer, agreed):
    """DESIGN A3; the first choice is the harmless one."""
    wire = Wire(answer)
    assert await LspEditorClient(wire).confirm("Really?") is agreed
    assert [action.title for action in wire.sent[0][1].actions] == ["Cancel", "Go on"]


@pytest.mark.parametrize(
    ("answer", "saved"),
    [
        ({"saved": ["file:///a"]}, {"file:///a"}),
        ({}, set()),
        ({"saved": "all"}, set()),
        (None, set()),
        (ClientError("no"), set()),
        (TimeoutError(), set()),
    ],
)
async def test_saving_believes_only_a_list(answer, saved):
    facts = ClientFacts(options=ClientOptions(save_documents=True))
    assert await LspEditorClient(Wire(answer, facts)).save(["file:///a"]) == saved


async def test_a_client_that_does_not_save_is_not_asked_to():
    wire = Wire({"saved": ["file:///a"]})
    assert (await LspEditorClient(wire).save(["file:///a"]), wire.sent) == (frozenset(), [])


@pytest.mark.parametrize(
    ("name", "line_feeds_only", "version_zero", "hides_typing"),
    [
        ("Neovim", True, True, False),
        ("Eglot", True, False, True),
        ("emacs", True, False, True),
        ("steersman.el", True, False, False),
        ("helix", True, False, False),
        ("Visual Studio Code", False, False, False),
        ("code-server", False, False, False),
        ("somebody's own", False, False, False),
    ],
)
def test_what_is_known_of_each_client(name, line_feeds_only, version_zero, hides_typing):
    quirks = quirks_of(ClientFacts(name=name, document_changes=True))
    assert (quirks.line_feeds_only, quirks.skips_version_zero, quirks.hides_typing) == (
        line_feeds_only,
        version_zero,
        hides_typing,
    )
