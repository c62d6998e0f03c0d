"""Counting and choosing among very many paths (DESIGN W9)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman_tools.kit.choosing import first_with_ends, smallest
from steersman_tools.kit.globs import compile_glob

NAMES = st.sampled_from(["a.py", "b.py", ".py", "py", "xa.py", "é.py", "😀.txt", "a.py.txt", "\uffff", "caf\udce9.py"])
PATHS = st.lists(st.lists(NAMES, min_size=1, max_size=3).map("/".join), unique=True)
PATTERNS = st.sampled_from(
    ["*.py", "a.py", "*py", "{a,b}.py", "{*.py,*.txt}", "{*.py,a.py}", "é.py", "*😀.txt", "none"]
)


@given(PATHS, PATTERNS, st.integers(1, 5))
def test_the_first_are_those_of_looking_at_each(paths: list[str], pattern: str, limit: int) -> None:
    glob = compile_glob(pattern)
    matching = sorted(path for path in paths if glob.matches(path))

    assert glob.first_in("\0".join(["", *paths, ""]), limit) == (len(matching), matching[:limit])


@given(st.lists(st.text(max_size=3), unique=True), st.integers(1, 5), st.integers(0, 200))
def test_the_smallest_are_those_of_sorting_all_whatever_count_is_expected(
    paths: list[str], limit: int, count: int
) -> None:
    assert smallest(paths, limit, count) == sorted(paths)[:limit]
    assert smallest(paths, limit, count, str.isalpha) == sorted(filter(str.isalpha, paths))[:limit]


@pytest.mark.parametrize("pattern", ["*.py", "x7.py"])
def test_of_very_many_the_first_are_chosen_alike(pattern: str) -> None:
    paths = [f"d{number * 7919 % 20_000:05}/x{number % 10}.{kind}" for number in range(20_000) for kind in ("py", "c")]
    glob = compile_glob(pattern)
    matching = sorted(path for path in paths if glob.matches(path))

    for limit in (1, 200, 2000, 30_000):
        assert glob.first_in("\0".join(["", *paths, ""]), limit) == (len(matching), matching[:limit])
        assert smallest(paths, limit, len(paths)) == sorted(paths)[:limit]


def test_names_that_are_no_unicode_are_left_to_others() -> None:
    assert first_with_ends("\0caf\udce9.py\0", [".py"], 5) is None


@pytest.mark.parametrize(
    ("pattern", "ends"),
    [
        ("*.py", (".py",)),
        ("a.py", ("/a.py",)),
        ("*.{ts,js}", (".js", ".ts")),
        ("{*.ts,*.d.ts}", ()),
        ("{a,*a}", ()),
        ("*", ()),
        ("**.py", ()),
        ("a*", ()),
        ("?.py", ()),
        ("[ab].py", ()),
        ("a\\.py", ()),
        ("a{.py", ()),
        ("src/*.py", ()),
        ("*.py/", (".py",)),
    ],
)
def test_patterns_that_say_no_more_than_how_a_path_ends(pattern: str, ends: tuple[str, ...]) -> None:
    assert ends == compile_glob(pattern).ends
