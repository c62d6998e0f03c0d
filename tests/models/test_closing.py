"""Closing a stream closes its connection within one turn of the event loop (DESIGN M6)."""

import asyncio
import gzip
from typing import Any

import httpcore
import pytest

from steersman.agent.model import TextPiece
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.network import AsyncioBackend
from steersman.models.openai_chat import OpenAIChat
from support.fault_server import Answer, FaultServer, delta, never, stream
from support.replies import REQUEST


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


@pytest.fixture
def opened(monkeypatch: pytest.MonkeyPatch):
    """The connections that were opened; one at its end says that it is readable."""
    streams: list[httpcore.AsyncNetworkStream] = []
    connect = AsyncioBackend.connect_tcp

    async def note(*args: Any, **kwargs: Any) -> httpcore.AsyncNetworkStream:
        streams.append(await connect(*args, **kwargs))
        return streams[-1]

    monkeypatch.setattr(AsyncioBackend, "connect_tcp", note)
    return streams


async def test_one_turn_after_the_cancel_the_connection_is_down(opened: list[httpcore.AsyncNetworkStream]):
    async with FaultServer(stream(delta(content="Half"), end="hold")) as server:
        client = http_client(server)
        events = client.stream(REQUEST)
        await anext(events)
        reading = asyncio.ensure_future(anext(events))
        await settle()
        assert not opened[0].get_extra_info("is_readable")
        reading.cancel()
        await asyncio.sleep(0)
        assert opened[0].get_extra_info("is_readable")
        with pytest.raises(asyncio.CancelledError):
            await reading
        await client.aclose()


@pytest.mark.parametrize("coding", ["identity", "gzip"])
async def test_the_connection_is_down_before_the_closing_generator_waits_for_anything(
    opened: list[httpcore.AsyncNetworkStream], coding: str
):
    part = delta(content="Half")
    sent = gzip.compress(part) if coding == "gzip" else part
    async with FaultServer(stream(sent, end="hold", headers={"content-encoding": coding})) as server:
        client = http_client(server)
        events = client.stream(REQUEST)
        await anext(events)
        closing = asyncio.ensure_future(events.aclose())
        await asyncio.sleep(0)  # its first step
        assert opened[0].get_extra_info("is_readable")
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
