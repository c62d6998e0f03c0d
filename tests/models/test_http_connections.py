"""Connections are kept and counted, and none is lost whenever a request is cancelled (DESIGN M6)."""

import asyncio
import gc
from collections.abc import Callable
from contextlib import aclosing, suppress

import httpcore
import pytest

from steersman.agent.model import TextPiece
from steersman.models import http_connections
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.http_connections import MAX_CONNECTIONS, HttpConnections
from steersman.models.network import AsyncioBackend
from steersman.models.openai_chat import OpenAIChat
from support.fault_server import Answer, Connection, FaultServer, Received, chat, delta, never, raw, respond, stream
from support.replies import REQUEST, collect


def make_pool() -> tuple[httpcore.AsyncConnectionPool, AsyncioBackend]:
    backend = AsyncioBackend()
    return httpcore.AsyncConnectionPool(max_connections=1, network_backend=backend), backend


def asking(server: FaultServer, body: bytes = b"") -> httpcore.Request:
    headers = [(b"host", b"h"), (b"content-length", b"%d" % len(body))]
    return httpcore.Request("POST", f"{server.origin}/", headers=headers, content=body)


async def ask(connections: HttpConnections, server: FaultServer) -> bytes:
    response = await connections.handle_async_request(asking(server))
    try:
        return b"".join([piece async for piece in response.aiter_stream()])
    finally:
        await response.aclose()


def client_of(server: FaultServer) -> HttpModelClient:
    return HttpModelClient(Endpoint("test", server.url, "m"), OpenAIChat(provider="test", model="m"))


async def until(said: Callable[[], bool]) -> None:
    while not said():
        await asyncio.sleep(0.001)


async def settle() -> None:
    for _ in range(8):
        await asyncio.sleep(0)


@pytest.mark.parametrize("again", [(), (1,), (2,), (3,), (1, 1, 1)], ids=str)
@pytest.mark.parametrize("kept", [False, True], ids=["new", "kept"])
async def test_whenever_a_request_is_cancelled_nothing_of_it_stays(kept: bool, again: tuple[int, ...]):
    """In each turn from the first to the last, and again some turns later, as when a deadline meets a cancel."""
    answer = stream(delta(content="a"), delta(content="b"), chat("c"))
    async with FaultServer(answer) as server:
        turns, finished = 0, False
        while not finished:
            client, before = client_of(server), asyncio.all_tasks()
            if kept:
                await collect(client.stream(REQUEST))
            asking = asyncio.ensure_future(collect(client.stream(REQUEST)))
            for _ in range(turns):
                await asyncio.sleep(0)
            finished = asking.done()
            asking.cancel()
            for later in again:
                for _ in range(later):
                    await asyncio.sleep(0)
                asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            await settle()
            for connections in [] if client._http is None else [client._http._handler]:
                assert isinstance(connections, HttpConnections)
                assert (connections._used, connections._free._value) == (set(), MAX_CONNECTIONS)
                assert all(line.is_usable for line in connections._resting if line.pool.connections)
            assert (await collect(client.stream(REQUEST))).text == "abc"
            await client.aclose()
            await settle()
            ours = [task for task in asyncio.all_tasks() - before if "FaultServer" not in repr(task)]
            assert ours == []
            await asyncio.wait_for(until(lambda: all(one.gone.is_set() for one in server.connections)), 10)
            turns += 1
        assert turns > 5
    gc.collect()


@pytest.mark.parametrize("answer", [never, stream(b"a", end="hold")], ids=["no headers", "in the body"])
async def test_a_cancelled_request_is_gone_at_the_server_too(answer: Answer):
    async with FaultServer(answer) as server:
        connections = HttpConnections(make_pool)
        asking = asyncio.ensure_future(ask(connections, server))
        await until(lambda: bool(server.requests))
        asking.cancel()
        with suppress(asyncio.CancelledError):
            await asking
        await asyncio.wait_for(server.connections[0].gone.wait(), 10)
        await connections.aclose()


