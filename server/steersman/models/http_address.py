"""An address as it goes over the wire: target, ``Host``, and a user name that stands in it (RFC 9110 §7.2)."""

from __future__ import annotations

import re
from base64 import b64encode
from dataclasses import dataclass, field
from urllib.parse import SplitResult, quote, unquote_to_bytes, urlsplit

import httpcore

_IN_PATH = "/%:@!$&'()*+,;=~-._"
_IN_QUERY = _IN_PATH + "?"
_BARE_PERCENT = re.compile(r"%(?![0-9A-Fa-f]{2})")
DEFAULT_PORTS = {"http": 80, "https": 443}
"""What a URL without a port means."""
_AMBIGUOUS = "\u00df\u03c2\u200c\u200d"
"""What the two versions of IDNA read differently: another host than the one that was meant would get the key."""


class InvalidAddressError(ValueError):
    """The address is not one that can be called."""


@dataclass(frozen=True, slots=True)
class Address:
    """One URL, taken apart.

    Attributes:
        url: scheme, host (an IPv6 address in brackets, as proxies want it), port and target.
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
        port, host = parts.port, ascii_host(parts)
    except ValueError as error:
        raise InvalidAddressError(str(error)) from None
    if parts.scheme not in DEFAULT_PORTS or not host:
        raise InvalidAddressError("it needs http:// or https:// and a host")
    target = _quoted(parts.path, _IN_PATH) or "/"
    if parts.query:
        target += "?" + _quoted(parts.query, _IN_QUERY)
    url = httpcore.URL(scheme=parts.scheme, host=host, port=port, target=target)
    shown = host if port in {None, DEFAULT_PORTS[parts.scheme]} else f"{host}:{port}"
    return Address(url, shown.encode("ascii"), credentials(parts))


def credentials(parts: SplitResult) -> bytes | None:
    """Return the user name and password that stand in a URL, as basic authentication sends them (RFC 7617)."""
    pair = user_and_password(parts)
    return None if pair is None else b64encode(b":".join(pair))


def user_and_password(parts: SplitResult) -> tuple[bytes, bytes] | None:
    """Return the user name and password that stand in a URL, decoded."""
    if parts.username is None and parts.password is None:
        return None
    return unquote_to_bytes(parts.username or ""), unquote_to_bytes(parts.password or "")


def ascii_host(parts: SplitResult) -> str:
    """Return a URL's host as it is looked up, an IPv6 address in brackets; "" when it has none.

    Raises:
        ValueError: no host can have this name.
    """
    host = parts.hostname or ""
    if ":" in host:
        return f"[{host}]"
    if any(character <= " " or character == "\x7f" for character in host):
        raise InvalidAddressError("its host holds spaces or control characters")
    if any(character in _AMBIGUOUS for character in host):
        raise InvalidAddressError(
            "its host holds characters that are read in two ways; write it as it is looked up, xn--…"
        )
    try:
        return host.encode("idna").decode("ascii")  # looks at ASCII names, too
    except UnicodeError:
        raise InvalidAddressError("a part of its host's name is empty, too long or not allowed") from None


def _quoted(text: str, safe: str) -> str:
    return quote(_BARE_PERCENT.sub("%25", text), safe)
