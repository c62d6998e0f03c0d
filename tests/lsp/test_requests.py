"""Requests of ours to the client, and every way they can be answered."""

import asyncio
from typing import Any

import pytest

from steersman.lsp.contracts import ClientError, ClientGoneError, ClientLacksMethodError
from steersman.lsp.envelope import ErrorBody, Response
from steersman.lsp.requests import OutgoingRequests


class Sent:
    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        self.requests = OutgoingRequests(self.messages.append)

    async def start(self, **options: Any) -> asyncio.Task[Any]:
        task = asyncio.create_task(self.requests.request("m", {"p": 1}, **options))
        await asyncio.sleep(0)
        return task

    @property
    def last_id(self) -> str:
        return [message["id"] for message in self.messages if "id" in message][-1]


async def test_the_answer_comes_back() -> None:
    sent = Sent()
    task = await sent.start()
    assert sent.messages == [{"jsonrpc": "2.0", "id": sent.last_id, "method": "m", "params": {"p": 1}}]
    sent.requests.settle(Response(sent.last_id, {"a": 1}))
    assert await task == {"a": 1}


async def test_null_is_an_answer() -> None:
    sent = Sent()
    task = await sent.start()
    sent.requests.settle(Response(sent.last_id))
    assert await task is None


@pytest.mark.parametrize(("code", "kind"), [(-32601, ClientLacksMethodError), (-32603, ClientError)])
async def test_an_error_is_raised(code: int, kind: type[Exception]) -> None:
    sent = Sent()
    task = await sent.start()
    sent.requests.settle(Response(sent.last_id, error=ErrorBody(code, "no")))
    with pytest.raises(kind, match="no"):
        await task


async def test_a_cancelled_wait_withdraws_the_request_and_discards_the_late_answer() -> None:
    """Also a late error, which must not surface anywhere (reports 33)."""
    sent = Sent()
    task = await sent.start()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert sent.messages[-1] == {"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": sent.last_id}}
    sent.requests.settle(Response(sent.last_id, "late"))
    sent.requests.settle(Response(sent.last_id, error=ErrorBody(-32800, "cancelled")))


async def test_an_answer_in_time_is_not_withdrawn() -> None:
    sent = Sent()
    task = await sent.start()
    sent.requests.settle(Response(sent.last_id, 1))
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert len(sent.messages) == 1


async def test_no_answer_in_time_withdraws_the_request() -> None:
    sent = Sent()
    task = await sent.start(timeout_s=0)
    with pytest.raises(TimeoutError):
        await task
    assert sent.messages[-1]["method"] == "$/cancelRequest"


async def test_a_lost_client_answers_everything_that_waits() -> None:
    sent = Sent()
    task = await sent.start()
    sent.requests.close()
    with pytest.raises(ClientGoneError):
        await task
    with pytest.raises(ClientGoneError):
        await sent.requests.request("m", None)
    assert len(sent.messages) == 1


async def test_two_requests_have_two_ids_and_may_be_answered_in_any_order() -> None:
    sent = Sent()
    first = await sent.start()
    first_id = sent.last_id
    second = await sent.start()
    sent.requests.settle(Response(sent.last_id, 2))
    sent.requests.settle(Response(first_id, 1))
    assert [await first, await second] == [1, 2]
