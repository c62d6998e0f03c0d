"""How a run is told to stop: one signal, looked at by the loop, waited for by whatever waits (DESIGN L5)."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Literal, TypeAlias

CancelReason: TypeAlias = Literal["cancelled", "timeout"]


class CancelSignal:
    """Set once, by anybody, in the event loop's thread; setting it again changes nothing but ``force``.

    A signal may be set before any event loop runs.
    """

    def __init__(self) -> None:
        self._reason: CancelReason | None = None
        self._event = asyncio.Event()
        self._forced = asyncio.Event()
        self._callbacks: list[Callable[[], None]] = []

    @property
    def is_set(self) -> bool:
        """Whether the run shall stop."""
        return self._reason is not None

    @property
    def reason(self) -> CancelReason | None:
        """Why, or None when it is not set."""
        return self._reason

    @property
    def is_forced(self) -> bool:
        """Whether a tool that ignores the signal shall no longer be waited for (L5, ``force``)."""
        return self._forced.is_set()

    def set(self, reason: CancelReason = "cancelled", *, force: bool = False) -> None:
        """Ask the run to stop; the first reason stays."""
        if force:
            self._forced.set()
        if self._reason is not None:
            return
        self._reason = reason
        self._event.set()
        for callback in self._callbacks:
            callback()

    def on_set(self, callback: Callable[[], None]) -> Callable[[], None]:
        """Call back once when set (at once if it is already). Must not raise. Returns a function that unsubscribes."""
        if self.is_set:
            callback()
            return lambda: None
        self._callbacks.append(callback)

        def unsubscribe() -> None:
            if callback in self._callbacks:
                self._callbacks.remove(callback)

        return unsubscribe

    async def wait(self) -> None:
        """Return as soon as it is set."""
        await self._event.wait()

    async def wait_forced(self) -> None:
        """Return as soon as it is forced."""
        await self._forced.wait()
