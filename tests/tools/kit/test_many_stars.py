"""No pattern, however many stars it has, holds the process up: ignore files, globs, permission rules (W8, W12, A5)."""

from __future__ import annotations

import re
import subprocess
import sys

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman_tools.kit.globs import compile_glob
from steersman_tools.kit.ignore import has_odd_spaces_or_mark, parse_lines
from steersman_tools.kit.wildmatch import name_regex, path_regex

IGNORE = """
from steersman_tools.kit.ignore import IgnoreList
name = b"a" * 120 + b".txt"
for line in (b"*a" * 40 + b"b", b"x/" + b"*a" * 40 + b"b", b"**/*a*a*a/" * 20 + b"b", b"**/a/" * 40 + b"b"):
    assert IgnoreList(line).decide(b"x/" + (b"a/" + name + b"/") * 20 + name, is_folder=False) is None
"""
GLOBS = """
from steersman_tools.kit.globs import compile_glob
name = "a" * 120 + ".txt"
for pattern in ("*a" * 40 + "b", "**a" * 40 + "b", "**/*a*a*a/" * 20 + "b", "{" * 900 + "{a,b}" * 8):
    glob = compile_glob(pattern)
    assert glob.choose([name, ("a/" + name + "/") * 20 + name] * 20) == [] and not glob.matches(name)
"""
RULES = """
from steersman.permissions.path_patterns import path_matches
from support.permission import ROOT, make_ground
ground, name = make_ground([ROOT]), "a" * 120 + ".txt"
for pattern in ("*a" * 40 + "b", "**a" * 40 + "b", "**/*a*a*a/" * 20 + "b", "*a**/" * 20 + "b"):
    for loosely in (False, True):
        assert not path_matches(pattern, ROOT + "/" + ("a/" + name + "/") * 10 + name, ground, loosely=loosely)
"""


@pytest.mark.parametrize("program", [IGNORE, GLOBS, RULES], ids=["ignore", "globs", "rules"])
def test_forty_stars_and_long_names_come_to_an_end(program: str) -> None:
    # In a process of its own: what it guards against, no time limit inside a process can end.
    paths = f"import sys; sys.path[:0] = {sys.path!r}\n"
    ended = subprocess.run([sys.executable, "-c", paths + program], timeout=120, check=False, capture_output=True)
    assert (ended.returncode, ended.stderr) == (0, b"")


def test_a_pattern_longer_than_any_path_matches_nothing() -> None:
    assert name_regex(b"a" * 100_000) is None
    assert path_regex(b"x/*" + b"?" * 100_000) is None


@given(st.lists(st.sampled_from(["\\", " ", "a", "\r"]), max_size=12).map(lambda parts: "".join(parts).encode()))
def test_spaces_at_the_end_go_except_one_behind_a_backslash(line: bytes) -> None:
    body = line.removesuffix(b"\r")
    slow = re.match(rb"(?:\\.?|[^\\ ]| (?! *\Z))*", body, re.DOTALL)
    assert slow is not None
    assert parse_lines(line) == ([slow[0]] if body else [])
    assert has_odd_spaces_or_mark(line) == (re.search(rb"\\ [^\n]* \r?$", line, re.MULTILINE) is not None)


@given(st.text("{},ab", max_size=14))
def test_alternatives_are_those_of_the_first_brace_that_holds_a_comma(text: str) -> None:
    paths = ["a", "b", "ab", "ba", "aab", "{a}", "{a,b", "a,b}", "{a,b}a"]
    assert compile_glob(f"x{text}").choose([f"x{path}" for path in paths]) == [
        f"x{path}" for path in paths if path in _expanded(text)
    ]


def _expanded(text: str) -> set[str]:
    for start, char in enumerate(text):
        depth, cuts = 0, [start]
        for at in range(start, len(text) if char == "{" else start):
            depth += (text[at] == "{") - (text[at] == "}")
            if text[at] == "," and depth == 1:
                cuts.append(at)
            if depth == 0 and len(cuts) > 1:
                parts = [text[a + 1 : b] for a, b in zip(cuts, [*cuts[1:], at], strict=True)]
                return {each for part in parts for each in _expanded(text[:start] + part + text[at + 1 :])}
            if depth == 0:
                break
    return {text}
