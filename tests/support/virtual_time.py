"""An event loop whose clock moves only when nothing else can happen: waiting costs nothing and races cannot occur.

Work in threads is waited for in real time; the clock stands still meanwhile.
"""

from __future__ import annotations

import asyncio
import selectors
from collections.abc import Callable, Coroutine
from typing import Any, TypeVar

T = TypeVar("T")


class _Selector(selectors.BaseSelector):
    """Looks at the real files without waiting, and lets the clock jump where the real one would wait."""

    def __init__(self, jump: Callable[[float | None], float | None]) -> None:
        self._real = selectors.DefaultSelector()
        self._jump = jump

    def register(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.register(fileobj, events, data)

    def unregister(self, fileobj: Any) -> selectors.SelectorKey:
        return self._real.unregister(fileobj)

    def modify(self, fileobj: Any, events: int, data: Any = None) -> selectors.SelectorKey:
        return self._real.modify(fileobj, events, data)

    def get_map(self) -> Any:
        return self._real.get_map()

    def close(self) -> None:
        self._real.close()

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        ready = self._real.select(0)
        if ready or timeout == 0:
            return ready
        return self._real.select(self._jump(timeout))


class VirtualTimeLoop(asyncio.SelectorEventLoop):
    """See the module. Raises ``RuntimeError`` when everything waits for something that cannot come."""

    def __init__(self) -> None:
        self._virtual_now = 1000.0
        self._in_threads = 0
        super().__init__(_Selector(self._jump))

    def time(self) -> float:
        return self._virtual_now

    def run_in_executor(self, executor: Any, func: Any, *args: Any) -> Any:
        future = super().run_in_executor(executor, func, *args)
        self._in_threads += 1
        future.add_done_callback(self._thread_done)
        return future

    async def shutdown_default_executor(self, *args: Any) -> None:
        self._in_threads += 1  # its own thread tells when the others have ended
        try:
            await super().shutdown_default_executor(*args)
        finally:
            self._in_threads -= 1

    def _thread_done(self, _: Any) -> None:
        self._in_threads -= 1

    def _jump(self, timeout: float | None) -> float | None:
        if self._in_threads:
            return None
        if timeout is None:
            raise RuntimeError("nothing can happen any more: every task waits")
        self._virtual_now += timeout
        return 0


def run_virtual(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine to its end on a loop of its own with a virtual clock."""
    with asyncio.Runner(loop_factory=VirtualTimeLoop) as runner:
        return runner.run(main)
