"""Connections for httpcore over asyncio's own transports.

httpcore's usual way goes through another layer and sends a request's head and body apart, which is a third of what a
turn costs besides the model. Here what is written goes out in one piece, when an answer is waited for.
"""

from __future__ import annotations

import asyncio
import os
import re
import socket
import ssl
from collections.abc import AsyncGenerator, Iterable
from contextlib import asynccontextmanager, suppress
from typing import Any

import httpcore

_HELD = 64 * 1024
_UNREAD = 256 * 1024
_CLOSED_S = 1.0
_NEXT_ADDRESS_S = 0.25
"""Seconds until the next of a host's addresses is tried beside the first (RFC 8305)."""


class AsyncioBackend(httpcore.AsyncNetworkBackend):
    """Opens connections; for ``network_backend`` of httpcore's pools."""

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host.

        Raises:
            httpcore.ConnectError: it cannot be reached; the text says why.
            httpcore.ConnectTimeout: not within ``timeout`` seconds.
        """
        loop = asyncio.get_running_loop()
        async with _connecting(timeout):
            transport, connection = await loop.create_connection(
                _Connection,
                host,
                port,
                local_addr=(local_address, 0) if local_address is not None else None,
                happy_eyeballs_delay=_NEXT_ADDRESS_S,
            )
            for option in socket_options or ():
                transport.get_extra_info("socket").setsockopt(*option)
        return _Stream(transport, connection)

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class _Connection(asyncio.Protocol):
    """What has come and was not read yet."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.unread = bytearray()
        self.at_end = False
        self.failure: Exception | None = None
        self.lost = asyncio.get_running_loop().create_future()
        self._news: asyncio.Future[None] | None = None
        self._writable = asyncio.Event()
        self._writable.set()
        self._paused = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.unread += data
        if len(self.unread) > _UNREAD and not self._paused:
            self._paused = True
            self.transport.pause_reading()
        self._wake()

    def eof_received(self) -> bool:
        self.at_end = True
        self._wake()
        return False  # a server that has said its last word gets no more requests

    def connection_lost(self, exc: Exception | None) -> None:
        self.at_end, self.failure = True, exc
        self._writable.set()
        if not self.lost.done():
            self.lost.set_result(None)
        self._wake()

    def pause_writing(self) -> None:
        self._writable.clear()

    def resume_writing(self) -> None:
        self._writable.set()

    async def drained(self) -> None:
        """Return when more may be written, or the connection is lost."""
        await self._writable.wait()

    async def read(self, size: int) -> bytes:
        """Return what has come, at most ``size`` bytes; b"" at the end."""
        while not self.unread and not self.at_end:
            self._news = asyncio.get_running_loop().create_future()
            try:
                await self._news
            finally:
                self._news = None
        if not self.unread and self.failure is not None:
            raise httpcore.ReadError(str(self.failure))
        data = bytes(self.unread[:size])
        del self.unread[:size]
        if self._paused and not self.unread and not self.at_end:
            self._paused = False
            self.transport.resume_reading()
        return data

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


class _Stream(httpcore.AsyncNetworkStream):
    """One connection as httpcore reads and writes it."""

    def __init__(self, transport: asyncio.Transport, connection: _Connection) -> None:
        self._transport = transport
        self._connection = connection
        self._held: list[bytes] = []
        self._held_size = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Send what is held, then return what comes; b"" at the end.

        Raises:
            httpcore.ReadError: the connection was lost.
            httpcore.ReadTimeout: nothing came for ``timeout`` seconds.
        """
        self._send()
        try:
            async with asyncio.timeout(timeout):
                return await self._connection.read(max_bytes)
        except TimeoutError as error:
            raise httpcore.ReadTimeout(str(error)) from error

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Take what is to be sent; a small request goes out when its answer is waited for.

        Raises:
            httpcore.WriteError: the connection was lost.
            httpcore.WriteTimeout: nobody took it for ``timeout`` seconds.
        """
        if self._connection.at_end:
            raise httpcore.WriteError("the connection was lost")
        self._held.append(buffer)
        self._held_size += len(buffer)
        if self._held_size <= _HELD:
            return
        self._send()
        try:
            async with asyncio.timeout(timeout):
                await self._connection.drained()
        except TimeoutError as error:
            raise httpcore.WriteTimeout(str(error)) from error

    def _send(self) -> None:
        if self._held:
            self._transport.write(b"".join(self._held))
            self._held.clear()
            self._held_size = 0

    async def aclose(self) -> None:
        """Close the connection at once: whoever closes has had its answer, or wants none."""
        self._transport.abort()
        await asyncio.sleep(0)  # the transport closes its socket in the next turn
        with suppress(TimeoutError):
            async with asyncio.timeout(_CLOSED_S):
                await asyncio.shield(self._connection.lost)

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109
    ) -> httpcore.AsyncNetworkStream:
        """Encrypt the connection from here on.

        Raises:
            httpcore.ConnectError: the handshake failed; the text says why.
            httpcore.ConnectTimeout: it took longer than ``timeout`` seconds.
        """
        loop = asyncio.get_running_loop()
        self._send()
        try:
            async with _connecting(timeout):
                transport = await loop.start_tls(
                    self._transport, self._connection, ssl_context, server_hostname=server_hostname
                )
        except BaseException:
            self._transport.abort()
            self._connection.connection_lost(None)  # in the middle of a handshake nobody else says so
            raise
        assert transport is not None  # the types' word for a transport that was closed meanwhile
        self._connection.transport = transport
        return _Stream(transport, self._connection)

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks about: whether something can be read, the socket, the encryption, the addresses."""
        if info == "is_readable":  # asked of a connection at rest, where an end or any word makes it unusable
            return self._connection.at_end or bool(self._connection.unread)
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._transport.get_extra_info(names.get(info, info))


@asynccontextmanager
async def _connecting(timeout_s: float | None) -> AsyncGenerator[None]:
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError as error:
        raise httpcore.ConnectTimeout(str(error)) from error
    except ssl.SSLError as error:
        raise httpcore.ConnectError(str(error)) from error
    except OSError as error:
        raise httpcore.ConnectError(_why(error)) from error


def _why(error: OSError) -> str:
    """Return the system's words alone: asyncio's hold addresses, and several errors where a host has several."""
    if isinstance(error, socket.gaierror):
        return f"its name cannot be found ({error.strerror})"
    numbers = [error.errno] if error.errno else [int(number) for number in re.findall(r"\[Errno (\d+)\]", str(error))]
    return ", ".join(dict.fromkeys(os.strerror(number).lower() for number in numbers)) or str(error)
