"""Encrypted connections, also through a proxy: whose certificates are trusted, and what is said of others (DESIGN M6)."""

import asyncio
import socket
import ssl
import struct
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
import trustme

from steersman.agent.messages import UserMessage
from steersman.agent.model import ModelRequest
from steersman.models import http_exchange
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpLimits, HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from support.fault_server import Connection, FaultServer, Received, chat, delta, finish, respond, stream
from support.raw_server import raw_server
from support.replies import REQUEST, Reply, collect


class Authority:
    """An authority of a test's own, and what a server of that name shows."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(self.file)

    def server(self, name: str, not_after: datetime | None = None) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(name, not_after=not_after).configure_cert(context)
        return context


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def ask(url: str, request: ModelRequest = REQUEST, connect_s: float = 10.0) -> Reply:
    endpoint = Endpoint("test", url, "m").with_key("sk-test-0123456789", "TEST_KEY")
    client = HttpModelClient(endpoint, OpenAIChat(provider="test", model="m"), limits=HttpLimits(connect_s=connect_s))
    try:
        return await collect(client.stream(request))
    finally:
        await client.aclose()


async def test_a_server_whose_authority_is_trusted_is_asked(authority: Authority, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with FaultServer(stream(chat("Sealed.")), tls=authority.server("127.0.0.1")) as server:
        assert (await ask(server.url)).text == "Sealed."


async def test_a_server_whose_authority_nobody_knows_gets_no_key(authority: Authority):
    async with FaultServer(stream(chat("Sealed.")), tls=authority.server("127.0.0.1")) as server:
        reply = await ask(server.url)
        assert server.requests == []
    assert reply.error is not None
    assert "certificate is not trusted" in reply.error.message
    assert "SSL_CERT_FILE" in reply.error.message


async def test_a_server_with_another_ones_certificate_gets_no_key(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with FaultServer(stream(chat("Sealed.")), tls=authority.server("other.test")) as server:
        reply = await ask(server.url)
        assert server.requests == []
    assert reply.failure == "provider_unavailable"
    assert reply.error is not None
    assert "made for another host" in reply.error.message


async def test_a_server_whose_certificate_has_expired_gets_no_key(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with FaultServer(
        stream(chat("Sealed.")), tls=authority.server("127.0.0.1", datetime(2020, 1, 1, tzinfo=UTC))
    ) as server:
        reply = await ask(server.url)
        assert server.requests == []
    assert reply.error is not None
    assert "not valid today" in reply.error.message


async def stall(writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def reset(writer: asyncio.StreamWriter) -> None:
    sock = writer.get_extra_info("socket")
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))


async def leave(writer: asyncio.StreamWriter) -> None:
    return


async def speak_plainly(writer: asyncio.StreamWriter) -> None:
    writer.write(b"HTTP/1.1 400 Bad Request\r\n\r\n")
    await writer.drain()


@pytest.mark.parametrize(
    ("act", "said"),
    [
        (stall, "within the time limit"),
        (reset, "connection reset"),
        (leave, "the connection was closed"),
        (speak_plainly, "does not speak TLS"),
    ],
)
async def test_a_handshake_that_comes_to_nothing_is_told(
    act: Callable[[asyncio.StreamWriter], Awaitable[None]], said: str
):
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(10)
        await act(writer)

    async with raw_server(serve) as port:
        reply = await ask(f"https://127.0.0.1:{port}/v1", connect_s=0.05 if act is stall else 10)
    assert reply.failure == "provider_unavailable"
    assert reply.error is not None
    assert said in reply.error.message


@pytest.mark.parametrize("ends", ["with its length", "with the connection"])
async def test_a_large_reply_is_whole_however_slowly_it_is_read(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, ends: str
):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    body = delta(content="x" * 100_000) * 100 + finish()
    length = f"content-length: {len(body)}\r\n" if ends == "with its length" else ""

    async def answer(connection: Connection, received: Received) -> None:
        await connection.send(f"HTTP/1.1 200 OK\r\n{length}\r\n".encode() + body)
        connection.keep = bool(length)

    async with FaultServer(answer, tls=authority.server("127.0.0.1")) as server:
        client = HttpModelClient(Endpoint("test", server.url, "m"), OpenAIChat(provider="test", model="m"))
        got = 0
        async for event in client.stream(REQUEST):
            got += len(getattr(event, "text", ""))
            for _ in range(10):
                await asyncio.sleep(0)
        await client.aclose()
    assert got == 10_000_000


async def test_a_large_request_arrives_whole(authority: Authority, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with FaultServer(stream(chat("Sealed.")), tls=authority.server("127.0.0.1")) as server:
        reply = await ask(server.url, replace(REQUEST, messages=(UserMessage("x" * 5_000_000),)))
        assert len(server.requests[0].json["messages"][-1]["content"]) == 5_000_000
    assert reply.text == "Sealed."


async def test_a_server_that_stops_reading_is_told_though_what_is_sent_is_encrypted(
    authority: Authority, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    monkeypatch.setattr(http_exchange, "WRITE_S", 0.05)

    async def stop(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.readuntil(b"\r\n\r\n")
        writer.transport.pause_reading()
        await asyncio.Event().wait()

    async with raw_server(stop, tls=authority.server("127.0.0.1")) as port:
        reply = await ask(f"https://127.0.0.1:{port}/v1", replace(REQUEST, messages=(UserMessage("x" * 20_000_000),)))
    assert reply.error is not None
    assert "stopped reading" in reply.error.message


def tunnel_to(server: FaultServer):
    """Answer a CONNECT by piping both ways to a server, whatever host was asked for."""

    async def pipe(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while data := await reader.read(65536):
            writer.write(data)
            await writer.drain()

    async def answer(connection: Connection, received: Received) -> None:
        assert received.method == "CONNECT"
        reader, writer = await asyncio.open_connection("127.0.0.1", server.port)
        await connection.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
        connection.keep = False
        ways = [asyncio.ensure_future(pipe(*way)) for way in [(connection.reader, writer), (reader, connection.writer)]]
        try:
            await asyncio.wait(ways, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for way in ways:
                way.cancel()
            await asyncio.gather(*ways, return_exceptions=True)
            writer.transport.abort()
            with suppress(OSError):
                await writer.wait_closed()

    return answer


@asynccontextmanager
async def behind_a_proxy(authority: Authority, *, proxy_tls: bool):
    """A model server that only a proxy can reach; gives both."""
    async with AsyncExitStack() as stack:
        server = FaultServer(stream(chat("Through.")), tls=authority.server("models.test"))
        await stack.enter_async_context(server)
        tls = authority.server("127.0.0.1") if proxy_tls else None
        proxy = await stack.enter_async_context(FaultServer(tunnel_to(server), tls=tls))
        yield server, proxy


@pytest.mark.parametrize("proxy_tls", [False, True], ids=["http proxy", "https proxy"])
async def test_an_encrypted_request_goes_through_a_proxys_tunnel(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, *, proxy_tls: bool
):
    """The proxy sees the host and what it is itself told, never the key."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with behind_a_proxy(authority, proxy_tls=proxy_tls) as (server, proxy):
        monkeypatch.setenv("https_proxy", proxy.origin.replace("://", "://me:pw@"))
        assert (await ask("https://models.test/v1")).text == "Through."
        (asked,) = proxy.requests
        assert (asked.method, asked.path) == ("CONNECT", "models.test:443")
        assert asked.headers["proxy-authorization"] == "Basic bWU6cHc="
        assert "authorization" not in asked.headers
        assert "proxy-authorization" not in server.requests[0].headers
        assert server.requests[0].headers["authorization"] == "Bearer sk-test-0123456789"


