"""What tests of confined commands need: a home, a workspace, a person's git, and the sandbox that there is."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable
from pathlib import Path

from steersman.sessions.oslock import try_lock
from steersman_tools.kit.confining import CommandRules
from steersman_tools.kit.leftovers import LeftoverStore
from steersman_tools.kit.sandbox_probe import SandboxProbe
from support.running_commands import Commands

ATTACK = "attack.py"


class Ground:
    """A workspace, its person's home, and the state folder that all the person's processes share."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.root = folder / "ws"
        self.home = folder / "home"
        self.state = folder / "state"
        self.proof = folder / "ran"
        for path in (self.root, self.home, self.state):
            path.mkdir(parents=True)

    @property
    def environ(self) -> dict[str, str]:
        """The person's environment; nothing of the machine's own git settings."""
        person = {
            f"GIT_{who}_{what}": "person@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")
        }
        return {**os.environ, **person, "HOME": str(self.home), "GIT_CONFIG_NOSYSTEM": "1"}

    def leftovers(self) -> LeftoverStore:
        """What a process of the person notes; each has its own."""
        return LeftoverStore(self.state / "leftovers", try_lock)

    def commands(self, root: Path | None = None, **rules: object) -> Commands:
        """Commands of one more run in the workspace, or in another folder."""
        given = CommandRules(self.home, leftovers=self.leftovers(), **rules)  # type: ignore[arg-type]
        return Commands(root or self.root, SandboxProbe(), given, environ=self.environ)

    def git(self, *words: str, folder: Path | None = None) -> str:
        """What the person's own git does and says, outside of every sandbox."""
        done = subprocess.run(
            ["git", "-c", "protocol.file.allow=always", *words],
            cwd=folder or self.root,
            env=self.environ,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    def repository(self, folder: Path | None = None) -> None:
        """Make a repository with one commit."""
        self.git("init", "-q", "-b", "main", folder=folder)
        ((folder or self.root) / "file.txt").write_text("one\n")
        self.git("add", "file.txt", folder=folder)
        self.git("commit", "-qm", "first", folder=folder)

    def attack(self, script: str, folder: Path | None = None) -> None:
        """Put a hostile program into the workspace; ``PROOF`` is a shell command that shows that it won."""
        text = f"PROOF = {f'touch {self.proof}'!r}\nimport os, shutil\n{script}"
        ((folder or self.root) / ATTACK).write_text(text)


async def sandbox_works(commands: Commands) -> bool:
    """Whether there is one. If not, the plan has to say so, which is all that can be tested here."""
    found = await commands.probe.find()
    if found.sandbox is None:
        plan = await commands.plan("true")
        assert (plan.confinement, plan.warnings) == ("none", (f"It runs without a sandbox: {found.reason}.",))
    return found.sandbox is not None


def tree(folder: Path, but: Callable[[Path], bool] = lambda _: False) -> dict[str, str]:
    """Return all that is in a folder, with the files' content."""
    return {
        path.relative_to(folder).as_posix(): path.read_text("latin-1") if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
        if not but(path)
    }
