"""One request and its response over HTTP/1.1, with what both sides may do to a body undone (RFC 9110 §8.4)."""

from __future__ import annotations

import socket
import zlib
from collections.abc import AsyncGenerator, Iterator, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, Protocol, Self, cast

import httpcore

from steersman.models.http_address import InvalidAddressError, read_address
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
_WRITE_S = 60.0
_PART = 1024 * 1024
_AUTOMATIC = 32 + zlib.MAX_WBITS
"""zlib's own word for: gzip's or zlib's frame, whichever it is."""


class DamagedBodyError(Exception):
    """A body is compressed in a way that was not asked for, or is not what its compression says."""


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
        # httpcore promises less than it gives: this is a generator, which can be closed
        pieces = cast("AsyncGenerator[bytes, None]", self._response.aiter_stream())
        encoding = self.headers.get("content-encoding", "").strip().lower()
        if encoding in {"", "identity"}:
            return pieces
        return _decoded(pieces, encoding)

    def hang_up(self) -> None:
        """End the connection at once: in good order that takes a few turns of the event loop (M6)."""
        extensions: Mapping[str, Any] = cast("Any", self._response).extensions
        stream: httpcore.AsyncNetworkStream | None = extensions.get("network_stream")
        connection: socket.socket | None = stream.get_extra_info("socket") if stream is not None else None
        if connection is not None:
            with suppress(OSError):  # it has gone already
                connection.shutdown(socket.SHUT_RDWR)

    async def aclose(self) -> None:
        """Give the connection back, or close it when the body was not read to its end."""
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
        self._handler = open_pool(base_url) if handler is None else handler
        self._timeout = {"connect": connect_s, "read": None, "write": _WRITE_S, "pool": None}

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
            InvalidAddressError: the URL or a header cannot be sent.
            TransportErrors: no connection, or none any more.
        """
        address = read_address(url)
        lines = [(b"host", address.host), (b"user-agent", _AGENT), *_encoded(headers)]
        if address.credentials is not None:
            lines = [line for line in lines if line[0] != b"authorization"]
            lines.append((b"authorization", b"Basic " + address.credentials))
        if body:
            lines.append((b"content-length", b"%d" % len(body)))
        timeout = {"timeout": self._timeout}
        request = httpcore.Request(method, address.url, headers=lines, content=body or None, extensions=timeout)
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
            yield name.lower().encode("ascii"), value.encode("utf-8")
        except UnicodeEncodeError:
            raise InvalidAddressError(f"the header {name!r} cannot be sent") from None


async def _decoded(pieces: AsyncGenerator[bytes, None], encoding: str) -> AsyncGenerator[bytes, None]:
    if encoding not in {"gzip", "x-gzip", "deflate"}:
        raise DamagedBodyError(f"it is compressed as {encoding}, which was not asked for")
    inflater = zlib.decompressobj(_AUTOMATIC)
    begun = False
    async with aclosing(pieces):
        async for piece in pieces:
            if not begun and encoding == "deflate" and not _has_frame(piece):
                inflater = zlib.decompressobj(-zlib.MAX_WBITS)  # some servers leave zlib's frame out
            begun = True
            for part in _inflated(inflater, piece):
                yield part


def _has_frame(piece: bytes) -> bool:
    """Say whether a body begins with zlib's header (RFC 1950 §2.2): method 8 in the low half of its first byte."""
    return piece[:1] == b"" or piece[0] & 0x0F == 8


class _Inflater(Protocol):
    """What ``zlib.decompressobj`` makes; its class has no public name."""

    @property
    def unconsumed_tail(self) -> bytes: ...

    def decompress(self, data: bytes, max_length: int, /) -> bytes: ...


def _inflated(inflater: _Inflater, piece: bytes) -> Iterator[bytes]:
    """Yield what a piece holds, in parts of bounded size: a small piece may hold a thousand times as much."""
    try:
        while piece:
            if part := inflater.decompress(piece, _PART):
                yield part
            piece = inflater.unconsumed_tail
    except zlib.error as error:
        raise DamagedBodyError(str(error)) from None
