"""An address as it goes over the wire: target, ``Host``, and a user name that stands in it (RFC 9110 §7.2)."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit

import httpcore

_IN_PATH = "/%:@!$&'()*+,;=~-._"
_IN_QUERY = _IN_PATH + "?"


class InvalidAddressError(ValueError):
    """The address is not one that can be called."""


@dataclass(frozen=True, slots=True)
class Address:
    """One URL, taken apart.

    Attributes:
        url: scheme, host, port and target.
        host: what the ``Host`` header says.
        credentials: ``user:password`` in base 64, as basic authentication sends them; None when the URL names nobody.
    """

    url: httpcore.URL
    host: bytes
    credentials: bytes | None = field(repr=False)


def read_address(text: str) -> Address:
    """Take a URL apart; what may not stand in a target as it is, is percent-encoded.

    Raises:
        InvalidAddressError: it has no host, a port that is none, or another scheme than http and https.
    """
    try:
        parts = urlsplit(text)
        port, host = parts.port, _ascii_host(parts)
    except ValueError as error:  # UnicodeError too: a label that IDNA does not allow
        raise InvalidAddressError(str(error)) from None
    if parts.scheme not in {"http", "https"} or not host:
        raise InvalidAddressError("it needs http:// or https:// and a host")
    target = quote(parts.path, _IN_PATH) or "/"
    if parts.query:
        target += "?" + quote(parts.query, _IN_QUERY)
    url = httpcore.URL(scheme=parts.scheme, host=host, port=port, target=target)
    return Address(url, _host_header(host, port), credentials(parts))


def credentials(parts: SplitResult) -> bytes | None:
    """Return the user name and password that stand in a URL, as basic authentication sends them (RFC 7617)."""
    pair = user_and_password(parts)
    return None if pair is None else b64encode(b":".join(pair))


def user_and_password(parts: SplitResult) -> tuple[bytes, bytes] | None:
    """Return the user name and password that stand in a URL, decoded."""
    if parts.username is None and parts.password is None:
        return None
    return unquote_to_bytes(parts.username or ""), unquote_to_bytes(parts.password or "")


def _ascii_host(parts: SplitResult) -> str:
    host = parts.hostname or ""
    if not host.isascii():
        return host.encode("idna").decode("ascii")
    if any(character <= " " or character == "\x7f" for character in host):
        raise InvalidAddressError("its host holds spaces or control characters")
    return host


def _host_header(host: str, port: int | None) -> bytes:
    shown = f"[{host}]" if ":" in host else host
    return (shown if port is None else f"{shown}:{port}").encode("ascii")
