"""A command that names git may change the repository, and no program in it what the person's git obeys (W7, W10)."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from support.confined import ATTACK, Ground, sandbox_works, tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no sandbox on Windows")

COMMAND = f"python3 {ATTACK}; git add -A"
CONFIG = """f'[core]\\n\\trepositoryformatversion = 0\\n\\tbare = false\\n\\tfsmonitor = "{PROOF}; false"\\n'"""


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    made = Ground(tmp_path.resolve())
    made.repository()
    return made


ATTACKS = {
    "a first hook": "os.makedirs('.git/hooks', exist_ok=True)\nopen('.git/hooks/post-checkout', 'w').write(PROOF)",
    "attributes": "os.makedirs('.git/info', exist_ok=True)\nopen('.git/info/attributes', 'w').write('* filter=x')",
    "another common folder": (
        "shutil.copytree('.git', 'assets')\n"
        f"open('assets/config', 'a').write({CONFIG})\n"
        "open('.git/commondir', 'w').write('../assets')"
    ),
    "the work tree's configuration": f"open('.git/config.worktree', 'w').write({CONFIG})",
    "the configuration itself": f"open('.git/config', 'a').write({CONFIG})",
    "the configuration by renaming": f"open('c', 'w').write({CONFIG})\nos.rename('c', '.git/config')",
    "alternates": "open('.git/objects/info/alternates', 'w').write('/elsewhere')",
    "alternates by renaming": (
        "os.rename('.git/objects', 'o')\nos.makedirs('.git/objects/info')\n"
        "open('.git/objects/info/alternates', 'w').write('/elsewhere')"
    ),
    "info by renaming": (
        "os.rename('.git/info', 'i')\nos.makedirs('.git/info')\nopen('.git/info/attributes', 'w').write('* filter=x')"
    ),
    "all of it by renaming": (
        "os.rename('.git', '.g')\nshutil.copytree('.g', '.git')\n"
        f"open('.git/config', 'a').write({CONFIG})\nopen('.git/hooks/post-checkout', 'w').write(PROOF)"
    ),
    "all of it by removing": (
        f"shutil.rmtree('.git')\nos.makedirs('.git/hooks')\nopen('.git/config', 'w').write({CONFIG})"
    ),
}
ORDERS = ("config", "config.worktree", "commondir", "hooks", "info/attributes", "objects/info/alternates")


def orders(git_folder: Path) -> dict[str, object]:
    """Everything in a repository's folder that could make git run a program."""
    return {
        name: tree(path) if path.is_dir() else path.read_text()
        for name in ORDERS
        if (path := git_folder / name).exists()
    }


@pytest.mark.parametrize("attack", ATTACKS.values(), ids=ATTACKS.keys())
@pytest.mark.parametrize("has_folders", [True, False], ids=["with a template", "bare of hooks and info"])
async def test_no_order_comes_to_be_in_a_repository(ground: Ground, attack: str, has_folders: bool):
    if not has_folders:
        for name in ("hooks", "info"):
            for path in sorted((ground.root / ".git" / name).iterdir()):
                path.unlink()
            (ground.root / ".git" / name).rmdir()
    ground.attack(attack)
    before = orders(ground.root / ".git")
    commands = ground.commands()
    if await sandbox_works(commands):
        await commands.run(COMMAND)

        assert orders(ground.root / ".git") == before
        ground.git("status")
        ground.git("checkout", "-qb", "another")
        assert not ground.proof.exists()


async def test_what_keeps_orders_away_says_the_same_to_the_persons_git_meanwhile(ground: Ground):
    """The editor asks git all the time, so a place that is held must mean nothing."""
    commands = ground.commands()
    if await sandbox_works(commands):
        status = ground.git("status", "--porcelain")
        said: list[str] = []

        def ask(printed: str) -> None:
            if "ready" in printed and not said:
                said.extend([ground.git("status", "--porcelain"), ground.git("log", "--format=%s")])
                assert (ground.root / ".git" / "commondir").exists()
                commands.signal.set()

        commands.on_print = ask
        await commands.run("git add .; echo ready; sleep 600")

        assert said == [status, "first\n"]
        assert not (ground.root / ".git" / "commondir").exists()


