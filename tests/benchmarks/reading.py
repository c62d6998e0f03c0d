"""Listing and searching beside ripgrep itself on 100,000 files (DESIGN §9: within 1.5 times). Prints a table."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from steersman_tools.kit.ripgrep import find_ripgrep
from support.reading import Reading

_ROUNDS = 5


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


def best_of_ripgrep(root: Path, *arguments: str) -> float:
    """Return ripgrep's own best time, in seconds."""
    program = find_ripgrep()
    assert program is not None
    command = [str(program), "--no-config", "--hidden", "--no-require-git", "-g", "!.git", *arguments, "./"]
    times: list[float] = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        subprocess.run(command, cwd=root, stdout=subprocess.DEVNULL, check=False)
        times.append(time.perf_counter() - start)
    return min(times)


async def best_of_ours(call: Callable[[], Awaitable[object]]) -> float:
    """Return our best time, in seconds."""
    times: list[float] = []
    for _ in range(_ROUNDS):
        start = time.perf_counter()
        await call()
        times.append(time.perf_counter() - start)
    return min(times)


async def compare(root: Path) -> list[tuple[str, float, float]]:
    """Return how long each takes: (what, ours, ripgrep's), in seconds."""
    reading = Reading(root)
    cases: list[tuple[str, float, Callable[[], Awaitable[object]]]] = [
        ("find *.py (100,000)", best_of_ripgrep(root, "--files"), lambda: reading.find("*.py")),
        (
            "find file25.py (2,000)",
            best_of_ripgrep(root, "--files", "-g", "file25.py"),
            lambda: reading.find("file25.py"),
        ),
        ("search, few matches", best_of_ripgrep(root, "-nF", "f_1000_25("), lambda: reading.grep("f_1000_25(")),
        ("search, 100,000 matches", best_of_ripgrep(root, "-nF", "import os"), lambda: reading.grep("import os")),
        (
            "search in *.py",
            best_of_ripgrep(root, "-nF", "-g", "*.py", "f_1000_25("),
            lambda: reading.grep("f_1000_25(", glob="*.py"),
        ),
    ]
    return [(name, await best_of_ours(call), theirs) for name, theirs, call in cases]


def main() -> None:
    """Grow the tree and compare."""
    with tempfile.TemporaryDirectory() as folder:
        root = Path(folder)
        grow(root)
        for name, ours, theirs in asyncio.run(compare(root)):
            print(f"{name:26} ripgrep {theirs:6.3f} s   ours {ours:6.3f} s   {ours / theirs:4.2f} x")


if __name__ == "__main__":
    main()
