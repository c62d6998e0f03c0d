"""Hundreds of commands ended at any moment: none leaves a process, a file descriptor or a folder behind (W10)."""

from __future__ import annotations

import asyncio
import random
import sys
from pathlib import Path

import pytest

from steersman_tools.kit.process_group import PosixGroups
from steersman_tools.kit.sandbox_probe import SandboxProbe
from support.running_commands import Commands, no_sandbox

pytestmark = [
    pytest.mark.storm,
    pytest.mark.skipif(sys.platform == "win32", reason="the commands are for a POSIX shell"),
]

COMMANDS = (
    "echo $$ > pid; sleep 600",
    "echo $$ > pid; sleep 600 & sleep 600 | sleep 600",
    "echo $$ > pid; trap '' TERM; while :; do sleep 0.01; done",
    "echo $$ > pid; trap 'echo bye; exit' TERM; while :; do sleep 0.01; done",
    "echo $$ > pid; yes",
    "echo $$ > pid; yes > /dev/null & wait",
    "echo $$ > pid; exit 3",
    "echo $$ > pid; (sleep 600; echo late) & echo out",
    "echo $$ > pid; head -c 1000000 /dev/zero",
)


def open_files() -> int:
    return len(list(Path("/dev/fd").iterdir()))


@pytest.mark.parametrize("sandboxed", [False, True])
async def test_commands_ended_at_any_moment_leave_nothing(tmp_path: Path, sandboxed: bool):
    dice = random.Random(20)
    folder = tmp_path.resolve()
    (folder / "keep").touch()
    groups = PosixGroups()
    probe = SandboxProbe() if sandboxed else no_sandbox()
    await Commands(folder, probe).run("true")
    before = open_files()
    for _ in range(150):
        commands = Commands(folder, probe, hurry=True)
        running = asyncio.create_task(commands.run(dice.choice(COMMANDS)))
        await asyncio.sleep(dice.random() ** 3 * 0.3)
        dice.choice([commands.signal.set, commands.late.set, running.cancel])()
        await asyncio.wait({running}, timeout=60)

        assert running.done()
        pid = folder / "pid"
        if not sandboxed and pid.exists() and (number := pid.read_text().strip()):
            async with asyncio.timeout(30):
                while groups.is_alive(int(number)):
                    await asyncio.sleep(0.01)
        pid.unlink(missing_ok=True)
    await asyncio.sleep(0.2)

    assert open_files() <= before + 2
    assert [path.name for path in folder.iterdir()] == ["keep"]
