"""What a client without a plugin is offered: actions and lenses with complete arguments (PROTOCOL §4)."""

from pathlib import Path
from typing import Any

import pytest
from lsprotocol import types

from steersman.agent.approval import Option
from steersman.agent.changes import Change
from steersman.agent.tool import Effect, Plan
from steersman.lsp.client_quirks import ClientQuirks
from steersman.lsp.code_actions import MAX_FIXES, CodeActions
from steersman.lsp.documents import Documents
from steersman.lsp.editor_texts import EditorTexts
from steersman.lsp.params import AnswerParams, RunParams, read_params
from steersman.permissions.question import Question

URI = "file:///w/src/app.py"
PATH = Path("/w/src/app.py")
TEXT = "def f(a):\n    # steersman: handle an empty list 😀\n    return a[0]\n"


class Setup:
    def __init__(self, text: str = TEXT, *, encoding: Any = "utf-16", literals: bool = True) -> None:
        documents = Documents(lambda uri: Path(uri.removeprefix("file://")) if uri.startswith("file:") else None)
        documents.configure(encoding, ClientQuirks())
        documents.open(URI, "python", 1, text)
        documents.open("untitled:Untitled-1", "python", 1, "# make it so AI!")
        self.questions: list[Question] = []
        self.offers = CodeActions(
            EditorTexts(documents),
            lambda path: path.relative_to("/w").as_posix(),
            lambda: self.questions,
            lambda: literals,
        )

    def actions(
        self, start: tuple[int, int], end: tuple[int, int] | None = None, *, uri: str = URI, **context: Any
    ) -> list[Any]:
        where = types.Range(types.Position(*start), types.Position(*(end or start)))
        context.setdefault("diagnostics", [])
        params = types.CodeActionParams(types.TextDocumentIdentifier(uri), where, types.CodeActionContext(**context))
        return self.offers.actions(params)

    def titles(self, *args: Any, **context: Any) -> list[str]:
        return [action.title for action in self.actions(*args, **context)]


def diagnostic(message: str, line: int = 2) -> types.Diagnostic:
    where = types.Range(types.Position(line, 4), types.Position(line, 10))
    return types.Diagnostic(where, message, severity=types.DiagnosticSeverity.Error, source="lint", code="E1")


AUTOMATIC = types.CodeActionTriggerKind.Automatic


def run_params(action: Any) -> RunParams:
    assert action.command.command == "steersman.start"
    return read_params(RunParams, "steersman.start", action.command.arguments)


def test_each_diagnostic_gets_its_fix_with_complete_arguments() -> None:
    (fix,) = Setup().actions((2, 5), diagnostics=[diagnostic("index out of\n range")])
    assert (fix.title, fix.kind) == ("Steersman: fix “index out of range”", "quickfix")
    assert fix.diagnostics[0].message == "index out of\n range"
    params = run_params(fix)
    assert params.prompt == "Fix this problem in src/app.py, line 3: index out of range"
    assert params.context is not None
    assert params.context.uri == URI
    assert params.context.diagnostics is not None
    assert (params.context.diagnostics[0].source, params.context.diagnostics[0].code) == ("lint", "E1")


def test_a_flood_of_diagnostics_is_bounded() -> None:
    assert len(Setup().actions((2, 5), diagnostics=[diagnostic(str(n)) for n in range(50)])) == MAX_FIXES


def test_without_diagnostics_the_line_can_be_fixed_on_request_only() -> None:
    """Some clients pass only our own diagnostics, and we have none."""
    setup = Setup()
    (fix,) = setup.actions((2, 5))
    assert (fix.title, fix.kind) == ("Steersman: fix the problem here", "quickfix")
    assert "line 3" in run_params(fix).prompt
    assert setup.titles((2, 5), trigger_kind=AUTOMATIC) == []


def test_a_selection_can_be_explained_and_improved() -> None:
    offered = Setup().actions((2, 0), (3, 0))
    assert [(action.title, action.kind) for action in offered[1:]] == [
        ("Steersman: explain", "steersman"),
        ("Steersman: improve", "refactor.rewrite"),
    ]
    explain, improve = (run_params(action) for action in offered[1:])
    assert (explain.mode, improve.mode) == ("plan", None)
    assert "line 3 of src/app.py" in explain.prompt
    assert explain.context is not None
    assert explain.context.selection is not None


