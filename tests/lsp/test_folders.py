"""Workspace folders as clients name and change them (reports 30)."""

from pathlib import Path
from typing import Any

import pytest

from steersman.lsp.folders import WorkspaceFolders


def folders(**initialize: Any) -> WorkspaceFolders:
    made = WorkspaceFolders(lambda uri: Path(uri.removeprefix("file://")) if uri.startswith("file://") else None)
    made.read(initialize)
    return made


def names(made: WorkspaceFolders) -> list[tuple[str, str]]:
    return [(root.name, str(root.path)) for root in made.roots]


@pytest.mark.parametrize(
    "initialize",
    [
        {},
        {"rootUri": None},
        {"workspaceFolders": None, "rootUri": None, "rootPath": None},
        {"workspaceFolders": []},
        {"rootPath": "relative"},
        {"workspaceFolders": [3, {}, {"uri": 4}]},
        {"rootUri": 5},
    ],
)
def test_there_may_be_none(initialize: Any) -> None:
    assert folders(**initialize).roots == ()


def test_the_list_counts_before_the_root_and_the_root_before_the_path() -> None:
    listed = [{"uri": "file:///w/a", "name": "A"}]
    assert names(folders(workspaceFolders=listed, rootUri="file:///b", rootPath="/c")) == [("A", "/w/a")]
    assert names(folders(rootUri="file:///b", rootPath="/c")) == [("b", "/b")]
    assert names(folders(rootPath="/c")) == [("c", "/c")]


def test_names_are_unique_and_one_folder_counts_once() -> None:
    listed = [{"uri": f"file:///{path}", "name": "app"} for path in ("a", "b", "a", "c")]
    assert names(folders(workspaceFolders=listed)) == [("app", "/a"), ("app-2", "/b"), ("app-3", "/c")]


def test_folders_come_and_go() -> None:
    made = folders(rootUri="file:///a")
    made.change(added=[("file:///b", "b"), ("file:///b", "b")], removed=["file:///a", "file:///never"])
    assert names(made) == [("b", "/b")]


def test_a_folder_elsewhere_is_not_used_and_told() -> None:
    made = folders(workspaceFolders=[{"uri": "vscode-remote://x/a", "name": "a"}])
    assert made.roots == ()
    assert len(made.warnings) == 1
    assert "vscode-remote://x/a" in made.warnings[0]


def test_paths_are_shown_relative_to_their_folder() -> None:
    made = folders(workspaceFolders=[{"uri": "file:///a", "name": "A"}, {"uri": "file:///b", "name": "B"}])
    assert [made.display(Path(path)) for path in ("/a/x/y", "/b/z", "/c/q")] == ["x/y", "B/z", str(Path("/c/q"))]
