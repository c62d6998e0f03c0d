"""What ``find_files`` and ``search`` leave to ripgrep, narrowed or not, is what a plain walk would choose (DESIGN W8)."""

import asyncio
import re
import shutil
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman_tools.kit.globs import compile_glob
from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.walk import walk_files
from support.reading import Reading

names = st.sampled_from(["a", "b", "é", ".x", "a.c", "b.c", "[a]", "A", "src", "é.c"])
paths = st.lists(st.lists(names, min_size=1, max_size=4).map("/".join), min_size=3, max_size=20)
parts = st.sampled_from(["*", "**", "a", "b", "src", "*.c", "[a]", "?", "?.c", "é", "{a,b}", "{a,src/b}", "a**", ".*"])
patterns = st.lists(parts, min_size=1, max_size=4).map("/".join)
lines = st.tuples(
    st.sampled_from(["", "", "!", "/"]),
    st.lists(parts, min_size=1, max_size=2).map("/".join),
    st.sampled_from(["", "/"]),
).map("".join)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/config"))


def chosen(root: Path, start: Path, pattern: str) -> list[str]:
    """What the pattern chooses, path by path."""
    glob = compile_glob(pattern)
    walked = sorted(walk_files(start, IgnoreRules(root), lambda: False))
    literal = [path for path in walked if glob.literal and glob.literal.fullmatch(path)]
    return literal or [path for path in walked if glob.sets.fullmatch(path)]


@settings(max_examples=80, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    files=paths,
    ignores=st.lists(st.tuples(st.integers(0, 20), st.lists(lines, max_size=3).map("\n".join)), max_size=3),
    repositories=st.lists(st.integers(0, 20), max_size=2),
    start=st.integers(0, 20),
    pattern=patterns,
)
def test_both_find_what_a_walk_finds(
    tmp_path: Path,
    files: list[str],
    ignores: list[tuple[int, str]],
    repositories: list[int],
    start: int,
    pattern: str,
) -> None:
    root = tmp_path / "tree"
    root.mkdir()
    try:
        for name in files:
            path = root / name
            if not any(parent.is_file() for parent in path.parents) and not path.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("needle")
        folders = [root, *sorted(path for path in root.rglob("*") if path.is_dir())]
        for number in repositories:
            (folders[number % len(folders)] / ".git").mkdir(exist_ok=True)
            (folders[number % len(folders)] / ".git/HEAD").write_text("x")
        for number, text in ignores:
            (folders[number % len(folders)] / ".gitignore").write_text(text)
        here = folders[start % len(folders)]
        shown = here.relative_to(root).as_posix()
        prefix = "" if here == root else f"{shown}/"

        found = asyncio.run(Reading(root).find(pattern, path=shown, limit=2000))
        searched = asyncio.run(Reading(root).grep("needle", path=shown, glob=pattern, limit=1000))

        expected = [prefix + path for path in chosen(root, here, pattern)]
        if expected:
            assert expected == found
        else:
            assert found[-1].startswith(("[no file fits", "[none fits exactly"))
        hit = [line for line in searched.split("\n") if line[:1] not in {" ", "["} or re.match(r"\[a\]", line)]
        assert [path for path in expected if not path.endswith(".gitignore")] == hit
    finally:
        shutil.rmtree(root)
