"""Waiting for something while listening for the cancel signal (DESIGN L5)."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

from steersman.agent.cancel import CancelSignal

T = TypeVar("T")


class StoppedError(Exception):
    """The signal woke the wait; what was waited for has been cancelled and has ended."""


async def until_stopped(work: Coroutine[Any, Any, T], signal: CancelSignal) -> T:
    """Return what ``work`` returns, or end it as soon as the signal is set.

    Raises:
        StoppedError: the signal was set, before or while ``work`` ran or as it returned or raised.
        Exception: what ``work`` raised, when the signal is not set.
        asyncio.CancelledError: the waiting task itself is cancelled.
    """
    task = asyncio.ensure_future(work)
    unsubscribe = signal.on_set(lambda: _cancel(task))
    try:
        result = await task
    except asyncio.CancelledError:
        if signal.is_set:
            raise StoppedError from None
        if _is_being_cancelled():
            raise
        raise RuntimeError("what was waited for was cancelled from within") from None
    except Exception:
        if signal.is_set:
            raise StoppedError from None
        raise
    finally:
        unsubscribe()
        if not task.done():
            task.cancel()
    if signal.is_set:
        raise StoppedError
    return result


def _cancel(task: asyncio.Future[T]) -> None:
    task.cancel()


def _is_being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0