async def test_a_proxy_that_wants_a_password_is_named(authority: Authority, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with FaultServer(respond(407)) as proxy:
        monkeypatch.setenv("https_proxy", proxy.origin)
        reply = await ask("https://models.test/v1")
    assert reply.failure == "provider_unavailable"
    assert reply.error is not None
    assert "the proxy refused" in reply.error.message
    assert "407" in reply.error.message


@pytest.mark.parametrize("proxy_tls", [False, True], ids=["http proxy", "https proxy"])
@pytest.mark.parametrize(
    ("name", "said"),
    [("other.test", "made for another host"), ("models.test", "not trusted")],
    ids=["other", "unknown"],
)
async def test_a_certificate_is_looked_at_behind_a_proxy_too(
    authority: Authority,
    tmp_path_factory: pytest.TempPathFactory,
    monkeypatch: pytest.MonkeyPatch,
    *,
    proxy_tls: bool,
    name: str,
    said: str,
):
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    stranger = Authority(tmp_path_factory.mktemp("stranger"))
    shown = (stranger if name == "models.test" else authority).server(name)
    async with AsyncExitStack() as stack:
        server = await stack.enter_async_context(FaultServer(stream(chat("No.")), tls=shown))
        tls = authority.server("127.0.0.1") if proxy_tls else None
        proxy = await stack.enter_async_context(FaultServer(tunnel_to(server), tls=tls))
        monkeypatch.setenv("https_proxy", proxy.origin)
        reply = await ask("https://models.test/v1")
        assert server.requests == []
    assert reply.failure == "provider_unavailable"
    assert reply.error is not None
    assert said in reply.error.message


async def test_a_proxy_cannot_answer_for_the_host_behind_it(authority: Authority, monkeypatch: pytest.MonkeyPatch):
    """Whatever it sends after having opened the way: more than is read at once, so that some is left."""
    forged = chat("Forged.")
    answer = b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(forged), forged)

    async def forge(connection: Connection, received: Received) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\n\r\n" + b" " * (65536 - 19) + answer)
        await connection.wait_gone()
        connection.keep = False

    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with FaultServer(forge) as proxy:
        monkeypatch.setenv("https_proxy", proxy.origin)
        reply = await ask("https://models.test/v1")
    assert (reply.text, reply.failure) == ("", "provider_unavailable")


@pytest.mark.parametrize("proxy_tls", [False, True], ids=["http proxy", "https proxy"])
async def test_whenever_a_request_through_a_proxy_is_cancelled_nothing_of_it_stays(
    authority: Authority, monkeypatch: pytest.MonkeyPatch, *, proxy_tls: bool
):
    """In each turn: while the way is opened, in the handshakes, in the reply."""
    monkeypatch.setenv("SSL_CERT_FILE", str(authority.file))
    async with behind_a_proxy(authority, proxy_tls=proxy_tls) as (_, proxy):
        monkeypatch.setenv("https_proxy", proxy.origin)
        turns, finished = 0, False
        while not finished:
            client = HttpModelClient(Endpoint("test", "https://models.test", "m"), OpenAIChat(provider="t", model="m"))
            asking = asyncio.ensure_future(collect(client.stream(REQUEST)))
            for _ in range(turns):
                await asyncio.sleep(0)
            finished = asking.done()
            asking.cancel()
            with suppress(asyncio.CancelledError):
                await asking
            if turns % 7 == 0:
                assert (await collect(client.stream(REQUEST))).text == "Through."
            await client.aclose()
            for connection in proxy.connections:
                await asyncio.wait_for(connection.gone.wait(), 10)
            turns += 1
        assert turns > 10
