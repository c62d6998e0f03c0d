"""Gates: named points where a scripted model stands still until it is told to go on.

Races are tested by gates, never by sleeping. ``EventGates`` serve a test in the same process, ``FileGates`` one that
starts (and kills) another process.
"""

from __future__ import annotations

import asyncio
import re
import time
from pathlib import Path
from typing import Protocol

_NAME = re.compile(r"[\w-]{1,100}")
_POLL_S = 0.005


class Gates(Protocol):
    """Where a scripted model asks whether it may go on."""

    async def go_through(self, name: str) -> None:
        """Tell that the gate is reached and return when it is open; cancelled like any wait."""
        ...


class Gate:
    """One gate of this process: ``reached`` says that somebody stands before it, ``open`` lets everybody through."""

    def __init__(self) -> None:
        self._reached = asyncio.Event()
        self._open = asyncio.Event()

    @property
    def is_reached(self) -> bool:
        """Whether somebody came to it."""
        return self._reached.is_set()

    async def wait_reached(self) -> None:
        """Return as soon as somebody comes to it."""
        await self._reached.wait()

    def open(self) -> None:
        """Let through whoever waits, and whoever comes later."""
        self._open.set()

    async def go_through(self) -> None:
        """Come to it and wait until it is open."""
        self._reached.set()
        await self._open.wait()


class EventGates:
    """The gates of one process, made when first named; all closed."""

    def __init__(self) -> None:
        self._gates: dict[str, Gate] = {}

    def __getitem__(self, name: str) -> Gate:
        return self._gates.setdefault(name, Gate())

    async def go_through(self, name: str) -> None:
        """See ``Gates``."""
        await self[name].go_through()


class FileGates:
    """Gates between two processes, as files of one folder: ``NAME.reached`` appears, ``NAME.open`` is waited for.

    Both processes make one of these over the same folder.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def go_through(self, name: str) -> None:
        """See ``Gates``."""
        opened = self._reach(name)
        while not opened.exists():  # noqa: ASYNC110 - the one who opens it is another process
            await asyncio.sleep(_POLL_S)

    def block_at(self, name: str) -> None:
        """Go through in code that is not async: nothing else of this process runs meanwhile."""
        opened = self._reach(name)
        while not opened.exists():
            time.sleep(_POLL_S)

    def open(self, name: str) -> None:
        """Let through whoever waits, and whoever comes later."""
        opened = self._path(name, "open")
        self._folder.mkdir(parents=True, exist_ok=True)
        opened.touch()

    def is_reached(self, name: str) -> bool:
        """Whether somebody came to it."""
        return self._path(name, "reached").exists()

    def _reach(self, name: str) -> Path:
        opened = self._path(name, "open")
        self._folder.mkdir(parents=True, exist_ok=True)
        self._path(name, "reached").touch()
        return opened

    def _path(self, name: str, state: str) -> Path:
        if not _NAME.fullmatch(name):
            raise ValueError(f"a gate's name holds letters, digits, _ and - only, not {name!r}")
        return self._folder / f"{name}.{state}"
