"""One connection served from its first message to its end, and left in time (DESIGN §8)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from steersman.lsp.face import SteersmanServer
from steersman.lsp.host import Host
from steersman.lsp.leaving import GRACE_S, LAST_RESORT_S, Leaving, leave_on_signals, watch_parent
from steersman.lsp.logs import ClientLog
from steersman.lsp.transport import Transport

logger = logging.getLogger(__name__)


async def serve_connection(host: Host, transport: Transport, *, watchdog: Callable[..., None]) -> int:
    """Serve one connection; return the exit code.

    Args:
        host: the composition root.
        transport: the connection, not yet started.
        watchdog: called with the exit code and ``after_s`` when leaving begins.
    """
    leaving, loop = Leaving(), asyncio.get_running_loop()
    watches: list[asyncio.Task[None]] = []
    server = SteersmanServer(
        host,
        leave=lambda code: leaving.leave("the client said exit", code=code),
        watch=lambda pid: watches.append(loop.create_task(watch_parent(pid, leaving))),
    )
    server.connection.connect(transport.send)
    log = ClientLog(
        lambda kind, text: server.connection.notify("window/logMessage", {"type": kind, "message": text}),
        loop.call_soon_threadsafe,
    )
    logging.getLogger("steersman").addHandler(log)
    try:
        with leave_on_signals(leaving):
            transport.start(server.connection.receive, leaving.leave)
            await leaving.wait()
            watchdog(leaving.code, after_s=LAST_RESORT_S)
            logger.info("leaving: %s", leaving.reason)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(GRACE_S):
                    await server.aclose()
            await transport.close(timeout_s=LAST_RESORT_S - GRACE_S)
    finally:
        for watch in watches:
            watch.cancel()
        logging.getLogger("steersman").removeHandler(log)
    return leaving.code