@pytest.mark.parametrize("line", [1])
@pytest.mark.parametrize("trigger", [None, AUTOMATIC])
def test_an_instruction_comment_can_be_done_where_it_stands(line: int, trigger: Any) -> None:
    action = Setup().actions((line, 8), trigger_kind=trigger)[0]
    assert (action.title, action.kind) == ("Steersman: do this – handle an empty list 😀", "quickfix")
    params = run_params(action)
    assert "remove that comment" in params.prompt
    assert params.prompt.endswith("handle an empty list 😀")


def test_elsewhere_the_instruction_is_not_offered() -> None:
    assert Setup().titles((0, 0), trigger_kind=AUTOMATIC) == []


@pytest.mark.parametrize(("encoding", "end"), [("utf-8", 42), ("utf-16", 40), ("utf-32", 39)])
def test_a_lens_stands_above_each_instruction_comment(encoding: str, end: int) -> None:
    (lens,) = Setup(encoding=encoding).offers.lenses(types.CodeLensParams(types.TextDocumentIdentifier(URI)))
    assert lens.range == types.Range(types.Position(1, 4), types.Position(1, end))
    assert lens.command is not None
    assert (lens.command.title, lens.command.command) == ("▶ Steersman", "steersman.start")
    assert read_params(RunParams, "steersman.start", lens.command.arguments).context is not None


def test_untitled_documents_are_served_and_unknown_ones_are_not() -> None:
    setup = Setup()
    (action,) = setup.actions((0, 0), uri="untitled:Untitled-1", trigger_kind=AUTOMATIC)
    assert "untitled:Untitled-1" in run_params(action).prompt
    assert setup.actions((0, 0), uri="file:///w/other.py") == []
    assert setup.offers.lenses(types.CodeLensParams(types.TextDocumentIdentifier("file:///w/other.py"))) == []


OPTIONS = (Option("reject", "Reject"), Option("allow_once", "Allow once"))


def question(*paths: str) -> Question:
    changes = tuple(Change(path, "edit", "x", "a", "b") for path in paths)
    return Question(
        "r1", "s1", "c1", "edit_file", Plan("edit src/app.py", frozenset({Effect.EDIT}), changes=changes), OPTIONS
    )


def test_an_open_question_can_be_answered_in_its_file() -> None:
    setup = Setup()
    setup.questions = [question("/w/src/app.py")]
    reject, allow = setup.actions((0, 0))[:2]
    assert reject.title == "Steersman: Reject – edit src/app.py"
    assert reject.kind == "steersman"
    params = read_params(AnswerParams, "steersman.answer", allow.command.arguments)
    assert (params.run_id, params.call_id, params.option_id) == ("r1", "c1", "allow_once")


def test_a_question_about_another_file_is_answered_there_and_one_about_none_anywhere() -> None:
    setup = Setup()
    setup.questions = [question("/w/other.py")]
    assert setup.titles((0, 0)) == ["Steersman: fix the problem here"]
    setup.questions = [question()]
    assert len(setup.titles((0, 0))) == 3


def test_on_automatic_trigger_only_fixes_and_instructions_are_offered() -> None:
    """No light bulb burns all the time."""
    setup = Setup()
    setup.questions = [question("/w/src/app.py")]
    titles = setup.titles((1, 0), (2, 5), diagnostics=[diagnostic("bad")], trigger_kind=AUTOMATIC)
    assert titles == ["Steersman: do this – handle an empty list 😀", "Steersman: fix “bad”"]


@pytest.mark.parametrize(
    ("only", "count"),
    [
        (["quickfix"], 2),
        (["refactor"], 1),
        (["refactor.rewrite"], 1),
        (["steersman"], 1),
        (["source.organizeImports", "source.fixAll"], 0),
        ([""], 4),
        ([], 0),
    ],
)
def test_only_the_kinds_asked_for_are_offered(only: list[str], count: int) -> None:
    """Above all nothing when a file is saved (``source.*``)."""
    assert len(Setup().actions((1, 0), (2, 5), only=only)) == count


def test_a_client_without_code_action_literals_gets_commands() -> None:
    offered = Setup(literals=False).actions((2, 0), (3, 0))
    assert {type(action) for action in offered} == {types.Command}


def test_titles_show_what_cannot_be_seen() -> None:
    (fix,) = Setup().actions((2, 5), diagnostics=[diagnostic("a\u202eb" + "x" * 100)])
    assert "⟨U+202E⟩" in fix.title
    assert len(fix.title) < 90
