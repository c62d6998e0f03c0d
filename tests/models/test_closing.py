"""Closing a stream closes its connection within one turn of the event loop (DESIGN M6)."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress

import httpcore
import pytest

from steersman.agent.model import TextPiece
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from support.fault_server import Answer, FaultServer, delta, never, stream
from support.replies import REQUEST, PlayedRequests


def http_client(server: FaultServer) -> HttpModelClient:
    return HttpModelClient(Endpoint("test", server.url, "m"), OpenAIChat(provider="test", model="m"))


async def settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_closing_the_generator_closes_the_connection():
    async with FaultServer(stream(delta(content="Half"), end="hold")) as server:
        client = http_client(server)
        events = client.stream(REQUEST)
        assert await anext(events) == TextPiece("Half")
        await events.aclose()
        await asyncio.wait_for(server.connections[0].gone.wait(), 10)
        await client.aclose()


@pytest.mark.parametrize(
    "answer", [never, stream(delta(content="Half"), end="hold")], ids=["no headers", "in the body"]
)
async def test_cancelling_the_wait_closes_the_connection(answer: Answer):
    """The server's slot is free again, whether it has begun to answer or not."""
    async with FaultServer(answer) as server:
        client = http_client(server)
        events = client.stream(REQUEST)

        async def read() -> None:
            async for _ in events:
                pass

        reading = asyncio.create_task(read())
        while not server.requests:
            await asyncio.sleep(0.001)
        await settle()
        reading.cancel()
        with pytest.raises(asyncio.CancelledError):
            await reading
        await asyncio.wait_for(server.connections[0].gone.wait(), 10)
        await client.aclose()


class FakeSocket:
    """Notes that it was shut down."""

    def __init__(self) -> None:
        self.down = False

    def shutdown(self, how: int) -> None:
        self.down = True

    def get_extra_info(self, name: str) -> object:
        return self if name == "socket" else None


class HeldBody:
    """One piece, then nothing more."""

    async def __aiter__(self) -> AsyncIterator[bytes]:
        yield delta(content="Half")
        await asyncio.Event().wait()

    async def aclose(self) -> None:
        await asyncio.sleep(0)  # the orderly way takes its turns


def client_over(connection: FakeSocket) -> HttpModelClient:
    def answer(request: httpcore.Request) -> httpcore.Response:
        return httpcore.Response(200, content=HeldBody(), extensions={"network_stream": connection})

    endpoint = Endpoint("test", "http://models.test/v1", "m")
    wire = OpenAIChat(provider="test", model="m")
    return HttpModelClient(endpoint, wire, handler=PlayedRequests(answer))


async def test_one_turn_after_the_cancel_the_connection_is_down():
    connection = FakeSocket()
    client = client_over(connection)
    events = client.stream(REQUEST)
    await anext(events)
    reading = asyncio.ensure_future(anext(events))
    await settle()
    assert not connection.down
    reading.cancel()
    await asyncio.sleep(0)
    assert connection.down
    with pytest.raises(asyncio.CancelledError):
        await reading
    await client.aclose()


async def test_the_connection_is_down_before_the_closing_generator_waits_for_anything():
    connection = FakeSocket()
    client = client_over(connection)
    events = client.stream(REQUEST)
    await anext(events)
    closing = events.aclose()
    with suppress(StopIteration):
        closing.send(None)  # its first step, without an event loop
    assert connection.down
    await closing
    await client.aclose()


async def test_a_stream_that_was_never_read_opens_nothing():
    async with FaultServer(never) as server:
        client = http_client(server)
        await client.stream(REQUEST).aclose()
        await client.aclose()
        assert server.connections == []


async def test_the_client_can_be_used_again_after_a_cancel():
    async with FaultServer(stream(delta(content="Half"), end="hold"), stream(delta(content="Next"))) as server:
        client = http_client(server)
        first = client.stream(REQUEST)
        await anext(first)
        await first.aclose()
        second = client.stream(REQUEST)
        assert await anext(second) == TextPiece("Next")
        await second.aclose()
        await client.aclose()
