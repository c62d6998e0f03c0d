"""The globs of ``find_files`` and ``search`` (DESIGN W12)."""

import pytest

from steersman.agent.tool import ToolError
from steersman_tools.kit.globs import compile_glob

PATHS = [
    "a.py",
    "src/a.py",
    "src/deep/b.py",
    "src/c.ts",
    "src/.hidden.ts",
    "app/(g)/[id]/page.tsx",
    "app/i/page.tsx",
    "{x}.md",
]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("*.py", ["a.py", "src/a.py", "src/deep/b.py"]),
        ("./src/*.py", ["src/a.py"]),
        ("/src/*.py", ["src/a.py"]),
        ("src/**/*.py", ["src/a.py", "src/deep/b.py"]),
        ("src/**", ["src/a.py", "src/deep/b.py", "src/c.ts", "src/.hidden.ts"]),
        ("src/**.py", ["src/a.py", "src/deep/b.py"]),
        ("**/a.py", ["a.py", "src/a.py"]),
        ("*.{py,ts}", ["a.py", "src/a.py", "src/deep/b.py", "src/c.ts", "src/.hidden.ts"]),
        ("{src,app}/*.{ts,x}", ["src/c.ts", "src/.hidden.ts"]),
        ("src/{a,deep/{b,c}}.py", ["src/a.py", "src/deep/b.py"]),
        ("src/?.ts", ["src/c.ts"]),
        ("src/[a-b].py", ["src/a.py"]),
        ("src/[!b].py", ["src/a.py"]),
        ("app/(g)/[id]/page.tsx", ["app/(g)/[id]/page.tsx"]),
        ("app/[xi]/page.tsx", ["app/i/page.tsx"]),
        ("[id]/*", []),
        ("**/[id]/*", ["app/(g)/[id]/page.tsx"]),
        ("{x}.md", ["{x}.md"]),
        ("[z-a]", []),
        ("A.PY", []),
        ("*", PATHS),
        ("**", PATHS),
    ],
)
def test_a_glob_chooses_what_models_expect(pattern: str, expected: list[str]) -> None:
    assert expected == compile_glob(pattern).choose(PATHS)


def test_case_may_be_ignored() -> None:
    assert compile_glob("A.PY", ignores_case=True).choose(PATHS) == ["a.py", "src/a.py"]


@pytest.mark.parametrize("pattern", ["", " ", "/", "../*.py", "a/../b", "x" * 2000, "{a,b}" * 20, "a\0b"])
def test_patterns_that_make_no_sense_are_refused_in_words(pattern: str) -> None:
    with pytest.raises(ToolError, match="pattern"):
        compile_glob(pattern)
