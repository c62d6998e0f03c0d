"""What keeps protected paths away while commands run: it lasts as long as the last of them, and no longer (W7, W10)."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

import pytest

from steersman.agent.tool import ToolError
from steersman.sessions.oslock import try_lock
from steersman_tools.kit.leftovers import Leftover, LeftoverStore, usable_store
from steersman_tools.kit.scratch import Scratch
from support.confined import Ground, sandbox_works, tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no sandbox on Windows")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path.resolve() / "ws"
    made.mkdir()
    return made


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path.resolve())


def store(folder: Path) -> LeftoverStore:
    """One process' view of what all of them have noted."""
    return LeftoverStore(folder.parent / "state", try_lock)


def place(path: Path, text: str | None = None) -> Leftover:
    return Leftover("place", str(path), text)


def records(folder: Path) -> list[Path]:
    return list((folder.parent / "state").glob("*.record"))


OWNER = """
import os, sys
from pathlib import Path
from steersman.sessions.oslock import try_lock
from steersman_tools.kit.leftovers import Leftover, LeftoverStore, usable_store
wanted = [Leftover(*words) for words in eval(sys.argv[2])]
record = LeftoverStore(Path(sys.argv[1]), try_lock).begin(wanted)
for each in wanted:
    if each.kind != "place":
        Path(each.path).mkdir() if each.kind == "scratch" else Path(each.path).write_text("x")
print("made", flush=True)
sys.stdin.read()
"""


def owner(folder: Path, *wanted: Leftover) -> subprocess.Popen[str]:
    """Start another process that has made something, and would remove it if it were let."""
    words = repr([(each.kind, each.path, each.text) for each in wanted])
    argv = [sys.executable, "-c", OWNER, str(folder.parent / "state"), words]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "made\n"
    return process


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.communicate()


def test_a_place_is_there_until_its_record_ends(folder: Path):
    record = store(folder).begin([place(folder / ".git"), place(folder / "file", "text")])
    assert tree(folder) == {".git": "", "file": "text"}

    record.end()

    assert tree(folder) == {}
    assert records(folder) == []


def test_a_place_of_two_goes_with_the_last_of_them_whoever_made_it(folder: Path):
    first = store(folder).begin([place(folder / ".git")])
    second = store(folder).begin([place(folder / ".git")])

    first.end()
    assert (folder / ".git").is_dir()
    second.end()

    assert tree(folder) == {}


def test_a_place_that_was_taken_for_the_persons_own_folder_is_kept_as_well(folder: Path):
    """Another command makes it between a look at the folders and the start."""
    first = store(folder).begin([place(folder / ".git")])
    second = store(folder).begin([], shared=[folder / ".git"])

    first.end()
    assert (folder / ".git").is_dir()
    second.end()

    assert tree(folder) == {}


def test_the_persons_own_empty_folder_stays(folder: Path):
    (folder / ".git").mkdir()

    store(folder).begin([place(folder / ".git")], shared=[folder / ".git"]).end()

    assert (folder / ".git").is_dir()


@pytest.mark.parametrize("text", [None, "text"])
def test_a_place_that_somebody_made_use_of_stays(folder: Path, text: str | None):
    record = store(folder).begin([place(folder / "x", text)])
    (folder / "x" / "mine" if text is None else folder / "x").write_text("mine")

    record.end()

    assert "mine" in tree(folder).values()


def test_where_nobody_may_write_there_is_no_place(folder: Path):
    store(folder).begin([place(folder / "missing" / "x")]).end()

    assert tree(folder) == {}


def begin_and_end(there: LeftoverStore) -> None:
    there.begin([]).end()


@pytest.mark.parametrize("sweeps", [LeftoverStore.sweep, begin_and_end])
def test_what_a_killed_process_left_is_removed_by_the_next(folder: Path, sweeps: Callable[[LeftoverStore], None]):
    temporary = Leftover("temporary", str(folder / ".steersman-1.tmp"))
    process = owner(folder, place(folder / ".git"), place(folder / "c", ".\n"), temporary)
    sweeps(store(folder))
    assert tree(folder).keys() == {".git", "c", ".steersman-1.tmp"}

    kill(process)
    sweeps(store(folder))

    assert tree(folder) == {}
    assert records(folder) == []


