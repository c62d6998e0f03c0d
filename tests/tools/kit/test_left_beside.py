"""A process that is killed in the middle of a change leaves no file of its own, once the next one works (W2, W6)."""

import subprocess
import sys
from pathlib import Path

import pytest

from steersman.agent.changes import Change, text_digest
from steersman.sessions.oslock import try_lock
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.leftovers import LeftoverStore
from steersman_tools.kit.workspace import NotesLeftovers, Root
from support.confined import tree

_KILLED = """
import asyncio, os, signal, sys
from pathlib import Path
from steersman.agent.changes import Change, text_digest
from steersman.sessions.oslock import try_lock
from steersman_tools.kit import staging, steps
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.leftovers import LeftoverStore
from steersman_tools.kit.workspace import Root, Snapshot

folder, moment = Path(sys.argv[1]), sys.argv[2]
kit = DiskWorkspace([Root("ws", folder)])
kit.note_in(lambda: LeftoverStore(folder.parent / "leftovers", try_lock))

def die(*_):
    os.kill(os.getpid(), signal.SIGKILL)

async def main():
    if moment == "written beside":
        steps.WriteStep.do = die
        await kit.apply([Change(str(folder / "a"), "edit", text_digest("old"), "old", "new")], label="")
    elif moment == "set aside":
        steps.DeleteStep.finish = die
        await kit.apply([Change(str(folder / "a"), "delete", text_digest("old"), "old", None)], label="")
    elif moment == "put back":
        from steersman_tools.kit import rewinding
        rewinding.replace = die
        await kit.restore(Snapshot(str(folder / "a"), b"new", None, None), None)

asyncio.run(main())
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "ws"
    made.mkdir()
    (made / "a").write_text("old")
    return made


def store(folder: Path) -> LeftoverStore:
    return LeftoverStore(folder.parent / "leftovers", try_lock)


def workspace(folder: Path) -> DiskWorkspace:
    kit = DiskWorkspace([Root("ws", folder)])
    kit.note_in(lambda: store(folder))
    return kit


@pytest.mark.skipif(sys.platform == "win32", reason="nothing is killed by a signal there")
@pytest.mark.parametrize("moment", ["written beside", "set aside", "put back"])
async def test_the_next_change_removes_what_a_killed_process_left(folder: Path, moment: str):
    killed = subprocess.run([sys.executable, "-c", _KILLED, str(folder), moment], capture_output=True, check=False)
    assert killed.returncode < 0, killed.stderr
    assert any(name.startswith(".steersman-") for name in tree(folder))

    await workspace(folder).apply([Change(str(folder / "b"), "create", None, None, "b")], label="")

    assert tree(folder) == {"a": "old", "b": "b"}
    assert list((folder.parent / "leftovers").glob("*.record")) == []


async def test_changes_are_made_and_nothing_stays_noted(folder: Path):
    kit = workspace(folder)
    (folder / "c").write_text("c")
    digest = text_digest("old")
    changes = [
        Change(str(folder / "a"), "edit", digest, "old", "new"),
        Change(str(folder / "b"), "create", None, None, "b"),
        Change(str(folder / "c"), "delete", text_digest("c"), "c", None),
    ]

    await kit.apply(changes, label="")

    assert tree(folder) == {"a": "new", "b": "b"}
    assert list((folder.parent / "leftovers").glob("*.record")) == []


async def test_a_change_is_made_also_where_nothing_can_be_noted(folder: Path):
    (folder.parent / "leftovers").write_text("a file")

    await workspace(folder).apply([Change(str(folder / "b"), "create", None, None, "b")], label="")

    assert tree(folder) == {"a": "old", "b": "b"}


def test_the_disk_is_a_workspace_that_notes(folder: Path):
    assert isinstance(workspace(folder), NotesLeftovers)
