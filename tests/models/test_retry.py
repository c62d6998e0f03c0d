"""Asking again: when, how often, how long, and what is seen of it (DESIGN M4). Over sockets: ``test_faults``."""

from collections.abc import AsyncGenerator

import pytest

from steersman.agent.errors import (
    AuthenticationError,
    ContextOverflowError,
    EmptyResponseError,
    ModelError,
    QuotaError,
    RateLimitedError,
    RejectedError,
    StreamBrokenError,
    UnavailableError,
)
from steersman.agent.messages import ToolCall
from steersman.agent.model import CallPiece, Finish, ModelEvent, ModelRequest, ReasoningPiece, TextPiece, Waiting
from steersman.models.failures import LoadingError, UnreachableError
from steersman.models.retry import RetryingClient, RetryPolicy, close_client, reason_words
from steersman.models.retry_after import read_retry_after
from support.replies import REQUEST

Step = ModelEvent | ModelError


class Attempts:
    """A client that plays one list of steps for each attempt, the last one again and again."""

    model = "test/m"

    def __init__(self, *attempts: list[Step]) -> None:
        self._attempts = list(attempts)
        self.asked = 0
        self.closed = 0

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        self.asked += 1
        steps = self._attempts.pop(0) if len(self._attempts) > 1 else self._attempts[0]
        try:
            for step in steps:
                if isinstance(step, ModelError):
                    raise step
                yield step
        finally:
            self.closed += 1


async def no_sleep(seconds: float) -> None:
    """Take no time."""


def retrying(client: Attempts, **policy) -> RetryingClient:
    return RetryingClient(client, policy=RetryPolicy(**policy), chance=lambda: 1.0, sleep=no_sleep)


async def events_of(client: RetryingClient) -> list[Step]:
    seen: list[Step] = []
    try:
        async for event in client.stream(REQUEST):
            seen.append(event)  # noqa: PERF401  # what came before an error counts
    except ModelError as error:
        seen.append(error)
    return seen


DONE: list[Step] = [TextPiece("Hi"), Finish("stop")]


async def test_a_reply_that_begins_is_passed_on():
    client = Attempts(DONE)
    assert await events_of(retrying(client)) == DONE
    assert (client.asked, client.closed) == (1, 1)


@pytest.mark.parametrize(
    "error",
    [RateLimitedError("x"), UnavailableError("x"), UnreachableError("x"), LoadingError("x"), StreamBrokenError("x")],
)
async def test_a_passing_failure_is_tried_again(error: ModelError):
    client = Attempts([error], DONE)
    waiting, *rest = await events_of(retrying(client))
    assert isinstance(waiting, Waiting)
    assert (waiting.seconds, waiting.attempt, rest) == (0.5, 1, DONE)


@pytest.mark.parametrize(
    "error", [AuthenticationError("x"), RejectedError("x"), QuotaError("x"), ContextOverflowError("x")]
)
async def test_a_lasting_failure_is_not(error: ModelError):
    client = Attempts([error], DONE)
    assert await events_of(retrying(client)) == [error]
    assert client.asked == 1


@pytest.mark.parametrize("piece", [TextPiece("x"), ReasoningPiece("x"), CallPiece(ToolCall("a", "f", "{}"))])
async def test_after_output_began_nothing_is_tried_again(piece: ModelEvent):
    error = UnavailableError("gone")
    client = Attempts([piece, error], DONE)
    assert await events_of(retrying(client)) == [piece, error]
    assert client.asked == 1


async def test_the_waits_grow_to_a_limit():
    client = Attempts([UnavailableError("x")])
    waits = [
        event.seconds
        for event in await events_of(retrying(client, retries=7, longest_s=4))
        if isinstance(event, Waiting)
    ]
    assert waits == [0.5, 1.0, 2.0, 4.0, 4.0, 4.0, 4.0]


@pytest.mark.parametrize(("chance", "wait"), [(0.0, 0.25), (0.5, 0.375), (1.0, 0.5)])
def test_chance_spreads_a_wait_over_its_second_half(chance: float, wait: float):
    assert RetryPolicy().wait_s(UnavailableError("x"), 1, chance) == wait


@pytest.mark.parametrize(("asked", "wait"), [(7.0, 7.0), (0.0, 0.5), (300.0, 300.0), (300.1, None), (None, 0.5)])
def test_a_provider_may_say_how_long_up_to_a_limit(asked: float | None, wait: float | None):
    assert RetryPolicy().wait_s(RateLimitedError("x", retry_after_s=asked), 1, 1.0) == wait


async def test_a_server_that_loads_its_model_is_waited_for_longer():
    client = Attempts(*[[LoadingError("x")]] * 12, DONE)
    events = await events_of(retrying(client))
    assert (client.asked, events[-2:]) == (13, DONE)


async def test_a_bare_end_is_an_empty_reply():
    client = Attempts([Finish("stop")])
    *waits, error = await events_of(retrying(client))
    assert (client.asked, len(waits)) == (2, 1)
    assert isinstance(error, EmptyResponseError)


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_an_end_that_says_why_there_is_nothing_is_passed_on(reason):
    client = Attempts([Finish(reason)])
    assert await events_of(retrying(client)) == [Finish(reason)]


async def test_each_attempt_is_closed_before_the_wait():
    client = Attempts([UnavailableError("x")], DONE)
    events = retrying(client).stream(REQUEST)
    await anext(events)
    assert client.closed == 1
    await events.aclose()


async def test_closing_while_it_waits_asks_no_more():
    client = Attempts([UnavailableError("x")], DONE)
    events = retrying(client).stream(REQUEST)
    await anext(events)
    await events.aclose()
    assert client.asked == 1


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (RateLimitedError("x"), "rate limited"),
        (UnavailableError("p is overloaded (529).", status=529), "overloaded"),
        (UnavailableError("x", status=500), "the provider failed (500)"),
        (UnavailableError("x"), "the connection was lost"),
        (UnreachableError("x"), "not reachable"),
        (LoadingError("x"), "the model is being loaded"),
        (StreamBrokenError("x"), "the reply broke off"),
        (EmptyResponseError("x"), "an empty reply"),
    ],
)
def test_the_reason_is_said_in_plain_words(error: ModelError, words: str):
    assert reason_words(error) == words


async def test_a_client_without_connections_need_not_be_closed():
    await close_client(Attempts(DONE))


NOW = 784111777.0  # Sun, 06 Nov 1994 08:49:37 GMT


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"retry-after": "5"}, 5.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:47 GMT"}, 10.0),
        ({"retry-after": "Sun, 06 Nov 1994 08:49:00 GMT"}, 0.0),
        ({"retry-after-ms": "250", "retry-after": "5"}, 0.25),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "-5"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, None),
        ({"retry-after": ""}, None),
        ({}, None),
    ],
)
def test_retry_after_is_read(headers: dict[str, str], seconds: float | None):
    assert read_retry_after(headers, NOW) == seconds
