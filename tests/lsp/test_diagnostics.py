"""get_diagnostics, and the news after the model's own edits (PROTOCOL §6)."""

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change, ChangeSummary
from steersman.agent.tool import Effect, Plan, Tool, ToolError, ToolResult
from steersman.lsp.contracts import ClientError
from steersman.lsp.diagnostic_news import with_news
from steersman.lsp.diagnostics import MAX_SHOWN, Diagnostics, GetDiagnostics, GetDiagnosticsArguments
from steersman.models.scripted import call, reply
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.workspace import Root
from support.face import Face

Make = Callable[..., Face]


def diagnostic(message: Any, line: Any = 0, severity: Any = 1, **more: Any) -> dict[str, Any]:
    return {"range": {"start": {"line": line, "character": 0}}, "message": message, "severity": severity, **more}


class Client:
    """Answers with the next of its answers; the last one stays."""

    def __init__(self, *answers: Any) -> None:
        self.answers = list(answers)
        self.asked: list[Any] = []

    async def request(self, method: str, params: Any, *, timeout_s: float | None = None) -> Any:
        assert method == "steersman/diagnostics"
        self.asked.append(params)
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        if isinstance(answer, Exception):
            raise answer
        return answer


class Setup:
    def __init__(self, tmp_path: Path, *answers: Any) -> None:
        self.file = tmp_path / "a.py"
        self.file.write_text("x\n")
        self.client = Client(*answers)
        self.workspace = DiskWorkspace((Root("work", tmp_path.resolve()),))
        self.diagnostics = Diagnostics(
            self.client,
            lambda uri: Path(uri.removeprefix("file://")) if uri.startswith("file://") else None,
            Path.as_uri,
        )

    def items(self, *diagnostics: Any) -> Any:
        return {"items": [{"uri": self.file.as_uri(), "diagnostics": list(diagnostics)}]}

    async def get(self, path: str | None = "a.py") -> str:
        tool = GetDiagnostics(self.diagnostics, self.workspace)
        plan = await tool.prepare(GetDiagnosticsArguments(path=path))
        assert isinstance(plan, Plan)
        return (await tool.run(plan, CancelSignal(), lambda _: None)).content


async def test_problems_are_listed_as_a_person_counts_lines(tmp_path: Path) -> None:
    setup = Setup(tmp_path)
    setup.client.answers = [setup.items(diagnostic("bad\n thing", 2, 1, source="lint"), diagnostic("hm", 0, 2))]
    assert await setup.get() == "a.py:3: error: bad thing (lint)\na.py:1: warning: hm"
    assert setup.client.asked == [{"uris": [setup.file.as_uri()]}]
    await setup.get(None)
    assert setup.client.asked[1] == {}


async def test_no_problems_are_said_so(tmp_path: Path) -> None:
    for answer in (None, {}, {"items": []}, {"items": None}, []):
        assert "No errors or warnings" in await Setup(tmp_path, answer).get()


async def test_odd_diagnostics_are_shown_as_well_as_can_be(tmp_path: Path) -> None:
    setup = Setup(tmp_path)
    odd = [{}, {"range": 3, "message": None, "severity": "x"}, diagnostic(["m"], "x", 9, source=4), None]
    setup.client.answers = [{"items": [{"uri": 5, "diagnostics": odd}, 7]}]
    assert (await setup.get()).splitlines()[2] == "5:0: problem: ['m']"


async def test_a_flood_is_bounded(tmp_path: Path) -> None:
    setup = Setup(tmp_path)
    setup.client.answers = [setup.items(*[diagnostic(str(n)) for n in range(MAX_SHOWN + 3)])]
    assert (await setup.get()).endswith("… and 3 more")


@pytest.mark.parametrize("failure", [ClientError("no"), TimeoutError()])
async def test_a_client_that_does_not_tell_is_said_so(tmp_path: Path, failure: Exception) -> None:
    with pytest.raises(ToolError, match="does not tell"):
        await Setup(tmp_path, failure).get()


class EditTool:
    """Changes nothing, and says that it did."""

    name = "edit_file"
    description = "edits"
    parameters = GetDiagnosticsArguments
    effects = frozenset({Effect.EDIT})

    def __init__(self, path: Path, *, works: bool = True) -> None:
        self.path = str(path)
        self.works = works

    async def prepare(self, args: Any) -> Plan:
        return Plan("edit", self.effects, changes=(Change(self.path, "edit", "", "", ""),))

    async def run(self, plan: Plan, signal: CancelSignal, emit: Any) -> ToolResult:
        changes = (ChangeSummary(self.path, "edit", 1, 1),) if self.works else ()
        return ToolResult("Edited.", changes=changes)


