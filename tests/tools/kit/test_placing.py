"""Where a rename would lose something or is impossible, the file is written in place (DESIGN W2)."""

import errno
import os
from dataclasses import dataclass
from pathlib import Path

import pytest

from steersman_tools.kit.anchored import Folder
from steersman_tools.kit.placing import Original, place_new, replace, write_beside


@dataclass(frozen=True, slots=True)
class Grudging(Folder):
    """A folder that refuses what it is told to refuse."""

    refuses_new: bool = False
    rename_error: int = 0
    link_error: int = 0

    def open(self, name: str, flags: int, mode: int = 0o600) -> int:
        if self.refuses_new and flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "no")
        return Folder.open(self, name, flags, mode)

    def rename(self, name: str, to: Folder, new_name: str) -> None:
        if self.rename_error:
            raise OSError(self.rename_error, "no")
        Folder.rename(self, name, to, new_name)

    def link(self, name: str, to: Folder, new_name: str) -> None:
        if self.link_error:
            raise OSError(self.link_error, "no")
        Folder.link(self, name, to, new_name)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "old").write_text("a longer old text")
    return tmp_path


def test_a_folder_without_write_permission_means_in_place(home: Path) -> None:
    folder = Grudging(str(home), None, refuses_new=True)
    original = Original(folder, "old", (home / "old").stat())
    inode = (home / "old").stat().st_ino

    assert not write_beside(folder, "temp", b"new", original)
    replace(folder, "old", None, b"new")

    assert ("new", inode) == ((home / "old").read_text(), (home / "old").stat().st_ino)


def test_a_new_file_in_such_a_folder_is_an_error(home: Path) -> None:
    with pytest.raises(PermissionError):
        write_beside(Grudging(str(home), None, refuses_new=True), "temp", b"new", None)


def test_a_busy_file_is_written_in_place_and_the_temporary_one_removed(home: Path) -> None:
    folder = Grudging(str(home), None, rename_error=errno.EBUSY)
    original = Original(folder, "old", (home / "old").stat())

    assert write_beside(folder, "temp", b"new", original)
    replace(folder, "old", "temp", b"new")

    assert {path.name: path.read_text() for path in home.iterdir()} == {"old": "new"}


def test_a_foreign_owner_means_in_place(home: Path) -> None:
    status = list((home / "old").stat())
    status[4] += 1  # the owner
    original = Original(Folder(str(home), None), "old", os.stat_result(status))

    assert not write_beside(Folder(str(home), None), "temp", b"new", original)
    assert [path.name for path in home.iterdir()] == ["old"]


def test_other_errors_of_a_rename_are_not_hidden(home: Path) -> None:
    folder = Grudging(str(home), None, rename_error=errno.EIO)
    write_beside(folder, "temp", b"new", Original(folder, "old", (home / "old").stat()))

    with pytest.raises(OSError, match="no"):
        replace(folder, "old", "temp", b"new")
    assert (home / "old").read_text() == "a longer old text"


def test_without_hard_links_a_new_name_still_replaces_nothing(home: Path) -> None:
    folder = Grudging(str(home), None, link_error=errno.EPERM)
    (home / "temp").write_text("new")

    with pytest.raises(FileExistsError):
        place_new(folder, "temp", folder, "old")
    place_new(folder, "temp", folder, "fresh")

    assert {path.name: path.read_text() for path in home.iterdir()} == {"old": "a longer old text", "fresh": "new"}
