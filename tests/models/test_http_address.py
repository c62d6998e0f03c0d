"""How an address goes over the wire: target, ``Host`` header, a user name in it (RFC 9110 §7.2, RFC 7617)."""

from base64 import b64decode

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.http_address import InvalidAddressError, read_address


@pytest.mark.parametrize(
    ("text", "host", "target"),
    [
        ("http://127.0.0.1:8080/v1/chat", b"127.0.0.1:8080", b"/v1/chat"),
        ("https://api.test", b"api.test", b"/"),
        ("https://api.test?version=2", b"api.test", b"/?version=2"),
        ("https://API.Test/Path", b"api.test", b"/Path"),
        ("http://[::1]:9/v1", b"[::1]:9", b"/v1"),
        ("http://[::1]/v1", b"[::1]", b"/v1"),
        ("https://api.test/a b/ü?q=a b", b"api.test", b"/a%20b/%C3%BC?q=a%20b"),
        ("https://api.test/a%2Fb?x=%20", b"api.test", b"/a%2Fb?x=%20"),
        ("https://api.test/models/m:free/x@y", b"api.test", b"/models/m:free/x@y"),
        ("https://bücher.test/v1", b"xn--bcher-kva.test", b"/v1"),
        ("https://api.test/v1#part", b"api.test", b"/v1"),
        ("https://api.test/50%/%zz/%41?q=%", b"api.test", b"/50%25/%25zz/%41?q=%25"),
        ("https://api.test:443/v1", b"api.test", b"/v1"),
        ("http://api.test:80/v1", b"api.test", b"/v1"),
        ("http://api.test:443/v1", b"api.test:443", b"/v1"),
    ],
)
def test_an_address_is_taken_apart(text: str, host: bytes, target: bytes):
    address = read_address(text)
    assert (address.host, address.url.target) == (host, target)
    assert address.credentials is None


def test_an_ipv6_host_keeps_its_brackets():
    """As it must stand in what a proxy is told; connections are opened without them."""
    assert bytes(read_address("http://[::1]:9/v1").url) == b"http://[::1]:9/v1"


def test_the_port_is_the_urls():
    assert read_address("http://host.test:81/").url.port == 81
    assert read_address("http://host.test/").url.port is None


@pytest.mark.parametrize(
    ("text", "pair"),
    [
        ("https://me:secret@api.test/v1", b"me:secret"),
        ("https://me@api.test/v1", b"me:"),
        ("https://a%40b:p%3Aw%C3%BC@api.test/v1", b"a@b:p:w\xc3\xbc"),
    ],
)
def test_a_user_name_in_the_address_becomes_credentials(text: str, pair: bytes):
    address = read_address(text)
    assert b64decode(address.credentials or b"") == pair
    assert address.host == b"api.test"
    assert "secret" not in repr(address)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "api.test/v1",
        "ftp://api.test/v1",
        "https:///v1",
        "http://host.test:port/v1",
        "http://host.test:70000/v1",
        "http://[::1/v1",
        "http://ho st.test/v1",
        "http://a..b\u3002\u3002/v1",
        "http://" + "ä" * 70 + ".test/",
        "http://" + "a" * 64 + ".test/",
        "http://a..b/v1",
        "http://.test/v1",
        "http://fa\u00df.test/v1",
    ],
)
def test_what_cannot_be_called_is_refused(text: str):
    with pytest.raises(InvalidAddressError):
        read_address(text)


@given(st.text(max_size=30), st.text(max_size=30))
def test_any_path_and_query_becomes_a_target_that_can_be_sent(path: str, query: str):
    """No space, no control character and nothing outside ASCII reaches the wire."""
    try:
        address = read_address(f"http://host.test/{path}?{query}")
    except InvalidAddressError:
        return
    assert all(0x21 <= byte <= 0x7E for byte in address.url.target)
    httpcore.Request("GET", address.url)
