"""Connects a socket to a host that may have several addresses (RFC 8305).

asyncio's own way loses a socket that was connected in the very turn in which its waiting is cancelled; this must not.
"""

from __future__ import annotations

import asyncio
import os
import socket
from collections.abc import Iterable
from itertools import chain, zip_longest
from typing import Any, TypeAlias

Option: TypeAlias = Any
"""What ``socket.setsockopt`` takes."""
_Address: TypeAlias = tuple[int, Any]
"""A family and what ``connect`` takes in it."""

_NEXT_ADDRESS_S = 0.25
"""Seconds until the next of a host's addresses is tried beside the first (RFC 8305)."""


async def connected_socket(
    host: str, port: int, *, local: str | None = None, options: Iterable[Option] = ()
) -> socket.socket:
    """Return a socket that is connected to the first address of a host that answers.

    Args:
        host: a name or an address, without brackets.
        port: of the host.
        local: this machine's address to connect from; None: any.
        options: set before connecting.

    Raises:
        OSError: nobody answered; ``failure_words`` says why.
        ValueError: the host's name is none.
    """
    dialing = _Dialing(local, tuple(options))
    addresses = await _addresses(host, port)
    if len(addresses) == 1:
        return await dialing.connect(addresses[0])
    return await dialing.race(addresses)


class _Dialing:
    def __init__(self, local: str | None, options: tuple[Option, ...]) -> None:
        self._local = local
        self._options = options
        self._won: list[socket.socket] = []
        self._failures: list[OSError] = []
        self._news = asyncio.Event()

    async def connect(self, address: _Address) -> socket.socket:
        family, target = address
        sock = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)  # asyncio looks at this for TCP_NODELAY
        try:
            sock.settimeout(0)
            for option in self._options:
                sock.setsockopt(*option)
            if self._local is not None:
                sock.bind((self._local, 0))
            await asyncio.get_running_loop().sock_connect(sock, target)
        except BaseException:
            sock.close()
            raise
        return sock

    async def race(self, addresses: list[_Address]) -> socket.socket:
        """Try one after the other, each when the one before has failed or has taken long."""
        chosen: socket.socket | None = None
        try:
            async with asyncio.TaskGroup() as group:
                attempts: list[asyncio.Task[None]] = []
                for address in addresses:
                    attempts.append(group.create_task(self._attempt(address)))
                    await self._decided(len(attempts), None if len(attempts) == len(addresses) else _NEXT_ADDRESS_S)
                    if self._won:
                        break
                for attempt in attempts:
                    attempt.cancel()
            chosen = self._won[0] if self._won else None
        finally:
            for sock in self._won:
                if sock is not chosen:
                    sock.close()
        if chosen is None:
            raise OSError(", ".join(dict.fromkeys(map(failure_words, self._failures))))
        return chosen

    async def _attempt(self, address: _Address) -> None:
        try:
            self._won.append(await self.connect(address))
        except OSError as error:
            self._failures.append(error)
        self._news.set()

    async def _decided(self, begun: int, limit_s: float | None) -> None:
        """Return when one has connected, when all that were begun have failed, or after this long."""
        try:
            async with asyncio.timeout(limit_s):
                while not self._won and len(self._failures) < begun:
                    self._news.clear()
                    await self._news.wait()
        except TimeoutError:
            pass


async def _addresses(host: str, port: int) -> list[_Address]:
    """Return a host's addresses, the families taking turns; one that is an address itself needs no asking."""
    for family, target in ((socket.AF_INET, (host, port)), (socket.AF_INET6, (host, port, 0, 0))):
        try:
            socket.inet_pton(family, host)
        except (OSError, ValueError):
            continue
        return [(family, target)]
    found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM, proto=socket.IPPROTO_TCP)
    first = [(family, target) for family, _, _, _, target in found if family == found[0][0]]
    others = [(family, target) for family, _, _, _, target in found if family != found[0][0]]
    return [address for address in chain.from_iterable(zip_longest(first, others)) if address is not None]


def failure_words(error: OSError) -> str:
    """Return the system's words alone: asyncio's hold addresses."""
    if isinstance(error, socket.gaierror):
        return f"its name cannot be found ({error.strerror})"
    return os.strerror(error.errno).lower() if error.errno else str(error)
