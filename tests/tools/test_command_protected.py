"""Which protected paths a sandbox has to keep, and what one command is held to (DESIGN W7, W10)."""

from __future__ import annotations

import asyncio
import gc
import os
from pathlib import Path

import pytest

from steersman_tools.kit.confining import CommandRules, Confiner, may_write_git
from steersman_tools.kit.protected_walk import ProtectedWalk
from steersman_tools.kit.sandbox import Bubblewrap
from steersman_tools.kit.sandbox_probe import Found

BWRAP = Found(Bubblewrap("/usr/bin/bwrap"))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path.resolve() / "ws"
    for name in (".git/hooks", ".vscode", "src", "packages/app", "node_modules/x/.vscode"):
        (folder / name).mkdir(parents=True)
    for name in (".git/config", "AGENTS.md", "packages/app/.env", "src/app.py", "node_modules/x/.env"):
        (folder / name).write_text("x")
    return folder


def found(root: Path, *, max_entries: int = 1000) -> tuple[set[str], set[str], bool]:
    seen = ProtectedWalk([root], max_entries=max_entries).find()
    return (
        {path.relative_to(root).as_posix() for path in seen.paths},
        {path.relative_to(root).as_posix() for path in seen.absent},
        seen.is_complete,
    )


def test_protected_paths_are_found_but_not_inside_one_another_or_in_bulky_folders(root: Path):
    paths, absent, is_complete = found(root)

    assert paths == {".git", ".vscode", "AGENTS.md", "packages/app/.env"}
    assert absent == {".idea", ".steersman"}
    assert is_complete


def test_names_of_several_parts_are_found(root: Path):
    for name in (".github/workflows", ".github/ISSUE_TEMPLATE", ".config/nvim", "bare.git/hooks"):
        (root / name).mkdir(parents=True)

    paths = found(root)[0]

    assert {".github/workflows", ".config/nvim", "bare.git/hooks"} <= paths
    assert ".github/ISSUE_TEMPLATE" not in paths


def test_a_workspace_that_is_protected_itself_is_so_as_a_whole(tmp_path: Path):
    inside = tmp_path.resolve() / ".git" / "modules"
    inside.mkdir(parents=True)

    assert ProtectedWalk([inside]).find().paths.keys() == {inside}


def test_what_a_protected_link_leads_to_is_protected(root: Path):
    (root / "conf").mkdir()
    (root / ".idea").symlink_to("conf")

    assert "conf" in found(root)[0]


def test_a_tree_that_is_too_large_is_said_to_be(root: Path):
    for number in range(50):
        (root / "src" / f"{number}.py").write_text("x")

    paths, _, is_complete = found(root, max_entries=10)

    assert not is_complete
    assert {".git", ".vscode", "AGENTS.md"} <= paths


def test_a_folder_that_changed_is_looked_at_again(root: Path):
    walk = ProtectedWalk([root])
    walk.find()
    (root / "src" / ".env").write_text("x")

    assert root / "src" / ".env" in walk.find().paths


