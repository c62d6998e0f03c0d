"""Commands are ended at once, also those that a sandbox is only about to start (W10)."""

from __future__ import annotations

import asyncio
import os
import sys
from collections.abc import Collection
from pathlib import Path

import pytest

from steersman.agent.cancel import CancelSignal
from steersman_tools.kit.command_runner import GRACE_S, Launch, run_process
from steersman_tools.kit.process_group import PosixGroups

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell")

LATE_SANDBOX = "until [ -e go ]; do :; done; sleep 600; echo tidied"


class Watched(PosixGroups):
    """Lets the sandbox start its command only when the group was asked to end once; counts who was asked how often."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self.times: dict[int, int] = {}

    def terminate_within(self, leader: int, asked: Collection[int]) -> Collection[int]:
        by_now = super().terminate_within(leader, asked)
        for member in set(by_now) - {leader, *asked}:
            self.times[member] = self.times.get(member, 0) + 1
        (self._folder / "go").touch()
        return by_now


async def no_grace(seconds: float) -> None:
    """Let the time between TERM and KILL never be over."""
    if seconds == GRACE_S:
        await asyncio.Event().wait()
    await asyncio.sleep(seconds)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux shows who belongs to a group")
async def test_what_a_sandbox_starts_after_the_first_look_is_asked_to_end_too(tmp_path: Path) -> None:
    signal, printed, groups = CancelSignal(), bytearray(), Watched(tmp_path)
    signal.set()
    launch = Launch(["/bin/sh", "-c", LATE_SANDBOX], str(tmp_path), dict(os.environ), 600.0, is_wrapped=True)

    ended = await run_process(launch, printed.extend, signal, groups, sleep=no_grace)

    assert ended.why == "cancelled"
    assert printed.endswith(b"tidied\n")
    assert set(groups.times.values()) == {1}
