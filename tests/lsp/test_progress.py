"""Work-done progress: begin, reports, exactly one end (PROTOCOL §3)."""

import asyncio
from typing import Any

import pytest

from steersman.lsp.contracts import ClientError, ClientFacts
from steersman.lsp.outbox import Delivery
from steersman.lsp.progress import ProgressTokens, clip
from support.fake_time import FakeTime


class Client:
    """Keeps what is sent; the creation of tokens waits for the test."""

    def __init__(self, *, can_create: bool = True) -> None:
        self.facts = ClientFacts(work_done_progress=can_create)
        self.sent: list[tuple[Any, str, Any]] = []
        self.created: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self.requests: list[Any] = []

    async def request(self, method: str, params: Any, *, timeout_s: float | None = None) -> Any:
        self.requests.append((method, params))
        return await self.created

    def notify(self, method: str, params: Any, delivery: Delivery | None = None) -> None:
        value = params["value"]
        self.sent.append((params["token"], value["kind"], value.get("message")))


class Setup:
    def __init__(self, *, can_create: bool = True) -> None:
        self.client = Client(can_create=can_create)
        self.time = FakeTime()
        self.work: list[asyncio.Task[None]] = []
        self.stopped = 0
        self.tokens = ProgressTokens(self.client, self.time, self.work.append)

    def stop(self) -> None:
        self.stopped += 1

    def open(self, token: int | str | None) -> Any:
        return self.tokens.open(token, run_id="r1", message="do it", stop=self.stop)


async def test_the_clients_token_is_begun_reported_and_ended() -> None:
    setup = Setup()
    progress = setup.open("t")
    progress.report("turn 1/4 · reading a.py")
    progress.end("complete")
    setup.time.pass_seconds(1)
    assert setup.client.sent == [
        ("t", "begin", "do it"),
        ("t", "report", "turn 1/4 · reading a.py"),
        ("t", "end", "complete"),
    ]
    assert setup.client.requests == []


async def test_reports_are_at_most_ten_a_second_and_the_last_is_shown() -> None:
    setup = Setup()
    progress = setup.open(7)
    for n in range(100):
        progress.report(f"{n}")
        setup.time.pass_seconds(0.01)
    setup.time.pass_seconds(1)
    reports = [message for _, kind, message in setup.client.sent if kind == "report"]
    assert len(reports) <= 11
    assert reports[-1] == "99"


async def test_the_same_message_is_not_sent_twice() -> None:
    setup = Setup()
    progress = setup.open("t")
    for _ in range(3):
        progress.report("waiting")
        setup.time.pass_seconds(1)
    assert len(setup.client.sent) == 2


async def test_nothing_follows_the_end() -> None:
    setup = Setup()
    progress = setup.open("t")
    progress.report("1")
    progress.report("2")
    progress.end("done")
    progress.end("again")
    progress.report("3")
    setup.time.pass_seconds(1)
    assert [kind for _, kind, _ in setup.client.sent] == ["begin", "report", "end"]


async def test_without_a_token_the_server_creates_one() -> None:
    setup = Setup()
    progress = setup.open(None)
    progress.report("early")
    await asyncio.sleep(0)
    assert setup.client.requests == [("window/workDoneProgress/create", {"token": "steersman/r1"})]
    assert setup.client.sent == []
    setup.client.created.set_result(None)
    await setup.work[0]
    progress.end("done")
    assert setup.client.sent == [("steersman/r1", "begin", "early"), ("steersman/r1", "end", "done")]


async def test_a_client_that_cannot_show_progress_gets_none() -> None:
    setup = Setup(can_create=False)
    progress = setup.open(None)
    progress.report("1")
    progress.end("done")
    assert (setup.client.requests, setup.client.sent, setup.work) == ([], [], [])


async def test_a_client_that_refuses_the_token_gets_no_progress() -> None:
    setup = Setup()
    progress = setup.open(None)
    setup.client.created.set_exception(ClientError("no"))
    await setup.work[0]
    progress.report("1")
    progress.end("done")
    assert setup.client.sent == []


async def test_a_token_that_comes_after_the_end_is_never_begun() -> None:
    setup = Setup()
    setup.open(None).end("done")
    setup.client.created.set_result(None)
    await setup.work[0]
    assert setup.client.sent == []


@pytest.mark.parametrize("token", ["t", 3, None])
async def test_the_persons_stop_reaches_the_run_while_it_works(token: int | str | None) -> None:
    setup = Setup()
    progress = setup.open(token)
    name = "steersman/r1" if token is None else token
    setup.tokens.stop("other")
    setup.tokens.stop(name)
    assert setup.stopped == 1
    progress.end("stopped")
    setup.tokens.stop(name)
    assert setup.stopped == 1
    for task in setup.work:
        task.cancel()


@pytest.mark.parametrize("token", [{"a": 1}, ["t"], None, True, 1.0, {}])
async def test_a_stop_of_what_is_no_token_is_ignored(token: object) -> None:
    setup = Setup()
    progress = setup.open(1)
    setup.tokens.stop(token)
    assert setup.stopped == 0
    progress.end("complete")


def test_messages_are_one_short_line() -> None:
    assert clip("a\n\n  b\tc") == "a b c"
    assert len(clip("x" * 500)) == 100
