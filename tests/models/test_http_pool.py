"""Which certificates are used, and what is said of a proxy or certificates that cannot be (DESIGN M6)."""

import ssl
from pathlib import Path

import certifi
import pytest

from steersman.agent.errors import RejectedError
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.http_pool import UnusableConnectionError, open_pool
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
    ("proxy", "said"),
    [
        ("ftp://proxy.test", "ftp://"),
        ("socks4://proxy.test", "socks4://"),
        ("http://pro xy.test", "not valid"),
        ("http://proxy..test", "not valid"),
        ("http://" + "a" * 64 + ".test", "not valid"),
        ("http://proxy.test:port", "not valid"),
        ("http://", "no host"),
        ("http://[::1", "not valid"),
        ("socks5://proxy.test", "socksio is not installed"),
    ],
)
async def test_a_proxy_that_cannot_be_used_is_told(environ, monkeypatch: pytest.MonkeyPatch, proxy: str, said: str):
    environ(https_proxy=proxy)
    with pytest.raises(UnusableConnectionError, match=said):
        open_pool("https://api.test/v1", 1.0)
    client = HttpModelClient(Endpoint("p", "https://api.test/v1", "m"), OpenAIChat(provider="p", model="m"))
    with pytest.raises(RejectedError, match=said) as failed:  # which is not tried again
        await anext(client.stream(REQUEST))
    assert "NO_PROXY" in (failed.value.hint or "")
    await client.aclose()


async def test_plain_http_loads_no_certificates(environ, monkeypatch: pytest.MonkeyPatch):
    environ()
    monkeypatch.setattr(ssl, "create_default_context", None)
    pool = open_pool("http://api.test/v1", 1.0)
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
    await open_pool(url, 1.0).aclose()
    environ(SSL_CERT_DIR=str(tmp_path))
    await open_pool(url, 1.0).aclose()
    environ(SSL_CERT_FILE=certifi.where())
    await open_pool(url, 1.0).aclose()
    assert asked == [{"cafile": certifi.where()}, {"capath": str(tmp_path)}, {"cafile": certifi.where()}]


@pytest.mark.parametrize("content", [None, "no certificate"], ids=["missing", "damaged"])
async def test_certificates_that_cannot_be_read_are_told(environ, tmp_path: Path, content: str | None):
    """A wrong ``SSL_CERT_FILE`` is the person's to mend, and no fault of the program."""
    file = tmp_path / "authorities.pem"
    if content is not None:
        file.write_text(content, encoding="utf-8")
    environ(SSL_CERT_FILE=str(file))
    client = HttpModelClient(Endpoint("p", "https://api.test/v1", "m"), OpenAIChat(provider="p", model="m"))
    with pytest.raises(RejectedError, match="SSL_CERT_FILE") as failed:  # which is not tried again
        await anext(client.stream(REQUEST))
    assert "SSL_CERT_FILE" in (failed.value.hint or "")
    await client.aclose()
