"""``list_dir`` (DESIGN W8, W9, W12)."""

import os
from pathlib import Path

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import ToolError
from support.reading import Reading, plant, run_call


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return plant(tmp_path / "ws", "b.py", "A.md", "src/x.py", "src/deep/y.py", ".hidden", **{".git/HEAD": "x"})


async def test_it_shows_folders_hidden_files_and_not_git(ws: Path) -> None:
    assert await Reading(ws).list() == [".hidden", "A.md", "b.py", "src/"]


async def test_depth_shows_levels_below(ws: Path) -> None:
    assert await Reading(ws).list(depth=2) == [".hidden", "A.md", "b.py", "src/", "src/deep/", "src/x.py"]
    assert "src/deep/y.py" in await Reading(ws).list(depth=3)


async def test_a_folder_below_is_listed_with_paths_from_it(ws: Path) -> None:
    assert await Reading(ws).list("src") == ["deep/", "x.py"]


async def test_what_git_ignores_is_counted(ws: Path) -> None:
    plant(ws, "a.log", "b.log", "out/x", __gitignore="*.log\nout/\n")

    assert (await Reading(ws).list())[-1] == "[3 ignored by git: not shown]"
    assert await Reading(ws).list("out") == ["x"]


async def test_links_and_special_files_are_named(ws: Path) -> None:
    (ws / "link").symlink_to("src/x.py")
    (ws / "loop").symlink_to(".")
    os.mkfifo(ws / "pipe")

    shown = await Reading(ws).list(depth=5)

    assert {"link -> src/x.py", "loop -> .", "pipe (not a regular file)"} <= set(shown)


async def test_empty_folders_say_so(ws: Path) -> None:
    (ws / "empty").mkdir()
    plant(ws, "full/a.log", __gitignore="*.log\n")

    assert await Reading(ws).list("empty") == ["[empty is empty]"]
    assert (await Reading(ws).list("full"))[0] == "[nothing but ignored files]"


async def test_a_large_folder_is_cut_with_a_way_on(ws: Path) -> None:
    plant(ws, *(f"many/{number:04}" for number in range(600)))

    shown = await Reading(ws).list("many")

    assert len(shown) == 501
    assert shown[-1] == "[100 more, and what is below them; list a folder in it, or use find_files]"


async def test_documents_that_only_the_editor_has_are_shown(ws: Path) -> None:
    reading = Reading(ws, texts={ws / "new.py": "x", ws / "b.py": "y"})

    assert "new.py (new in the editor, not saved)" in await reading.list()
    assert "b.py" in await reading.list()


@pytest.mark.parametrize(
    ("path", "words"),
    [
        ("b.py", "read_file shows it"),
        ("nope", "does not exist"),
        (".git", "git's own data"),
        ("..", "out of the workspace"),
    ],
)
async def test_what_is_no_folder_is_refused_in_words(ws: Path, path: str, words: str) -> None:
    with pytest.raises(ToolError, match=words):
        await Reading(ws).list(path)


async def test_other_roots_are_listed_by_name(ws: Path, tmp_path: Path) -> None:
    other = plant(tmp_path / "lib", "z.py")

    assert await Reading(ws, other).list("lib") == ["z.py"]


async def test_a_cancelled_listing_says_so(ws: Path) -> None:
    signal = CancelSignal()
    signal.set()

    result = await run_call(Reading(ws).list_dir, signal, {})

    assert "[stopped before the end: the run was cancelled]" in result.content