def test_a_killed_process_scratch_folder_is_removed_by_a_sweep_and_keeps_nobody_waiting(folder: Path):
    scratch = Leftover("scratch", str(folder / "steersman-1"))
    process = owner(folder, place(folder / ".git"), scratch)
    store(folder).sweep()
    assert tree(folder).keys() == {".git", "steersman-1"}

    kill(process)
    begin_and_end(store(folder))
    assert tree(folder).keys() == {"steersman-1"}
    store(folder).sweep()

    assert tree(folder) == {}
    assert records(folder) == []


def test_where_nothing_can_be_noted_all_processes_of_the_person_note_it_elsewhere(
    monkeypatch: pytest.MonkeyPatch, folder: Path
):
    monkeypatch.setattr(tempfile, "tempdir", str(folder.parent))
    (folder.parent / "state").write_text("a file")
    first, second = usable_store(folder.parent / "state", try_lock), usable_store(folder.parent / "state", try_lock)

    one, two = first.begin([place(folder / ".git")]), second.begin([place(folder / ".git")])
    one.end()
    assert (folder / ".git").is_dir()
    two.end()

    assert tree(folder) == {}


def test_what_is_noted_elsewhere_is_not_noted_in_what_somebody_else_has_put_there(
    monkeypatch: pytest.MonkeyPatch, folder: Path
):
    monkeypatch.setattr(tempfile, "tempdir", str(folder.parent))
    (folder.parent / "state").write_text("a file")
    (folder.parent / f"steersman-leftovers-{os.getuid()}").symlink_to(folder)

    with pytest.raises(OSError):
        usable_store(folder.parent / "state", try_lock).begin([place(folder / ".git")])

    assert tree(folder) == {}


def test_a_killed_process_takes_no_place_from_one_that_lives(folder: Path):
    process = owner(folder, place(folder / ".git"))
    record = store(folder).begin([place(folder / ".git")])

    kill(process)
    store(folder).sweep()
    assert (folder / ".git").is_dir()
    record.end()

    assert tree(folder) == {}


def test_a_file_that_was_set_aside_gets_its_name_back(folder: Path):
    process = owner(folder, Leftover("aside", str(folder / ".steersman-2.tmp"), str(folder / "file")))
    kill(process)

    store(folder).sweep()

    assert tree(folder) == {"file": "x"}


def test_nothing_but_a_scratch_folder_is_removed_with_all_that_is_in_it(folder: Path):
    process = owner(folder, Leftover("scratch", str(folder / "precious")))
    kill(process)

    store(folder).sweep()

    assert (folder / "precious").is_dir()


@pytest.mark.parametrize("line", ["", "[", "[]", '["place", 1, null]', '["other", "/x", null]', '["place", "x", null]'])
def test_a_record_that_makes_no_sense_does_no_harm(folder: Path, line: str):
    store(folder).begin([]).end()
    (folder.parent / "state" / "odd.record").write_text(line)

    store(folder).sweep()

    assert records(folder) == []


def test_a_place_that_cannot_be_made_for_another_reason_is_an_error_and_nothing_stays(folder: Path):
    """It is not that nobody may: a name may be too long, a disk full."""
    with pytest.raises(OSError):
        store(folder).begin([place(folder / ".git"), place(folder / ("x" * 300))])

    assert tree(folder) == {}
    assert records(folder) == []


def test_a_state_folder_that_cannot_be_written_to_is_an_error_before_anything_is_made(folder: Path):
    (folder.parent / "state").write_text("a file")

    with pytest.raises(OSError):
        store(folder).begin([place(folder / ".git")])

    assert tree(folder) == {}


def test_one_who_keeps_the_lock_for_too_long_is_an_error(folder: Path):
    waited: list[float] = []
    there = LeftoverStore(folder.parent / "state", try_lock, pause=waited.append)

    with there.alone(), pytest.raises(TimeoutError):
        there.begin([place(folder / ".git")])

    assert sum(waited) > 1


