"""Connections for httpcore over asyncio's own transports.

httpcore's usual way goes through another layer and sends a request's head and body apart, which is a third of what a
turn costs besides the model. Here what is written goes out in one piece, when an answer is waited for. Whoever is
cancelled while it reads or writes leaves a connection of which nobody knows where it stands: it ends in the same turn.
"""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Callable, Iterable
from contextlib import asynccontextmanager
from typing import Any

import httpcore

from steersman.models.dialing import connected_socket, failure_words

_HELD = 64 * 1024
_PART = 256 * 1024
_UNREAD = 256 * 1024
_CLOSED_S = 1.0
_CLOSED_HERE = "the connection was closed on this side"


class AsyncioBackend(httpcore.AsyncNetworkBackend):
    """Opens connections; for ``network_backend`` of httpcore's pools.

    Args:
        proxy: the proxy that all connections go to, for messages; "" where there is none.
        proxy_s: seconds within which a proxy must answer each time it is asked for a way to the host behind it.
        layers: how often a connection is encrypted until it is that host who speaks; 0 without such a proxy.
    """

    def __init__(self, *, proxy: str = "", proxy_s: float | None = None, layers: int = 0) -> None:
        self._proxy = proxy
        self._proxy_s = proxy_s
        self._layers = layers
        self._open: set[_Connection] = set()
        self._latest: _Connection | None = None
        self.is_aborted = False

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's signature
        local_address: str | None = None,
        socket_options: Iterable[httpcore.SOCKET_OPTION] | None = None,
    ) -> httpcore.AsyncNetworkStream:
        """Connect to a host, which may stand in brackets as it does in a URL.

        Raises:
            httpcore.ConnectError: it cannot be reached; the text says why.
            httpcore.ConnectTimeout: not within ``timeout`` seconds.
        """
        loop = asyncio.get_running_loop()
        async with _connecting(timeout, self._proxy):
            sock = await connected_socket(
                host.strip("[]"), port, local=local_address, options=() if socket_options is None else socket_options
            )
            _, connection = await loop.create_connection(_Connection, sock=sock)
        self._latest = connection
        self._open.add(connection)
        connection.lost.add_done_callback(lambda _: self._open.discard(connection))
        if self.is_aborted:
            connection.abort()
            raise httpcore.ConnectError(_CLOSED_HERE)
        return _Stream(connection, self._layers, self._proxy_s)

    @property
    def is_answered(self) -> bool:
        """Whether something came after what was written last: else what httpcore reports is older than that."""
        return self._latest is None or self._latest.is_answered

    def abort(self) -> None:
        """End all connections at once, and any that is still to come."""
        self.is_aborted = True
        for connection in self._open:
            connection.abort()

    async def wait_closed(self) -> None:
        """Return when the connections that were aborted are gone."""
        for connection in tuple(self._open):
            await connection.wait_lost()

    async def sleep(self, seconds: float) -> None:
        """Wait."""
        await asyncio.sleep(seconds)


class _Connection(asyncio.Protocol):
    """What has come and was not read yet; one task at a time waits for news of it."""

    def __init__(self) -> None:
        self.transport: asyncio.Transport
        self.unread = bytearray()
        self.is_answered = True
        self.at_end = False
        self.failure: str | None = None
        self.lost = asyncio.get_running_loop().create_future()
        self._news: asyncio.Future[None] | None = None
        self._is_writable = True
        self._is_paused = False
        self._is_encrypting = False

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.unread += data
        self._hold_back()
        self._wake()

    def eof_received(self) -> bool:
        self.at_end = True
        self._wake()
        return False  # a server that has said its last word gets no more requests

    def connection_lost(self, exc: Exception | None) -> None:
        self.at_end = True
        if exc is not None and self.failure is None:
            self.failure = str(exc) or type(exc).__name__
        if not self.lost.done():
            self.lost.set_result(None)
        self._wake()

    def pause_writing(self) -> None:
        self._is_writable = False

    def resume_writing(self) -> None:
        self._is_writable = True
        self._wake()

    def abort(self) -> None:
        """End it at once; who reads is told that it was ended, and not that the other side had nothing more to say."""
        self.at_end = True
        self.failure = self.failure or _CLOSED_HERE
        self.unread.clear()
        self.transport.abort()
        self._wake()

    async def wait_lost(self) -> None:
        """Return when the socket is closed, after having been aborted."""
        await asyncio.wait([self.lost], timeout=_CLOSED_S)

    async def drained(self) -> bool:
        """Return True when more may be written, False when the other side has spoken or gone instead of reading."""
        while not self._is_writable:
            if self.at_end or self.unread:
                return False
            await self._new()
        return True

    async def read(self, size: int) -> bytes:
        """Return what has come, at most ``size`` bytes; b"" at the end."""
        while not self.unread and not self.at_end:
            await self._new()
        self.is_answered = True
        if not self.unread and self.failure is not None:
            raise httpcore.ReadError(self.failure)
        data = bytes(self.unread[:size])
        del self.unread[:size]
        if self._is_paused and not self.unread and not self.at_end:
            self._is_paused = False
            self.transport.resume_reading()
        return data

    async def encrypt(self, context: ssl.SSLContext, host: str | None) -> None:
        """Go on over TLS."""
        if self.unread:  # it would be taken for what the host behind a proxy has said
            raise ConnectionAbortedError("there was an answer before the connection was encrypted")
        if self.at_end:
            raise ConnectionResetError
        loop, within = asyncio.get_running_loop(), self.transport
        # Python 3.11 ends an encrypted connection within another one by a call that fails, and hides why it was ended
        if within.get_extra_info("ssl_object") is not None:
            vars(within)["_force_close"] = _ended_by(within)
        self._is_encrypting = True
        transport = await loop.start_tls(within, self, context, server_hostname=host)
        self._is_encrypting = False
        if transport is None or self.failure is not None:  # it was ended on this side meanwhile
            raise ConnectionAbortedError(_CLOSED_HERE)
        self.transport = transport
        self._hold_back()

    def _hold_back(self) -> None:
        """Let the other side wait when more has come than is read; while encrypting, its transport is not known yet."""
        if len(self.unread) > _UNREAD and not self._is_paused and not self._is_encrypting and not self.at_end:
            self._is_paused = True
            self.transport.pause_reading()

    async def _new(self) -> None:
        self._news = asyncio.get_running_loop().create_future()
        try:
            await self._news
        finally:
            self._news = None

    def _wake(self) -> None:
        if self._news is not None and not self._news.done():
            self._news.set_result(None)


