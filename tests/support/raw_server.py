"""A loopback server without any protocol: a function does what it likes with each connection."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import asynccontextmanager, suppress
from typing import TypeAlias

Serve: TypeAlias = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def raw_server(serve: Serve, *, tls: ssl.SSLContext | None = None) -> AsyncGenerator[int, None]:
    """Give the port of a server that does this with each connection, and then closes it; all is over at the end."""
    serving: set[asyncio.Task[None]] = set()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        serving.add(task)
        try:
            with suppress(asyncio.CancelledError, OSError, asyncio.IncompleteReadError):
                await serve(reader, writer)
                writer.close()
                await writer.wait_closed()
        finally:
            writer.transport.abort()

    server = await asyncio.start_server(accept, "127.0.0.1", 0, ssl=tls)
    try:
        yield server.sockets[0].getsockname()[1]
    finally:
        server.close()
        for _ in range(3):
            await asyncio.sleep(0)  # a connection that was just accepted has no task yet
        for task in serving:
            task.cancel()
        await asyncio.gather(*serving)
        await asyncio.sleep(0)  # an aborted transport closes its socket in the next turn
