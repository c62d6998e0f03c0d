"""Killed at any moment of many changes, each file is wholly the old or wholly the new one (DESIGN W2)."""

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.storm

_WRITER = """
import asyncio, sys
from pathlib import Path
from steersman.agent.changes import Change, text_digest
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.workspace import Root

def text(number, name):
    return f"{name} {number}\\n" * 20_000

async def main():
    folder = Path(sys.argv[1])
    kit = DiskWorkspace([Root("ws", folder)])
    names = ("a", "b")
    for number in range(1_000_000):
        before = {name: (await kit.read(kit.locate(name))).text for name in names}
        changes = [Change(str(folder / name), "edit", text_digest(old), old, text(number, name)) for name, old in before.items()]
        print(number, flush=True)
        await kit.apply(changes, label="")

asyncio.run(main())
"""


def test_no_file_is_ever_torn(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).write_text(f"{name} 0\n" * 20_000)
    for kill in range(40):
        writer = subprocess.Popen([sys.executable, "-c", _WRITER, str(tmp_path)], stdout=subprocess.PIPE)
        assert writer.stdout is not None
        for _ in range(1 + kill % 7):
            writer.stdout.readline()
        writer.kill()
        writer.wait()
        writer.stdout.close()
        for name in ("a", "b"):
            lines = (tmp_path / name).read_text().splitlines()
            assert len(lines) == 20_000
            assert len(set(lines)) == 1
    left = {path.name for path in tmp_path.iterdir()} - {"a", "b"}
    assert all(name.startswith(".steersman-") and name.endswith(".tmp") for name in left)
