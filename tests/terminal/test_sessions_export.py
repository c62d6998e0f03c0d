"""``steersman sessions export``: to a file, to the screen, to the browser."""

import json
import os
import tempfile
import webbrowser
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

import platformdirs
import pytest

from steersman.terminal.output import table


@pytest.fixture
def session(steersman, typed):
    typed("run", "Say hello", "--model", steersman.script(["Hello."]))
    return json.loads(typed("sessions", "list", "--json").out)["sessions"][0]["id"]


@pytest.fixture
def opened(monkeypatch):
    """What the browser was asked to open."""
    asked = []
    monkeypatch.setattr(webbrowser, "open", lambda address: asked.append(address) or True)
    return asked


@pytest.fixture
def downloads(monkeypatch, tmp_path):
    folder = tmp_path / "Downloads"
    folder.mkdir()
    monkeypatch.setattr(platformdirs, "user_downloads_dir", lambda: str(folder))
    return folder


def test_a_look_at_a_session_is_a_page_in_the_browser_and_leaves_the_workspace_alone(
    steersman, typed, session, opened, downloads
):
    shown = typed("sessions", "export", session, "--open")
    page = downloads / f"steersman-{session[:8]}.html"
    assert (shown.code, shown.out, shown.err) == (0, f"{page}\n", "")
    assert [Path(url2pathname(urlsplit(address).path)) for address in opened] == [page]
    assert page.read_text("utf-8").startswith("<!doctype html>")
    assert os.name != "posix" or page.stat().st_mode & 0o077 == 0
    assert list(steersman.folder.iterdir()) == []
    assert typed("sessions", "export", session, "--open").code == 0


def test_without_downloads_it_goes_where_temporary_files_go(typed, session, opened, downloads, monkeypatch, tmp_path):
    downloads.rmdir()
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    shown = typed("sessions", "export", session, "--open", "--format", "json", "--json")
    written = Path(json.loads(shown.out)["path"])
    assert json.loads(written.read_text("utf-8"))["format"] == "steersman-session"
    assert written.is_relative_to(tmp_path.resolve())


def test_where_no_browser_can_be_started_the_file_is_named(typed, session, downloads, monkeypatch):
    monkeypatch.setattr(webbrowser, "open", lambda _: False)
    shown = typed("sessions", "export", session, "--open")
    assert (shown.code, f"open {downloads}" in shown.err) == (0, True)


def test_a_named_file_is_opened_and_never_overwritten_unasked(steersman, typed, session, opened):
    assert typed("sessions", "export", session, "--open", "--output", "page.html").code == 0
    assert opened == [(steersman.folder / "page.html").resolve().as_uri()]
    assert typed("sessions", "export", session, "--open", "--output", "page.html").code == 64
    assert len(opened) == 1


def test_a_folder_that_is_not_there_is_named(typed, session):
    refused = typed("sessions", "export", session, "--output", "no/where/page.html")
    assert refused.code == 64
    assert f"there is no folder {Path('no/where')}" in refused.err


def test_contents_of_files_go_along_only_when_asked_and_only_in_json(steersman, typed):
    (steersman.folder / "a.txt").write_text("what stood here before\n")
    edit = {"call": "edit_file", "arguments": {"path": "a.txt", "old_text": "stood", "new_text": "stands"}}
    typed("run", "Edit it", "--model", steersman.script([edit], ["Done."]), "--yes")
    plain = typed("sessions", "export", "latest", "--format", "json")
    assert "what stood here before" not in plain.out
    with_files = json.loads(typed("sessions", "export", "latest", "--format", "json", "--with-files").out)
    assert [each["before"]["text"] for each in with_files["files"]] == ["what stood here before\n"]
    for format_name in ("markdown", "html"):
        refused = typed("sessions", "export", "latest", "--format", format_name, "--with-files")
        assert (refused.code, "Ask for the format json" in refused.err) == (64, True)


def test_columns_stand_below_each_other_whatever_letters_are_in_them():
    lines = table([["日本", "7", "x"], ["e\u0301a", "1234", "y"]], ["name", "count", "z"], right=(1,)).split("\n")
    assert lines == ["name  count  z", "日本      7  x", "e\u0301a     1234  y"]


def test_a_folder_is_named_as_one_and_forcing_is_not_advised(steersman, typed, session):
    refused = typed("sessions", "export", session, "--output", str(steersman.folder))
    assert (refused.code, "is a folder." in refused.err, "--force" in refused.err) == (64, True, False)
