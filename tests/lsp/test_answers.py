"""How a client without a conversation view gets a run's answer (PROTOCOL §3)."""

from typing import Any

import pytest

from steersman.agent.changes import ChangeSummary
from steersman.agent.errors import UnavailableError
from steersman.agent.messages import AssistantMessage, UserMessage
from steersman.agent.model import Usage
from steersman.agent.result import RunResult, StopReason
from steersman.lsp.answers import Answers
from steersman.lsp.contracts import ClientFacts, ClientOptions
from steersman.lsp.options import ShowAnswer
from steersman.runs.report import RunReport


class Setup:
    def __init__(self, *, wanted: ShowAnswer = "auto", events: bool = False, shows: bool = True) -> None:
        self.facts = ClientFacts(options=ClientOptions(events=events))
        self.messages: list[tuple[int, str]] = []
        self.documents: list[str] = []
        self.shows = shows
        self.answers = Answers(self, self, self.transcript, lambda: wanted)

    def notify(self, method: str, params: Any) -> None:
        assert method == "window/showMessage"
        self.messages.append((params["type"], params["message"]))

    async def show(self, name: str, text: str, *, take_focus: bool = True) -> bool:
        assert not take_focus
        if self.shows:
            self.documents.append(text)
        return self.shows

    async def transcript(self, session_id: str) -> str:
        return f"transcript of {session_id}"


def report(answer: str, reason: StopReason = StopReason.COMPLETE, **more: Any) -> RunReport:
    result = RunResult((UserMessage("do"), AssistantMessage(answer)), reason, 2, Usage())
    return RunReport("r", "s", result, turns=2, **more)


async def test_a_short_answer_is_a_message() -> None:
    setup = Setup()
    await setup.answers.show(report("All good."))
    assert setup.messages == [(3, "Steersman: All good.")]
    assert setup.documents == []


@pytest.mark.parametrize("answer", ["x" * 400, "one\n" * 6, "```\ncode\n```"])
async def test_a_long_answer_is_a_document_that_begins_with_it(answer: str) -> None:
    setup = Setup()
    await setup.answers.show(report(answer))
    assert (setup.documents, setup.messages) == ([f"{answer.strip()}\n\n---\n\ntranscript of s"], [])


async def test_a_document_of_a_run_that_was_cut_off_begins_with_how_it_ended() -> None:
    setup = Setup(wanted="document")
    await setup.answers.show(report("So far.", StopReason.MAX_TURNS))
    (document,) = setup.documents
    assert document.startswith("turn limit reached")
    assert document.index("So far.") < document.index("transcript of s")


async def test_a_document_that_cannot_be_shown_becomes_a_clipped_message() -> None:
    setup = Setup(shows=False)
    await setup.answers.show(report("x" * 5000))
    ((_, message),) = setup.messages
    assert len(message) < 1000
    assert message.endswith("…")


async def test_the_person_chooses_how() -> None:
    for wanted, documents, messages in (("message", 0, 1), ("document", 1, 0), ("none", 0, 0)):
        setup = Setup(wanted=wanted)  # type: ignore[arg-type]
        await setup.answers.show(report("short"))
        assert (len(setup.documents), len(setup.messages)) == (documents, messages)


async def test_a_client_with_events_shows_it_itself() -> None:
    setup = Setup(events=True)
    await setup.answers.show(report("short", notes=("a note",)))
    setup.answers.show_failure(UnavailableError("down"))
    assert (setup.documents, setup.messages) == ([], [])


@pytest.mark.parametrize(
    ("reason", "kind", "words"),
    [
        (StopReason.MAX_TURNS, 2, "turn limit reached · 2 turns"),
        (StopReason.TIMEOUT, 2, "time limit reached"),
        (StopReason.BUDGET, 2, "budget used up"),
        (StopReason.NO_PROGRESS, 2, "circles"),
        (StopReason.TRUNCATED, 2, "cut off"),
        (StopReason.ABORTED, 3, "stopped"),
    ],
)
async def test_another_ending_is_told_with_what_was_done(reason: StopReason, kind: int, words: str) -> None:
    setup = Setup()
    changes = (ChangeSummary("/w/a", "edit", 1, 1), ChangeSummary("/w/b", "edit", 1, 1))
    await setup.answers.show(report("So far.", reason, changes=changes))
    ((shown, message),) = setup.messages
    assert shown == kind
    assert words in message
    assert "2 files changed" in message
    assert message.endswith("So far.")


async def test_a_run_that_was_stopped_before_it_changed_anything_is_no_news() -> None:
    setup = Setup()
    await setup.answers.show(report("So far.", StopReason.ABORTED))
    assert setup.messages == []


async def test_an_empty_answer_still_says_that_it_ended() -> None:
    setup = Setup()
    await setup.answers.show(report(""))
    assert setup.messages == [(3, "Steersman: complete · 2 turns.")]


async def test_a_note_is_told_once() -> None:
    setup = Setup(wanted="none")
    for _ in range(2):
        await setup.answers.show(report("x", notes=("This is the demo model.",)))
    assert setup.messages == [(3, "Steersman: This is the demo model.")]


def test_a_failure_is_one_error_with_its_hint() -> None:
    setup = Setup()
    setup.answers.show_failure(UnavailableError("The provider is down.", hint="Try later."))
    assert setup.messages == [(1, "Steersman: The provider is down. Try later.")]
