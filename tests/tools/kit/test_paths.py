"""Confinement on a real file system, and on one that folds names (DESIGN W7, W12; reports 12, 13, 14)."""

import os
from pathlib import Path

import pytest

from steersman_tools.kit.paths import Confinement
from steersman_tools.kit.workspace import PathRefusedError, Root
from support.folding_files import FoldingFiles
from support.reading import plant


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return plant(tmp_path / "ws", "src/app.py", "app/(g)/issues/[id]/page.tsx")


def confined(*folders: Path, folder: Path | None = None) -> Confinement:
    return Confinement([Root(each.name, each) for each in folders], folder)


def test_relative_paths_start_at_the_runs_folder(ws: Path) -> None:
    location = confined(ws).locate("src/../src/app.py")

    assert (ws / "src/app.py", "src/app.py") == (location.path, location.display)


def test_relative_paths_start_at_a_folder_inside_a_root_when_the_run_does(ws: Path) -> None:
    kit = confined(ws, folder=ws / "src")

    assert ws / "src/app.py" == kit.locate("app.py").path
    assert kit.locate("../app").display == "ws/app"
    assert ws / "app" == kit.locate(kit.locate("../app").display).path


def test_the_workspace_folder_itself_is_a_dot(ws: Path) -> None:
    assert confined(ws).locate(str(ws)).display == "."


def test_a_sibling_whose_name_begins_alike_is_outside(ws: Path) -> None:
    """Report 12."""
    plant(ws.parent / "ws_evil", "x")

    for raw in ("../ws_evil/x", f"{ws}_evil/x", f"file://{ws}_evil/x"):
        with pytest.raises(PathRefusedError, match="out of the workspace"):
            confined(ws).locate(raw)


@pytest.mark.parametrize("name", ["nul", "aux.txt", "COM1.log"])
def test_device_names_are_refused_on_every_system(ws: Path, name: str) -> None:
    """Report 13."""
    with pytest.raises(PathRefusedError, match="device"):
        confined(ws).locate(name)


def test_brackets_and_parentheses_are_literal(ws: Path) -> None:
    """Report 14."""
    path = "app/(g)/issues/[id]/page.tsx"

    assert ws / path == confined(ws).locate(path).path


@pytest.mark.parametrize("raw", ["~", "~/x", "~root/x", "/etc/passwd", "..", "src/../../x", "/", "file:///etc/passwd"])
def test_no_spelling_leads_out(ws: Path, raw: str) -> None:
    with pytest.raises(PathRefusedError):
        confined(ws).locate(raw)


def test_home_is_resolved_and_may_be_inside(ws: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(ws.parent))
    monkeypatch.setenv("USERPROFILE", str(ws.parent))

    assert ws / "src/app.py" == confined(ws).locate("~/ws/src/app.py").path


def test_links_inside_are_followed_and_named(ws: Path) -> None:
    (ws / "link.py").symlink_to("src/app.py")
    (ws / "folder").symlink_to(ws / "src")

    assert (ws / "src/app.py", ws / "link.py") == (
        confined(ws).locate("link.py").path,
        confined(ws).locate("link.py").link,
    )
    assert (ws / "src/new.py", None) == (
        confined(ws).locate("folder/new.py").path,
        confined(ws).locate("folder/new.py").link,
    )


def test_a_dangling_link_leads_where_it_points(ws: Path) -> None:
    (ws / "inside").symlink_to("src/missing.py")
    (ws / "outside").symlink_to("../missing.py")

    assert ws / "src/missing.py" == confined(ws).locate("inside").path
    with pytest.raises(PathRefusedError):
        confined(ws).locate("outside")


def test_a_link_out_is_refused_for_all_below_it(ws: Path) -> None:
    (ws / "out").symlink_to(ws.parent)

    for raw in ("out", "out/x", "out/ws/../x"):
        with pytest.raises(PathRefusedError):
            confined(ws).locate(raw)
    assert ws / "src" == confined(ws).locate("out/ws/src").path


def test_a_loop_of_links_is_refused(ws: Path) -> None:
    (ws / "a").symlink_to("b")
    (ws / "b").symlink_to("a")

    for raw in ("a", "a/x"):
        with pytest.raises(PathRefusedError, match="loop"):
            confined(ws).locate(raw)


def test_a_link_to_a_device_name_is_refused(ws: Path) -> None:
    (ws / "fine").symlink_to("nul")

    with pytest.raises(PathRefusedError):
        confined(ws).locate("fine")


def test_a_name_too_long_for_the_file_system_is_refused_in_words(ws: Path) -> None:
    with pytest.raises(PathRefusedError, match="too long"):
        confined(ws).locate("x" * 300)


def test_a_backslash_separates_on_windows_only_and_elsewhere_the_model_is_told(ws: Path) -> None:
    if os.sep == "\\":
        assert ws / "src/app.py" == confined(ws).locate("src\\app.py").path
        return
    plant(ws, "odd\\name")
    assert ws / "odd\\name" == confined(ws).locate("odd\\name").path
    with pytest.raises(PathRefusedError, match="write “/”"):
        confined(ws).locate("src\\app.py")


