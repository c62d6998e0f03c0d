"""Questions to the person: every answer, every silence, every way they are withdrawn (DESIGN A2, A3, A7)."""

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from lsprotocol import types

from steersman.agent.approval import Option
from steersman.agent.changes import Change, text_digest
from steersman.agent.tool import Effect, Plan
from steersman.lsp.approvals import MAX_SHOWS, Approvals, question_to_wire
from steersman.lsp.contracts import ClientError, ClientFacts, ClientGoneError, ClientLacksMethodError, ClientOptions
from steersman.lsp.failures import InvalidParamsError
from steersman.permissions.question import Answer, Question

EDIT = Change("/w/a.py", "edit", text_digest("one\n"), "one\n", "two\n", display="a.py")
OPTIONS = (
    Option("reject", "Reject"),
    Option("allow_once", "Allow once"),
    Option("allow_session", "Allow for this session"),
    Option("allow_always", "Always allow"),
)
QUESTION = Question(
    "r1", "s1", "c1", "edit_file", Plan("edit a.py", frozenset({Effect.EDIT}), changes=(EDIT,)), OPTIONS
)


class Client:
    """Answers each request with the next of its answers; counts the withdrawn ones."""

    def __init__(self, *answers: Any, approvals: bool = False, lacks: str = "") -> None:
        self.facts = ClientFacts(show_document=True, options=ClientOptions(approvals=approvals))
        self.answers = list(answers)
        self.asked: list[tuple[str, Any]] = []
        self.withdrawn = 0
        self.lacks = lacks
        self.is_asked = asyncio.Event()

    async def request(self, method: str, params: Any, *, timeout_s: float | None = None) -> Any:
        if method == self.lacks:
            raise ClientLacksMethodError("no such method")
        self.asked.append((method, params))
        self.is_asked.set()
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        if not isinstance(answer, asyncio.Future):
            return answer
        try:
            return await answer
        except asyncio.CancelledError:
            self.withdrawn += 1
            raise


class Documents:
    def __init__(self, *, can_show: bool = True, works: bool = True) -> None:
        self.can_show = can_show
        self.works = works
        self.shown: list[tuple[str, str]] = []

    async def show(self, name: str, text: str, *, take_focus: bool = True) -> bool:
        assert not take_focus, "it would take the place of the file"
        self.shown.append((name, text))
        return self.works


def item(title: str) -> types.MessageActionItem:
    return types.MessageActionItem(title)


def approvals(
    client: Client, documents: Documents | None = None, on_change: Callable[[], None] = lambda: None
) -> Approvals:
    return Approvals(client, documents or Documents(), on_change)


def titles(params: Any) -> list[str]:
    return [action["title"] for action in params["actions"]]


@pytest.mark.parametrize(
    ("title", "option"),
    [("Reject", "reject"), ("Allow once", "allow_once"), ("Allow for this session", "allow_session")],
)
async def test_a_chosen_button_is_the_answer(title: str, option: str) -> None:
    client = Client(item(title))
    assert await approvals(client).ask(QUESTION) == Answer(option)
    ((method, params),) = client.asked
    assert method == "window/showMessageRequest"
    assert titles(params) == ["Reject", "Show diff", "Allow once", "Allow for this session"]
    assert params["message"].startswith("Steersman wants to edit a.py (+1 −1)")
    assert params["message"].endswith("\nYour answer"), "no line of code, to which a client would stick its colon"


@pytest.mark.parametrize(
    "silence",
    [None, item("Something else"), item(""), ClientError("cancelled"), ClientGoneError("gone")],
    ids=["null", "unknown", "empty", "error", "gone"],
)
async def test_silence_is_never_consent(silence: Any) -> None:
    assert await approvals(Client(silence)).ask(QUESTION) is None


async def test_show_diff_shows_the_change_and_asks_again() -> None:
    client, documents = Client(item("Show diff"), item("Allow once")), Documents()
    assert await approvals(client, documents).ask(QUESTION) == Answer("allow_once")
    ((name, text),) = documents.shown
    assert name.endswith(".diff")
    assert "-one\n+two\n" in text
    assert len(client.asked) == 2


async def test_a_long_command_can_be_shown() -> None:
    client, documents = Client(item("Show command"), item("Reject")), Documents()
    plan = Plan("run a long one", frozenset({Effect.EXECUTE}), command="echo " + "x" * 300)
    assert await approvals(client, documents).ask(replace(QUESTION, plan=plan)) == Answer("reject")
    assert documents.shown == [("command.sh", plan.command)]


async def test_a_change_that_the_editor_did_not_show_is_said_so_and_asked_again() -> None:
    client = Client(item("Show diff"), item("Reject"))
    await approvals(client, Documents(works=False)).ask(QUESTION)
    assert "did not show" in client.asked[1][1]["message"]
    assert "Show diff" not in titles(client.asked[1][1])


