"""Running one command to its end, or ending it: output as it comes, a time limit, no waiting for children (W10).

Whatever happens, also when the caller is cancelled, nothing of the group is left running that did not ask to stay.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, cast

from steersman.agent.cancel import CancelSignal
from steersman_tools.kit.process_group import ProcessGroups, start_process

Sleep: TypeAlias = Callable[[float], Awaitable[None]]

_DRAIN_S = 0.3
GRACE_S = 2.0
"""Seconds between TERM and KILL."""
_LOOK_S = 0.02
_KILLED_S = 5.0


@dataclass(frozen=True, slots=True)
class Ended:
    """How a command ended.

    Attributes:
        why: by itself, or because of the time limit or the run's end.
        code: its exit code; negative for the signal that ended it.
        held: something it left in the background held its output, and was ended.
        runs_on: something it left in the background is still running.
    """

    why: Literal["exit", "timeout", "cancelled"]
    code: int
    held: bool = False
    runs_on: bool = False


@dataclass(frozen=True, slots=True)
class Launch:
    """What is to be started.

    Attributes:
        argv: program and arguments.
        folder: absolute path it starts in.
        environment: all of it.
        timeout_s: how long it may take.
        is_wrapped: the leader is a sandbox whose end kills what it holds at once, so it is not asked itself.
    """

    argv: Sequence[str]
    folder: str
    environment: Mapping[str, str]
    timeout_s: float
    is_wrapped: bool = False


class _Output(asyncio.SubprocessProtocol):
    def __init__(self, take: Callable[[bytes], None]) -> None:
        self._take = take
        loop = asyncio.get_running_loop()
        self.exited: asyncio.Future[None] = loop.create_future()
        self.closed: asyncio.Future[None] = loop.create_future()

    def pipe_data_received(self, fd: int, data: bytes | str) -> None:
        self._take(cast("bytes", data))

    def pipe_connection_lost(self, fd: int, exc: Exception | None) -> None:
        if not self.closed.done():
            self.closed.set_result(None)

    def process_exited(self) -> None:
        if not self.exited.done():
            self.exited.set_result(None)


async def run_process(
    launch: Launch,
    take: Callable[[bytes], None],
    signal: CancelSignal,
    groups: ProcessGroups,
    *,
    sleep: Sleep = asyncio.sleep,
) -> Ended:
    """Run a command and return how it ended; every byte of its output was given to ``take`` by then.

    Raises:
        OSError: it cannot be started.
    """
    output = _Output(take)
    transport = await _started(launch, output, groups)
    process = _Process(transport, output, groups, sleep, launch.is_wrapped)
    try:
        why = await process.wait(signal, launch.timeout_s)
        if why != "exit":
            await process.end()
            return Ended(why, process.code)
        held = not await process.drained(_DRAIN_S)
        if held:
            await process.end()
        return Ended(why, process.code, held, await process.runs_on())
    except BaseException:  # cancelled from outside: nothing of it may stay
        await process.kill()
        raise
    finally:
        transport.close()


async def _started(launch: Launch, output: _Output, groups: ProcessGroups) -> asyncio.SubprocessTransport:
    """Start the process. A start that is cancelled half-way is waited for: asyncio would hang, or lose the process."""
    starting = asyncio.ensure_future(
        start_process(output, launch.argv, folder=launch.folder, environment=launch.environment, groups=groups)
    )
    try:
        return await asyncio.shield(starting)
    except asyncio.CancelledError:
        await asyncio.wait({starting})
        if starting.exception() is None:
            transport = starting.result()
            groups.kill(transport.get_pid())
            await asyncio.wait({output.exited}, timeout=_KILLED_S)
            transport.close()
        raise


class _Process:
    def __init__(
        self,
        transport: asyncio.SubprocessTransport,
        output: _Output,
        groups: ProcessGroups,
        sleep: Sleep,
        is_wrapped: bool,
    ) -> None:
        self._transport = transport
        self._output = output
        self._groups = groups
        self._sleep = sleep
        self._is_wrapped = is_wrapped
        self.pid = transport.get_pid()

    @property
    def code(self) -> int:
        code = self._transport.get_returncode()
        return -1 if code is None else code

    async def wait(self, signal: CancelSignal, timeout_s: float) -> Literal["exit", "timeout", "cancelled"]:
        """Wait for the exit, the time limit or the signal, whichever comes first."""
        cancelled = asyncio.ensure_future(signal.wait())
        late = asyncio.ensure_future(self._sleep(timeout_s))
        try:
            await asyncio.wait({self._output.exited, cancelled, late}, return_when=asyncio.FIRST_COMPLETED)
        finally:
            cancelled.cancel()
            late.cancel()
        if self._output.exited.done():
            return "exit"
        return "cancelled" if signal.is_set else "timeout"

    async def end(self) -> None:
        """End the whole group: TERM, a moment to tidy up, KILL; then take what it still had to say."""
        await self._within(GRACE_S, self._asked_and_gone())
        self._groups.kill(self.pid)
        await asyncio.wait({self._output.exited})
        await self.drained(_DRAIN_S)

    async def kill(self) -> None:
        """End the whole group at once, and wait until its leader is gone."""
        self._groups.kill(self.pid)
        await asyncio.wait({self._output.exited}, timeout=_KILLED_S)

    async def drained(self, seconds: float) -> bool:
        """Whether the output is closed within the time, so that nothing more can come."""
        return await self._within(seconds, asyncio.shield(self._output.closed))

    async def runs_on(self) -> bool:
        """Whether something of the group stays; a sandbox takes all it holds with it."""
        if self._is_wrapped or not self._groups.is_alive(self.pid):
            return False
        await self._sleep(_LOOK_S)  # the other end of a pipe may just be ending
        return self._groups.is_alive(self.pid)

    async def _asked_and_gone(self) -> None:
        if self._is_wrapped:
            await self._asked_within()
            return  # the leader's end was the end of all
        self._groups.terminate(self.pid)
        await asyncio.wait({self._output.exited})  # must not be cancelled with this waiting
        while self._groups.is_alive(self.pid):
            await self._sleep(_LOOK_S)

    async def _asked_within(self) -> None:
        """Ask again and again, whoever is new: a sandbox may still be making what the first look did not see."""
        asked: Collection[int] = ()
        while not self._output.exited.done():
            asked = self._groups.terminate_within(self.pid, asked)
            await asyncio.wait({self._output.exited}, timeout=_LOOK_S)

    async def _within(self, seconds: float, wanted: Awaitable[None]) -> bool:
        done = asyncio.ensure_future(wanted)
        late = asyncio.ensure_future(self._sleep(seconds))
        try:
            await asyncio.wait({done, late}, return_when=asyncio.FIRST_COMPLETED)
            return done.done()
        finally:
            done.cancel()
            late.cancel()
