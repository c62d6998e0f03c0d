"""A process that is killed in a search of unsaved documents leaves none of their texts, once the next one works."""

import os
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest

from steersman.sessions.oslock import try_lock
from steersman.toolbox import CommandSettings, Toolbox
from steersman_tools.kit.leftovers import LeftoverStore
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Root
from support.confined import tree
from support.reading import EditorWorkspace, call

_KILLED = """
import asyncio, os, signal, sys, tempfile
from pathlib import Path
from steersman_tools.kit.ripgrep import Ripgrep
from test_laid_out_killed import search_many

tempfile.tempdir = sys.argv[2]
searched = Ripgrep.run

async def run(self, arguments, *, folder, **options):
    if "--text" in arguments:  # the texts are there, and a program reads them
        print(folder, flush=True)
        os.kill(os.getpid(), signal.SIGKILL)
    return await searched(self, arguments, folder=folder, **options)

Ripgrep.run = run
asyncio.run(search_many(Path(sys.argv[1])))
"""


async def search_many(base: Path) -> str:
    """Search twenty unsaved documents as a run does; return what was found."""
    folder = base / "ws"
    workspace = EditorWorkspace([Root("ws", folder)], {folder / f"m{number}.py": "typed\n" for number in range(20)})
    toolbox = Toolbox(CommandSettings(os.environ, leftovers=base / "state" / "leftovers"))
    tools = toolbox.make_tools(workspace, SeenTexts(), read_only=lambda: True)
    return (await call(next(tool for tool in tools if tool.name == "search"), pattern="typed")).content


@pytest.fixture
def base(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    made = tmp_path.resolve()
    for name in ("ws", "state", "temporary"):
        (made / name).mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(made / "temporary"))
    return made


@pytest.fixture
def left(base: Path) -> Path:
    """The folder of a killed process with the texts in it."""
    paths = os.pathsep.join([str(Path(__file__).parent), str(Path(__file__).parent.parent)])
    done = subprocess.run(
        [sys.executable, "-c", _KILLED, str(base), str(base / "temporary")],
        env={**os.environ, "PYTHONPATH": paths},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == -signal.SIGKILL, done.stderr
    folder = Path(done.stdout.strip())
    assert folder.parent == base / "temporary"
    assert len(list(folder.iterdir())) == 20
    return folder


async def test_the_next_search_of_unsaved_documents_removes_them(base: Path, left: Path) -> None:
    assert "[20 matching lines in 20 files]" in await search_many(base)
    assert tree(base / "temporary") == {}


def test_so_does_whoever_clears_up_before_a_command(base: Path, left: Path) -> None:
    LeftoverStore(base / "state" / "leftovers", try_lock).sweep()
    assert tree(base / "temporary") == {}
    assert not list((base / "state" / "leftovers").glob("*.record"))


async def test_a_search_whose_texts_nobody_can_note_is_made_all_the_same(base: Path) -> None:
    (base / "state" / "leftovers").write_text("a file")
    assert "[20 matching lines in 20 files]" in await search_many(base)
    assert not [name for name in tree(base / "temporary") if not name.startswith("steersman-leftovers-")]
