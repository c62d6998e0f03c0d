"""Finding and searching beside ripgrep, listing, reading and editing beside plain Python (DESIGN §9: within 1.5 times).

On a tree of 100,000 files, and on this repository. Every call goes the whole way that the loop goes: arguments checked,
prepared, run, and the answer put into words.
"""

from __future__ import annotations

import asyncio
import os
import subprocess
import tempfile
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path

from benchmarks.rows import Row, Suite, ratio_at_most
from benchmarks.timing import Pair, in_turn
from steersman_tools.edit_file import EditFile
from steersman_tools.kit.ripgrep import find_ripgrep
from steersman_tools.kit.seen import SeenTexts
from support.reading import Reading, call

REPOSITORY = Path(__file__).parents[2]
TIGHT = ratio_at_most(1.5)


def grow(root: Path, folders: int = 2000, files: int = 50) -> None:
    """Make a tree of small Python files."""
    for folder in range(folders):
        place = root / f"d{folder // 20:03}" / f"s{folder % 20:02}"
        place.mkdir(parents=True)
        for number in range(files):
            (place / f"file{number:02}.py").write_text(
                f"import os\n\n\ndef f_{folder}_{number}():\n    return {number}\n"
            )
    (root / ".gitignore").write_text("*.pyc\nnode_modules/\n/dist/\n")


def ripgrep(root: Path, *arguments: str) -> Callable[[], None]:
    """Return what runs ripgrep itself and reads all that it writes."""
    program = find_ripgrep()
    assert program is not None
    command = [str(program), "--no-config", "--hidden", "--no-require-git", "-g", "!.git", *arguments, "./"]

    def run() -> None:
        subprocess.run(command, cwd=root, stdout=subprocess.PIPE, check=False)

    return run


async def beside(name: str, ours: Callable[[], Awaitable[object]], floor: Callable[[], object], rounds: int) -> Row:
    """Measure one row."""
    pair = await in_turn(ours, floor, rounds)
    return Row(name, pair.ours, pair.floor, target=TIGHT)


def tree_rows(root: Path) -> Iterator[Row]:
    """Find and search 100,000 files."""
    grow(root)
    reading = Reading(root)
    cases: list[tuple[str, Callable[[], Awaitable[object]], tuple[str, ...]]] = [
        ("find *.py (100,000 found)", lambda: reading.find("*.py"), ("--files", "-g", "*.py")),
        ("find file25.py (2,000 found)", lambda: reading.find("file25.py"), ("--files", "-g", "file25.py")),
        ("search, one match", lambda: reading.grep("f_1000_25("), ("-nF", "f_1000_25(")),
        ("search, 100,000 matches", lambda: reading.grep("import os"), ("-nF", "import os")),
        (
            "search in *.py, one match",
            lambda: reading.grep("f_1000_25(", glob="*.py"),
            ("-nF", "-g", "*.py", "f_1000_25("),
        ),
    ]
    for name, ours, arguments in cases:
        yield asyncio.run(beside(f"100,000 files: {name}", ours, ripgrep(root, *arguments), 3))


def repository_rows() -> Iterator[Row]:
    """Find, search and list this repository."""
    reading = Reading(REPOSITORY)
    find = beside("this repository: find *.py", lambda: reading.find("*.py"), _rg("--files", "-g", "*.py"), 15)
    yield asyncio.run(find)
    search = beside("this repository: search, many matches", lambda: reading.grep("def "), _rg("-nF", "def "), 15)
    yield asyncio.run(search)
    rare = beside(
        "this repository: search, few matches", lambda: reading.grep("def grow("), _rg("-nF", "def grow("), 15
    )
    yield asyncio.run(rare)


def _rg(*arguments: str) -> Callable[[], None]:
    return ripgrep(REPOSITORY, *arguments)


def plain_rows(root: Path) -> Iterator[Row]:
    """List and read beside plain Python; told, not judged: the answer's words cost more than the system's calls."""
    reading = Reading(root)
    many = root / "many"
    many.mkdir()
    for number in range(1000):
        (many / f"file{number:04}.txt").write_text("x\n")
    listing = asyncio.run(
        in_turn(lambda: reading.list("many"), lambda: sorted(entry.name for entry in os.scandir(many)), 25)
    )
    yield Row("list a folder of 1,000 beside os.scandir", listing.ours, listing.floor)
    for size, name in ((1_000, "1 kB"), (1_000_000, "1 MB")):
        path = _lines(root / f"read{size}.txt", size)
        pair = asyncio.run(in_turn(lambda path=path: reading.read(path.name), path.read_bytes, 25))
        yield Row(f"read_file, {name}, beside read_bytes", pair.ours, pair.floor)


def edit_rows(root: Path) -> Iterator[Row]:
    """Edit beside plain Python doing the same: read, replace, write a new one, sync it, rename it over the old, sync the folder."""
    reading = Reading(root)
    tool = EditFile(reading.workspace, SeenTexts())
    for size, name in ((1_000, "1 kB"), (1_000_000, "1 MB")):
        for synced, more, target in ((True, "", TIGHT), (False, ", the floor not synced", None)):
            pair = asyncio.run(_edit(tool, _lines(root / f"edit{size}.txt", size), synced=synced))
            yield Row(f"edit_file, {name}{more}", pair.ours, pair.floor, target=target)


async def _edit(tool: EditFile, path: Path, *, synced: bool) -> Pair:
    original, marks = path.read_bytes(), ("line 7 of", "LINE SEVEN of")

    def plain() -> None:
        beside_it = path.with_suffix(".new")
        with beside_it.open("wb") as file:
            file.write(path.read_bytes().replace(marks[0].encode(), marks[1].encode(), 1))
            file.flush()
            if synced:
                os.fsync(file.fileno())
        beside_it.replace(path)
        if synced and os.name != "nt":
            folder = os.open(path.parent, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def ours() -> Awaitable[object]:
        return call(tool, path=path.name, old_text=marks[0], new_text=marks[1])

    return await in_turn(ours, plain, 25, prepare=lambda: path.write_bytes(original))


def _lines(path: Path, size: int) -> Path:
    text = "".join(f"line {number} of a text that somebody wrote\n" for number in range(size // 38 + 1))
    path.write_bytes(text.encode()[:size])
    return path


def rows() -> Iterator[Row]:
    """Measure all of it."""
    yield from repository_rows()
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder).resolve()
        yield from plain_rows(root)
        yield from edit_rows(root)
    with tempfile.TemporaryDirectory() as folder:
        yield from tree_rows(Path(folder).resolve())


SUITE = Suite("reading", "Search, list, read, edit", "ripgrep; plain Python doing the same", rows)
