"""The small HTTP server under the mock model."""

import asyncio
import contextlib
import logging

import pytest

from steersman.mock_llm.http_server import Exchange, HttpServer
from steersman.models.gates import EventGates


async def echo(exchange: Exchange) -> None:
    request = exchange.request
    await exchange.respond(
        200, f"{request.method} {request.path} {request.body.decode()}".encode(), content_type="text/plain"
    )


@contextlib.asynccontextmanager
async def connect(handler=echo, **options):
    async with HttpServer(handler, **options) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        try:
            yield server, reader, writer
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError):
                await writer.wait_closed()


async def read_answer(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    head = await reader.readuntil(b"\r\n\r\n")
    length = next(
        int(line.split(b":")[1]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length")
    )
    return head, await reader.readexactly(length)


def post(body: bytes, *headers: bytes) -> bytes:
    lines = [b"POST /a?b=c HTTP/1.1", b"host: x", b"content-length: %d" % len(body), *headers]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


async def test_a_connection_is_kept_for_the_next_request():
    async with connect() as (_, reader, writer):
        for word in (b"one", b"two"):
            writer.write(post(word))
            assert (await read_answer(reader))[1] == b"POST /a " + word


async def test_requests_sent_ahead_are_answered_in_order():
    async with connect() as (_, reader, writer):
        writer.write(post(b"one") + post(b"two") + post(b"three"))
        assert [(await read_answer(reader))[1] for _ in range(3)] == [b"POST /a one", b"POST /a two", b"POST /a three"]


async def test_a_body_may_come_in_chunks_and_byte_by_byte():
    async with connect() as (_, reader, writer):
        for (
            byte
        ) in b"POST /a HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n":
            writer.write(bytes([byte]))
            await writer.drain()
        assert (await read_answer(reader))[1] == b"POST /a abcde"


async def test_a_client_that_asks_first_is_told_to_go_on():
    async with connect() as (_, reader, writer):
        writer.write(post(b"", b"expect: 100-continue").replace(b"content-length: 0", b"content-length: 3"))
        assert (await reader.readuntil(b"\r\n\r\n")).startswith(b"HTTP/1.1 100")
        writer.write(b"abc")
        assert (await read_answer(reader))[1] == b"POST /a abc"


async def test_a_connection_is_closed_when_the_client_wants_that():
    async with connect() as (_, reader, writer):
        writer.write(post(b"one", b"connection: close"))
        await read_answer(reader)
        assert await reader.read() == b""


@pytest.mark.parametrize(
    ("sent", "status"),
    [
        (b"nonsense\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\n\r\n", b"400"),
        (b"GET / HTTP/1.1\r\nhost: x\r\nlong: " + b"x" * 200_000 + b"\r\n\r\n", b"431"),
        (post(b"x" * 101), b"413"),
    ],
)
async def test_what_is_no_request_is_answered_and_ends_the_connection(sent, status):
    async with connect(max_body=100) as (_, reader, writer):
        writer.write(sent)
        assert (await reader.readuntil(b"\r\n")).split()[1] == status
        with contextlib.suppress(ConnectionError):
            await reader.read()


async def test_a_client_that_leaves_before_its_request_is_whole_is_let_go():
    async with connect() as (server, _, writer):
        writer.write(post(b"abc")[:-1])
        await writer.drain()
        writer.close()
        await writer.wait_closed()
        assert server.port


async def test_an_answer_ends_at_once_when_its_client_is_gone():
    gates, ended = EventGates(), asyncio.Event()

    async def endless(exchange: Exchange) -> None:
        await exchange.begin(200, content_type="text/plain")
        try:
            await gates.go_through("never opened")
        finally:
            ended.set()

    async with connect(endless) as (_, _, writer):
        writer.write(post(b""))
        await gates["never opened"].wait_reached()
        writer.transport.abort()
        await ended.wait()


async def test_closing_the_server_ends_an_answer_to_a_client_that_does_not_read():
    reached = asyncio.Event()

    async def flood(exchange: Exchange) -> None:
        await exchange.begin(200, content_type="text/plain")
        while True:
            reached.set()
            await exchange.send(b"x" * 1_000_000)

    async with connect(flood) as (server, _, writer):
        writer.write(post(b""))
        await reached.wait()
        await server.close()


async def test_a_handler_that_fails_is_a_500_and_is_logged(caplog):
    async def broken(exchange: Exchange) -> None:
        raise RuntimeError("secret")

    async with connect(broken) as (_, reader, writer):
        with caplog.at_level(logging.ERROR):
            writer.write(post(b""))
            head, body = await read_answer(reader)
    assert head.split()[1] == b"500"
    assert b"secret" not in body
    assert "an exchange failed" in caplog.text


async def test_a_handler_that_fails_in_mid_answer_cuts_the_connection():
    async def broken(exchange: Exchange) -> None:
        await exchange.begin(200, content_type="text/plain")
        await exchange.send(b"half")
        raise RuntimeError

    async with connect(broken) as (_, reader, writer):
        writer.write(post(b""))
        with contextlib.suppress(ConnectionError):
            assert b"\r\n0\r\n\r\n" not in await reader.read()


async def test_many_clients_are_served_side_by_side():
    async with HttpServer(echo) as server:

        async def ask(number: int) -> bytes:
            reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
            writer.write(post(b"%d" % number))
            _, body = await read_answer(reader)
            writer.close()
            await writer.wait_closed()
            return body

        assert await asyncio.gather(*(ask(number) for number in range(40))) == [b"POST /a %d" % n for n in range(40)]
