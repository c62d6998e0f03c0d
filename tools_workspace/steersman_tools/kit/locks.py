"""One change at a time a file, across all runs of the process (DESIGN W2)."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Iterable
from contextlib import AsyncExitStack, asynccontextmanager


class PathLocks:
    """Locks by canonical path; taken in one order, so that two holders never wait for each other."""

    def __init__(self) -> None:
        self._locks: dict[str, asyncio.Lock] = {}
        self._users: dict[str, int] = {}

    @asynccontextmanager
    async def hold(self, paths: Iterable[str]) -> AsyncGenerator[None]:
        """Hold every path until the block ends; not re-entrant."""
        async with AsyncExitStack() as stack:
            for path in sorted(set(paths)):
                self._users[path] = self._users.get(path, 0) + 1
                stack.callback(self._let_go, path)
                await stack.enter_async_context(self._locks.setdefault(path, asyncio.Lock()))
            yield

    def _let_go(self, path: str) -> None:
        self._users[path] -= 1
        if not self._users[path]:
            del self._users[path]
            del self._locks[path]
