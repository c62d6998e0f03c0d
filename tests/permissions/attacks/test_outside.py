"""Nothing outside the workspace, by any spelling, approved or not; and nothing else than what was approved (W7, A4)."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from steersman.permissions.modes import Mode
from steersman.permissions.question import Answer, Question
from support.arena import Arena, Call, allow_once

MODES = list(Mode)


def attempts(base: Path) -> list[Call]:
    """Ways to write or read beside the workspace."""
    canary = base / "outside" / "canary"
    paths = [
        "../outside/canary",
        "src/../../outside/canary",
        str(canary),
        canary.as_uri(),
        "file://localhost" + str(canary),
        "link",
        "folder/canary",
        "dangling",
        "~/../" * 9 + str(canary),
        "src//..//..//outside//canary",
        "../ws_evil/x",
        "/etc/passwd",
    ]
    patch = "*** Begin Patch\n*** Update File: {}\n@@\n-alive\n+evil\n*** End Patch"
    move = "*** Begin Patch\n*** Update File: src/app.py\n*** Move to: {}\n@@\n-a = 1\n+evil\n*** End Patch"
    calls: list[Call] = []
    for path in paths:
        calls += [
            ("read_file", {"path": path}),
            ("write_file", {"path": path, "content": "evil"}),
            ("edit_file", {"path": path, "old_text": "alive", "new_text": "evil"}),
            ("delete_file", {"path": path}),
            ("move_file", {"path": path, "new_path": "src/stolen"}),
            ("move_file", {"path": "src/other.py", "new_path": path}),
            ("apply_patch", {"patch": patch.format(path)}),
            ("apply_patch", {"patch": move.format(path)}),
            ("list_dir", {"path": path}),
            ("search", {"pattern": "alive", "path": path}),
            ("run_command", {"command": "echo evil > x", "folder": path}),
        ]
    return calls


@pytest.mark.parametrize("mode", MODES)
async def test_nothing_outside_is_reached_even_with_a_yes_to_everything(mode: Mode, tmp_path: Path):
    arena = Arena.below(tmp_path)
    (arena.folder / "link").symlink_to(arena.outside / "canary")
    (arena.folder / "folder").symlink_to(arena.outside)
    (arena.folder / "dangling").symlink_to(arena.outside / "new")
    (tmp_path / "ws_evil").mkdir()
    (tmp_path / "ws_evil" / "x").write_text("alive\n")
    arena.remember()
    arena.answer = allow_once
    calls = attempts(tmp_path)
    outcome = await arena.run(mode, *calls)
    assert arena.changed == []
    for call, result in zip(calls, outcome.results, strict=True):
        assert result.is_error, call
        assert "alive" not in result.content.replace("“alive”", ""), call
    assert arena.asked == [], "nobody is asked to approve what cannot be done"
    assert (tmp_path / "ws_evil" / "x").read_text() == "alive\n"


def swap_file_for_link(arena: Arena, target: Path) -> None:
    file = arena.folder / "src" / "app.py"
    file.unlink()
    file.symlink_to(target)


def swap_folder_for_link(arena: Arena, target: Path) -> None:
    (arena.folder / "src").rename(arena.folder / "src.old")
    (target.parent / "app.py").write_text("a = 1\n")
    (arena.folder / "src").symlink_to(target.parent)


SWAPS: list[Callable[[Arena, Path], None]] = [swap_file_for_link, swap_folder_for_link]
CHANGES: list[Call] = [
    ("edit_file", {"path": "src/app.py", "old_text": "a = 1", "new_text": "a = 2"}),
    ("write_file", {"path": "src/app.py", "content": "evil\n"}),
    ("delete_file", {"path": "src/app.py"}),
    ("move_file", {"path": "README.md", "new_path": "src/new.py"}),
    ("apply_patch", {"patch": "*** Begin Patch\n*** Update File: src/app.py\n@@\n-a = 1\n+a = 2\n*** End Patch"}),
]


@pytest.mark.parametrize("where", ["outside", "protected"])
@pytest.mark.parametrize("swap", SWAPS)
@pytest.mark.parametrize("call", CHANGES, ids=lambda call: call[0])
async def test_a_file_swapped_for_a_link_between_approval_and_write_is_not_followed(
    call: Call, swap: Callable[[Arena, Path], None], where: str, tmp_path: Path
):
    """The first question is answered yes; whatever is asked after the swap is left unanswered."""
    arena = Arena.below(tmp_path)
    target = arena.outside / "canary" if where == "outside" else arena.folder / ".git" / "hooks" / "pre-commit"
    content = {path: path.read_bytes() for path in target.parent.iterdir()}

    def answer(question: Question) -> Answer | None:
        if len(arena.asked) > 1:
            return None
        swap(arena, target)
        content.update({path: path.read_bytes() for path in target.parent.iterdir()})
        return Answer("allow_once")

    arena.answer = answer
    await arena.run(Mode.ASK, ("read_file", {"path": "src/app.py"}), ("read_file", {"path": "README.md"}), call)
    assert arena.asked
    now = {path: path.read_bytes() for path in target.parent.iterdir()}
    assert content == now


@pytest.mark.parametrize("mode", [Mode.ASK, Mode.AUTO])
async def test_what_was_approved_is_what_is_written_when_the_file_changes_under_the_question(
    mode: Mode, tmp_path: Path
):
    """The edit's own text changed: what was shown does not hold any more, so it is asked again or given back."""
    arena = Arena.below(tmp_path)

    def answer(question: Question) -> Answer | None:
        if len(arena.asked) > 1:
            return None
        (arena.folder / "src" / "app.py").write_text("a = 1  # precious\n")
        return Answer("allow_once")

    arena.answer = answer
    await arena.run(
        mode, ("read_file", {"path": "src/app.py"}), ("write_file", {"path": "src/app.py", "content": "new\n"})
    )
    text = (arena.folder / "src" / "app.py").read_text()
    assert text == ("a = 1  # precious\n" if mode is Mode.ASK else "new\n")


def test_links_can_be_made_here():
    """Guards the tests above."""
    assert hasattr(os, "symlink")