async def test_git_does_its_work(ground: Ground):
    commands = ground.commands()
    if await sandbox_works(commands):
        steps = [
            "echo two >> file.txt && git add -A && git commit -qm second",
            "echo three >> file.txt && git stash -q && git stash pop -q && git commit -qam third",
            "git checkout -qb side HEAD~1 && echo x > other.txt && git add . && git commit -qm other",
            "git rebase -q main && git checkout -q main && git merge -q side",
            "git tag v1 && git tag -a v2 -m two && git branch later",
            "git worktree add -q tree -b bough && cd tree && echo y > y.txt && git add . && git commit -qm inside",
            "git checkout -q main && git cherry-pick -n bough && git commit -qm picked && git reset -q --hard HEAD~1",
            "git gc -q && git repack -adq && git update-server-info && git fsck",
        ]
        for step in steps:
            result = await commands.run(step)
            assert not result.is_error, (step, result.content)
            assert "error:" not in result.content, (step, result.content)

        assert ground.git("log", "--format=%s", "main").split() == ["other", "third", "second", "first"]
        assert ground.git("log", "-1", "--format=%s", "bough") == "inside\n"
        assert ground.git("tag").split() == ["v1", "v2"]
        assert ground.git("status", "--porcelain") == "?? tree/\n"
        assert not (ground.root / ".git" / "commondir").exists()


async def test_git_does_its_work_in_a_submodule(ground: Ground):
    ground.repository(_folder(ground.folder / "library"))
    ground.git("submodule", "--quiet", "add", str(ground.folder / "library"), "lib")
    ground.git("commit", "-qm", "library")
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run(
            "cd lib && echo x >> file.txt && git commit -qam inside && git status -s && git gc -q"
        )

        assert result.content == "Exit code 0, and printed nothing."
        assert ground.git("log", "-1", "--format=%s", folder=ground.root / "lib") == "inside\n"


@pytest.mark.parametrize(
    "attack",
    [
        f"open('.git/modules/lib/config', 'a').write({CONFIG})",
        (
            f"os.rename('.git/modules', 'm')\nshutil.copytree('m', '.git/modules')\n"
            f"open('.git/modules/lib/config', 'a').write({CONFIG})"
        ),
        (
            f"os.rename('.git/modules/lib', 'm')\nshutil.copytree('m', '.git/modules/lib')\n"
            f"open('.git/modules/lib/config', 'a').write({CONFIG})"
        ),
        "open('.git/modules/lib/hooks/post-checkout', 'w').write(PROOF)",
        (
            f"shutil.copytree('.git/modules/lib', 'm')\nopen('m/config', 'a').write({CONFIG})\n"
            "open('.git/modules/lib/commondir', 'w').write('../../../m')"
        ),
        (
            f"shutil.copytree('.git/modules/lib', 'm')\nopen('m/config', 'a').write({CONFIG})\n"
            "open('lib/.git', 'w').write('gitdir: ../m')"
        ),
    ],
)
async def test_no_order_comes_to_be_in_a_submodules_repository(ground: Ground, attack: str):
    ground.repository(_folder(ground.folder / "library"))
    ground.git("submodule", "--quiet", "add", str(ground.folder / "library"), "lib")
    ground.attack(attack)
    before = orders(ground.root / ".git" / "modules" / "lib")
    commands = ground.commands()
    if await sandbox_works(commands):
        await commands.run(COMMAND)

        assert orders(ground.root / ".git" / "modules" / "lib") == before
        ground.git("status", folder=ground.root / "lib")
        assert not ground.proof.exists()


@pytest.mark.parametrize(
    "attack",
    [
        f"open('.git/worktrees/tree/config.worktree', 'w').write({CONFIG})",
        (
            f"shutil.copytree('.git', 'm')\nopen('m/config', 'a').write({CONFIG})\n"
            "open('.git/worktrees/tree/commondir', 'w').write('../../../m')"
        ),
        (
            f"shutil.copytree('.git', 'm')\nopen('m/config', 'a').write({CONFIG})\n"
            "os.rename('.git/worktrees/tree', 't')\nshutil.copytree('t', '.git/worktrees/tree')\n"
            "open('.git/worktrees/tree/commondir', 'w').write('../../../m')"
        ),
        (
            f"shutil.copytree('.git', 'm')\nopen('m/config', 'a').write({CONFIG})\n"
            "os.rename('.git/worktrees', 't')\nshutil.copytree('t', '.git/worktrees')\n"
            "open('.git/worktrees/tree/commondir', 'w').write('../../../m')"
        ),
    ],
)
async def test_no_order_comes_to_be_for_a_linked_work_tree(ground: Ground, attack: str):
    ground.git("config", "extensions.worktreeConfig", "true")
    ground.git("worktree", "add", "-q", str(ground.folder / "tree"))
    ground.attack(attack)
    commands = ground.commands()
    if await sandbox_works(commands):
        await commands.run(COMMAND)

        ground.git("status", folder=ground.folder / "tree")
        assert not ground.proof.exists()


