"""Proxies come from the environment, and never for this machine (DESIGN M6)."""

import pytest

from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from support.fault_server import FaultServer, chat, respond, stream
from support.replies import REQUEST, Reply, collect


async def ask(url: str) -> Reply:
    client = HttpModelClient(Endpoint("test", url, "m"), OpenAIChat(provider="test", model="m"))
    try:
        return await collect(client.stream(REQUEST))
    finally:
        await client.aclose()


@pytest.fixture(autouse=True)
def _no_proxy_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)


async def test_a_proxy_is_used_for_other_machines(monkeypatch: pytest.MonkeyPatch):
    async with FaultServer(stream(chat("By proxy."))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        assert (await ask("http://models.test/v1")).text == "By proxy."
    assert proxy.requests[0].path == "http://models.test/v1/chat/completions"


@pytest.mark.parametrize("variable", ["http_proxy", "all_proxy"])
async def test_no_proxy_is_used_for_this_machine(monkeypatch: pytest.MonkeyPatch, variable: str):
    async with FaultServer(respond(500)) as proxy, FaultServer(stream(chat("Directly."))) as server:
        monkeypatch.setenv(variable, proxy.origin)
        assert (await ask(server.url)).text == "Directly."
        assert (await ask(server.url.replace("127.0.0.1", "localhost"))).text == "Directly."
        assert proxy.requests == []


async def test_a_proxy_that_is_not_there_is_named_as_unreachable(monkeypatch: pytest.MonkeyPatch):
    async with FaultServer(respond(500)) as proxy:
        origin = proxy.origin
    monkeypatch.setenv("http_proxy", origin)
    reply = await ask("http://models.test/v1")
    assert reply.failure == "provider_unavailable"
    assert "proxy" in (reply.error.hint or "")  # type: ignore[union-attr]
