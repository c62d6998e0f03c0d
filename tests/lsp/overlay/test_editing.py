"""One client's documents and workspaces put together: what a question allowed is what the workspace then does."""

import pytest
from lsprotocol import types

from steersman.agent.approval import Option
from steersman.agent.changes import Change
from steersman.agent.tool import Effect, Plan
from steersman.lsp.contracts import ClientFacts
from steersman.lsp.convert import from_lsp_range
from steersman.lsp.documents import ContentChange
from steersman.lsp.editing import Editing
from steersman.lsp.positions import TextEdit, apply_text_edits
from steersman.permissions.question import Answer, Question
from steersman_tools.kit.workspace import ApplyError, Root
from support.virtual_time import run_virtual

OPTIONS = (Option("reject", "Reject"), Option("allow_once", "Allow once"))


class Editor:
    """A client on the wire that makes every edit and counts the questions."""

    def __init__(self, name):
        self.facts = ClientFacts(name=name, apply_edit=True, document_changes=True)
        self.questions = 0
        self.editing = Editing(self)
        self.editing.configure(self.facts)

    async def request(self, method, params, *, timeout_s=None):
        if method == "window/showMessageRequest":
            self.questions += 1
            return None
        (change,) = params.edit.document_changes
        document = self.editing.documents.get(change.text_document.uri)
        edits = [TextEdit(from_lsp_range(edit.range), edit.new_text) for edit in change.edits]
        text = apply_text_edits(document.text, edits, "utf-16", "lf")
        self.editing.documents.change(document.uri, document.version + 1, [ContentChange(text)])
        return types.ApplyWorkspaceEditResult(applied=True)

    async def ask(self, question):
        return Answer("allow_once")


async def plan_of(workspace):
    document = await workspace.read(workspace.locate("a.txt"))
    path = str(document.location.path)
    change = Change(path, "edit", document.digest, document.text, document.text.upper(), display="a.txt")
    return Plan("edit a.txt", frozenset({Effect.EDIT}), targets=(path,), changes=(change,))


def opened(tmp_path, name):
    (tmp_path / "a.txt").write_text("one\n")
    editor = Editor(name)
    editor.editing.documents.open((tmp_path / "a.txt").as_uri(), "text", 0, "one\n")
    return editor, editor.editing.open_workspace([Root("ws", tmp_path)])


@pytest.mark.parametrize(("name", "must"), [("Eglot", True), ("Neovim", False), ("steersman.el", False)])
def test_edits_of_open_files_must_be_asked_where_the_editor_hides_typing(tmp_path, name, must):
    async def main():
        editor, workspace = opened(tmp_path, name)
        plan = await plan_of(workspace)
        assert (editor.editing.must_ask(plan) is not None) is must
        editor.editing.documents.close((tmp_path / "a.txt").as_uri())
        assert editor.editing.must_ask(plan) is None

    run_virtual(main())


def test_a_change_that_was_allowed_by_an_answer_is_made_without_another_question(tmp_path):
    async def main():
        editor, workspace = opened(tmp_path, "Eglot")
        plan = await plan_of(workspace)
        await editor.editing.remembering(editor).ask(Question("r", "s", "c", "edit_file", plan, OPTIONS))
        await workspace.apply(plan.changes, label="an edit")
        assert (editor.editing.documents.all()[0].text, editor.questions) == ("ONE\n", 0)

    run_virtual(main())


def test_a_change_that_no_question_was_answered_for_asks_and_takes_silence_for_a_no(tmp_path):
    async def main():
        editor, workspace = opened(tmp_path, "Eglot")
        with pytest.raises(ApplyError, match="did not let"):
            await workspace.apply((await plan_of(workspace)).changes, label="an edit")
        assert (editor.editing.documents.all()[0].text, editor.questions) == ("one\n", 1)

    run_virtual(main())


def test_every_run_shares_the_documents_and_the_locks(tmp_path):
    async def main():
        editor, one = opened(tmp_path, "Neovim")
        other = editor.editing.open_workspace([Root("ws", tmp_path)])
        assert one.disk.locks is other.disk.locks
        await one.apply((await plan_of(one)).changes, label="an edit")
        assert (await other.read(other.locate("a.txt"))).text == "ONE\n"

    run_virtual(main())
