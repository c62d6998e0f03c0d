"""What "Always allow" leaves behind on disk (A5): exact, private, and stricter when in doubt."""

from __future__ import annotations

import json
import os
import stat
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.permissions.command_patterns import CommandPattern
from steersman.permissions.grants import CallGrant, CommandGrant, Grant, PathGrant
from steersman.permissions.places import always_file
from steersman.permissions.store import AlwaysStore
from support.permission import ROOT

GRANTS: tuple[Grant, ...] = (
    PathGrant("/ws/src/[id].tsx", "edit"),
    PathGrant("/ws/src", "delete", below=True),
    CommandGrant(CommandPattern(("git", "status"), open_ended=True), "/ws", "run_command"),
    CommandGrant(CommandPattern(("make", "'a b'")), "/ws/sub", "shell", network=True),
    CallGrant("fetch", '{"url": "x"}'),
)


def entry(**more: Any) -> dict[str, Any]:
    return {"type": "path", "path": "/ws/a", "kind": "edit", "below": False, **more}


def content(*grants: Any, **more: Any) -> str:
    return json.dumps({"version": 1, "folder": ROOT, "grants": list(grants), **more})


def written(file: Path, text: str | bytes, mode: int = 0o600) -> AlwaysStore:
    file.write_bytes(text if isinstance(text, bytes) else text.encode())
    file.chmod(mode)
    return AlwaysStore(file, ROOT)


def test_what_is_added_is_there_for_everybody(tmp_path: Path):
    file = always_file(tmp_path, ROOT)
    AlwaysStore(file, ROOT).add(GRANTS[:2])
    AlwaysStore(file, ROOT).add(GRANTS[1:])
    assert AlwaysStore(file, ROOT).grants == GRANTS


def test_nothing_there_grants_nothing_and_is_no_problem(tmp_path: Path):
    store = AlwaysStore(tmp_path / "none.json", ROOT)
    assert store.grants == ()
    assert store.problem is None
    assert store.reset() == 0


def test_each_folder_has_a_file_of_its_own(tmp_path: Path):
    assert always_file(tmp_path, "/a") != always_file(tmp_path, "/b")


@pytest.mark.skipif(os.name != "posix", reason="permission bits")
def test_file_and_folder_are_private(tmp_path: Path):
    file = always_file(tmp_path, ROOT)
    AlwaysStore(file, ROOT).add(GRANTS)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def test_what_another_process_added_or_took_back_counts_at_once(tmp_path: Path):
    one, other = AlwaysStore(tmp_path / "x.json", ROOT), AlwaysStore(tmp_path / "x.json", ROOT)
    assert one.grants == ()
    other.add(GRANTS[:1])
    assert one.grants == GRANTS[:1]
    assert other.reset() == 1
    assert one.grants == ()


BAD = [
    "",
    "{",
    "[]",
    "null",
    "[" * 100_000,
    b"\xff\xfe",
    json.dumps({}),
    content(version=2),
    content(folder="/elsewhere"),
    content(grants=None),
    content(grants={"a": 1}),
    content("everything"),
    content(entry(type="everything")),
    content(entry(kind="execute")),
    content(entry(path="")),
    content(entry(path=None)),
    content(entry(below="yes")),
    content(entry(), entry(below=1)),
    content({"type": "command", "words": [], "openEnded": True, "folder": "/ws", "tool": "x", "network": True}),
    content({"type": "command", "words": [1], "openEnded": True, "folder": "/ws", "tool": "x", "network": True}),
    content({"type": "command", "words": ["git"], "openEnded": 1, "folder": "/ws", "tool": "x", "network": True}),
    content({"type": "command", "words": ["git"], "folder": "/ws"}),
    content({"type": "call", "tool": "x"}),
]


@pytest.mark.parametrize("text", BAD)
def test_a_damaged_file_grants_nothing_and_says_so(text: str | bytes, tmp_path: Path):
    """One bad entry takes all the others with it: stricter, never laxer."""
    store = written(tmp_path / "x.json", text)
    assert store.grants == ()
    assert store.problem is not None
    assert str(tmp_path / "x.json") in store.problem


@pytest.mark.parametrize("text", [BAD[1], content(folder="/elsewhere")])
def test_a_damaged_file_is_set_aside_before_a_new_one_is_written(text: str, tmp_path: Path):
    store = written(tmp_path / "x.json", text)
    store.add(GRANTS[:1])
    assert store.grants == GRANTS[:1]
    assert (tmp_path / "x.bad.json").read_text() == text


@pytest.mark.skipif(os.name != "posix", reason="permission bits")
@pytest.mark.parametrize("mode", [0o622, 0o666, 0o620, 0o602])
def test_a_file_that_others_may_write_grants_nothing(mode: int, tmp_path: Path):
    store = written(tmp_path / "x.json", content(entry()), mode)
    assert store.grants == ()
    assert "others may write" in (store.problem or "")


def test_a_folder_in_its_place_grants_nothing(tmp_path: Path):
    (tmp_path / "x.json").mkdir()
    store = AlwaysStore(tmp_path / "x.json", ROOT)
    assert store.grants == ()
    assert store.problem is not None


def test_a_write_that_fails_leaves_what_was_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    store = AlwaysStore(tmp_path / "x.json", ROOT)
    store.add(GRANTS[:1])

    def full(handle: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        store.add(GRANTS[1:])
    assert store.grants == GRANTS[:1]
    assert [path.name for path in tmp_path.iterdir()] == ["x.json"]


TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
ANY_GRANT = st.one_of(
    st.builds(PathGrant, TEXTS, st.sampled_from(["edit", "delete", "move"]), st.booleans()),
    st.builds(
        CommandGrant,
        st.builds(CommandPattern, st.lists(TEXTS, min_size=1, max_size=3).map(tuple), st.booleans()),
        TEXTS,
        TEXTS,
        st.booleans(),
    ),
    st.builds(CallGrant, TEXTS, TEXTS),
)


@given(st.lists(ANY_GRANT, max_size=4, unique=True))
def test_any_grants_come_back_as_they_were(tmp_path_factory: pytest.TempPathFactory, grants: list[Grant]):
    store = AlwaysStore(tmp_path_factory.mktemp("store") / "x.json", ROOT)
    store.add(grants)
    assert AlwaysStore(store._path, ROOT).grants == tuple(grants)