class TestSeveralRoots:
    def test_another_root_is_named_first(self, ws: Path) -> None:
        other = plant(ws.parent / "lib", "a.py")
        kit = confined(ws, other)

        assert (other / "a.py", "lib/a.py") == (kit.locate("lib/a.py").path, kit.locate("lib/a.py").display)
        assert kit.locate("lib").display == "lib"

    def test_an_own_folder_of_that_name_comes_first_and_both_can_be_named(self, ws: Path) -> None:
        other = plant(ws.parent / "lib", "a.py")
        plant(ws, "lib/own.py")
        kit = confined(ws, other)

        assert ws / "lib/own.py" == kit.locate("lib/own.py").path
        assert other / "a.py" == kit.locate(kit.locate(str(other / "a.py")).display).path

    def test_the_own_roots_name_is_an_ordinary_folder(self, ws: Path) -> None:
        assert ws / "ws/__init__.py" == confined(ws).locate("ws/__init__.py").path

    def test_a_root_inside_another_is_the_one_that_counts(self, ws: Path) -> None:
        kit = confined(ws, ws / "src")

        assert kit.locate("src/app.py").root.name == "src"
        assert kit.locate("src/app.py").display == "src/app.py"

    def test_links_between_roots_are_allowed(self, ws: Path) -> None:
        other = plant(ws.parent / "lib", "a.py")
        (ws / "to_lib").symlink_to(other)

        assert other / "a.py" == confined(ws, other).locate("to_lib/a.py").path


class TestFoldingFileSystem:
    def kit(self, *paths: str, links: dict[str, str] | None = None) -> Confinement:
        files = FoldingFiles(["/Users/u/Ws", *(f"/Users/u/Ws/{path}" for path in paths)], links)
        return Confinement([Root("ws", Path("/users/U/ws"))], file_system=files)

    def test_every_spelling_is_one_path(self) -> None:
        kit = self.kit("Src/Café.py")

        found = {
            kit.locate(raw).path
            for raw in ("Src/Café.py", "src/CAFÉ.PY", "SRC/Cafe\u0301.py", "/USERS/u/WS/src/café.py")
        }

        assert {Path("/Users/u/Ws/Src/Café.py")} == found

    def test_what_does_not_exist_keeps_its_spelling_behind_what_does(self) -> None:
        assert Path("/Users/u/Ws/Src/New.py") == self.kit("Src/a.py").locate("SRC/New.py").path

    def test_another_case_of_the_workspace_leads_no_further_out(self) -> None:
        with pytest.raises(PathRefusedError):
            self.kit().locate("/USERS/u/ws_evil/x")

    def test_a_link_in_another_case_is_found(self) -> None:
        kit = self.kit("out", links={"/Users/u/Ws/out": "/etc"})

        with pytest.raises(PathRefusedError):
            kit.locate("OUT/passwd")

    def test_a_location_tells_the_spelling_that_was_wanted(self) -> None:
        kit = self.kit("README.md")

        assert kit.locate("readme.md").respelled == Path("/Users/u/Ws/readme.md")
        assert kit.locate("README.md").respelled is None
        assert kit.locate("other.md").respelled is None

    def test_a_change_of_case_alone_is_a_respelling(self) -> None:
        kit = self.kit("README.md")

        assert kit.is_respelling(Path("/Users/u/Ws/readme.md"), Path("/Users/u/Ws/README.md"))
        assert not kit.is_respelling(Path("/Users/u/Ws/other.md"), Path("/Users/u/Ws/README.md"))


def test_hard_links_under_two_cases_are_two_files_where_case_counts(ws: Path) -> None:
    plant(ws, "a")
    if (ws / "A").exists():
        assert ws / "a" == confined(ws).locate("A").path
        return
    os.link(ws / "a", ws / "A")

    assert ws / "A" == confined(ws).locate("A").path


def test_a_workspace_needs_a_folder(ws: Path) -> None:
    with pytest.raises(ValueError, match="at least one"):
        Confinement([])
    with pytest.raises(ValueError, match="no workspace folder"):
        confined(ws, folder=ws.parent)


class CountingFiles(FoldingFiles):
    """Keeps what it was asked."""

    def __init__(self, paths: list[str]) -> None:
        super().__init__(paths)
        self.asked: list[tuple[str, str]] = []

    def is_link(self, path: str) -> bool:
        self.asked.append(("link", path))
        return super().is_link(path)

    def identity(self, path: str) -> tuple[int, int] | None:
        self.asked.append(("identity", path))
        return super().identity(path)


def test_above_a_workspace_folder_nothing_is_looked_at_again():
    """A path of a deep workspace costs what its own parts cost (DESIGN §9)."""
    files = CountingFiles(["/home/me/src/deep/ws/a.py"])
    confinement = Confinement([Root("ws", Path("/home/me/src/deep/ws"))], file_system=files)
    files.asked.clear()
    assert confinement.locate("a.py").path == Path("/home/me/src/deep/ws/a.py")
    links = [path for kind, path in files.asked if kind == "link"]
    assert links == ["/home/me/src/deep/ws/a.py", "/home/me/src/deep/ws"]
    assert {path.rpartition("/")[0] for kind, path in files.asked if kind == "identity"} == {"/home/me/src/deep/ws"}
