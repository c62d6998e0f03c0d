"""Trees and files as large as people have them: bounded, whole, and in clear words (DESIGN W9; reports 16, 19)."""

import os
import re
from pathlib import Path

import pytest

from steersman.agent.tool import ToolError
from support.reading import Reading, plant

pytestmark = pytest.mark.storm


@pytest.fixture(scope="module")
def forest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """100,000 files in 2,000 folders."""
    root = tmp_path_factory.mktemp("forest")
    for outer in range(100):
        for inner in range(20):
            folder = root / f"d{outer:03}" / f"s{inner:02}"
            folder.mkdir(parents=True)
            for number in range(50):
                (folder / f"f{number:02}.py").write_text(f"def f_{outer}_{inner}_{number}():\n    return {number}\n")
    return root


async def test_a_hundred_thousand_files_are_found_and_searched(forest: Path) -> None:
    reading = Reading(forest)

    assert (await reading.find("*.py", limit=3))[
        -1
    ] == "[the first 3 of 100,000; make the pattern narrower, or raise limit]"
    assert await reading.find("d007/**/f49.py", limit=1) == [
        "d007/s00/f49.py",
        "[the first 1 of 20; make the pattern narrower, or raise limit]",
    ]
    assert await reading.grep("f_50_10_25(") == "d050/s10/f25.py\n  1: def f_50_10_25():\n[1 matching line in 1 file]"
    flood = await reading.grep("return", limit=1)  # its end is not looked at, and that is said
    assert "[1 of at least " in flood
    assert flood.endswith("[stopped before the end: there are very many]")
    assert "[1 of 2,000 matching lines" in await reading.grep("return", limit=1, glob="**/s*/f00.py")
    assert len(await reading.list(depth=3)) == 501
    with pytest.raises(ToolError, match=r"did you mean d000/s00/f01\.py"):
        await reading.read("d000/s00/f01.pyx")


async def test_a_line_that_ripgrep_reads_otherwise_makes_it_slower_not_wrong(forest: Path) -> None:
    (forest / ".gitignore").write_text("{x}\nd00?/\n!d00[!1-9]/\n")
    try:
        found = await Reading(forest).find("*.py", limit=1)
    finally:
        (forest / ".gitignore").unlink()

    assert found[-1] == "[the first 1 of 91,000; make the pattern narrower, or raise limit]"


@pytest.mark.parametrize("is_ignored", [True, False])
async def test_three_thousand_nested_ignore_files(tmp_path: Path, is_ignored: bool) -> None:
    """Report 16."""
    for number in range(3000):
        plant(
            tmp_path,
            **{
                f"packages/p{number:04}/.gitignore": "*.log\n",
                f"packages/p{number:04}/x.log": "x",
                f"packages/p{number:04}/x.py": "x = 1\n",
            },
        )
    plant(tmp_path, "top.py", **({".gitignore": "packages/\n"} if is_ignored else {}))

    found = await Reading(tmp_path).find("x.*", limit=1)
    searched = await Reading(tmp_path).grep("x = 1", limit=1)

    assert found[-1] == (
        "[no file fits “x.*”, of 2 looked at]"
        if is_ignored
        else "[the first 1 of 3,000; make the pattern narrower, or raise limit]"
    )
    assert searched.startswith("[no match" if is_ignored else "packages/p0000/x.py")


async def test_a_file_of_200_megabytes(tmp_path: Path) -> None:
    with (tmp_path / "big.log").open("wb") as file:
        line = b"0123456789" * 9 + b" log line\n"
        for _ in range(200):
            file.write(line * 10_000)
        file.write(b"the needle\n")
    reading = Reading(tmp_path)

    with pytest.raises(ToolError, match=r"big\.log is too large to be read as a whole \(200\.0 MB.*head, tail or sed"):
        await reading.read("big.log")
    assert await reading.grep("needle") == "big.log\n  2000001: the needle\n[1 matching line in 1 file]"
    many = await reading.grep("log line", limit=2)
    assert len(many) < 2000
    assert "at least" in many


async def test_a_line_of_200_megabytes(tmp_path: Path) -> None:
    with (tmp_path / "one.json").open("wb") as file:
        for _ in range(200):
            file.write(b"x" * 1_000_000)
        file.write(b"needle")

    shown = await Reading(tmp_path).grep("needle")

    assert "xxxneedle" in shown
    assert len(shown) < 600


async def test_a_line_of_five_megabytes_is_read_to_its_end(tmp_path: Path) -> None:
    """Report 19."""
    plant(tmp_path, one__json="x" * 5_000_000)
    reading, column, portions = Reading(tmp_path), 1, 0
    while True:
        shown = await reading.read("one.json", column=column)
        assert len(shown) < 41_000
        portions += 1
        way_on = re.search(r"column=(\d+)\]", shown)
        if not way_on:
            break
        column = int(way_on[1])

    assert portions == 125


async def test_loops_pipes_and_sockets_hold_nobody_up(tmp_path: Path) -> None:
    root = plant(tmp_path / "ws", "a/b/c/x.py")
    (root / "a/b/c/up").symlink_to(root)
    (root / "a/self").symlink_to(".")
    for number in range(50):
        os.mkfifo(root / f"a/pipe{number}")
    reading = Reading(root)

    assert await reading.find("*") == ["a/b/c/x.py"]
    assert "a/b/c/x.py" in await reading.grep("some")
    assert "a/pipe0 (not a regular file)" in await reading.list(depth=2)
