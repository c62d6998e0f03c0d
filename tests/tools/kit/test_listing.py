"""Listing as git would, by ripgrep and by the walk alike (DESIGN W8; reports 15, 16)."""

import os
from pathlib import Path

import pytest

from steersman.agent.cancel import CancelSignal
from steersman_tools.kit.ignore_rules import IgnoreRules
from steersman_tools.kit.listing import Lister, approach_to, reads_alike
from steersman_tools.kit.ripgrep import Ripgrep
from steersman_tools.kit.walk import walk_files
from support.reading import plant


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The user's own git settings are the test's."""
    folder = tmp_path / "home"
    folder.mkdir()
    for name, value in (("HOME", folder), ("XDG_CONFIG_HOME", folder / "config"), ("GIT_CONFIG_NOSYSTEM", "1")):
        monkeypatch.setenv(name, str(value))
    return folder


@pytest.fixture
def ws(tmp_path: Path) -> Path:
    return plant(tmp_path / "ws", "keep.txt")


def repository(folder: Path) -> Path:
    """What makes a folder a repository, without running git."""
    plant(folder, **{".git/HEAD": "ref: refs/heads/main\n", ".git/config": "", ".git/objects/ab/cd": "x"})
    return folder


async def listed(root: Path, start: Path | None = None) -> set[str]:
    """What is listed, which both ways must agree on; ignore files themselves left out."""
    start = start or root
    listing = await Lister(Ripgrep()).files(root, start, CancelSignal())
    walked = sorted(walk_files(start, IgnoreRules(root), lambda: False))
    assert list(listing.paths) == walked
    assert listing.is_whole
    return {path for path in walked if not path.endswith(".gitignore")}


async def test_no_repository_is_needed(ws: Path) -> None:
    plant(ws, "a.log", "sub/b.log", "sub/c.py", ".hidden/d.py", __gitignore="*.log\n")

    assert {"keep.txt", "sub/c.py", ".hidden/d.py"} == await listed(ws)


async def test_an_inner_ignore_file_takes_a_folder_out_again(ws: Path) -> None:
    """Report 15."""
    plant(
        repository(ws),
        "a/vendor/f.txt",
        "b/vendor/f.txt",
        **{".gitignore": "**/vendor/\n", "a/.gitignore": "!vendor\n"},
    )

    assert {"keep.txt", "a/vendor/f.txt"} == await listed(ws)


async def test_git_itself_is_never_listed(ws: Path) -> None:
    repository(ws)
    repository(ws / "module")
    plant(ws, **{"worktree/.git": "gitdir: ../.git/worktrees/w\n", "worktree/x": ""})

    assert {"keep.txt", "worktree/x"} == await listed(ws)


async def test_what_ignore_files_above_the_workspace_say_counts_in_a_repository_only(tmp_path: Path) -> None:
    plant(
        tmp_path / "outer", "ws/a.log", "ws/b.py", "ws/sub/c.log", "ws/sub/d.py", __gitignore="*.log\n/ws/b.py\nd.py\n"
    )

    assert {"a.log", "b.py", "sub/c.log", "sub/d.py"} == await listed(tmp_path / "outer/ws")
    repository(tmp_path / "outer")
    assert set() == await listed(tmp_path / "outer/ws")


async def test_a_folder_in_a_repository_obeys_anchored_patterns_of_the_top(ws: Path) -> None:
    """Ripgrep alone takes “/src/a” for every “a” below src."""
    plant(repository(ws), "src/a", "src/deep/a", "src/b", __gitignore="/src/a\n")

    assert {"b", "deep/a"} == await listed(ws, ws / "src")


async def test_an_ignored_folder_that_is_named_is_listed(ws: Path) -> None:
    plant(ws, "out/a.js", "out/b.map", **{".gitignore": "out/\n*.map\n", "out/.gitignore": "*.tmp\n", "out/c.tmp": ""})

    assert {"keep.txt"} == await listed(ws)
    assert {"a.js", "b.map"} == await listed(ws, ws / "out")


async def test_exclude_and_the_users_excludes_file_count(ws: Path, home: Path) -> None:
    plant(
        repository(ws),
        "a.one",
        "b.two",
        "c.three",
        "sub/d.two",
        **{".git/info/exclude": "*.one\n", ".gitignore": "!x.two\n"},
    )
    plant(home, **{".gitconfig": '[core]\n\texcludesFile = "~/my ignores" ; comment\n', "my ignores": "*.two\n"})

    assert {"keep.txt", "c.three"} == await listed(ws)
    assert set() == await listed(ws, ws / "sub")


async def test_the_default_excludes_file_counts_and_a_repositorys_setting_wins(ws: Path, home: Path) -> None:
    plant(repository(ws), "a.one", "b.two")
    plant(home, **{"config/git/ignore": "*.one\n"})
    assert {"keep.txt", "b.two"} == await listed(ws)

    plant(ws, **{".git/config": f"[core]\n  excludesfile = {home}/other\n"})
    plant(home, other="*.two\n")
    assert {"keep.txt", "a.one"} == await listed(ws)


async def test_an_included_configuration_counts_and_an_endless_one_ends(ws: Path, home: Path) -> None:
    plant(repository(ws), "a.one")
    plant(
        home,
        **{
            ".gitconfig": "[include]\npath = more\n",
            "more": "[include]\npath = more\n[core] excludesFile = ~/ig\n",
            "ig": "*.one\n",
        },
    )

    assert {"keep.txt"} == await listed(ws)


async def test_case_is_ignored_where_the_repository_says_so(ws: Path) -> None:
    plant(repository(ws), "A.LOG", **{".git/config": "[core]\nignorecase = true\n", ".gitignore": "*.log\n"})

    assert {"keep.txt"} == await listed(ws)


async def test_a_repository_inside_starts_anew(ws: Path) -> None:
    plant(repository(ws), __gitignore="*.log\n")
    plant(repository(ws / "module"), "a.log", "b.tmp", **{".gitignore": "*.tmp\n", ".git/info/exclude": "c\n", "c": ""})
    plant(ws, "module.log")

    assert {"keep.txt", "module/a.log"} == await listed(ws)
    assert {"a.log"} == await listed(ws, ws / "module")


async def test_a_work_tree_uses_the_shared_exclude_file(ws: Path, tmp_path: Path) -> None:
    plant(
        repository(ws),
        **{".git/info/exclude": "*.log\n", ".git/worktrees/w/HEAD": "x", ".git/worktrees/w/commondir": "../.."},
    )
    tree = plant(tmp_path / "tree", "a.log", "b", **{".git": f"gitdir: {ws}/.git/worktrees/w\n"})

    assert {"b"} == await listed(tree)


async def test_a_line_that_ripgrep_reads_otherwise_is_read_as_git_does(ws: Path) -> None:
    plant(ws, "{a,b}", "a", "b", "x.c", "1.c", __gitignore="{a,b}\n[[:digit:]].c\n*.\n")

    assert {"keep.txt", "a", "b", "x.c"} == await listed(ws)


async def test_an_ignore_file_that_is_ignored_itself_is_in_force(ws: Path) -> None:
    plant(ws, "sub/a", "sub/{b}", **{".gitignore": ".*\n", "sub/.gitignore": "{b}\n"})

    assert {"keep.txt", "sub/a"} == await listed(ws)


async def test_what_was_changed_in_an_ignore_file_or_setting_counts_at_once(ws: Path, home: Path) -> None:
    """What was read once is kept by what it says, not by where it is."""
    plant(repository(ws), "a.one", "out/b", "c.two", __gitignore="*.one\n")
    plant(home, **{".gitconfig": "[core]\nexcludesFile = ~/mine\n", "mine": "out/\n", "ours": "c.*\n"})
    assert {"keep.txt", "c.two"} == await listed(ws)

    plant(ws, __gitignore="*.two\n")
    assert {"keep.txt", "a.one"} == await listed(ws)
    plant(home, mine="!out/\n")
    assert {"keep.txt", "a.one", "out/b"} == await listed(ws)
    plant(home, **{".gitconfig": "[core]\nexcludesFile = ~/ours\n"})
    plant(ws, __gitignore="\n")
    assert {"keep.txt", "a.one", "out/b"} == await listed(ws)


async def test_ripgreps_own_ignore_files_do_not_count(ws: Path) -> None:
    plant(ws, "a.log", **{".ignore": "*.log\n", ".rgignore": "*.log\n"})

    assert {"keep.txt", "a.log", ".ignore", ".rgignore"} == await listed(ws)


async def test_links_pipes_and_loops_are_no_files(ws: Path, tmp_path: Path) -> None:
    plant(tmp_path / "outside", "secret")
    plant(ws, "sub/a")
    (ws / "sub/loop").symlink_to(ws)
    (ws / "out").symlink_to(tmp_path / "outside")
    (ws / "link").symlink_to("keep.txt")
    os.mkfifo(ws / "pipe")

    assert {"keep.txt", "sub/a"} == await listed(ws)


async def test_a_link_called_gitignore_is_not_followed(ws: Path, tmp_path: Path) -> None:
    plant(tmp_path, patterns="*\n")
    (ws / ".gitignore").symlink_to(tmp_path / "patterns")

    assert await listed(ws) == {"keep.txt"}


async def test_git_is_never_listed_in_any_case(ws: Path) -> None:
    plant(ws, ".GIT/config", "sub/.Git/x")

    assert await listed(ws) == {"keep.txt"}


async def test_names_that_are_no_unicode_are_listed(ws: Path) -> None:
    try:
        (ws / "caf\udce9").write_text("")
    except OSError:
        return  # this file system takes Unicode only

    assert {"keep.txt", "caf\udce9"} == await listed(ws)


async def test_an_ignored_folder_is_not_looked_into(ws: Path) -> None:
    """Report 16: what is in it may be a pipe that would block whoever reads it."""
    plant(ws, "node_modules/a/x.js", __gitignore="node_modules/\n")
    os.mkfifo(ws / "node_modules/a/.gitignore")

    assert {"keep.txt"} == await listed(ws)


async def test_a_pipe_as_ignore_file_holds_nobody_up(ws: Path) -> None:
    os.mkfifo(ws / ".gitignore")

    listing = await Lister(Ripgrep(max_seconds=0.5)).files(ws, ws, CancelSignal())

    assert listing.paths == ("keep.txt",)


async def test_a_cancelled_listing_says_that_it_is_not_whole(ws: Path) -> None:
    signal = CancelSignal()
    signal.set()

    assert not (await Lister(Ripgrep()).files(ws, ws, signal)).is_whole


async def test_without_ripgrep_the_walk_does_it(ws: Path) -> None:
    missing = Ripgrep(ws / "no-such-program")

    assert (await Lister(missing).files(ws, ws, CancelSignal())).paths == ("keep.txt",)


@pytest.mark.parametrize(
    "line",
    [
        b"*.pyc",
        b"/dist/",
        b"!keep",
        b"**/x",
        b"a/**/b",
        b"a/**",
        b"*.py[cod]",
        b"a?b",
        b"\\#x",
        b"a b",
        "é".encode(),
        b".env",
    ],
)
def test_common_lines_are_left_to_ripgrep(line: bytes) -> None:
    assert reads_alike(line)


@pytest.mark.parametrize(
    "line",
    [b"{a,b}", b"[!a]", b"[[:alpha:]]", b"***", b"a**", b"*.", b"a//b", b"a\\", b"[a", b"\\\\", b"!", b"\t", b"a\\b"],
)
def test_lines_that_it_reads_otherwise_are_not(line: bytes) -> None:
    assert not reads_alike(line)


def test_ordinary_trees_are_left_to_ripgrep(ws: Path) -> None:
    """Else listing would be slow without anybody noticing."""
    plant(repository(ws), "src/x", __gitignore="*.pyc\n/dist/\nnode_modules/\n")

    assert approach_to(IgnoreRules(ws), ws) is not None
    assert approach_to(IgnoreRules(ws), ws / "src") is not None
