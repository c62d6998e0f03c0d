"""Connections to a provider: proxies and certificates from the environment, none of them for this machine (DESIGN M6).

httpcore is what httpx stands on; it is used without httpx because importing that costs as much as all the rest that a
first request needs. What httpx would add is read here with the standard library: which proxy, which certificates.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol, TypedDict
from urllib.parse import urlsplit

import httpcore

from steersman.models.http_address import ascii_host, user_and_password
from steersman.models.http_connections import KEPT_S, HttpConnections
from steersman.models.network import AsyncioBackend
from steersman.models.proxies import proxy_for

if TYPE_CHECKING:
    import ssl

_PROXY_PORTS = {"http": 80, "https": 443, "socks5": 1080, "socks5h": 1080}


class UnusableConnectionError(Exception):
    """A proxy or the certificates that the environment names cannot be used; the text says which, and why.

    Attributes:
        hint: what the person can do about it.
    """

    def __init__(self, text: str, hint: str) -> None:
        super().__init__(text)
        self.hint = hint


class RequestHandler(Protocol):
    """What sends a request: httpcore's pools, or a stand-in."""

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        """Send it; return the response with its headers read."""
        ...

    async def aclose(self) -> None:
        """Close the connections that were kept."""
        ...


def open_pool(base_url: str, connect_s: float) -> RequestHandler:
    """Open the connections to the host of ``base_url``.

    Args:
        base_url: decides on proxy and certificates.
        connect_s: seconds that a proxy may take to open a way to the host.

    Raises:
        UnusableConnectionError: the environment names a proxy or certificates that cannot be used.
    """
    for name in ("httpcore", "h11"):  # what they log for debugging holds whole headers
        logging.getLogger(name).setLevel(logging.WARNING)
    scheme = base_url.partition(":")[0].lower()
    tls = _trust(os.environ) if scheme == "https" else None
    proxy = proxy_for(base_url, os.environ)
    if proxy is not None:
        return _through(proxy, tls, connect_s)

    def direct() -> tuple[httpcore.AsyncConnectionPool, AsyncioBackend]:
        backend = AsyncioBackend()
        return httpcore.AsyncConnectionPool(tls, **_one_connection(backend)), backend

    return HttpConnections(direct)


class _PoolOptions(TypedDict):
    max_connections: int
    keepalive_expiry: float
    network_backend: AsyncioBackend


def _one_connection(backend: AsyncioBackend) -> _PoolOptions:
    return {"max_connections": 1, "keepalive_expiry": KEPT_S, "network_backend": backend}


def _through(proxy: str, tls: ssl.SSLContext | None, connect_s: float) -> RequestHandler:
    try:
        parts = urlsplit(proxy)
        port, host = parts.port, ascii_host(parts)
    except ValueError as error:
        raise _unusable(f"its address is not valid: {error}") from None
    if not host:
        raise _unusable("its address has no host that can be called")
    if parts.scheme not in _PROXY_PORTS:
        raise _unusable(f"{parts.scheme}:// is no kind of proxy that is known here")
    port = port or _PROXY_PORTS[parts.scheme]
    url = httpcore.URL(scheme=parts.scheme, host=host, port=port, target="/")
    user, is_http, is_https = user_and_password(parts), parts.scheme.startswith("http"), parts.scheme == "https"
    proxy_tls = (tls or _trust(os.environ)) if is_https else None
    layers = 0 if tls is None else 2 if is_https else 1

    def through() -> tuple[httpcore.AsyncConnectionPool, AsyncioBackend]:
        backend = AsyncioBackend(proxy=f"{host}:{port}", proxy_s=connect_s, layers=layers)
        options = _one_connection(backend)
        if is_http:
            return httpcore.AsyncHTTPProxy(url, user, None, tls, proxy_tls, **options), backend
        return httpcore.AsyncSOCKSProxy(url, user, tls, **options), backend

    try:
        return HttpConnections(through)
    except RuntimeError:  # what httpcore says where its helper is not installed
        raise _unusable("it speaks SOCKS, and the Python package socksio is not installed") from None


def _trust(environ: Mapping[str, str]) -> ssl.SSLContext:
    """Return what certificates are trusted: those the environment names, else Mozilla's as certifi has them."""
    import ssl  # noqa: PLC0415 - only where a connection is encrypted

    file, folder = environ.get("SSL_CERT_FILE"), environ.get("SSL_CERT_DIR")
    if not file and not folder:
        import certifi  # noqa: PLC0415 - likewise

        return ssl.create_default_context(cafile=certifi.where())
    try:
        return ssl.create_default_context(cafile=file) if file else ssl.create_default_context(capath=folder)
    except OSError as error:  # ssl.SSLError too
        named = "SSL_CERT_FILE" if file else "SSL_CERT_DIR"
        why = error.strerror or str(error)
        raise UnusableConnectionError(
            f"the certificates that {named} names cannot be read ({why})",
            f"Let {named} name certificates in PEM form, or unset it.",
        ) from None


def _unusable(why: str) -> UnusableConnectionError:
    return UnusableConnectionError(
        f"the proxy that is set for it cannot be used ({why})",
        "Correct HTTPS_PROXY, HTTP_PROXY or ALL_PROXY, or name the host in NO_PROXY.",
    )
