"""From command parameters to a run's request, and what the model is told of what the person looks at."""

from pathlib import Path
from typing import Any

import pytest

from steersman.agent.errors import InvalidRequestError
from steersman.lsp.client_quirks import ClientQuirks
from steersman.lsp.documents import Documents
from steersman.lsp.editor_texts import EditorTexts
from steersman.lsp.params import RunParams, read_params
from steersman.lsp.run_request import MAX_DIAGNOSTICS, MAX_SELECTION_CHARS, RunRequests
from steersman.permissions.modes import Mode
from steersman.runs.request import RunLimits, RunRequest

URI = "file:///w/a.py"


def requests(text: str = "öne\ntwo 😀 three\n", encoding: Any = "utf-16") -> RunRequests:
    documents = Documents(lambda uri: Path(uri.removeprefix("file://")) if uri.startswith("file:") else None)
    documents.configure(encoding, ClientQuirks())
    documents.open(URI, "python", 1, text)
    documents.open("untitled:U", "python", 1, "x ``` y\n")
    return RunRequests(EditorTexts(documents), lambda path: path.name)


def make(argument: Any, **options: Any) -> RunRequest:
    return requests(**options).make(read_params(RunParams, "steersman.run", [{"prompt": "do", **argument}]))


def context(**fields: Any) -> str:
    fields.setdefault("uri", URI)
    encoding = fields.pop("encoding", "utf-16")
    return make({"context": fields}, encoding=encoding).context


def span(*numbers: int) -> Any:
    first, start, last, end = numbers
    return {"start": {"line": first, "character": start}, "end": {"line": last, "character": end}}


def test_everything_that_is_said_reaches_the_run() -> None:
    request = make(
        {
            "sessionId": "s",
            "folder": "file:///w",
            "mode": "accept-edits",
            "model": "a/b",
            "maxTurns": 2,
            "limits": {"maxTokens": 1, "maxCost": 0.5, "deadlineSeconds": 3},
        }
    )
    assert request == RunRequest(
        "do",
        folder=Path("/w"),
        session_id="s",
        mode=Mode.ACCEPT_EDITS,
        model="a/b",
        max_turns=2,
        limits=RunLimits(1, 0.5, 3),
    )
    assert make({}) == RunRequest("do")
    assert make({"continue": True}).continue_latest


def test_a_folder_that_is_no_file_is_refused() -> None:
    with pytest.raises(InvalidRequestError, match="untitled:x"):
        make({"folder": "untitled:x"})


def test_the_document_in_view_is_named_and_focused() -> None:
    request = make({"context": {"uri": URI}})
    assert request.focus == Path("/w/a.py")
    assert request.context == "The person has a.py (python) open in the editor."


@pytest.mark.parametrize(("encoding", "columns"), [("utf-8", (4, 8)), ("utf-16", (4, 6)), ("utf-32", (4, 5))])
def test_the_selected_text_is_told_in_every_encoding(encoding: str, columns: tuple[int, int]) -> None:
    told = context(selection=span(1, columns[0], 1, columns[1]), encoding=encoding)
    assert told.endswith("Selected, line 2:\n```\n😀\n```")


def test_whole_lines_are_counted_as_a_person_counts() -> None:
    assert "Selected, lines 1 to 2:\n```\nöne\ntwo 😀 three\n```" in context(selection=span(0, 0, 2, 0))


def test_an_empty_selection_is_the_cursor() -> None:
    assert context(selection=span(1, 2, 1, 2)).endswith("The cursor is in line 2.")


def test_a_document_that_is_not_open_is_named_without_its_text() -> None:
    told = context(uri="file:///w/other.py", selection=span(0, 0, 3, 1))
    assert told == "The person has other.py open in the editor.\n\nSelected: lines 1 to 4."


def test_an_unsaved_document_is_told_whole_and_fenced_safely() -> None:
    request = make({"context": {"uri": "untitled:U"}})
    assert request.focus is None
    assert "the unsaved document untitled:U (python)" in request.context
    assert request.context.endswith("Its text:\n````\nx ``` y\n````")


def test_a_huge_selection_is_bounded_and_says_so() -> None:
    text = "x" * (MAX_SELECTION_CHARS + 7)
    request = make({"context": {"uri": URI, "selection": span(0, 0, 0, len(text))}}, text=text)
    assert "7 more characters" in request.context
    assert len(request.context) < MAX_SELECTION_CHARS + 300


def test_diagnostics_are_told_and_bounded() -> None:
    diagnostics = [
        {"range": span(n, 0, n, 1), "message": "bad\n  thing", "severity": 2, "source": "lint", "code": 7}
        for n in range(MAX_DIAGNOSTICS + 2)
    ]
    told = context(diagnostics=diagnostics).splitlines()
    assert told[3] == "- line 1: warning: bad thing (lint 7)"
    assert told[-1] == "… and 2 more"
