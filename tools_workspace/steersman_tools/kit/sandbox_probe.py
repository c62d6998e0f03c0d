"""Whether commands can be held back on this system: tried once, by really doing it (DESIGN W10).

One probe serves a whole process. It starts the sandbox's own program by absolute path, with nothing of ours.
"""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TypeAlias

from steersman_tools.kit.sandbox import Bubblewrap, Confines, Sandbox, Seatbelt

TryOut: TypeAlias = Callable[[Sequence[str]], Awaitable[tuple[int, str]]]
"""Runs a program; returns its exit code and what it printed."""

_BWRAP = ("/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap")
_SEATBELT = "/usr/bin/sandbox-exec"
_TRIAL = ("/bin/sh", "-c", "exit 0")
_TIMEOUT_S = 10.0


@dataclass(frozen=True, slots=True)
class Found:
    """What the probe found.

    Attributes:
        sandbox: what holds commands back, or None.
        reason: why there is none, in plain words; "" when there is one.
    """

    sandbox: Sandbox | None
    reason: str = ""


class SandboxProbe:
    """Looks for a working sandbox when first asked, and remembers.

    Args:
        platform: as ``sys.platform``.
        is_program: whether an absolute path is a program.
        try_out: runs a program.
    """

    def __init__(
        self,
        platform: str = sys.platform,
        is_program: Callable[[str], bool] | None = None,
        try_out: TryOut | None = None,
    ) -> None:
        self._platform = platform
        self._is_program = is_program or _is_program
        self._try_out = try_out or run_trial
        self._looking: asyncio.Task[Found] | None = None

    async def find(self) -> Found:
        """Return the sandbox that works here, or why none does. Looking goes on when one who asked is cancelled."""
        if self._looking is None:
            self._looking = asyncio.ensure_future(self._look())
        return await asyncio.shield(self._looking)

    async def _look(self) -> Found:
        if self._platform.startswith("linux"):
            program = next((path for path in _BWRAP if self._is_program(path)), None)
            if program is None:
                return Found(None, "bubblewrap (bwrap) is not installed")
            return await self._tried(Bubblewrap(program))
        if self._platform == "darwin":
            if not self._is_program(_SEATBELT):
                return Found(None, f"{_SEATBELT} is missing")
            return await self._tried(Seatbelt(_SEATBELT))
        return Found(None, "there is no sandbox on this system")

    async def _tried(self, sandbox: Sandbox) -> Found:
        anywhere = Path("/")
        confines = Confines((), anywhere, anywhere, read_only=True)
        try:
            code, said = await self._try_out(sandbox.argv(confines, _TRIAL))
        except (OSError, TimeoutError) as error:
            return Found(None, f"{sandbox.name} cannot be started ({type(error).__name__})")
        if code == 0:
            return Found(sandbox)
        why = said.strip().split("\n", maxsplit=1)[0][:200] or f"exit code {code}"
        return Found(None, f"{sandbox.name} does not work here: {why}")


def _is_program(path: str) -> bool:
    return os.access(path, os.X_OK)


async def run_trial(argv: Sequence[str]) -> tuple[int, str]:
    """Run a program with an empty environment; return its exit code and what it printed.

    Raises:
        OSError: it cannot be started.
        TimeoutError: it does not end.
    """
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
        env={},
    )
    try:
        async with asyncio.timeout(_TIMEOUT_S):
            said, _ = await process.communicate()
    except TimeoutError:
        process.kill()
        await process.wait()
        raise
    return process.returncode or 0, said.decode("utf-8", "replace")
