"""Ripgrep's listing and the walk in Python agree, whatever the ignore files say (DESIGN W8).

The walk is held to git itself by recorded cases (tests/tools/kit/test_ignore.py); this holds the fast way to the walk.
"""

import asyncio
import os
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman.agent.cancel import CancelSignal
from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.listing import NO_GIT, Lister, approach_to, is_alike
from steersman_tools.kit.ripgrep import Ripgrep
from steersman_tools.kit.surveying import Survey
from steersman_tools.kit.walk import walk_files

names = st.sampled_from(["a", "b", "foo", ".x", "a b", "a.c", "é", "{a}", "vendor", "A"])
paths = st.lists(st.lists(names, min_size=1, max_size=3).map("/".join), min_size=3, max_size=15)
components = st.sampled_from(["*", "**", "a", "b", "foo", "*.c", "[ab]", "?", ".*", "é", "vendor", "{a}", "[!a]", "a*"])
lines = st.tuples(
    st.sampled_from(["", "", "!", "/"]),
    st.lists(components, min_size=1, max_size=3).map("/".join),
    st.sampled_from(["", "", "/", " ", "\r"]),
).map("".join)
ignore_files = st.lists(lines, max_size=3).map("\n".join)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/config"))


def chosen_by_ripgrep(root: Path, here: Path) -> list[str] | None:
    """What a search looks into when ripgrep chooses; None where a survey says that git would choose otherwise."""
    rules = IgnoreRules(root)
    approach = approach_to(rules, here)
    if approach is None or not Survey(rules, is_alike, approach.needs_no_inner, None, lambda: False).holds(here):
        return None
    arguments = [*approach.options, *NO_GIT, "--files", "--null", "--", approach.target]
    output = asyncio.run(Ripgrep().run(arguments, folder=approach.folder, signal=CancelSignal(), max_bytes=1_000_000))
    return sorted(name.removeprefix(approach.target) for name in os.fsdecode(output.data).split("\0")[:-1])


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    files=paths,
    ignores=st.lists(st.tuples(st.integers(0, 20), ignore_files), max_size=4),
    repositories=st.lists(st.integers(0, 20), max_size=2),
    start=st.integers(0, 20),
)
def test_both_ways_list_the_same(
    tmp_path: Path, files: list[str], ignores: list[tuple[int, str]], repositories: list[int], start: int
) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    try:
        for name in files:
            path = root / name
            if not any(parent.is_file() for parent in path.parents) and not path.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("x")
        folders = [root, *sorted(path for path in root.rglob("*") if path.is_dir())]
        for number in repositories:
            (folders[number % len(folders)] / ".git").mkdir(exist_ok=True)
            (folders[number % len(folders)] / ".git/HEAD").write_text("x")
        for number, text in ignores:
            (folders[number % len(folders)] / ".gitignore").write_text(text, newline="")
        here = folders[start % len(folders)]

        listing = asyncio.run(Lister(Ripgrep()).files(root, here, CancelSignal()))

        walked = sorted(walk_files(here, IgnoreRules(root), lambda: False))
        assert list(listing.paths) == walked
        chosen = chosen_by_ripgrep(root, here)
        assert chosen is None or chosen == walked
    finally:
        shutil.rmtree(root)
