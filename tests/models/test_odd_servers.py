"""What servers make of HTTP itself: what can be read is read, what cannot is named (RFC 9110, RFC 9112)."""

import asyncio
import gzip
from dataclasses import replace

import pytest

from steersman.agent.errors import ContextOverflowError, UnavailableError
from steersman.agent.messages import UserMessage
from steersman.models import http_exchange
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpLimits, HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from support.fault_server import Connection, FaultServer, Received, chat, delta, finish, raw, stream
from support.raw_server import raw_server
from support.replies import REQUEST, Reply, collect

BODY = chat("Hello.")
OK = b"HTTP/1.1 200 OK"
LENGTH = b"content-length: %d" % len(BODY)
CHUNKED = b"transfer-encoding: chunked"
GZIP = b"content-encoding: gzip"
LARGE = replace(REQUEST, messages=(UserMessage("x" * 20_000_000),))


def head(*lines: bytes) -> bytes:
    return b"\r\n".join([*lines, b"", b""])


def chunked(*parts: bytes, last: bytes = b"0\r\n\r\n") -> bytes:
    return b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in parts) + last


async def ask(client: HttpModelClient, request=REQUEST) -> Reply:
    return await collect(client.stream(request))


def client_of(url: str, **limits: float) -> HttpModelClient:
    return HttpModelClient(
        Endpoint("test", url, "m"), OpenAIChat(provider="test", model="m"), limits=HttpLimits(**limits)
    )


READ = {
    "100 first": head(b"HTTP/1.1 100 Continue") + head(OK, LENGTH) + BODY,
    "103 first": head(b"HTTP/1.1 103 Early Hints", b"link: </a>") * 2 + head(OK, LENGTH) + BODY,
    "HTTP/1.0 until it closes": head(b"HTTP/1.0 200 OK") + BODY,
    "HTTP/1.0 with a length": head(b"HTTP/1.0 200 OK", b"connection: keep-alive", LENGTH) + BODY,
    "connection: close": head(OK, b"connection: close", LENGTH) + BODY,
    "until it closes": head(OK) + BODY,
    "no reason": head(b"HTTP/1.1 200", LENGTH) + BODY,
    "a header of 90 kB": head(OK, b"x: " + b"a" * 90_000, LENGTH) + BODY,
    "2,000 headers": head(OK, *[b"x-%d: 1" % number for number in range(2000)], LENGTH) + BODY,
    "a folded header": head(OK, b"x: one", b"  two", LENGTH) + BODY,
    "a header that is no text": head(OK, b"x: \xe4\xff", LENGTH) + BODY,
    "its length twice": head(OK, LENGTH, LENGTH) + BODY,
    "length and chunks": head(OK, LENGTH, CHUNKED) + chunked(BODY),
    "trailers": head(OK, CHUNKED) + chunked(BODY, last=b"0\r\nx-time: 1\r\n\r\n"),
    "chunk extensions": head(OK, CHUNKED) + b"%x;name=value\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY),
    "a length too large": head(OK, b"content-length: %d" % (len(BODY) + 9)) + BODY,
    "a length too small": head(OK, b"content-length: %d" % (len(BODY) - 1)) + BODY,
    "a chunk too large": head(OK, CHUNKED) + b"%x\r\n%s" % (10**12, BODY),
    "gzip in single bytes": head(OK, GZIP, CHUNKED) + chunked(*[bytes([byte]) for byte in gzip.compress(BODY)]),
    "gzip in several": head(OK, GZIP, CHUNKED) + chunked(gzip.compress(BODY[:20]) + gzip.compress(BODY[20:])),
    "gzip without its end": head(OK, GZIP, CHUNKED) + chunked(gzip.compress(BODY)[:-8]),
    "gzip twice": head(OK, b"content-encoding: gzip, gzip", CHUNKED) + chunked(gzip.compress(gzip.compress(BODY))),
}


@pytest.mark.parametrize("answer", READ.values(), ids=READ)
async def test_what_can_be_read_is_read(answer: bytes):
    async with FaultServer(raw(answer), stream(BODY)) as server:
        client = client_of(server.url)
        replies = [await ask(client) for _ in range(2)]
        await client.aclose()
    assert [(reply.text, reply.failure) for reply in replies] == [("Hello.", None)] * 2


