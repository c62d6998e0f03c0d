"""Running ripgrep, the one program that search and listing start (DESIGN W8, W9, W10).

It is the one from the ``ripgrep`` package beside this one, named by its absolute path: never one found in a ``PATH``
that a workspace may have changed. It gets none of our environment, no input but what is given, and is ended when the
run is cancelled, the time is over or it says more than is wanted.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError

_CHUNK_BYTES = 1 << 16
_BLOCK_BYTES = 1 << 20
_LAST_BYTES_SECONDS = 1.0
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
        read_end, write_end = os.pipe()
        try:
            process = await asyncio.create_subprocess_exec(
                self._program,
                "--no-config",
                *arguments,
                cwd=folder,
                env={name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ},
                stdin=asyncio.subprocess.DEVNULL if stdin is None else asyncio.subprocess.PIPE,
                stdout=write_end,
                stderr=asyncio.subprocess.PIPE,
            )
        except BaseException as error:
            os.close(read_end)
            if not isinstance(error, OSError):
                raise
            raise ToolError(f"ripgrep cannot be started: {error.strerror or error}") from None
        finally:
            os.close(write_end)
        return await _Conversation(process, _Reader(read_end, max_bytes)).hold(stdin, signal, self._max_seconds)


class _Reader:
    """Reads what a program prints, in a thread of its own: many times cheaper for long lists than the event loop.

    The thread ends with the program, or when the limit is reached; it owns the pipe and closes it.

    Args:
        read_end: of the pipe; taken over.
        max_bytes: how much to keep.
    """

    def __init__(self, read_end: int, max_bytes: int) -> None:
        self._read_end = read_end
        self._max_bytes = max_bytes
        self._pieces: list[bytes] = []
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()
        self.is_cut = False
        threading.Thread(target=self._read, name="ripgrep", daemon=True).start()

    async def wait(self) -> None:
        """Wait for the end of what it prints, or the limit."""
        await self._ended.wait()

    def data(self) -> bytes:
        """Return what was read so far."""
        return b"".join(self._pieces)

    def _read(self) -> None:
        room = self._max_bytes
        try:
            with open(self._read_end, "rb") as pipe:  # noqa: PTH123 (it is open already)
                while piece := pipe.read(min(room + 1, _BLOCK_BYTES)):
                    self._pieces.append(piece[:room])
                    room -= len(piece)
                    if room < 0:
                        self.is_cut = True
                        return
        finally:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._ended.set)


class _Conversation:
    """One running process: its pipes are served together, and it never outlives this object's ``hold``."""

    def __init__(self, process: asyncio.subprocess.Process, reader: _Reader) -> None:
        self._process = process
        self._reader = reader
        self._errors = bytearray()

    async def hold(self, stdin: bytes | None, signal: CancelSignal, max_seconds: float) -> Output:
        unsubscribe = signal.on_set(self._kill)
        code: int | None = None
        late = False
        try:
            async with asyncio.timeout(max_seconds), asyncio.TaskGroup() as group:
                group.create_task(self._feed(stdin))
                group.create_task(self._read_errors())
                await self._reader.wait()
                if self._reader.is_cut:
                    self._kill()
                code = await self._process.wait()
        except TimeoutError:
            late = True
        finally:
            unsubscribe()
            if code is None:
                self._kill()
                await self._process.wait()
        if late:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(self._reader.wait(), _LAST_BYTES_SECONDS)
        cut = self._reader.is_cut
        if late or cut or signal.is_set:
            code = None
        errors = self._errors.decode("utf-8", "replace").strip()
        return Output(self._reader.data(), errors, code, cut, late, signal.is_set)

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

    async def _read_errors(self) -> None:
        assert self._process.stderr is not None
        while piece := await self._process.stderr.read(_CHUNK_BYTES):
            if len(self._errors) < _MAX_ERROR_BYTES:
                self._errors += piece[: _MAX_ERROR_BYTES - len(self._errors)]