async def test_git_does_its_work_in_a_linked_work_tree_whose_repository_is_elsewhere(ground: Ground):
    ground.git("worktree", "add", "-q", str(ground.folder / "tree"))
    ground.attack(
        f"open('../ws/.git/config', 'a').write({CONFIG})\nopen('../ws/x', 'w').write('x')", ground.folder / "tree"
    )
    before = orders(ground.root / ".git")
    commands = ground.commands(ground.folder / "tree")
    if await sandbox_works(commands):
        result = await commands.run(f"python3 {ATTACK}; echo x >> file.txt && git commit -qam inside && git status -s")

        assert ground.git("log", "-1", "--format=%s", "tree") == "inside\n", result.content
        assert orders(ground.root / ".git") == before
        assert not (ground.root / "x").exists()


async def test_a_git_file_opens_no_repository_that_does_not_know_of_it(ground: Ground):
    """A hostile workspace may name any repository; only one that names the workspace is its."""
    other = _folder(ground.folder / "other")
    (other / ".git").write_text(f"gitdir: {ground.root / '.git'}\n")
    commands = ground.commands(other)
    if await sandbox_works(commands):
        before = tree(ground.root / ".git")

        await commands.run("git commit -q --allow-empty -m x; touch ../ws/.git/x")

        assert tree(ground.root / ".git") == before


@pytest.mark.parametrize(
    ("attack", "aside"),
    [
        (f"os.makedirs('new/.git')\nopen('new/.git/config', 'w').write({CONFIG})", "new/.git/config"),
        (
            "shutil.copytree('.git', 'new/.git')\nopen('new/.git/hooks/post-checkout', 'w').write(PROOF)",
            "new/.git/hooks/post-checkout",
        ),
        (
            (
                f"shutil.copytree('.git', 'm')\nopen('m/config', 'a').write({CONFIG})\nos.mkdir('new')\n"
                "open('new/.git', 'w').write('gitdir: ../m')"
            ),
            "m/config",
        ),
        (
            "os.makedirs('.git/worktrees/w')\nopen('.git/worktrees/w/commondir', 'w').write('../../../m')",
            ".git/worktrees/w/commondir",
        ),
        (
            (
                "shutil.copytree('.git', 'm')\nos.makedirs('.git/modules')\nshutil.copytree('m', '.git/modules/a/b')\n"
                f"open('.git/modules/a/b/config', 'a').write({CONFIG})"
            ),
            ".git/modules/a/b/config",
        ),
    ],
)
async def test_orders_in_a_repository_that_is_new_are_set_aside_and_told(ground: Ground, attack: str, aside: str):
    ground.attack(attack)
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run(COMMAND)

        assert aside in result.content
        assert not (ground.root / aside).exists()
        assert (ground.root / f"{aside}.set-aside").exists()


@pytest.mark.parametrize(
    "link", [".git/worktrees", ".git/modules", ".git/modules/lib", ".git/modules/a/b", ".git/rebase-merge/done"]
)
async def test_no_link_waits_for_the_persons_next_work_tree_or_submodule(ground: Ground, link: str):
    ground.attack(
        f"os.mkdir('m')\nos.makedirs(os.path.dirname({link!r}), exist_ok=True)\nos.symlink(os.path.abspath('m'), {link!r})"
    )
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run(COMMAND)

        assert link in result.content
        assert not (ground.root / link).is_symlink()


async def test_the_persons_git_writes_no_log_into_another_file(ground: Ground):
    """The name of a branch may be a shell command, and the log of the checkout names it."""
    start = ground.home / ".bashrc"
    start.write_text("mine\n")
    ground.attack(f"os.remove('.git/logs/HEAD')\nos.symlink({str(start)!r}, '.git/logs/HEAD')")
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run(f"python3 {ATTACK}; git symbolic-ref HEAD 'refs/heads/$(evil)'")
        ground.git("checkout", "-q", "-f", "main")

        assert ".git/logs/HEAD" in result.content
        assert start.read_text() == "mine\n"


async def test_links_that_were_there_stay(ground: Ground):
    (ground.folder / "elsewhere").mkdir()
    (ground.root / ".git" / "modules").mkdir()
    (ground.root / ".git" / "modules" / "mine").symlink_to(ground.folder / "elsewhere")
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run("git add -A")

        assert result.content == "Exit code 0, and printed nothing."
        assert (ground.root / ".git" / "modules" / "mine").is_symlink()


async def test_a_program_without_git_in_its_command_cannot_arm_a_new_repository_either(ground: Ground):
    ground.attack(f"os.makedirs('new/.git/hooks')\nopen('new/.git/config', 'w').write({CONFIG})")
    commands = ground.commands()
    if await sandbox_works(commands):
        assert "new/.git/config" in (await commands.run(f"python3 {ATTACK}")).content


