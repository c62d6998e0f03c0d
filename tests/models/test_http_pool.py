"""Which proxy and which certificates are used (DESIGN M6)."""

import ssl
import sys
from pathlib import Path

import certifi
import httpcore
import pytest

from steersman.agent.errors import ModelError
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.http_pool import UnusableConnectionError, open_pool, proxy_for
from steersman.models.openai_chat import OpenAIChat
from support.replies import REQUEST

_VARIABLES = ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY", "SSL_CERT_FILE", "SSL_CERT_DIR", "REQUEST_METHOD")


@pytest.fixture
def environ(monkeypatch: pytest.MonkeyPatch):
    """Set variables in an environment that has no proxy yet."""
    for name in _VARIABLES:
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.lower(), raising=False)

    def put(**variables: str) -> dict[str, str]:
        for name, value in variables.items():
            monkeypatch.setenv(name, value)
        return variables

    return put


@pytest.mark.parametrize(
    ("url", "variables", "proxy"),
    [
        ("https://api.test/v1", {}, None),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test:3128"}, "http://proxy.test:3128"),
        ("https://api.test/v1", {"HTTPS_PROXY": "proxy.test:3128"}, "http://proxy.test:3128"),
        ("http://api.test/v1", {"https_proxy": "http://proxy.test:3128"}, None),
        ("http://api.test/v1", {"all_proxy": "socks5://proxy.test"}, "socks5://proxy.test"),
        ("https://api.test/v1", {"all_proxy": "http://all.test", "https_proxy": "http://one.test"}, "http://one.test"),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test", "no_proxy": "other.test,api.test"}, None),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test", "no_proxy": ".test"}, None),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test", "no_proxy": "*"}, None),
        ("https://api.test/v1", {"https_proxy": "http://proxy.test", "no_proxy": "pi.test"}, "http://proxy.test"),
        ("http://127.0.0.1:9/v1", {"http_proxy": "http://proxy.test"}, None),
        ("http://localhost/v1", {"all_proxy": "http://proxy.test"}, None),
        ("http://[::1]/v1", {"all_proxy": "http://proxy.test"}, None),
    ],
)
def test_the_environment_names_the_proxy(environ, url: str, variables: dict[str, str], proxy: str | None):
    assert proxy_for(url, environ(**variables)) == proxy


def test_where_no_proxy_is_set_nothing_is_loaded_to_find_one(environ, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(sys, "platform", "linux")
    monkeypatch.setitem(sys.modules, "urllib.request", None)  # its import would fail
    assert proxy_for("https://api.test/v1", environ()) is None


@pytest.mark.parametrize(
    ("proxy", "said"),
    [
        ("ftp://proxy.test", "ftp://"),
        ("http://proxy.test:port", "not valid"),
        ("http://", "no host"),
        ("http://[::1", "not valid"),
        ("socks5://proxy.test", "socksio is not installed"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_told(environ, monkeypatch: pytest.MonkeyPatch, proxy: str, said: str):
    environ(https_proxy=proxy)
    with pytest.raises(UnusableConnectionError, match=said):
        open_pool("https://api.test/v1")
    client = HttpModelClient(Endpoint("p", "https://api.test/v1", "m"), OpenAIChat(provider="p", model="m"))
    with pytest.raises(ModelError, match=said) as failed:
        await anext(client.stream(REQUEST))
    assert "NO_PROXY" in (failed.value.hint or "")
    await client.aclose()


async def test_a_proxys_user_name_is_sent_to_it_alone(environ):
    environ(http_proxy="http://me:p%40ss@proxy.test:3128")
    pool = open_pool("http://api.test/v1")
    assert isinstance(pool, httpcore.AsyncHTTPProxy)
    assert pool._proxy_headers == [(b"Proxy-Authorization", b"Basic bWU6cEBzcw==")]
    await pool.aclose()


async def test_plain_http_loads_no_certificates(environ, monkeypatch: pytest.MonkeyPatch):
    environ()
    monkeypatch.setattr(ssl, "create_default_context", None)
    pool = open_pool("http://api.test/v1")
    await pool.aclose()


@pytest.mark.parametrize("url", ["https://api.test/v1", "HTTPS://api.test/v1"])
async def test_certificates_are_mozillas_unless_the_environment_names_others(
    environ, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str
):
    asked: list[dict[str, str]] = []
    made = ssl.create_default_context

    def create(**options: str) -> ssl.SSLContext:
        asked.append(options)
        return made(**options)

    monkeypatch.setattr(ssl, "create_default_context", create)
    environ()
    await open_pool(url).aclose()
    environ(SSL_CERT_DIR=str(tmp_path))
    await open_pool(url).aclose()
    environ(SSL_CERT_FILE=certifi.where())
    await open_pool(url).aclose()
    assert asked == [{"cafile": certifi.where()}, {"capath": str(tmp_path)}, {"cafile": certifi.where()}]


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["missing", "damaged"])
async def test_certificates_that_cannot_be_read_are_told(environ, tmp_path: Path, content: str | None):
    """A wrong ``SSL_CERT_FILE`` is the person's to mend, and no fault of the program."""
    file = tmp_path / "authorities.pem"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    environ(SSL_CERT_FILE=str(file))
    client = HttpModelClient(Endpoint("p", "https://api.test/v1", "m"), OpenAIChat(provider="p", model="m"))
    with pytest.raises(ModelError, match="SSL_CERT_FILE"):
        await anext(client.stream(REQUEST))
    await client.aclose()
