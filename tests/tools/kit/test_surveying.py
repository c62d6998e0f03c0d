"""Whether ripgrep leaves out what git would, found out without asking it (DESIGN W8, W9)."""

import os
from pathlib import Path

import pytest

from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.listing import is_alike
from steersman_tools.kit.surveying import Survey
from support.reading import plant


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return plant(tmp_path / "ws", "src/a.py", "src/deep/b.py", "out/c.py", **{".git/HEAD": "x", ".gitignore": "out/\n"})


def holds(
    root: Path,
    start: Path | None = None,
    *,
    needs_no_inner: bool = False,
    depth: int | None = None,
    is_stopped: bool = False,
) -> bool | None:
    return Survey(IgnoreRules(root), is_alike, needs_no_inner, depth, lambda: is_stopped).holds(start or root)


def test_an_ordinary_tree_is_left_to_ripgrep(ws: Path) -> None:
    plant(ws, **{"src/.gitignore": "*.tmp\n/x\n", "src/deep/.gitignore": "!y.tmp\n"})

    assert holds(ws) is True


@pytest.mark.parametrize("text", ["{a}\n", "[!a]\n", "\ufeffa\n", "a\\  \n"])
def test_one_line_anywhere_below_that_is_read_otherwise_is_enough(ws: Path, text: str) -> None:
    plant(ws, **{"src/deep/.gitignore": text})

    assert holds(ws) is False


def test_what_is_ignored_is_not_looked_into(ws: Path) -> None:
    plant(ws, **{"out/.gitignore": "{a}\n", "out/deep/.gitignore": "{a}\n"})

    assert holds(ws) is True


def test_an_ignore_file_that_is_ignored_itself_counts(ws: Path) -> None:
    plant(ws, **{".gitignore": ".*\n", "src/.gitignore": "{a}\n"})

    assert holds(ws) is False


def test_an_ignore_file_that_is_a_link_or_a_pipe_counts(ws: Path, tmp_path: Path) -> None:
    """Ripgrep follows the one and waits for the other; git does neither."""
    plant(tmp_path, patterns="*\n")
    (ws / "src/.gitignore").symlink_to(tmp_path / "patterns")
    assert holds(ws) is False

    (ws / "src/.gitignore").unlink()
    os.mkfifo(ws / "src/.gitignore")
    assert holds(ws) is False


def test_git_itself_is_not_looked_into(ws: Path) -> None:
    plant(ws, **{".git/.gitignore": "{a}\n", "src/.GIT/.gitignore": "{a}\n"})

    assert holds(ws) is True


@pytest.mark.parametrize("inside", [{".git/HEAD": "x"}, {".git": "gitdir: elsewhere\n"}])
def test_another_repository_counts_where_it_makes_a_difference(ws: Path, inside: dict[str, str]) -> None:
    plant(ws / "src/deep", **inside)

    assert holds(ws, ws / "src") is True
    assert holds(ws, ws / "src", needs_no_inner=True) is False


def test_a_folder_that_is_only_called_git_is_no_repository(ws: Path) -> None:
    plant(ws, "src/.git/x")

    assert holds(ws, ws / "src", needs_no_inner=True) is True


def test_the_exclude_file_of_a_repository_inside_counts(ws: Path) -> None:
    plant(ws / "src", **{".git/HEAD": "x", ".git/info/exclude": "{a}\n"})

    assert holds(ws) is False


def test_no_more_is_looked_at_than_is_asked_for(ws: Path) -> None:
    plant(ws, **{"src/deep/.gitignore": "{a}\n"})

    assert holds(ws, depth=2) is True
    assert holds(ws, depth=3) is False


def test_a_large_tree_and_one_whose_search_is_over_are_left_undecided(tmp_path: Path) -> None:
    for number in range(450):
        (tmp_path / f"d{number}").mkdir()

    assert holds(tmp_path) is None
    assert holds(tmp_path, tmp_path / "d1") is True
    assert holds(tmp_path, tmp_path / "d1", is_stopped=True) is None
