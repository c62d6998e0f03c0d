"""Running ripgrep, the one program that search and listing start (DESIGN W8, W9, W10).

It is the one from the ``ripgrep`` package beside this one, named by its absolute path: never one found in a ``PATH``
that a workspace may have changed. It gets none of our environment, no input but what is given, and is ended when the
run is cancelled, the time is over or it says more than is wanted.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError

_CHUNK_BYTES = 1 << 16
_MAX_ERROR_BYTES = 8192
_NAME = "rg.exe" if os.name == "nt" else "rg"
_KEPT_ENVIRONMENT = ("SYSTEMROOT",)  # Windows starts no program without it


@dataclass(frozen=True, slots=True)
class Output:
    """What ripgrep said.

    Attributes:
        data: standard output, up to the limit.
        errors: the beginning of standard error.
        code: its exit code; None when it was ended.
        cut: it was ended because it said more than the limit.
        late: it was ended because the time was over.
        cancelled: it was ended because the run was cancelled.
    """

    data: bytes
    errors: str
    code: int | None
    cut: bool = False
    late: bool = False
    cancelled: bool = False


def find_ripgrep() -> Path | None:
    """Return the absolute path of the program that the ``ripgrep`` package brought, or None."""
    import sysconfig  # noqa: PLC0415 (costs start-up time, and most runs of the server never search)
    from importlib.metadata import PackageNotFoundError, files  # noqa: PLC0415 (likewise)

    beside = Path(sysconfig.get_path("scripts")).absolute() / _NAME
    if beside.is_file():
        return beside
    try:
        brought = files("ripgrep") or []
    except PackageNotFoundError:
        return None
    found = (Path(str(file.locate())).resolve() for file in brought if file.name == _NAME)
    return next((path for path in found if path.is_file()), None)


class Ripgrep:
    """Starts ripgrep.

    Args:
        program: its absolute path (default: the package's own, looked for when it is first needed).
        max_seconds: how long one run may take.
    """

    def __init__(self, program: Path | None = None, *, max_seconds: float = 60.0) -> None:
        self._program = program
        self._max_seconds = max_seconds

    @property
    def is_there(self) -> bool:
        """Whether the program was found."""
        self._program = self._program or find_ripgrep()
        return self._program is not None and self._program.is_file()

    async def run(
        self,
        arguments: Sequence[str | bytes],
        *,
        folder: Path,
        signal: CancelSignal,
        max_bytes: int,
        stdin: bytes | None = None,
    ) -> Output:
        """Run it in ``folder`` and return what it said, however it ended.

        Raises:
            ToolError: it is not there or cannot be started.
        """
        if not self.is_there or self._program is None:
            raise ToolError("search needs ripgrep, which is missing; install Steersman again with its dependencies")
        try:
            process = await asyncio.create_subprocess_exec(
                self._program,
                "--no-config",
                *arguments,
                cwd=folder,
                env={name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ},
                stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.PIPE,
            )
        except OSError as error:
            raise ToolError(f"ripgrep cannot be started: {error.strerror or error}") from None
        return await _Conversation(process, max_bytes).hold(stdin, signal, self._max_seconds)


class _Conversation:
    """One running process: its pipes are served together, and it never outlives this object's ``hold``."""

    def __init__(self, process: asyncio.subprocess.Process, max_bytes: int) -> None:
        self._process = process
        self._max_bytes = max_bytes
        self._data = bytearray()
        self._errors = bytearray()
        self._cut = False

    async def hold(self, stdin: bytes | None, signal: CancelSignal, max_seconds: float) -> Output:
        unsubscribe = signal.on_set(self._kill)
        code: int | None = None
        late = False
        try:
            async with asyncio.timeout(max_seconds), asyncio.TaskGroup() as group:
                group.create_task(self._feed(stdin))
                group.create_task(self._read_errors())
                group.create_task(self._read_data())
                code = await self._process.wait()
        except TimeoutError:
            late = True
        finally:
            unsubscribe()
            if code is None:
                self._kill()
                await self._process.wait()
        if late or self._cut or signal.is_set:
            code = None
        errors = self._errors.decode("utf-8", "replace").strip()
        return Output(bytes(self._data), errors, code, self._cut, late, signal.is_set)

    def _kill(self) -> None:
        if self._process.returncode is None:
            with contextlib.suppress(ProcessLookupError):
                self._process.kill()

    async def _feed(self, stdin: bytes | None) -> None:
        if stdin is None or self._process.stdin is None:
            return
        with contextlib.suppress(ConnectionError):
            self._process.stdin.write(stdin)
            await self._process.stdin.drain()
        self._process.stdin.close()

    async def _read_data(self) -> None:
        assert self._process.stdout is not None
        while piece := await self._process.stdout.read(_CHUNK_BYTES):
            room = self._max_bytes - len(self._data)
            self._data += piece[:room]
            if len(piece) > room:
                self._cut = True
                self._kill()
                return

    async def _read_errors(self) -> None:
        assert self._process.stderr is not None
        while piece := await self._process.stderr.read(_CHUNK_BYTES):
            if len(self._errors) < _MAX_ERROR_BYTES:
                self._errors += piece[: _MAX_ERROR_BYTES - len(self._errors)]
