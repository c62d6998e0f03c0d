"""Where the stores lie, and that nobody else reads them."""

import os
import stat
from pathlib import Path

import pytest

from steersman.agent.errors import StorageError
from steersman.sessions import places
from steersman.sessions.places import folder_key, make_private, store_folder
from support.session_store import Stores


def modes(top: Path) -> dict[str, str]:
    found = [top, *top.rglob("*")]
    return {str(path.relative_to(top.parent)): oct(stat.S_IMODE(path.stat().st_mode)) for path in found}


def test_one_folder_has_one_store_however_it_is_spelled(tmp_path: Path):
    (tmp_path / "project").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "project")
    plain = store_folder(tmp_path, tmp_path / "project")
    assert plain == store_folder(tmp_path, tmp_path / "link")
    assert plain == store_folder(tmp_path, tmp_path / "x" / ".." / "project")


def test_folders_of_one_name_have_different_stores(tmp_path: Path):
    one, other = store_folder(tmp_path, tmp_path / "a" / "app"), store_folder(tmp_path, tmp_path / "b" / "app")
    assert one != other
    assert one.name.startswith("app-")


def test_without_a_folder_there_is_one_common_store(tmp_path: Path):
    assert store_folder(tmp_path, None) == tmp_path / "workspaces" / "no-folder"


@pytest.mark.parametrize("name", ["../evil", "a b", "ünïcode", "-", ".hidden", "x" * 300, "con\n"])
def test_any_name_gives_a_plain_folder_below_the_state_folder(tmp_path: Path, name: str):
    place = store_folder(tmp_path, tmp_path / "w" / name)
    assert place.parent == tmp_path / "workspaces"
    assert place.name.isascii()
    assert len(place.name) < 80


def test_case_counts_only_where_the_file_system_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """A folding file system is one that finds the same folder under another case."""
    upper, lower = tmp_path / "Project", tmp_path / "project"
    upper.mkdir()
    assert folder_key(upper) != folder_key(lower)
    monkeypatch.setattr(places, "folds_case", lambda _: True)
    assert folder_key(upper) == folder_key(lower)


@pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
def test_folders_are_0700_and_files_0600(stores: Stores):
    old = os.umask(0)
    try:
        store = stores.open()
        session = store.create("hello")
        with store.acquire(session.id, "test") as handle:
            handle.load()
            found = modes(stores.state_dir)
    finally:
        os.umask(old)
    folders = {mode for path, mode in found.items() if not Path(path).suffix}
    files = {mode for path, mode in found.items() if Path(path).suffix}
    assert len(found) >= 7
    assert folders == {"0o700"}
    assert files == {"0o600"}


@pytest.mark.skipif(os.name != "posix", reason="modes are a matter of POSIX")
def test_rights_of_others_are_taken_from_a_store_that_has_them(stores: Stores):
    stores.open().close()
    place = store_folder(stores.state_dir, stores.folder)
    place.chmod(0o755)
    stores.open()
    assert stat.S_IMODE(place.stat().st_mode) == 0o700


def test_the_state_folder_itself_is_left_as_the_person_made_it(stores: Stores):
    stores.state_dir.mkdir(mode=0o755)
    before = stores.state_dir.stat().st_mode
    stores.open()
    assert stores.state_dir.stat().st_mode == before


def test_a_file_in_the_way_is_told_plainly(tmp_path: Path):
    (tmp_path / "state").write_text("in the way")
    with pytest.raises(StorageError) as failure:
        make_private(tmp_path / "state" / "workspaces")
    assert str(tmp_path / "state") in failure.value.message


def test_nothing_is_written_into_the_workspace(stores: Stores):
    store = stores.open()
    store.create("hello")
    assert list(stores.folder.iterdir()) == []
