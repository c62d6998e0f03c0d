"""How much of a tree a glob needs (DESIGN W9)."""

import pytest

from steersman_tools.kit.globs import compile_glob
from steersman_tools.kit.narrowing import EVERYTHING, Narrowing, narrow


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.py", Narrowing(names=("*.py",), is_exact=True)),
        ("**/*.py", Narrowing(names=("*.py",), is_exact=True)),
        ("*.{c,h}", Narrowing(names=("*.c", "*.h"), is_exact=True)),
        ("*", Narrowing(is_exact=True)),
        ("**", Narrowing(is_exact=True)),
        ("src/**/*.ts", Narrowing("src", ("*.ts",), is_exact=True)),
        ("src/app/*.ts", Narrowing("src/app", ("*.ts",), depth=3, is_exact=True)),
        ("src/**", Narrowing("src", is_exact=True)),
        ("src/a.{c,h}", Narrowing("src", ("a.c", "a.h"), depth=2, is_exact=True)),
        ("*/x.py", Narrowing(names=("x.py",), depth=2, shapes=("*/x.py",))),
        ("src/*/x.py", Narrowing("src", ("x.py",), depth=3, shapes=("*/x.py",))),
        ("a/**/b/*.py", Narrowing("a", ("*.py",), shapes=("**/b/*.py",))),
        ("{a,b/c}.py", Narrowing(names=("a.py", "c.py"), shapes=("**/a.py", "b/c.py"))),
        ("src/{a,b/c}.py", Narrowing("src", ("a.py", "c.py"), depth=3, shapes=("a.py", "b/c.py"))),
        ("?.py", Narrowing(names=("*.py",))),
        ("src/**.py", Narrowing("src")),
        ("src/[id]/page.tsx", Narrowing("src", ("page.tsx",), depth=3, shapes=("*/page.tsx",))),
        ("[ab].py", EVERYTHING),
        ("é*", EVERYTHING),
        ("a//b.py", Narrowing("a", ("b.py",), depth=3, shapes=("*/b.py",))),
    ],
)
def test_a_glob_tells_where_to_look_and_for_what(pattern: str, expected: Narrowing) -> None:
    assert expected == narrow(compile_glob(pattern))


def test_ignore_files_are_taken_where_the_names_fit_them() -> None:
    assert not narrow(compile_glob("*.py")).takes_ignore_files
    assert narrow(compile_glob(".git*")).takes_ignore_files
    assert EVERYTHING.takes_ignore_files
