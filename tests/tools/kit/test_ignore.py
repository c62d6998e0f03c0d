"""Ignore patterns as git reads them (DESIGN W8; report 17)."""

import json
from pathlib import Path

import pytest

from steersman_tools.kit.ignore import IgnoreList, has_odd_spaces_or_mark, parse_lines

_RECORDED = json.loads((Path(__file__).parents[2] / "fixtures/ignored_by_git.json").read_text("utf-8"))


def is_ignored(patterns: IgnoreList, path: str) -> bool:
    """A path is ignored when it or a folder that it lies in is."""
    parts = path.split("/")
    return any(
        patterns.decide("/".join(parts[:count]).encode(), is_folder=count < len(parts))
        for count in range(1, len(parts) + 1)
    )


@pytest.mark.parametrize("case", _RECORDED["cases"], ids=lambda case: repr(case["patterns"]))
def test_patterns_ignore_what_git_itself_ignored(case: dict[str, object]) -> None:
    """Recorded from git 2.39: odd patterns, malformed ones among them, over odd names."""
    patterns = IgnoreList(str(case["patterns"]).encode())

    assert case["ignored"] == [path for path in _RECORDED["files"] if is_ignored(patterns, path)]


@pytest.mark.parametrize("malformed", ["*.[a-9]", "a\\", "[", "[[:no:]]", "!", "/", "[a-", "**[", "\\"])
def test_one_malformed_line_leaves_the_rest_working(malformed: str) -> None:
    """Report 17."""
    patterns = IgnoreList(f"{malformed}\n*.log\n{malformed}\n".encode())

    assert is_ignored(patterns, "x.log")
    assert not is_ignored(patterns, "x.txt")


@pytest.mark.parametrize(
    ("data", "lines"),
    [
        (b"\xef\xbb\xbfa\n", [b"a"]),
        (b"a\r\nb\r\n", [b"a", b"b"]),
        (b"a  \nb\\ \nc\\  \n \n", [b"a", b"b\\ ", b"c\\ ", b""]),
        (b"# no\n\\#yes\n\n", [b"\\#yes"]),
        (b"a\t\n", [b"a\t"]),
        (b"a\\\\  ", [b"a\\\\"]),
    ],
)
def test_lines_are_trimmed_as_git_trims_them(data: bytes, lines: list[bytes]) -> None:
    assert lines == parse_lines(data)


def test_case_counts_unless_the_repository_says_otherwise() -> None:
    assert not is_ignored(IgnoreList(b"*.LOG"), "a.log")
    assert is_ignored(IgnoreList(b"*.LOG", folds_case=True), "a.log")


@pytest.mark.parametrize(
    ("data", "expected"),
    [(b"\xef\xbb\xbfa", True), (b"a\\  \n", True), (b"a\\ \n", False), (b"a  \n", False), (b"a\\ b \r\n", True)],
)
def test_what_only_git_trims_so_is_recognised(data: bytes, expected: bool) -> None:
    assert expected == has_odd_spaces_or_mark(data)


def test_names_that_are_no_unicode_are_bytes_like_any() -> None:
    assert IgnoreList(b"caf\xe9").decide(b"x/caf\xe9", is_folder=False)
    assert IgnoreList(b"caf?").decide(b"caf\xe9", is_folder=False)


def test_what_is_kept_about_folders_is_right_however_many_there_are() -> None:
    patterns = IgnoreList(b"*7/\n!77/\n")
    names = [str(number).encode() for number in range(10_000)]

    for _ in range(2):
        assert [patterns.decide_folder(name) for name in names] == [
            patterns.decide(name, is_folder=True) for name in names
        ]
