"""Texts as files of a folder of their own, for a program that is to read very many at once (DESIGN W9).

The folder is nobody else's to read, lies outside of the workspace, and is gone when the program has ended; when this
process is killed meanwhile, whoever comes next removes it. What may hold secrets must never be laid out.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import shutil
import tempfile
from collections.abc import AsyncGenerator, Callable, Sequence
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError
from steersman_tools.kit.leftovers import SCRATCH_PREFIX, Leftover, Record, StoreMaker, note, sweep


@contextlib.asynccontextmanager
async def laid_out(
    texts: Sequence[str], signal: CancelSignal, leftovers: StoreMaker | None = None
) -> AsyncGenerator[Path, None]:
    """Give a folder with the texts in UTF-8, each under its number; not all of them once ``signal`` is set.

    ``leftovers`` gives the store where the folder is noted; None: it is not, as where nothing can be noted.

    Raises:
        ToolError: they cannot be written.
    """
    is_left = False
    folder = _Folder(leftovers)
    writing = asyncio.create_task(asyncio.to_thread(folder.make, texts, lambda: is_left or signal.is_set))
    try:
        place = await asyncio.shield(writing)
    except OSError as error:
        raise ToolError(f"what is unsaved cannot be laid out for the search: {error.strerror or error}") from None
    else:
        yield place
    finally:
        is_left = True
        await asyncio.wait([writing])
        await asyncio.to_thread(folder.remove)


class _Folder:
    """The folder itself; all of it blocks."""

    def __init__(self, leftovers: StoreMaker | None) -> None:
        self._leftovers = leftovers
        self._record: Record | None = None
        self._made: Path | None = None

    def make(self, texts: Sequence[str], is_over: Callable[[], bool]) -> Path:
        """Make it, with the texts in it as long as it is not over; first remove what killed processes left."""
        sweep(self._leftovers)
        path = Path(tempfile.gettempdir()).resolve() / f"{SCRATCH_PREFIX}{secrets.token_hex(8)}"
        self._record = note(self._leftovers, [Leftover("scratch", str(path))])
        path.mkdir(mode=0o700)
        self._made = path
        for number, text in enumerate(texts):
            if is_over():
                break
            (path / str(number)).write_bytes(text.encode("utf-8", "replace"))
        return path

    def remove(self) -> None:
        """Remove it. Never raises."""
        if self._record is not None:
            self._record.end()
        elif self._made is not None:
            shutil.rmtree(self._made, ignore_errors=True)