async def test_repositories_that_were_there_keep_their_hooks_wherever_they_are_moved(ground: Ground):
    inner = _folder(ground.root / "inner")
    ground.repository(inner)
    (inner / ".git" / "hooks" / "post-checkout").write_text("the person's own")
    ground.git("config", "core.sshCommand", "ssh -v", folder=inner)
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run("mv inner moved; git status -s")

        assert "set-aside" not in result.content
        assert (ground.root / "moved" / ".git" / "hooks" / "post-checkout").read_text() == "the person's own"


async def test_a_clone_and_a_new_repository_are_as_git_makes_them(ground: Ground):
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run("git clone -q . copy && git init -q fresh && cd copy && git log --format=%s")

        assert result.content.startswith("Exit code 0:\nfirst")
        assert "set-aside" not in result.content
        assert (ground.root / "copy" / ".git" / "config").exists()


async def test_a_rebase_that_runs_programs_when_it_goes_on_is_told(ground: Ground):
    plan = "os.makedirs('.git/rebase-merge')\nopen('.git/rebase-merge/git-rebase-todo', 'w').write('exec ' + PROOF)"
    ground.attack(plan)
    commands = ground.commands()
    if await sandbox_works(commands):
        assert ".git/rebase-merge/git-rebase-todo" in (await commands.run(COMMAND)).content


@pytest.mark.parametrize("command", [COMMAND, f"python3 {ATTACK}"])
async def test_no_folder_becomes_a_bare_repository_with_orders(ground: Ground, command: str):
    """Git finds it when the person works in that folder, with no ``.git`` anywhere near."""
    ground.attack(
        f"shutil.copytree('.git', 'docs')\nopen('docs/config', 'w').write({CONFIG} + '\tworktree = .\\n')\n"
        "os.makedirs('hooks')\nopen('hooks/mine', 'w').write('')"
    )
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run(command)

        assert "docs/HEAD" in result.content
        assert ground.git("rev-parse", "--show-toplevel", folder=ground.root / "docs") == f"{ground.root}\n"
        ground.git("status", folder=ground.root / "docs")
        assert not ground.proof.exists()
        assert (ground.root / "hooks" / "mine").exists()


async def test_a_bare_repository_without_orders_stays_as_git_makes_it(ground: Ground):
    commands = ground.commands()
    if await sandbox_works(commands):
        result = await commands.run("git init -q --bare new && git clone -q --bare . other")

        assert ".set-aside" not in result.content
        assert (ground.root / "other" / "HEAD").exists()


@pytest.mark.parametrize(
    ("name", "text", "is_told"),
    [
        ("rebase-merge/strategy", "a/evil", True),
        ("rebase-merge/strategy", "ort", False),
        ("sequencer/opts", "[options]\n\tstrategy = a/evil\n", True),
        ("rebase-merge/git-rebase-todo", "pick abc x\n", False),
        ("rebase-merge/git-rebase-todo", "pick abc x\n\tx evil\n", True),
    ],
)
async def test_only_what_would_run_when_it_goes_on_is_told(ground: Ground, name: str, text: str, is_told: bool):
    path = f".git/{name}"
    ground.attack(f"os.makedirs(os.path.dirname({path!r}))\nopen({path!r}, 'w').write({text!r})")
    commands = ground.commands()
    if await sandbox_works(commands):
        assert (path in (await commands.run(COMMAND)).content) == is_told


async def test_of_very_many_repositories_those_around_the_command_can_be_changed(ground: Ground):
    for number in range(12):
        (ground.root / f"{number:02}" / "deep").mkdir(parents=True)
        ground.repository(ground.root / f"{number:02}" / "deep")
    commands = ground.commands()
    if await sandbox_works(commands):
        commit = "echo x >> file.txt && git commit -qam inside"
        here = await commands.run(commit, "11/deep")
        there = await commands.run(f"cd 11/deep && {commit}", "00/deep")

        assert not here.is_error
        assert there.is_error
        assert any("too many" in warning for warning in (await commands.plan("git add .")).warnings)


async def test_a_repository_with_links_in_place_of_orders_stays_as_it_is(ground: Ground):
    """A link can be replaced by whoever may write beside it."""
    hooks = ground.root / ".git" / "hooks"
    hooks.rename(ground.root / "shared")
    hooks.symlink_to("../shared")
    commands = ground.commands()
    if await sandbox_works(commands):
        plan = await commands.plan("git add .")
        await commands.run("rm .git/hooks; mkdir .git/hooks; git add .")

        assert any("stay as they are" in warning for warning in plan.warnings)
        assert hooks.is_symlink()


def _folder(path: Path) -> Path:
    path.mkdir()
    return path
