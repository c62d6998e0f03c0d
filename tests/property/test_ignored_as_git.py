"""What is ignored is what git itself says, over random trees and ignore files of every kind (DESIGN W8)."""

import os
import shutil
import subprocess
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from steersman_tools.kit.ignore_rules import IgnoreRules

names = st.sampled_from(["a", "b", "ab", "A", "a b", "é", ".x", "a.c", "[a]", "a*", "#a", "!a", "a-b", "^"])
paths = st.lists(st.lists(names, min_size=1, max_size=4).map("/".join), min_size=3, max_size=12)
atoms = st.one_of(
    st.sampled_from(["a", "b", "A", "*", "**", "?", "[ab]", "[!a]", "[^a]", "[a-c]", "[]a]", "[[:alpha:]]", "[a-]"]),
    st.sampled_from(["[c-a]", "[", "\\*", "\\[", "\\a", "\\", "é", ".", "-", "{a,b}", "[[:foo:]]", "***", "[a/b]"]),
    st.text("ab*?[]!\\/-. ", min_size=1, max_size=4),
)
lines = st.tuples(
    st.sampled_from(["", "", "", "!", "/", "!/", "**/", "\\!", "\\#", "#"]),
    st.lists(st.one_of(atoms, st.just("/")), min_size=1, max_size=5).map("".join),
    st.sampled_from(["", "", "/", "/**", "/*", " ", "\\ ", "\t", "\r", "//"]),
).map("".join)
ignore_files = st.lists(lines, min_size=1, max_size=5).map("\n".join)


@pytest.fixture(autouse=True)
def _own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "home/config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")


def ignored_by_git(top: Path, inner: list[str]) -> set[str]:
    """What git says of the paths."""
    command = ["git", "check-ignore", "--no-index", "-z", "--stdin"]
    asked = b"".join(os.fsencode(path) + b"\0" for path in inner)
    told = subprocess.run(command, cwd=top, input=asked, capture_output=True, check=False)
    assert told.returncode in {0, 1}, told.stderr
    return {os.fsdecode(path) for path in told.stdout.split(b"\0") if path}


@settings(max_examples=40, suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None)
@given(
    files=paths,
    ignores=st.lists(st.tuples(st.integers(0, 9), ignore_files), min_size=1, max_size=4),
    exclude=ignore_files,
    user=ignore_files,
    folds_case=st.booleans(),
)
def test_git_says_the_same(
    tmp_path: Path, files: list[str], ignores: list[tuple[int, str]], exclude: str, user: str, folds_case: bool
) -> None:
    top = tmp_path / "tree"
    try:
        for name in ("objects", "refs", "info"):
            (top / ".git" / name).mkdir(parents=True)
        (top / ".git/HEAD").write_text("ref: refs/heads/main\n")
        (top / ".git/config").write_text(
            f"[core]\nrepositoryformatversion = 0\nignorecase = {str(folds_case).lower()}\nexcludesFile = {tmp_path}/user\n"
        )
        (top / ".git/info/exclude").write_text(exclude, newline="")
        (tmp_path / "user").write_text(user, newline="")
        for name in files:
            path = top / name
            if not any(parent.is_file() for parent in path.parents) and not path.is_dir():
                path.parent.mkdir(parents=True, exist_ok=True)
                path.write_text("x")
        folders = [top, *sorted(each for each in top.rglob("*") if each.is_dir() and ".git" not in each.parts)]
        for number, text in ignores:
            (folders[number % len(folders)] / ".gitignore").write_text(text, newline="")
        every = [each for each in top.rglob("*") if each.relative_to(top).parts[0] != ".git"]
        inner = {each: str(each.relative_to(top)) for each in every}
        rules = IgnoreRules(top)

        ignored = {inner[each] for each in every if rules.is_ignored(each, is_folder=each.is_dir())}

        assert ignored_by_git(top, list(inner.values())) == ignored
    finally:
        shutil.rmtree(top)