def test_a_folder_that_changed_is_looked_at_again_whatever_its_times_say(root: Path):
    """The very attack: the time of the folder is put back after something was made in it."""
    walk = ProtectedWalk([root], clock_ns=lambda: 2**62)
    walk.find()
    before = (root / "src").stat()
    (root / "src" / ".vscode").mkdir()
    os.utime(root / "src", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert root / "src" / ".vscode" in walk.find().paths


def test_a_folder_that_took_the_place_of_another_is_looked_at(root: Path):
    walk = ProtectedWalk([root], clock_ns=lambda: 2**62)
    walk.find()
    before = (root / "src").stat()
    (root / "src").rename(root / "old")
    (root / "src").mkdir()
    (root / "src" / ".env").write_text("x")
    os.utime(root / "src", ns=(before.st_atime_ns, before.st_mtime_ns))

    assert root / "src" / ".env" in walk.find().paths


def test_a_folder_that_changed_just_before_it_was_read_is_read_again(root: Path):
    """The clocks of files are coarse: two changes may have the same time. Here all times are the same."""
    read: list[int] = []

    def clock() -> int:
        read.append((root / "src").stat().st_ctime_ns)
        return read[-1]

    walk = ProtectedWalk([root], clock_ns=clock)
    walk.find()
    once = len(read)
    walk.find()

    assert len(read) == 2 * once


def test_a_folder_that_has_not_changed_for_a_while_is_not_read_again(root: Path):
    read: list[int] = []

    def clock() -> int:
        read.append(2**62)
        return read[-1]

    walk = ProtectedWalk([root], clock_ns=clock)
    walk.find()
    once = len(read)
    walk.find()

    assert len(read) == once


def watched(root: Path, max_entries: int = 1000) -> tuple[set[str], set[str]]:
    walk = ProtectedWalk([root], max_watched_entries=max_entries)
    walk.find()
    seen = walk.watch()
    return (
        {path.relative_to(root).as_posix() for path in seen.paths},
        {path.relative_to(root).as_posix() for path in seen.unseen},
    )


def test_what_is_protected_in_folders_that_other_programs_fill_is_watched(root: Path):
    (root / "packages" / "app" / "build").mkdir()
    (root / "packages" / "app" / "build" / ".envrc").write_text("x")

    assert watched(root) == (
        {"node_modules/x/.vscode", "node_modules/x/.env", "packages/app/build/.envrc"},
        set(),
    )


def test_folders_that_are_too_full_to_watch_are_named(root: Path):
    for number in range(30):
        (root / "node_modules" / "x" / f"{number}" / "y").mkdir(parents=True)

    assert watched(root, max_entries=20)[1] == {"node_modules"}


async def test_that_they_are_too_full_is_a_warning(root: Path):
    walk = ProtectedWalk([root], max_watched_entries=1)

    held = await Confiner((root,), CommandRules(root.parent / "home"), walk).hold("make", root, BWRAP)

    assert held.warnings == ("Protected files in node_modules are neither kept nor watched: there are too many files.",)


def test_of_many_protected_paths_in_a_filled_folder_only_the_folder_is_named(root: Path):
    walk = ProtectedWalk([root])
    walk.find()
    many = [root / "node_modules" / f"{number}" / ".env" for number in range(4)]

    assert walk.crowded([root / ".env", *many[:3]]) == ((root / ".env", *many[:3]), ())
    assert walk.crowded([root / ".env", *many]) == ((root / ".env",), (root / "node_modules",))


@pytest.mark.parametrize(
    ("there", "changed"),
    [
        ("vendor/lib/.vscode/tasks.json", "vendor/lib/.vscode"),
        ("build/.envrc", "build/.envrc"),
        ("vendor/lib/.git/hooks/pre-commit", "vendor/lib/.git"),
        ("vendor/lib/.git/config", "vendor/lib/.git"),
    ],
)
@pytest.mark.parametrize("is_new", [False, True])
async def test_a_change_of_what_is_watched_is_news(root: Path, there: str, changed: str, is_new: bool):
    path = root / there
    path.parent.mkdir(parents=True)
    if not is_new:
        path.write_text("orig")
    each = confiner(root)
    holding = await each.begin(await each.hold("make", root, BWRAP))
    path.write_text("EVIL")

    assert (await each.end(holding)).made == (root / changed,)


async def test_what_is_only_read_is_no_news(root: Path):
    (root / "vendor" / "lib" / ".git" / "objects").mkdir(parents=True)
    (root / "vendor" / "lib" / ".git" / "config").write_text("x")
    each = confiner(root)
    holding = await each.begin(await each.hold("make", root, BWRAP))
    (root / "vendor" / "lib" / ".git" / "objects" / "x").write_text("git does this")

    assert (await each.end(holding)).made == ()


def confiner(root: Path, **rules: object) -> Confiner:
    return Confiner((root,), CommandRules(root.parent / "home", **rules), ProtectedWalk([root]))  # type: ignore[arg-type]


async def test_a_command_is_held_to_the_roots_without_their_protected_paths(root: Path):
    held = await confiner(root).hold("make", root / "src", BWRAP)

    assert held.confinement == "roots"
    assert held.confines is not None
    assert held.confines.folder == root / "src"
    assert root / ".git" in held.confines.protected
    assert root / ".idea" in held.confines.absent
    assert held.warnings == ()


async def test_without_a_sandbox_nothing_is_claimed(root: Path):
    held = await confiner(root).hold("make", root, Found(None, "there is none"))

    assert (held.confinement, held.argv(["x"]), dict(held.environment())) == ("none", ["x"], {})
    assert held.warnings == ("It runs without a sandbox: there is none.",)


async def test_plan_mode_is_read_only(root: Path):
    held = await confiner(root).hold("git commit", root, BWRAP, read_only=True)

    assert held.confinement == "read_only"
    assert held.confines is not None
    assert held.confines.read_only


async def test_a_command_that_changes_the_repository_gets_it_without_hooks_and_configuration(root: Path):
    held = await confiner(root).hold("git commit -m x", root, BWRAP)

    assert held.confinement == "none"
    assert "not its hooks" in held.warnings[0]
    assert held.confines is not None
    assert {root / ".git" / "hooks", root / ".git" / "config"} <= set(held.confines.protected)
    assert root / ".git" not in held.confines.protected
    assert root / ".vscode" in held.confines.protected


async def test_keys_are_hidden_where_they_are_of_no_use_and_sockets_of_daemons_always(root: Path):
    home = root.parent / "home"
    (home / ".ssh").mkdir(parents=True)
    (home / ".docker" / "run").mkdir(parents=True)
    (home / ".netrc").write_text("x")
    own = root.parent / "state"
    own.mkdir()

    offline = await confiner(root, hidden=(own,)).hold("make", root, BWRAP)
    online = await confiner(root, hidden=(own,), network=True).hold("make", root, BWRAP)

    assert offline.confines is not None
    assert online.confines is not None
    assert set(offline.confines.hidden) == {f"{home}/.ssh/", f"{home}/.netrc", f"{home}/.docker/run/", f"{own}/"}
    assert set(online.confines.hidden) == {f"{home}/.docker/run/", f"{own}/"}


async def test_the_scratch_folder_is_made_once_it_is_needed(root: Path):
    scratch = root.parent / "scratch"

    await confiner(root, scratch=scratch).hold("make", root, BWRAP)

    assert sorted(path.name for path in scratch.iterdir()) == ["cache", "tmp"]


async def test_without_one_a_scratch_folder_is_made_that_lasts_as_long_as_the_tool(root: Path):
    each = confiner(root)
    held = await each.hold("make", root, BWRAP)
    again = await each.hold("make", root, BWRAP)
    assert held.confines is not None
    assert again.confines is not None
    made = held.confines.scratch
    assert made is not None
    assert made == again.confines.scratch
    assert (made / "tmp").is_dir()

    del each
    for _ in range(1000):  # the thread that worked for it may still be letting go of it
        await asyncio.to_thread(gc.collect)
        if not made.exists():
            return
    assert not made.exists()


async def test_protected_paths_that_a_command_made_are_news(root: Path):
    each = confiner(root)
    holding = await each.begin(await each.hold("make", root, BWRAP))
    (root / "src" / ".env").write_text("made")

    assert (await each.end(holding)).made == (root / "src" / ".env",)


async def test_a_protected_file_that_another_took_the_place_of_is_news(root: Path):
    each = confiner(root)
    holding = await each.begin(await each.hold("make", root, BWRAP))
    (root / "packages" / "app").rename(root / "packages" / "old")
    (root / "packages" / "app").mkdir()
    (root / "packages" / "app" / ".env").write_text("another")

    assert set((await each.end(holding)).made) == {
        root / "packages" / "app" / ".env",
        root / "packages" / "old" / ".env",
    }


async def test_what_keeps_folders_away_is_there_only_while_a_command_runs(root: Path):
    each = confiner(root)
    held = await each.hold("make", root, BWRAP)
    before = sorted(root.iterdir())

    holding = await each.begin(held)
    assert (root / ".idea").is_dir()
    news = await each.end(holding)

    assert news.made == ()
    assert sorted(root.iterdir()) == before


async def test_a_folder_that_somebody_filled_meanwhile_is_not_removed(root: Path):
    each = confiner(root)
    holding = await each.begin(await each.hold("make", root, BWRAP))
    (root / ".idea" / "mine").write_text("x")

    assert (await each.end(holding)).made == (root / ".idea",)
    assert (root / ".idea" / "mine").exists()


@pytest.mark.parametrize(
    "command",
    [
        *("git commit -m x", "git add .", "cd a && git -C b checkout main", "git -c a.b=c rebase main", "git stash"),
        *("make; git push", "git branch -D x", "/usr/bin/git merge x", "git config user.name x"),
    ],
)
def test_git_commands_that_change_the_repository_are_recognised(command: str):
    assert may_write_git(command)


@pytest.mark.parametrize(
    "command", ["git status", "git diff HEAD~1 | cat", "git log --oneline", "make", "echo gitk", "ls .git"]
)
def test_git_commands_that_only_read_are_told_apart(command: str):
    assert not may_write_git(command)
