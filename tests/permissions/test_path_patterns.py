"""Path globs of rules: to the letter where they allow, loosely where they forbid (A5)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.permissions.path_patterns import path_matches
from support.permission import ROOT, make_ground

GROUND = make_ground([ROOT, "/other"])


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/app.py", f"{ROOT}/src/app.py"),
        ("./src/app.py", f"{ROOT}/src/app.py"),
        ("src/*.py", f"{ROOT}/src/app.py"),
        ("src/**", f"{ROOT}/src/a/b/c.py"),
        ("src", f"{ROOT}/src/a/b/c.py"),
        ("src/", f"{ROOT}/src/a/b/c.py"),
        ("src/*/c.py", f"{ROOT}/src/b/c.py"),
        ("src/**/c.py", f"{ROOT}/src/c.py"),
        ("src/**/c.py", f"{ROOT}/src/a/b/c.py"),
        ("**/c.py", f"{ROOT}/c.py"),
        ("*.py", f"{ROOT}/src/a/c.py"),
        ("c.py", f"{ROOT}/src/a/c.py"),
        ("build", f"{ROOT}/a/build/x"),
        ("a?.py", f"{ROOT}/ab.py"),
        ("[ab].py", f"{ROOT}/a.py"),
        ("[!ab].py", f"{ROOT}/c.py"),
        ("[a-c].py", f"{ROOT}/b.py"),
        ("[]].py", f"{ROOT}/].py"),
        ("a[.py", f"{ROOT}/a[.py"),
        ("a(b)+.py", f"{ROOT}/a(b)+.py"),
        ("docs/**", "/other/docs/x"),
        (f"{ROOT}/src/**", f"{ROOT}/src/x"),
        ("~/x/**", "/home/me/x/y"),
        ("**", f"{ROOT}/any/thing"),
    ],
)
def test_a_pattern_speaks_of_a_path(pattern: str, path: str):
    assert path_matches(pattern, path, GROUND, loosely=False)
    assert path_matches(pattern, path, GROUND, loosely=True)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src/*.py", f"{ROOT}/src/a/b.py"),
        ("src/*.py", f"{ROOT}/src/app.pyc"),
        ("src", f"{ROOT}/src2/x"),
        ("src/a", f"{ROOT}/lib/src/a"),
        ("src/**", "/elsewhere/src/x"),
        ("src/**", "/ws_evil/src/x"),
        ("a?b", f"{ROOT}/a/b"),
        ("[!a]b", f"{ROOT}/x/b"),
        ("[/]", f"{ROOT}/x"),
        ("~/x", f"{ROOT}/x"),
        ("/src", f"{ROOT}/src"),
        ("*.py", f"{ROOT}/app.py\n"),
        (".", f"{ROOT}/x"),
        ("", f"{ROOT}/x"),
    ],
)
def test_a_pattern_does_not_speak_of_a_path(pattern: str, path: str):
    assert not path_matches(pattern, path, GROUND, loosely=False)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("secret/**", f"{ROOT}/SECRET/x"),
        ("größe", f"{ROOT}/gro\u0308ße"),
        ("Straße", f"{ROOT}/STRASSE"),
        ("[z-a]x", f"{ROOT}/bx"),
    ],
)
def test_what_forbids_is_read_loosely_and_what_allows_is_not(pattern: str, path: str):
    assert path_matches(pattern, path, GROUND, loosely=True)
    assert not path_matches(pattern, path, GROUND, loosely=False)


def test_windows_paths_are_matched_without_case():
    ground = make_ground(["C:\\ws"], windows=True)
    assert path_matches("src/*.py", "C:\\ws\\src\\app.py", ground, loosely=False)
    assert path_matches("c:/ws/**", "C:\\ws\\src\\app.py".lower(), ground, loosely=False)
    assert not path_matches("src/*.py", "C:\\ws_evil\\src\\app.py", ground, loosely=False)


@given(st.text(max_size=12), st.text(max_size=12), st.booleans())
def test_any_pattern_can_be_read(pattern: str, name: str, loosely: bool):
    path_matches(pattern, f"{ROOT}/{name}", GROUND, loosely=loosely)


@given(st.text(st.characters(exclude_characters="/\\*?[]~", exclude_categories=["Cs"]), min_size=1, max_size=8))
def test_a_plain_name_matches_itself(name: str):
    if name not in {".", ".."}:
        assert path_matches(f"src/{name}", f"{ROOT}/src/{name}", GROUND, loosely=False)