def _ended_by(transport: asyncio.Transport) -> Callable[[Exception | None], None]:
    def end(_: Exception | None) -> None:
        transport.abort()

    return end


class _Stream(httpcore.AsyncNetworkStream):
    """One connection as httpcore reads and writes it.

    Args:
        connection: the connection.
        layers: how often it is still to be encrypted until the host speaks, and not a proxy.
        proxy_s: seconds a proxy has for an answer.
    """

    def __init__(self, connection: _Connection, layers: int, proxy_s: float | None) -> None:
        self._connection = connection
        self._layers = layers
        self._proxy_s = proxy_s
        self._held: list[bytes] = []
        self._held_size = 0

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109
        """Send what is held, then return what comes; b"" at the end.

        Raises:
            httpcore.ReadError: the connection was lost, or closed on this side.
            httpcore.ReadTimeout: nothing came for ``timeout`` seconds.
            httpcore.ConnectTimeout: a proxy did not answer.
        """
        if self._held_size:
            self._connection.transport.write(self._taken())
        waits_for_proxy = self._layers > 0
        try:
            async with asyncio.timeout(self._proxy_s if waits_for_proxy else timeout):
                return await self._connection.read(max_bytes)
        except TimeoutError as error:
            raise (httpcore.ConnectTimeout if waits_for_proxy else httpcore.ReadTimeout)(str(error)) from error
        except asyncio.CancelledError:
            self._connection.abort()
            raise

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109
        """Take what is to be sent; a small request goes out when its answer is waited for.

        Raises:
            httpcore.WriteError: the connection was lost, or an answer came while nobody read; httpcore reads it then.
            httpcore.WriteTimeout: nobody took any of it for ``timeout`` seconds.
        """
        if self._connection.at_end:
            raise httpcore.WriteError("the connection was lost")
        self._connection.is_answered = False
        self._held.append(buffer)
        self._held_size += len(buffer)
        if self._held_size <= _HELD:
            return
        try:
            await self._send(memoryview(self._taken()), timeout)
        except TimeoutError as error:
            raise httpcore.WriteTimeout(str(error)) from error
        except asyncio.CancelledError:
            self._connection.abort()
            raise

    async def _send(self, data: memoryview, timeout_s: float | None) -> None:
        """Send in parts: only so is it felt over TLS, too, that nobody reads."""
        transport = self._connection.transport
        for start in range(0, len(data), _PART):
            transport.write(data[start : start + _PART])
            async with asyncio.timeout(timeout_s):
                is_drained = await self._connection.drained()
            if not is_drained:
                transport.write(data[start + _PART :])  # it may have been an interim answer: the rest is on its way
                raise httpcore.WriteError("there was an answer before all was sent")

    def _taken(self) -> bytes:
        data = b"".join(self._held)
        self._held.clear()
        self._held_size = 0
        return data

    async def aclose(self) -> None:
        """Close the connection at once: whoever closes has had its answer, or wants none."""
        self._connection.abort()
        await self._connection.wait_lost()

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
        connection = self._connection
        if self._held:
            connection.transport.write(self._taken())
        try:
            async with _connecting(timeout):
                await connection.encrypt(ssl_context, server_hostname and server_hostname.strip("[]"))
        except BaseException:
            connection.abort()
            connection.connection_lost(None)  # in the middle of a handshake nobody else says so
            raise
        return _Stream(connection, self._layers - 1, self._proxy_s)

    def get_extra_info(self, info: str) -> Any:
        """Return what httpcore asks about: whether something can be read, the socket, the encryption, the addresses."""
        if info == "is_readable":  # asked of a connection at rest, where an end or any word makes it unusable
            return self._connection.at_end or bool(self._connection.unread)
        names = {"client_addr": "sockname", "server_addr": "peername"}
        return self._connection.transport.get_extra_info(names.get(info, info))


@asynccontextmanager
async def _connecting(timeout_s: float | None, proxy: str = "") -> AsyncGenerator[None]:
    to_proxy = f"the proxy at {proxy} cannot be reached: " if proxy else ""
    try:
        async with asyncio.timeout(timeout_s):
            yield
    except TimeoutError as error:
        if to_proxy:
            raise httpcore.ConnectError(f"{to_proxy}no connection within the time limit") from error
        raise httpcore.ConnectTimeout(str(error)) from error
    except ssl.SSLError as error:
        raise httpcore.ConnectError(str(error)) from error
    except OSError as error:
        raise httpcore.ConnectError(to_proxy + (failure_words(error) or "the connection was closed")) from error
    except ValueError as error:  # UnicodeError too: a name that no host and no certificate can have
        raise httpcore.ConnectError(f"its name is not one that a host can have ({error})") from error
