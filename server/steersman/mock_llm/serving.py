"""``steersman mock-llm``: the mock model as a program that runs until it is told to stop."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import Callable

from steersman.agent.errors import InvalidRequestError
from steersman.ending_signals import ending_signals
from steersman.mock_llm.server import KEY, VARIANTS, MockServer

_INTERRUPTED = 130


def print_line(text: str) -> None:
    """Print a line on standard output at once."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def serve(port: int, *, announce: Callable[[str], None] = print_line) -> int:
    """Serve the mock model on 127.0.0.1 until a signal asks to end.

    Args:
        port: 0 takes a free one.
        announce: told the address, as soon as it can be used, and the end.

    Returns:
        The exit code: 130 for Ctrl-C, as of every command, and 0 for what else ends a server as it should.

    Raises:
        InvalidRequestError: the port cannot be listened on.
    """
    return asyncio.run(_serve(port, announce))


async def _serve(port: int, announce: Callable[[str], None]) -> int:
    stop: asyncio.Future[int] = asyncio.get_running_loop().create_future()
    server = MockServer(port=port, keep_requests=False)
    try:
        await server.start()
    except (OSError, OverflowError) as error:
        raise InvalidRequestError(
            f"Port {port} cannot be listened on: {_reason(error)}.", hint="Use --port 0 to take a free one."
        ) from None
    restore = _stop_on_signals(stop)
    try:
        announce(f"The mock model listens on {server.base_url} (key: {KEY}; models: {', '.join(VARIANTS)}).")
        number = await stop
    finally:
        restore()
        await server.close()
    announce("The mock model has stopped.")
    return _INTERRUPTED if number == signal.SIGINT else 0


def _reason(error: Exception) -> str:
    """Return the system's words for an error, without what a library puts around them."""
    number = getattr(error, "errno", None)
    return os.strerror(number) if number else str(error).rstrip(".")


def _stop_on_signals(stop: asyncio.Future[int]) -> Callable[[], None]:
    """Give the number of the first signal that asks to end, on every system. Returns what undoes that."""
    loop = asyncio.get_running_loop()
    before = {number: signal.getsignal(number) for number in ending_signals()}

    def take(number: int) -> None:
        if not stop.done():
            stop.set_result(number)

    def on_signal(number: int, _frame: object) -> None:
        loop.call_soon_threadsafe(take, number)

    for number in before:
        signal.signal(number, on_signal)

    def restore() -> None:
        for number, handler in before.items():
            signal.signal(number, handler)

    return restore
