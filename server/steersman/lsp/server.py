"""Serve one client over standard input and output. Loads next to nothing before the client has its first answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from steersman.lsp.early import claim_stdio, open_connection

if TYPE_CHECKING:
    from steersman.lsp.host import Host

_LOST, _INTERRUPTED = 1, 130


def serve(host: Host, *, log_level: str = "warning") -> int:
    """Serve until the client leaves or is lost; return the exit code.

    Ends the process by itself when something does not let go within a second of that.
    """
    source, sink = claim_stdio()
    try:
        opening = open_connection(source, sink, host.version)
        if opening.lost:
            return _LOST
        import asyncio  # noqa: PLC0415 - from here on everything is loaded, behind the answered client's back

        from steersman.lsp.interpreter import spare_what_stays, take_quick_turns  # noqa: PLC0415
        from steersman.lsp.leaving import end_for_sure  # noqa: PLC0415
        from steersman.lsp.logs import log_to_file  # noqa: PLC0415
        from steersman.lsp.serving import serve_connection  # noqa: PLC0415
        from steersman.lsp.transport import Transport  # noqa: PLC0415

        log_to_file(host.state_dir, log_level)
        take_quick_turns()
        spare_what_stays()
        transport = Transport(source, sink, opening)
        return asyncio.run(serve_connection(host, transport, watchdog=end_for_sure))
    except KeyboardInterrupt:  # where something else than the system answers to it
        return _INTERRUPTED