async def edit(setup: Setup, *, works: bool = True, signal: CancelSignal | None = None) -> str:
    (tool,) = with_news([EditTool(setup.file, works=works)], setup.diagnostics, setup.workspace, settle_s=0)
    plan = await tool.prepare(GetDiagnosticsArguments())
    assert isinstance(plan, Plan)
    return (await tool.run(plan, signal or CancelSignal(), lambda _: None)).content


async def test_after_an_edit_only_what_is_new_is_told(tmp_path: Path) -> None:
    """Old problems that the edit moved to other lines are not new; hints are never told."""
    setup = Setup(tmp_path)
    old, moved, new, hint = diagnostic("old", 1), diagnostic("old", 5), diagnostic("new", 2), diagnostic("hint", 3, 4)
    setup.client.answers = [setup.items(old), setup.items(moved, new, hint)]
    told = await edit(setup)
    assert told.startswith("Edited.\n\nNew problems")
    assert told.endswith("a.py:3: error: new")


async def test_the_same_problem_twice_is_new_once(tmp_path: Path) -> None:
    setup = Setup(tmp_path)
    setup.client.answers = [setup.items(diagnostic("e", 1)), setup.items(diagnostic("e", 1), diagnostic("e", 2))]
    assert (await edit(setup)).count("error: e") == 1


async def test_without_news_the_result_stays_as_it_is(tmp_path: Path) -> None:
    setup = Setup(tmp_path)
    setup.client.answers = [setup.items(diagnostic("e"))]
    assert await edit(setup) == "Edited."


async def test_a_client_that_fails_never_spoils_an_edit(tmp_path: Path) -> None:
    for answers in ([ClientError("no")], [TimeoutError()], [{"items": []}, ClientError("no")]):
        assert await edit(Setup(tmp_path, *answers)) == "Edited."


async def test_an_edit_that_changed_nothing_is_not_looked_at_again(tmp_path: Path) -> None:
    setup = Setup(tmp_path, {"items": []})
    await edit(setup, works=False)
    assert len(setup.client.asked) == 1


async def test_no_news_are_waited_for_where_nothing_looks_at_the_file(tmp_path: Path) -> None:
    setup = Setup(tmp_path, {"items": [], "watched": False})
    assert await edit(setup) == "Edited."
    assert len(setup.client.asked) == 1


async def test_a_cancelled_run_does_not_wait_for_news(tmp_path: Path) -> None:
    setup = Setup(tmp_path, {"items": []})
    signal = CancelSignal()
    signal.set()
    assert await edit(setup, signal=signal) == "Edited."
    assert len(setup.client.asked) == 1


def test_reading_tools_are_left_alone(tmp_path: Path) -> None:
    setup = Setup(tmp_path, None)
    reader: Tool = GetDiagnostics(setup.diagnostics, setup.workspace)
    assert with_news([reader], setup.diagnostics, setup.workspace) == [reader]


async def test_a_client_that_declares_it_gives_the_model_the_tool_and_the_news(
    make_face: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("steersman.lsp.diagnostic_news.SETTLE_S", 0)
    face = make_face(
        reply(call("write_file", {"path": "a.py", "content": "x\n"}), call("get_diagnostics")), reply("Ok.")
    )
    await face.initialize(initializationOptions={"client": {"diagnostics": True}})
    face.answer_with("Allow once")
    answers = iter([[], [diagnostic("new")], [diagnostic("all")]])
    uri = (face.folder / "a.py").as_uri()
    face.client.on("steersman/diagnostics", lambda _: {"items": [{"uri": uri, "diagnostics": next(answers)}]})
    await face.run()
    written, got = (message.content for message in face.model.requests[1].messages[-2:])
    assert "New problems" in written
    assert got == "a.py:1: error: all"


async def test_other_clients_have_no_such_tool(make_face: Make) -> None:
    face = make_face(reply("Ok."))
    await face.initialize()
    await face.run()
    assert "get_diagnostics" not in [tool.name for tool in face.model.requests[0].tools]
    await asyncio.sleep(0)
