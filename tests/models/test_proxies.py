"""Proxies come from the environment, and never for this machine (DESIGN M6)."""

import asyncio
import sys

import httpcore
import pytest

from steersman.models import network
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpLimits, HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from steersman.models.proxies import is_exempt, proxy_for
from support.fault_server import Answer, FaultServer, chat, hang_up, never, raw, respond, stream
from support.replies import REQUEST, Reply, collect


async def ask(url: str, limits: HttpLimits | None = None) -> Reply:
    client = HttpModelClient(Endpoint("test", url, "m"), OpenAIChat(provider="test", model="m"), limits=limits)
    try:
        return await collect(client.stream(REQUEST))
    finally:
        await client.aclose()


@pytest.fixture(autouse=True)
def _no_proxy_yet(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "REQUEST_METHOD"):
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
    assert reply.error is not None
    assert f"the proxy at {origin.removeprefix('http://')} cannot be reached: connection refused" in reply.error.message
    assert "proxy" in (reply.error.hint or "")


async def test_a_proxy_that_takes_too_long_is_named(monkeypatch: pytest.MonkeyPatch):
    async def hang(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(network, "connected_socket", hang)
    with pytest.raises(httpcore.ConnectError, match=r"the proxy at proxy\.test:1 cannot be reached: no connection"):
        await network.AsyncioBackend(proxy="proxy.test:1").connect_tcp("proxy.test", 1, timeout=0.01)


@pytest.mark.parametrize(
    ("url", "variables", "proxy"),
    [
        ("https://api.test/v1", {}, None),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test:3128"}, "http://proxy.test:3128"),
        ("https://api.test/v1", {"HTTPS_PROXY": "proxy.test:3128"}, "http://proxy.test:3128"),
        ("HTTPS://api.test/v1", {"https_proxy": " http://proxy.test:3128\n"}, "http://proxy.test:3128"),
        (
            "https://api.test/v1",
            {"HTTPS_PROXY": "http://one.test", "https_proxy": "http://two.test"},
            "http://two.test",
        ),
        ("https://api.test/v1", {"https_proxy": ""}, None),
        ("http://api.test/v1", {"https_proxy": "http://proxy.test:3128"}, None),
        ("http://api.test/v1", {"all_proxy": "socks5://proxy.test"}, "socks5://proxy.test"),
        ("https://api.test/v1", {"all_proxy": "http://all.test", "https_proxy": "http://one.test"}, "http://one.test"),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test", "no_proxy": "other.test,api.test"}, None),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test", "NO_PROXY": "localhost, *"}, None),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test", "no_proxy": "api.test:443"}, None),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test", "no_proxy": "api.test:80"}, "http://proxy.test"),
        ("http://127.0.0.1:9/v1", {"http_proxy": "http://proxy.test"}, None),
        ("http://localhost/v1", {"all_proxy": "http://proxy.test"}, None),
        ("http://[::1]/v1", {"all_proxy": "http://proxy.test"}, None),
    ],
)
def test_the_environment_names_the_proxy(
    monkeypatch: pytest.MonkeyPatch, url: str, variables: dict[str, str], proxy: str | None
):
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert proxy_for(url, variables) == proxy


@pytest.mark.parametrize(
    ("no_proxy", "host", "port", "exempt"),
    [
        ("", "api.test", 443, False),
        (" , ,", "api.test", 443, False),
        ("*", "api.test", 443, True),
        ("localhost,*", "api.test", 443, True),
        ("api.test", "api.test", 443, True),
        ("API.Test", "api.test", 443, True),
        ("api.test.", "api.test.", 443, True),
        ("test", "api.test", 443, True),
        (".test", "api.test", 443, True),
        ("*.test", "api.test", 443, True),
        (".api.test", "api.test", 443, True),
        ("pi.test", "api.test", 443, False),
        ("api.test", "test", 443, False),
        ("a.test b.test", "b.test", 443, False),
        ("api.test:443", "api.test", 443, True),
        ("api.test:80", "api.test", 443, False),
        ("*.test:443", "api.test", 443, True),
        ("https://api.test", "api.test", 443, True),
        ("http://api.test:8080", "api.test", 8080, True),
        ("10.0.0.1", "10.0.0.1", 80, True),
        ("10.0.0.1:80", "10.0.0.1", 80, True),
        ("10.0.0.0/8", "10.1.2.3", 80, True),
        ("10.1.2.3/8", "10.9.9.9", 80, True),
        ("10.0.0.0/8", "11.1.2.3", 80, False),
        ("10.0.0.0/8", "10.test", 80, False),
        ("0.1", "10.0.0.1", 80, False),
        ("2001:db8::1", "2001:db8::1", 80, True),
        ("[2001:db8::1]", "2001:db8::1", 80, True),
        ("[2001:db8::1]:80", "2001:db8::1", 80, True),
        ("[2001:db8::1]:81", "2001:db8::1", 80, False),
        ("2001:db8::/32", "2001:db8::5", 80, True),
        ("10.0.0.0/99", "10.0.0.1", 80, False),
    ],
)
def test_no_proxy_is_read_in_all_forms_that_are_written(no_proxy: str, host: str, port: int, exempt: bool):
    assert is_exempt(host, port, no_proxy) is exempt


def test_where_no_proxy_is_set_nothing_is_loaded_to_find_one(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setitem(sys.modules, "urllib.request", None)  # its import would fail
    assert proxy_for("https://api.test/v1", {}) is None


async def test_a_proxys_user_name_is_sent_to_it_alone(monkeypatch: pytest.MonkeyPatch):
    async with FaultServer(stream(chat("By proxy."))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin.replace("://", "://me:p%40ss@"))
        await ask("http://you:key@models.test/v1")
    (request,) = proxy.requests
    assert request.headers["proxy-authorization"] == "Basic bWU6cEBzcw=="
    assert request.headers["authorization"] == "Basic eW91OmtleQ=="


async def test_a_proxy_is_told_an_ipv6_address_in_its_brackets(monkeypatch: pytest.MonkeyPatch):
    async with FaultServer(stream(chat("By proxy."))) as proxy:
        monkeypatch.setenv("http_proxy", proxy.origin)
        await ask("http://[2001:db8::1]:81/v1")
    (request,) = proxy.requests
    assert request.path == "http://[2001:db8::1]:81/v1/chat/completions"
    assert request.headers["host"] == "[2001:db8::1]:81"


@pytest.mark.parametrize(
    ("answer", "said"),
    [
        (respond(407), "the proxy refused (407"),
        (respond(502), "the proxy refused (502"),
        (respond(302, headers={"location": "http://portal.test/"}), "the proxy refused (302"),
        (never, "no connection within the time limit"),
        (raw(b"HTTP/1.1 200 OK\r\n\r\n"), "closed"),
        (raw(b"SSH-2.0-OpenSSH_9.6\r\n\r\n"), "no valid HTTP"),
        (hang_up, "closed the connection"),
    ],
    ids=["password", "down", "portal", "silent", "gone", "rubbish", "hangs up"],
)
async def test_a_proxy_that_opens_no_way_is_named_with_its_reason(
    monkeypatch: pytest.MonkeyPatch, answer: Answer, said: str
):
    async with FaultServer(answer) as proxy:
        monkeypatch.setenv("https_proxy", proxy.origin)
        reply = await ask("https://models.test/v1", HttpLimits(connect_s=0.05))
        assert "authorization" not in proxy.requests[0].headers
    assert reply.failure == "provider_unavailable"
    assert reply.error is not None
    assert said in reply.error.message
