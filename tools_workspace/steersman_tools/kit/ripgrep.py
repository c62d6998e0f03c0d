"""Running ripgrep, the one program that search and listing start (DESIGN W8, W9, W10).

It is the one from the ``ripgrep`` package beside this one, named by its absolute path: never one found in a ``PATH``
that a workspace may have changed. It gets none of our environment, no input but what is given, and is ended when the
run is cancelled, the time is over or it says more than is wanted.
"""

from __future__ import annotations

import asyncio
import contextlib
import os
import subprocess
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError

_CHUNK_BYTES = 1 << 16
_LAST_BYTES_SECONDS = 1.0
_MAX_ERROR_BYTES = 8192
_NAME = "rg.exe" if os.name == "nt" else "rg"
_KEPT_ENVIRONMENT = ("SYSTEMROOT",)  # Windows starts no program without it


@dataclass(frozen=True, slots=True)
class Output:
    """What ripgrep said.

    Attributes:
        data: standard output, up to the limit; empty when it was handed on.
        size: how much that was, in bytes, handed on or not.
        errors: the beginning of standard error.
        code: its exit code; None when it was ended.
        cut: it was ended because it said more than the limit.
        late: it was ended because the time was over.
        cancelled: it was ended because the run was cancelled.
    """

    data: bytes
    size: int
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
        take: Callable[[bytes], None] | None = None,
    ) -> Output:
        """Run it in ``folder`` and return what it said, however it ended.

        Args:
            arguments: what follows the program's name.
            folder: where it is started.
            signal: ends it.
            max_bytes: how much it may print before it is ended.
            stdin: what it reads; None for nothing.
            take: gets what it prints, piece by piece and in a thread, while it goes on, and an empty piece at its end;
                None: it is returned.

        Raises:
            ToolError: it is not there or cannot be started.
        """
        if not self.is_there or self._program is None:
            raise ToolError("search needs ripgrep, which is missing; install Steersman again with its dependencies")
        try:
            process = _start(self._program, arguments, folder, has_stdin=stdin is not None)
        except OSError as error:
            raise ToolError(f"ripgrep cannot be started: {error.strerror or error}") from None
        return await _Conversation(process, max_bytes, take).hold(stdin, signal, self._max_seconds)


def _start(
    program: Path, arguments: Sequence[str | bytes], folder: Path, *, has_stdin: bool
) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # noqa: S603 - by absolute path
        [program, "--no-config", *arguments],
        cwd=folder,
        env={name: os.environ[name] for name in _KEPT_ENVIRONMENT if name in os.environ},
        stdin=subprocess.PIPE if has_stdin else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        bufsize=0,
    )


class _Conversation:
    """One running process, which never outlives this object's ``hold``.

    Threads of its own serve its pipes and wait for it: many times cheaper than the event loop, which wakes once here.

    Args:
        process: with unbuffered pipes.
        max_bytes: how much of what it prints is kept; it is ended when it prints more.
        take: gets what it prints; None: it is kept.
    """

    def __init__(self, process: subprocess.Popen[bytes], max_bytes: int, take: Callable[[bytes], None] | None) -> None:
        self._process = process
        self._max_bytes = max_bytes
        self._room = max_bytes
        self._pieces: list[bytes] = []
        self._take = take or self._pieces.append
        self._taking = threading.Lock()
        self._is_over = False
        self._failure: BaseException | None = None
        self._errors = bytearray()
        self._is_cut = False
        self._loop = asyncio.get_running_loop()
        self._ended = asyncio.Event()

    async def hold(self, stdin: bytes | None, signal: CancelSignal, max_seconds: float) -> Output:
        serving = [threading.Thread(target=self._read_errors, name="ripgrep-errors", daemon=True)]
        if stdin is not None:
            serving.append(threading.Thread(target=self._feed, args=(stdin,), name="ripgrep-input", daemon=True))
        threading.Thread(target=self._serve, args=(serving,), name="ripgrep", daemon=True).start()
        unsubscribe = signal.on_set(self._kill)
        late = False
        try:
            async with asyncio.timeout(max_seconds):
                await self._ended.wait()
        except TimeoutError:
            late = True
        finally:
            unsubscribe()
            if not self._ended.is_set():
                self._kill()
                with contextlib.suppress(TimeoutError):
                    await asyncio.wait_for(self._ended.wait(), _LAST_BYTES_SECONDS)
        with self._taking:
            self._is_over = True
        if self._failure is not None:
            raise self._failure
        is_ended_by_us = late or self._is_cut or signal.is_set
        return Output(
            b"".join(self._pieces),
            self._max_bytes - max(self._room, 0),
            self._errors.decode("utf-8", "replace").strip(),
            None if is_ended_by_us else self._process.returncode,
            self._is_cut,
            late,
            signal.is_set,
        )

    def _serve(self, others: Sequence[threading.Thread]) -> None:
        """Read what it prints until it has ended, then tell so."""
        try:
            for each in others:
                each.start()
            self._read()
            if self._is_cut:
                self._kill()
            self._process.wait()
            for each in others:
                each.join(_LAST_BYTES_SECONDS)
        except BaseException as error:  # noqa: BLE001 - raised where it is waited for
            self._failure = error
            self._kill()
            self._process.wait()
        finally:
            with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
                self._loop.call_soon_threadsafe(self._ended.set)

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as pipe:
            while (piece := pipe.read(_CHUNK_BYTES)) and not self._is_over:
                with self._taking:
                    self._take(piece[: self._room])
                self._room -= len(piece)
                if self._room < 0:
                    self._is_cut = True
                    return
            with self._taking:
                if not self._is_over:
                    self._take(b"")

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        with self._process.stderr as pipe:
            while piece := pipe.read(_CHUNK_BYTES):
                if len(self._errors) < _MAX_ERROR_BYTES:
                    self._errors += piece[: _MAX_ERROR_BYTES - len(self._errors)]

    def _feed(self, stdin: bytes) -> None:
        assert self._process.stdin is not None
        with contextlib.suppress(OSError), self._process.stdin as pipe:  # it may end before it has read everything
            view = memoryview(stdin)
            while view:
                view = view[pipe.write(view) :]

    def _kill(self) -> None:
        with contextlib.suppress(OSError):  # it has ended
            self._process.kill()
