"""Connections to a provider: proxies and certificates from the environment, none of them for this machine (DESIGN M6).

httpcore is what httpx stands on; it is used without httpx because importing that costs as much as all the rest that a
first request needs. What httpx would add is read here with the standard library: which proxy, which certificates.
"""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Mapping
from typing import TYPE_CHECKING, Protocol
from urllib.parse import urlsplit

import httpcore

from steersman.models.endpoint import is_loopback
from steersman.models.http_address import user_and_password
from steersman.models.network import AsyncioBackend

if TYPE_CHECKING:
    import ssl

_MAX_CONNECTIONS = 20
_MAX_KEPT = 4
_KEPT_S = 90.0


class UnusableConnectionError(Exception):
    """A proxy or the certificates that the environment names cannot be used; the text says which, and why."""


class RequestHandler(Protocol):
    """What sends a request: httpcore's pools, or a stand-in."""

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        """Send it; return the response with its headers read."""
        ...

    async def aclose(self) -> None:
        """Close the connections that were kept."""
        ...


def open_pool(base_url: str) -> RequestHandler:
    """Open the connections to the host of ``base_url``.

    Raises:
        UnusableConnectionError: the environment names a proxy or certificates that cannot be used.
    """
    for name in ("httpcore", "h11"):  # what they log for debugging holds whole headers
        logging.getLogger(name).setLevel(logging.WARNING)
    scheme = base_url.partition(":")[0].lower()
    tls = _trust(os.environ) if scheme == "https" else None
    proxy = proxy_for(base_url, os.environ)
    if proxy is None:
        return httpcore.AsyncConnectionPool(
            ssl_context=tls,
            max_connections=_MAX_CONNECTIONS,
            max_keepalive_connections=_MAX_KEPT,
            keepalive_expiry=_KEPT_S,
            network_backend=AsyncioBackend(),
        )
    return _through(proxy, tls)


def proxy_for(url: str, environ: Mapping[str, str]) -> str | None:
    """Return the address of the proxy to use for a URL, or None: none is set, or none for this host."""
    if is_loopback(url):
        return None
    if sys.platform not in {"win32", "darwin"} and not any(name.lower().endswith("_proxy") for name in environ):
        return None  # those two systems keep their proxies elsewhere too
    from urllib.request import getproxies, proxy_bypass  # noqa: PLC0415 - brings a whole HTTP library

    parts, proxies = urlsplit(url), getproxies()
    proxy = proxies.get(parts.scheme.lower()) or proxies.get("all")
    if not proxy or proxy_bypass(parts.hostname or ""):
        return None
    return proxy if "://" in proxy else f"http://{proxy}"


def _through(proxy: str, tls: ssl.SSLContext | None) -> RequestHandler:
    try:
        parts = urlsplit(proxy)
        default = {"http": 80, "https": 443}.get(parts.scheme, 1080)
        host, port = parts.hostname or "", parts.port or default
    except ValueError as error:
        raise _unusable(f"its address is not valid: {error}") from None
    if not host.isascii() or not host:
        raise _unusable("its address has no host that can be called")
    url = httpcore.URL(scheme=parts.scheme, host=host, port=port, target="/")
    if parts.scheme in {"http", "https"}:
        return httpcore.AsyncHTTPProxy(
            url,
            proxy_auth=user_and_password(parts),
            ssl_context=tls,
            proxy_ssl_context=(tls or _trust(os.environ)) if parts.scheme == "https" else None,
            max_connections=_MAX_CONNECTIONS,
            max_keepalive_connections=_MAX_KEPT,
            keepalive_expiry=_KEPT_S,
            network_backend=AsyncioBackend(),
        )
    if parts.scheme not in {"socks5", "socks5h"}:
        raise _unusable(f"{parts.scheme}:// is no kind of proxy that is known here")
    try:
        return httpcore.AsyncSOCKSProxy(
            url,
            proxy_auth=user_and_password(parts),
            ssl_context=tls,
            max_connections=_MAX_CONNECTIONS,
            max_keepalive_connections=_MAX_KEPT,
            keepalive_expiry=_KEPT_S,
            network_backend=AsyncioBackend(),
        )
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
        raise UnusableConnectionError(f"the certificates that {named} names cannot be read ({why})") from None


def _unusable(why: str) -> UnusableConnectionError:
    return UnusableConnectionError(f"the proxy that is set for it cannot be used ({why})")
