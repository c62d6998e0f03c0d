"""Encrypted connections, also through a proxy: whose certificates are trusted, and what is said of others (DESIGN M6)."""

import asyncio
import ssl
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from pathlib import Path

import pytest
import trustme

from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from support.fault_server import Connection, FaultServer, Received, chat, respond, stream
from support.replies import REQUEST, Reply, collect


class Authority:
    """An authority of a test's own, and what a server of that name shows."""

    def __init__(self, folder: Path) -> None:
        self._authority = trustme.CA()
        self.file = folder / "authority.pem"
        self._authority.cert_pem.write_to_path(self.file)

    def server(self, name: str) -> ssl.SSLContext:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        self._authority.issue_cert(name).configure_cert(context)
        return context


@pytest.fixture
def authority(tmp_path: Path) -> Authority:
    return Authority(tmp_path)


@pytest.fixture(autouse=True)
def _nothing_set(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def ask(url: str) -> Reply:
    endpoint = Endpoint("test", url, "m").with_key("sk-test-0123456789", "TEST_KEY")
    client = HttpModelClient(endpoint, OpenAIChat(provider="test", model="m"))
    try:
        return await collect(client.stream(REQUEST))
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
        try:
            await asyncio.gather(pipe(connection.reader, writer), pipe(reader, connection.writer))
        finally:
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