async def test_of_two_commands_the_first_to_end_does_not_lift_the_hold_of_the_other(ground: Ground):
    """The very attack: a late program writes where the first command's places were."""
    late = (
        "import os\n"
        "for path in ('.vscode/tasks.json', '.git/config', '.idea/x', '.steersman/config.toml'):\n"
        "    try:\n"
        "        os.makedirs(os.path.dirname(path), exist_ok=True); open(path, 'w').write('EVIL')\n"
        "    except OSError: pass\n"
    )
    (ground.root / "late.py").write_text(late)
    early, later = ground.commands(), ground.commands()
    if await sandbox_works(early):
        started = asyncio.Event()
        later.on_print = lambda text: started.set() if "ready" in text else None
        second = asyncio.create_task(later.run("echo ready; until test -e go; do sleep 0.01; done; python3 late.py"))
        await started.wait()
        first = await early.run("true")
        (ground.root / "go").write_text("")
        result = await second

        assert (first.content, result.content) == ("Exit code 0, and printed nothing.", "Exit code 0:\nready")
        assert tree(ground.root).keys() == {"go", "late.py"}


async def test_a_command_clears_up_after_a_server_that_was_killed_and_says_nothing_of_it(ground: Ground):
    commands = ground.commands()
    if await sandbox_works(commands):
        argv = [
            sys.executable,
            "-c",
            OWNER,
            str(ground.state / "leftovers"),
            repr([("place", str(ground.root / ".git"), None)]),
        ]
        process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert process.stdout is not None
        process.stdout.readline()
        kill(process)
        assert (ground.root / ".git").is_dir()

        result = await commands.run("true")

        assert result.content == "Exit code 0, and printed nothing."
        assert tree(ground.root) == {}


async def test_cancelling_while_a_command_begins_leaves_nothing(ground: Ground):
    commands = ground.commands()
    if await sandbox_works(commands):
        running = asyncio.create_task(commands.run("sleep 600"))
        while not list(ground.root.iterdir()):
            await asyncio.sleep(0)
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running

        assert tree(ground.root) == {}


async def test_a_state_folder_that_cannot_be_written_to_is_told_and_no_command_runs(ground: Ground):
    commands = ground.commands(scratch=ground.folder / "scratch")
    if await sandbox_works(commands):
        (ground.state / "leftovers").write_text("a file")

        with pytest.raises(ToolError, match="was not started"):
            await commands.run("touch made")

        assert tree(ground.root) == {}


def test_without_a_place_for_temporary_files_it_is_said_what_to_do(monkeypatch: pytest.MonkeyPatch, folder: Path):
    monkeypatch.setattr(tempfile, "tempdir", str(folder / "missing"))

    with pytest.raises(ToolError, match="TMPDIR"):
        Scratch(None, store(folder)).folder()


def test_where_the_system_finds_no_folder_for_temporary_files_it_is_said_too(
    monkeypatch: pytest.MonkeyPatch, folder: Path
):
    def none() -> str:
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr(tempfile, "gettempdir", none)

    with pytest.raises(ToolError, match="No usable temporary directory"):
        Scratch(None, None).folder()


def test_a_scratch_folder_goes_with_the_process_that_was_killed(folder: Path):
    script = (
        "import sys, tempfile\nfrom pathlib import Path\n"
        "from steersman.sessions.oslock import try_lock\n"
        "from steersman_tools.kit.leftovers import LeftoverStore\n"
        "from steersman_tools.kit.scratch import Scratch\n"
        "tempfile.tempdir = sys.argv[2]\n"
        "scratch = Scratch(None, LeftoverStore(Path(sys.argv[1]), try_lock))\n"
        "print(scratch.folder(), flush=True)\nsys.stdin.read()"
    )
    argv = [sys.executable, "-c", script, str(folder.parent / "state"), str(folder)]
    process = subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    made = Path(process.stdout.readline().strip())
    (made / "tmp" / "file").write_text("x")
    kill(process)

    store(folder).sweep()

    assert tree(folder) == {}
