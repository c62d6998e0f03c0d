"""One request and its response over HTTP/1.1."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator, AsyncIterable, Iterator, Mapping
from contextlib import asynccontextmanager
from typing import Self, cast

import httpcore

from steersman.models.content_coding import decoded
from steersman.models.http_address import read_address
from steersman.models.http_pool import RequestHandler, open_pool

TransportErrors = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)
"""What can happen to a connection."""

_AGENT = b"steersman"
WRITE_S = 60.0
"""Seconds within which a provider must take some more of a request."""
_NAME = re.compile(rb"[!#$%&'*+.^_`|~0-9a-z-]+")
_VALUE = re.compile(rb"[\t\x20-\x7e\x80-\xff]*")


class InvalidHeaderError(ValueError):
    """A header cannot be sent; the text is its name."""


class HttpResponse:
    """A response with its headers read.

    Attributes:
        status: its code.
        headers: its headers by lower-case name; those that came several times are joined by commas.
    """

    def __init__(self, response: httpcore.Response) -> None:
        self.status = response.status
        self.headers = _joined(response.headers)
        self._response = response

    @property
    def is_success(self) -> bool:
        """Whether it brings what was asked for."""
        return 200 <= self.status < 300

    @property
    def is_redirect(self) -> bool:
        """Whether it says that it is to be had elsewhere."""
        return 300 <= self.status < 400

    def body(self) -> AsyncGenerator[bytes, None]:
        """Yield the body in pieces as they come, decoded; once.

        Raises (while it is read):
            DamagedBodyError: it cannot be decoded.
            TransportErrors: the connection broke.
        """
        # what is asked for it says less than it gives: this is a generator, which can be closed
        pieces = cast("AsyncGenerator[bytes, None]", aiter(cast("AsyncIterable[bytes]", self._response.stream)))
        return decoded(pieces, self.headers.get("content-encoding", ""))

    async def aclose(self) -> None:
        """Give the connection back; end it at once, before anything is waited for, when the body was not read (M6)."""
        await self._response.aclose()


class HttpSender:
    """Sends requests to one provider over connections that are kept; usable as a context.

    Args:
        base_url: decides on proxy and certificates, once.
        connect_s: seconds until a connection must stand.
        handler: instead of the network, for tests.

    Raises:
        UnusableConnectionError: as ``open_pool``.
    """

    def __init__(self, base_url: str, connect_s: float, handler: RequestHandler | None = None) -> None:
        self._handler = open_pool(base_url, connect_s) if handler is None else handler
        self._timeout = {"connect": connect_s, "read": None, "write": WRITE_S, "pool": None}

    async def __aenter__(self) -> Self:
        """Return itself."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close the connections."""
        await self.aclose()

    async def send(self, method: str, url: str, headers: Mapping[str, str], body: bytes = b"") -> HttpResponse:
        """Send a request; no redirect is followed, so a key never reaches a host it was not meant for.

        Args:
            method: such as ``POST``.
            url: the whole address.
            headers: by lower-case name.
            body: the whole content.

        Raises:
            InvalidAddressError: the URL cannot be called.
            InvalidHeaderError: a header cannot be sent.
            TransportErrors: no connection, or none any more.
        """
        address = read_address(url)
        lines = {b"host": address.host, b"user-agent": _AGENT} | dict(_encoded(headers))
        if address.credentials is not None:
            lines[b"authorization"] = b"Basic " + address.credentials
        for name in (b"content-length", b"transfer-encoding"):  # how a body is sent is not for the configuration to say
            lines.pop(name, None)
        if body:
            lines[b"content-length"] = b"%d" % len(body)
        timeout = {"timeout": self._timeout}
        request = httpcore.Request(
            method, address.url, headers=list(lines.items()), content=body or None, extensions=timeout
        )
        return HttpResponse(await self._handler.handle_async_request(request))

    @asynccontextmanager
    async def opened(
        self, method: str, url: str, headers: Mapping[str, str], body: bytes = b""
    ) -> AsyncGenerator[HttpResponse, None]:
        """Send a request as ``send`` does; the response is closed at the end."""
        response = await self.send(method, url, headers, body)
        try:
            yield response
        finally:
            await response.aclose()

    async def aclose(self) -> None:
        """Close the connections that were kept."""
        await self._handler.aclose()


def _joined(headers: list[tuple[bytes, bytes]]) -> dict[str, str]:
    joined: dict[str, str] = {}
    for raw_name, raw in headers:
        name, value = raw_name.decode("latin-1").lower(), raw.decode("utf-8", "replace")
        joined[name] = f"{joined[name]}, {value}" if name in joined else value
    return joined


def _encoded(headers: Mapping[str, str]) -> Iterator[tuple[bytes, bytes]]:
    for name, value in headers.items():
        try:
            line = name.lower().encode("ascii"), value.strip(" \t").encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidHeaderError(name) from None
        if not _NAME.fullmatch(line[0]) or not _VALUE.fullmatch(line[1]):
            raise InvalidHeaderError(name)
        yield line
