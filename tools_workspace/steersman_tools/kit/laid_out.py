"""Texts as files of a folder of their own, for a program that is to read very many at once (DESIGN W9).

The folder is nobody else's to read, lies outside of the workspace, and is gone when the program has ended. What may
hold secrets must never be laid out.
"""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError


@contextlib.asynccontextmanager
async def laid_out(texts: Sequence[str], signal: CancelSignal) -> AsyncGenerator[Path, None]:
    """Give a folder with the texts in UTF-8, each under its number; not all of them once ``signal`` is set.

    Raises:
        ToolError: they cannot be written.
    """
    is_left = False
    folder: tempfile.TemporaryDirectory[str] | None = None
    writing: asyncio.Task[None] | None = None
    try:
        folder = tempfile.TemporaryDirectory(prefix="steersman-", ignore_cleanup_errors=True)
        place = Path(folder.name)
        writing = asyncio.create_task(asyncio.to_thread(_write, texts, place, lambda: is_left or signal.is_set))
        await asyncio.shield(writing)
    except OSError as error:
        raise ToolError(f"what is unsaved cannot be laid out for the search: {error.strerror or error}") from None
    else:
        yield place
    finally:
        is_left = True
        if writing is not None:
            await asyncio.wait([writing])
        if folder is not None:
            await asyncio.to_thread(folder.cleanup)


def _write(texts: Sequence[str], folder: Path, is_over: Callable[[], bool]) -> None:
    for number, text in enumerate(texts):
        if is_over():
            return
        (folder / str(number)).write_bytes(text.encode("utf-8", "replace"))