async def test_who_comes_when_all_connections_are_in_use_waits_and_may_be_cancelled():
    gates = [asyncio.Event()]
    async with FaultServer(stream(b"x", before=gates)) as server:
        connections = HttpConnections(make_pool)
        served = [asyncio.ensure_future(ask(connections, server)) for _ in range(MAX_CONNECTIONS)]
        await until(lambda: len(server.requests) == MAX_CONNECTIONS)
        waiting = [asyncio.ensure_future(ask(connections, server)) for _ in range(3)]
        await settle()
        waiting.pop(1).cancel()
        await settle()
        assert len(server.requests) == MAX_CONNECTIONS
        gates[0].set()
        assert await asyncio.gather(*served, *waiting) == [b"x"] * (MAX_CONNECTIONS + 2)
        assert len(server.connections) == MAX_CONNECTIONS
        await connections.aclose()


async def test_a_few_connections_are_kept_and_the_others_closed():
    gates = [asyncio.Event()]
    async with FaultServer(stream(b"x", before=gates)) as server:
        connections = HttpConnections(make_pool)
        served = [asyncio.ensure_future(ask(connections, server)) for _ in range(7)]
        await until(lambda: len(server.requests) == 7)
        gates[0].set()
        await asyncio.gather(*served)
        await until(lambda: sum(one.gone.is_set() for one in server.connections) == 3)
        await connections.aclose()
        await until(lambda: all(one.gone.is_set() for one in server.connections))


async def test_a_connection_that_has_rested_for_long_is_closed(monkeypatch: pytest.MonkeyPatch):
    gates = [asyncio.Event()]
    async with FaultServer(stream(b"x", before=gates)) as server:
        connections = HttpConnections(make_pool)
        served = [asyncio.ensure_future(ask(connections, server)) for _ in range(2)]
        await until(lambda: len(server.requests) == 2)
        gates[0].set()
        await asyncio.gather(*served)
        monkeypatch.setattr(http_connections, "KEPT_S", 0.0)
        await ask(connections, server)
        await until(lambda: all(one.gone.is_set() for one in server.connections))
        await connections.aclose()


async def test_closing_ends_what_is_still_read_and_says_so():
    """Even a body that goes on until the connection ends does not pass for a whole one."""
    until_closed = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n" + delta(content="Half")

    async def hold(connection: Connection, received: Received) -> None:
        await raw(until_closed)(connection, received)
        await connection.wait_gone()

    async with FaultServer(hold) as server:
        client = client_of(server)
        async with aclosing(client.stream(REQUEST)) as events:
            assert await anext(events) == TextPiece("Half")
            rest = asyncio.ensure_future(collect(events))
            await settle()
            await client.aclose()
            assert (await rest).failure == "stream_broken"
        await asyncio.wait_for(server.connections[0].gone.wait(), 10)


async def test_closing_ends_what_is_still_connecting():
    async with FaultServer(respond(200)) as server:
        client = client_of(server)
        asking = asyncio.ensure_future(collect(client.stream(REQUEST)))
        for _ in range(3):
            await asyncio.sleep(0)
        await client.aclose()
        assert (await asking).failure == "provider_unavailable"
        assert server.requests == []


async def test_a_client_can_be_used_again_after_it_was_closed():
    async with FaultServer(stream(chat("Hello."))) as server:
        client = client_of(server)
        for _ in range(2):
            assert (await collect(client.stream(REQUEST))).text == "Hello."
            await client.aclose()


@pytest.mark.parametrize("more", [b"HTTP/1.1 408 Timeout\r\ncontent-length: 0\r\n\r\n", b"\1\r\n\r\n"], ids=str)
@pytest.mark.parametrize("size", [0, 200_000], ids=["small request", "large request"])
async def test_what_a_server_said_too_much_is_not_the_answer_to_the_next_request(more: bytes, size: int):
    """Else each answer would from then on be the one to the request before."""

    async def too_much(connection: Connection, received: Received) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-length: 5\r\n\r\nfirst" + more)

    async with FaultServer(too_much, respond(200, b"second"), respond(200, b"third")) as server:
        connections = HttpConnections(make_pool)
        assert await ask(connections, server) == b"first"
        response = await connections.handle_async_request(asking(server, bytes(size)))
        answers = [b"".join([piece async for piece in response.aiter_stream()])]
        await response.aclose()
        assert response.status == 200
        answers.append(await ask(connections, server))
        assert answers[-1] == b"third"
        assert len(server.connections) == 2
        await connections.aclose()


async def test_what_cannot_be_opened_is_told_at_once():
    def refuse() -> tuple[httpcore.AsyncConnectionPool, AsyncioBackend]:
        raise RuntimeError("no such proxy")

    with pytest.raises(RuntimeError, match="no such proxy"):
        HttpConnections(refuse)
