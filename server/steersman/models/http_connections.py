"""Connections to one provider, each for one request at a time, kept for the next one (DESIGN M6).

httpcore's own pool loses a connection for good when a request is cancelled in one of the turns in which it takes a
lock: it stays open, counts, and can never be used again. Here each connection has a pool of its own, and whatever does
not end as it should ends the connection in the same turn, without waiting for anything.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Callable
from dataclasses import dataclass
from typing import Any, TypeAlias, cast

import httpcore

from steersman.models.network import AsyncioBackend

MAX_CONNECTIONS = 20
_MAX_KEPT = 4
KEPT_S = 90.0

MakePool: TypeAlias = Callable[[], tuple[httpcore.AsyncConnectionPool, AsyncioBackend]]
"""Makes a pool for one connection, and the backend that is to open it."""


@dataclass(slots=True, eq=False)
class _Line:
    """One connection, or the place for one.

    Attributes:
        pool: holds it.
        backend: has opened it.
        resting_since: when it was last used, in the event loop's seconds.
    """

    pool: httpcore.AsyncConnectionPool
    backend: AsyncioBackend
    resting_since: float = 0.0

    @property
    def is_usable(self) -> bool:
        """Whether its last exchange is over, on both sides."""
        return not self.backend.is_aborted and any(connection.is_idle() for connection in self.pool.connections)


class HttpConnections:
    """Sends requests (a ``RequestHandler``); who comes when ``MAX_CONNECTIONS`` are in use waits for one of them.

    Args:
        make_pool: called for each connection, the first time at once: what it raises comes out here.
    """

    def __init__(self, make_pool: MakePool) -> None:
        self._make_pool = make_pool
        self._resting = [_Line(*make_pool())]
        self._used: set[_Line] = set()
        self._free = asyncio.Semaphore(MAX_CONNECTIONS)

    async def handle_async_request(self, request: httpcore.Request) -> httpcore.Response:
        """Send a request; return the response with its headers read. It must be closed.

        Raises:
            TransportErrors: no connection, or none any more.
        """
        while True:
            response = await self._answered(request)
            if response is not None:
                return response

    async def _answered(self, request: httpcore.Request) -> httpcore.Response | None:
        """Send a request over one connection; None when it holds something that was sent before it was asked.

        Some servers send more than they have announced: that would be taken for the answer to this request.
        """
        await self._free.acquire()
        line = self._resting.pop() if self._resting else _Line(*self._make_pool())
        self._used.add(line)
        try:
            response = await line.pool.handle_async_request(request)
        except BaseException as error:
            is_late = isinstance(error, httpcore.RemoteProtocolError) and not line.backend.is_answered
            self._drop(line)
            if is_late:
                return None
            raise
        if not line.backend.is_answered:
            self._drop(line)
            await response.aclose()
            return None
        body = _Body(response, lambda: self._drop(line), lambda: self._rest(line))
        return httpcore.Response(
            response.status, headers=response.headers, content=body, extensions=cast("Any", response).extensions
        )

    async def aclose(self) -> None:
        """Close all connections, those in use, too."""
        lines = [*self._resting, *self._used]
        self._resting.clear()
        for line in lines:
            line.backend.abort()
        for line in lines:
            await line.backend.wait_closed()

    def _drop(self, line: _Line) -> None:
        self._give_back(line)
        line.backend.abort()

    def _rest(self, line: _Line) -> None:
        """Keep a connection whose response was read to its end."""
        self._give_back(line)
        now = asyncio.get_running_loop().time()
        line.resting_since = now
        resting = [*self._resting, line]
        self._resting = [one for one in resting if one.is_usable and now - one.resting_since < KEPT_S][-_MAX_KEPT:]
        for one in resting:
            if one not in self._resting:
                one.backend.abort()

    def _give_back(self, line: _Line) -> None:
        if line in self._used:
            self._used.remove(line)
            self._free.release()


class _Body:
    """A response's body, which knows whether it was read to its end."""

    def __init__(self, response: httpcore.Response, drop: Callable[[], None], rest: Callable[[], None]) -> None:
        self._response = response
        self._drop = drop
        self._rest = rest
        self._is_whole = False
        self._is_closed = False

    async def __aiter__(self) -> AsyncGenerator[bytes, None]:
        # httpcore promises less than it gives: this is a generator, which can be closed
        pieces = cast("AsyncGenerator[bytes, None]", aiter(cast("Any", self._response.stream)))
        try:
            async for piece in pieces:
                yield piece
            self._is_whole = True
        except BaseException:
            self._drop()
            raise
        finally:
            await pieces.aclose()

    async def aclose(self) -> None:
        """Give the connection back; end it at once when the body was not read to its end."""
        if self._is_closed:
            return
        self._is_closed = True
        if not self._is_whole:
            self._drop()
        try:
            await self._response.aclose()
        except BaseException:
            self._drop()
            raise
        if self._is_whole:
            self._rest()
