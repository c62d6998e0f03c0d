"""What no command sees stays unseen, and unwritten, wherever the workspace lies (DESIGN W10)."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from steersman_tools.kit.hiding import hide, is_hidden
from support.confined import Ground, sandbox_works, tree

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="there is no sandbox on Windows")


class Home(Ground):
    """A person who opens the home folder as the workspace."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder)
        self.state = self.home / ".local" / "state" / "steersman"
        self.config = self.home / ".config" / "steersman" / "config.toml"
        self.files = {
            self.home / ".ssh" / "id_rsa": "KEY",
            self.home / ".netrc": "KEY",
            self.home / ".docker" / "config.json": "KEY",
            self.home / ".config" / "gh" / "hosts.yml": "KEY",
            self.state / "sessions.db": "KEY",
            self.home / "project" / "app.py": "x = 1",
        }
        for path, text in self.files.items():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text)

    def in_home(self, root: Path | None = None, **rules: object):
        """Commands of a run in the home folder."""
        return self.commands(root or self.home, hidden=(self.state, self.config), **rules)


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path.resolve())


async def test_in_the_home_folder_keys_and_steersmans_own_are_not_seen(home: Home):
    commands = home.in_home()
    if await sandbox_works(commands):
        result = await commands.run("grep -rs KEY . ; find . -type f | sort")

        assert "KEY" not in result.content
        assert "./project/app.py" in result.content
        assert "sessions.db" not in result.content


async def test_in_the_home_folder_nothing_of_it_can_be_written_to(home: Home):
    home.config.parent.mkdir(parents=True, exist_ok=True)
    home.config.write_text('mode = "ask"\n')
    commands = home.in_home()
    if await sandbox_works(commands):
        await commands.run(
            "echo EVIL >> .config/steersman/config.toml; echo EVIL > .local/state/steersman/sessions.db; "
            "rm -rf .ssh .netrc .docker .local .config; echo EVIL > .ssh/id_rsa; echo y > project/made"
        )

        for path, text in home.files.items():
            assert path.read_text() == text
        assert home.config.read_text() == 'mode = "ask"\n'
        assert (home.home / "project" / "made").exists()


@pytest.mark.parametrize("moved", [".config", ".local", ".local/state", ".docker"])
async def test_what_is_hidden_cannot_be_moved_away_with_the_folder_around_it(home: Home, moved: str):
    home.config.parent.mkdir(parents=True, exist_ok=True)
    home.config.write_text('mode = "ask"\n')
    before = tree(home.home, lambda path: path.is_relative_to(home.state / "leftovers"))
    commands = home.in_home()
    if await sandbox_works(commands):
        await commands.run(f"python3 -c \"import os; os.rename('{moved}', 'away')\"")

        assert tree(home.home, lambda path: path.is_relative_to(home.state / "leftovers")) == before


@pytest.mark.parametrize("missing", ["the folder", "the file"])
async def test_steersmans_settings_cannot_come_to_be(home: Home, missing: str):
    if missing == "the file":
        home.config.parent.mkdir(parents=True)
    commands = home.in_home()
    if await sandbox_works(commands):
        result = await commands.run(
            "mkdir -p .config/steersman; echo EVIL > .config/steersman/config.toml; "
            "python3 -c \"import os; os.rename('.config/steersman', 'c')\"; mkdir -p .config/steersman; "
            "echo EVIL > .config/steersman/config.toml; ls -a .config"
        )

        assert result.content
        assert not home.config.exists()
        assert home.config.parent.exists() == (missing == "the file")


async def test_with_the_network_keys_are_seen_but_steersmans_own_is_not(home: Home):
    commands = home.in_home(network=True)
    if await sandbox_works(commands):
        result = await commands.run("cat .ssh/id_rsa; cat .local/state/steersman/sessions.db; echo EVIL > .ssh/id_rsa")

        assert result.content.count("KEY") == 1
        assert (home.home / ".ssh" / "id_rsa").read_text() == "KEY"


async def test_in_a_workspace_inside_a_hidden_folder_only_the_rest_of_it_is_not_seen(home: Home):
    inside = home.state / "work"
    inside.mkdir()
    (inside / "a.txt").write_text("mine")
    commands = home.in_home(inside)
    if await sandbox_works(commands):
        result = await commands.run("cat a.txt; cat ../sessions.db; echo y > made")

        assert "mine" in result.content
        assert "KEY" not in result.content
        assert (inside / "made").exists()


async def test_a_workspace_that_is_the_whole_system_has_its_own_devices_processes_and_temporary_files(home: Home):
    commands = home.in_home(Path("/"))
    if await sandbox_works(commands):
        result = await commands.run(
            f"cat {home.state}/sessions.db; cat /proc/{os.getpid()}/environ; echo y > /tmp/of-a-command; ls /proc | wc -l"
        )

        assert "KEY" not in result.content
        assert "PATH=" not in result.content
        assert not Path("/tmp/of-a-command").exists()


async def test_links_to_keys_are_followed(home: Home):
    real = home.folder / "keys"
    (home.home / ".ssh").rename(real)
    (home.home / ".ssh").symlink_to(real)
    commands = home.commands(home.home / "project")
    if await sandbox_works(commands):
        assert "KEY" not in (await commands.run(f"cat ~/.ssh/id_rsa {real}/id_rsa")).content


def test_a_folder_of_keys_that_is_itself_the_workspace_is_not_hidden(home: Home):
    hiding = hide((home.state,), home.home, [home.home / ".ssh", home.state], keys=True)

    assert f"{home.home}/.ssh/" not in hiding.paths
    assert f"{home.state}/" in hiding.paths


def test_only_what_lies_in_a_hidden_folder_and_no_workspace_inside_that_is_hidden():
    roots = [Path("/h"), Path("/h/state/work")]

    assert is_hidden(Path("/h/state/x"), ["/h/state/"], roots)
    assert is_hidden(Path("/h/state"), ["/h/state/"], roots)
    assert not is_hidden(Path("/h/state/work/x"), ["/h/state/"], roots)
    assert not is_hidden(Path("/h/other"), ["/h/state/"], roots)
