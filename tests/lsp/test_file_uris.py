"""file: URIs in any spelling are one path; other URIs are none (reports 32)."""

import sys
from pathlib import Path

import pytest

from steersman.lsp.file_uris import canonical_path


def test_spellings_of_one_file_are_one_path(tmp_path: Path) -> None:
    file = tmp_path / "a b%ü.txt"
    file.write_text("x")
    plain = file.as_uri()
    spellings = [
        plain,
        plain.replace("file:///", "file:/"),
        plain.replace("file://", "FILE://"),
        plain.replace("file://", "file://localhost"),
    ]
    spellings.append(plain.replace(".txt", "%2Etxt"))
    assert {canonical_path(spelling) for spelling in spellings} == {file.resolve()}


@pytest.mark.parametrize(
    "uri",
    [
        "untitled:Untitled-1",
        "untitled:/abs/path",
        "git:/a/b",
        "vscode-remote://x/a",
        "file:",
        "file://host/share",
        "file:///a%00b",
        "file:///a?q",
        "http://x/y",
        "relative/path",
        "",
        "file:///%ff",
    ],
)
def test_what_is_no_file_has_no_path(uri: str) -> None:
    assert canonical_path(uri) is None


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs rights there")
def test_links_are_resolved(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    assert canonical_path((tmp_path / "link" / "new.txt").as_uri()) == (tmp_path / "real" / "new.txt").resolve()
    canonical_path((tmp_path / "loop" / "x").as_uri())


def test_nothing_is_written_or_made_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert canonical_path("untitled:Untitled-1") is None
    assert list(tmp_path.iterdir()) == []