async def test_an_editor_that_shows_no_documents_is_not_offered_to() -> None:
    client = Client(item("Reject"))
    await approvals(client, Documents(can_show=False)).ask(QUESTION)
    assert titles(client.asked[0][1]) == ["Reject", "Allow once", "Allow for this session"]


async def test_a_client_that_always_wants_to_see_it_again_is_no_person() -> None:
    client = Client(*[item("Show diff")] * (MAX_SHOWS + 1))
    assert await approvals(client).ask(QUESTION) is None
    assert len(client.asked) == MAX_SHOWS


async def open_question(client: Client, asker: Approvals, question: Question = QUESTION) -> asyncio.Task[Answer | None]:
    task = asyncio.create_task(asker.ask(question))
    await client.is_asked.wait()
    return task


def never() -> asyncio.Future[Any]:
    return asyncio.get_running_loop().create_future()


async def test_a_cancelled_run_withdraws_its_question() -> None:
    client = Client(never())
    asker = approvals(client)
    task = await open_question(client, asker)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    await asyncio.sleep(0)
    assert client.withdrawn == 1
    assert asker.questions == []
    assert not asker.answer("r1", "c1", "allow_once", None)


async def test_an_answer_by_command_wins_and_the_question_is_withdrawn() -> None:
    client = Client(never())
    asker = approvals(client)
    task = await open_question(client, asker)
    assert asker.questions == [QUESTION]
    assert asker.answer("r1", "c1", "reject", "not this way")
    assert not asker.answer("r1", "c1", "allow_once", None)
    assert await task == Answer("reject", "not this way")
    await asyncio.sleep(0)
    assert client.withdrawn == 1
    assert asker.questions == []


async def test_an_answer_of_the_editor_closes_the_question_for_commands() -> None:
    editor = never()
    asker = approvals(client := Client(editor))
    task = await open_question(client, asker)
    editor.set_result(item("Allow once"))
    assert await task == Answer("allow_once")
    assert not asker.answer("r1", "c1", "reject", None)


async def test_an_answer_that_is_none_of_the_options_is_refused_and_the_question_stays() -> None:
    client = Client(never())
    asker = approvals(client)
    task = await open_question(client, asker)
    with pytest.raises(InvalidParamsError, match="allow_once"):
        asker.answer("r1", "c1", "yes", None)
    assert asker.answer("r1", "c1", "allow_once", None)
    assert await task == Answer("allow_once")


async def test_a_client_that_cannot_ask_waits_for_the_command_and_says_so() -> None:
    changes: list[bool] = []
    asked = asyncio.Event()

    def on_change() -> None:
        changes.append(asker.needs_command("r1"))
        if changes[-1]:
            asked.set()

    asker = approvals(Client(lacks="window/showMessageRequest"), on_change=on_change)
    task = asyncio.create_task(asker.ask(QUESTION))
    await asked.wait()
    assert asker.answer("r1", "c1", "allow_session", None)
    assert await task == Answer("allow_session")
    assert changes == [False, True, False]


async def test_a_richer_client_gets_the_whole_texts_and_may_give_a_reason() -> None:
    client = Client({"optionId": "reject", "reason": "wrong file"}, approvals=True)
    assert await approvals(client).ask(QUESTION) == Answer("reject", "wrong file")
    ((method, params),) = client.asked
    assert method == "steersman/requestApproval"
    assert params["changes"][0]["before"] == "one\n"
    assert params["changes"][0]["after"] == "two\n"
    assert "-one" in params["changes"][0]["diff"]
    assert [option["id"] for option in params["options"]] == [option.id for option in OPTIONS]


@pytest.mark.parametrize(
    "answer", [None, "allow_once", {}, {"optionId": "yes"}, {"optionId": None}, {"optionId": ["allow_once"]}, []]
)
async def test_a_richer_clients_unclear_answer_is_silence(answer: Any) -> None:
    assert await approvals(Client(answer, approvals=True)).ask(QUESTION) is None


async def test_a_client_that_declared_more_than_it_can_is_asked_plainly() -> None:
    client = Client(item("Allow once"), approvals=True, lacks="steersman/requestApproval")
    assert await approvals(client).ask(QUESTION) == Answer("allow_once")


async def test_two_runs_may_ask_at_once() -> None:
    client = Client(never(), never())
    asker = approvals(client)
    first = await open_question(client, asker)
    other = replace(QUESTION, run_id="r2")
    second = asyncio.create_task(asker.ask(other))
    await asyncio.sleep(0)
    assert asker.questions == [QUESTION, other]
    assert asker.answer("r2", "c1", "reject", None)
    assert asker.answer("r1", "c1", "allow_once", None)
    assert [await first, await second] == [Answer("allow_once"), Answer("reject")]


def test_the_list_shows_the_question_without_whole_texts() -> None:
    wire = question_to_wire(replace(QUESTION, warning="not saved"), full=False)
    assert wire["title"] == "edit a.py"
    assert wire["warning"] == "not saved"
    assert "before" not in wire["changes"][0]
    assert wire["command"] is None