NAMED = {
    "nothing": (b"", "closed the connection without an answer"),
    "half a head": (OK + b"\r\nx: 1\r\n", "closed the connection without an answer"),
    "only interim answers": (head(b"HTTP/1.1 103 Early Hints"), "closed the connection without an answer"),
    "another protocol": (head(b"SSH-2.0-OpenSSH_9.6"), "no valid HTTP"),
    "TLS": (b"\x15\x03\x01\x00\x02\x02\x16", "no valid HTTP"),
    "HTTP/2": (head(b"HTTP/2 200"), "no valid HTTP"),
    "a header without a name": (head(OK, b"nonsense", LENGTH) + BODY, "no valid HTTP"),
    "a header of 200 kB": (head(OK, b"x: " + b"a" * 200_000, LENGTH) + BODY, "no valid HTTP"),
    "two lengths": (head(OK, LENGTH, b"content-length: 3") + BODY, "no valid HTTP"),
    "a length below nothing": (head(OK, b"content-length: -5") + BODY, "no valid HTTP"),
    "an upgrade": (head(b"HTTP/1.1 101 Switching Protocols", b"upgrade: x", b"connection: upgrade"), "no valid HTTP"),
    "no content": (head(b"HTTP/1.1 204 No Content"), "held nothing at all"),
    "chunks that are none": (head(OK, CHUNKED) + b"zz\r\n" + BODY, "connection was lost"),
    "chunks that end": (head(OK, CHUNKED) + chunked(BODY[:30], last=b""), "connection was lost"),
    "gzip that ends": (head(OK, GZIP, CHUNKED) + chunked(gzip.compress(BODY)[:-40]), "ends too early"),
    "what was not asked for": (head(OK, b"content-encoding: br", CHUNKED) + chunked(b"\x0b"), "compressed as br"),
    "moved": (head(b"HTTP/1.1 301 Moved", b"location: http://other.test/"), "redirects to http://other.test/"),
    "see other": (head(b"HTTP/1.1 303 See Other", b"content-length: 0"), "redirects to nowhere"),
}


@pytest.mark.parametrize(("answer", "said"), NAMED.values(), ids=NAMED)
async def test_what_cannot_be_read_is_named_and_the_client_goes_on(answer: bytes, said: str):
    async with FaultServer(raw(answer), stream(BODY)) as server:
        client = client_of(server.url)
        failed = await ask(client)
        assert (await ask(client)).text == "Hello."
        await client.aclose()
    assert failed.error is not None
    assert said in failed.error.message


@pytest.mark.parametrize("then", ["stays", "closes", "says that it ends"])
async def test_an_answer_to_half_a_request_is_read(then: str):
    """As when a gateway refuses a body for its length: it neither reads nor waits for it."""
    refusal = head(b"HTTP/1.1 413 Content Too Large", b"content-length: 0")

    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.pause_reading()
        writer.write(refusal)
        if then == "says that it ends":
            writer.write_eof()
        if then != "closes":
            await asyncio.Event().wait()
        writer.transport.abort()

    async with raw_server(refuse) as port:
        client = client_of(f"http://127.0.0.1:{port}/v1")
        reply = await ask(client, LARGE)
        await client.aclose()
    assert isinstance(reply.error, ContextOverflowError)


async def test_a_server_that_stops_reading_the_request_is_named(monkeypatch: pytest.MonkeyPatch):
    async def stop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.pause_reading()
        await asyncio.Event().wait()

    monkeypatch.setattr(http_exchange, "WRITE_S", 0.05)
    async with raw_server(stop) as port:
        client = client_of(f"http://127.0.0.1:{port}/v1")
        reply = await ask(client, LARGE)
        await client.aclose()
    assert isinstance(reply.error, UnavailableError)
    assert "stopped reading" in reply.error.message


async def test_a_server_that_reads_slowly_is_waited_for(monkeypatch: pytest.MonkeyPatch):
    """What is limited is how long it takes nothing, not how long it takes for all."""
    monkeypatch.setattr(http_exchange, "WRITE_S", 0.25)

    async def read_slowly(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        sent = await reader.readuntil(b"\r\n\r\n")
        left = int(sent.lower().partition(b"content-length: ")[2].partition(b"\r\n")[0])
        while left:
            left -= len(await reader.read(65536))
            await asyncio.sleep(0.001)
        writer.write(head(OK, LENGTH) + BODY)
        await reader.read()

    async with raw_server(read_slowly) as port:
        client = client_of(f"http://127.0.0.1:{port}/v1")
        assert (await ask(client, LARGE)).text == "Hello."
        await client.aclose()


async def test_20000_pieces_at_full_speed_all_arrive():
    async with FaultServer(stream(*[delta(content="word ")] * 20_000, finish())) as server:
        client = client_of(server.url)
        assert (await ask(client)).text == "word " * 20_000
        await client.aclose()


async def test_a_reply_in_single_bytes_arrives():
    async def bytewise(connection: Connection, received: Received) -> None:
        for byte in head(OK, LENGTH) + BODY:
            await connection.send(bytes([byte]))
            await asyncio.sleep(0)

    async with FaultServer(bytewise) as server:
        client = client_of(server.url)
        assert (await ask(client)).text == "Hello."
        await client.aclose()


async def test_a_slow_reader_lets_the_server_wait():
    """What is kept of a reply does not grow with it."""
    sent = 0

    async def much(connection: Connection, received: Received) -> None:
        nonlocal sent
        await connection.send(head(OK))
        while not connection.writer.is_closing():
            await connection.send(delta(content="x" * 100_000))
            sent += 100_000

    async with FaultServer(much) as server:
        client = client_of(server.url)
        events = client.stream(REQUEST)
        await anext(events)
        before = -1
        while before < sent:  # until it stands still
            before = sent
            for _ in range(200):
                await asyncio.sleep(0)
        assert sent < 20_000_000
        await events.aclose()
        await client.aclose()
