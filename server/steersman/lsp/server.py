"""Serve one client over standard input and output, and leave in time (DESIGN §8)."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

from steersman.lsp.face import SteersmanServer
from steersman.lsp.host import Host
from steersman.lsp.leaving import GRACE_S, LAST_RESORT_S, Leaving, end_for_sure, leave_on_signals, watch_parent
from steersman.lsp.logs import ClientLog, log_to_file
from steersman.lsp.transport import Transport, claim_stdio

logger = logging.getLogger(__name__)


def serve(host: Host, *, log_level: str = "warning") -> int:
    """Serve until the client leaves or is lost; return the exit code.

    Ends the process by itself when something does not let go within a second of that.
    """
    source, sink = claim_stdio()
    log_to_file(host.state_dir, log_level)
    return asyncio.run(serve_connection(host, Transport(source, sink), watchdog=end_for_sure))


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
