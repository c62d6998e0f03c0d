"""What one command is held to, from what the run is allowed and what the folders hold now (DESIGN A1, W10)."""

from __future__ import annotations

import asyncio
import contextlib
import re
import shutil
import tempfile
import weakref
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.tool import Confinement, ToolError
from steersman_tools.kit.protected_walk import ProtectedFound, ProtectedWalk
from steersman_tools.kit.sandbox import Confines, Sandbox
from steersman_tools.kit.sandbox_probe import Found

_GIT = re.compile(r"\bgit\b(?:\s+-(?:[cC]\s+\S+|\S+))*\s+([a-z][a-z-]*)")
_GIT_READS = frozenset(
    {
        *(
            "status",
            "diff",
            "log",
            "show",
            "blame",
            "grep",
            "shortlog",
            "describe",
            "rev-parse",
            "rev-list",
            "cat-file",
        ),
        *(
            "ls-files",
            "ls-tree",
            "ls-remote",
            "merge-base",
            "name-rev",
            "whatchanged",
            "version",
            "help",
            "check-ignore",
        ),
        *("for-each-ref", "show-ref", "diff-tree", "diff-files", "diff-index", "var", "count-objects", "check-attr"),
    }
)
_GIT_ORDERS = ("hooks", "config", "config.worktree", "info", "modules")
_HIDDEN_FOLDERS = (".ssh", ".gnupg", ".aws", ".azure", ".kube", ".password-store", ".config/gh", ".config/gcloud")
_SOCKET_FOLDERS = (".docker/run", ".docker/desktop", ".colima", ".lima", ".rd", ".orbstack/run", ".1password")
_HIDDEN_FILES = (".netrc", ".git-credentials", ".pypirc", ".docker/config.json", ".vault-token", ".pgpass")


@dataclass(frozen=True, slots=True)
class CommandRules:
    """What the commands of a run may do, and what they find.

    Attributes:
        home: the user's home folder.
        network: they may reach the network.
        hidden: folders and files that no command may see, Steersman's own among them.
        scratch: a private folder for temporary files and caches, or None: one is made that lasts as long as the tool.
    """

    home: Path
    network: bool = False
    hidden: tuple[Path, ...] = ()
    scratch: Path | None = None


@dataclass(frozen=True, slots=True)
class Held:
    """How one command is held.

    Attributes:
        confinement: what may be claimed of it.
        sandbox: what holds it, or None.
        confines: what it is held to, or None.
        found: the protected paths before it ran, or None where nobody looked.
        warnings: what a person must know.
    """

    confinement: Confinement
    sandbox: Sandbox | None = None
    confines: Confines | None = None
    found: ProtectedFound | None = None
    warnings: tuple[str, ...] = ()

    def argv(self, command: Sequence[str]) -> list[str]:
        """Return the program and arguments to start."""
        if self.sandbox is None or self.confines is None:
            return list(command)
        return self.sandbox.argv(self.confines, command)

    def environment(self) -> Mapping[str, str]:
        """Return what the sandbox adds to the environment."""
        if self.sandbox is None or self.confines is None:
            return {}
        return self.sandbox.environment(self.confines)


@dataclass(slots=True, weakref_slot=True, eq=False)
class Confiner:
    """Works out the confines of a run's commands.

    Attributes:
        roots: the workspace folders.
        rules: what the commands may do.
        walk: looks for protected paths below the roots.
    """

    roots: tuple[Path, ...]
    rules: CommandRules
    walk: ProtectedWalk
    exists: Callable[[Path], bool] = Path.exists
    _made_scratch: Path | None = None

    async def hold(self, command: str, folder: Path, available: Found, *, read_only: bool = False) -> Held:
        """Return how the command is held by the sandbox there is, or that it is not.

        Raises:
            ToolError: it must write nothing (plan mode, A1), and there is no sandbox to see to that.
        """
        if available.sandbox is None and read_only:
            raise ToolError(f"Plan mode runs commands only inside a sandbox, and there is none: {available.reason}.")
        if available.sandbox is None:
            return Held("none", warnings=(f"It runs without a sandbox: {available.reason}.",))
        scratch = await asyncio.to_thread(self._scratch)
        if read_only:
            return Held("read_only", available.sandbox, self._confines(folder, (), (), scratch, read_only=True))
        found = await asyncio.to_thread(self.walk.find)
        writes_git = may_write_git(command)
        protected = tuple(each for path in found.paths for each in self._kept(path, writes_git))
        absent = tuple(path for path in found.absent if not (writes_git and path.name == ".git"))
        confines = self._confines(folder, protected, absent, scratch)
        warnings: list[str] = []
        if writes_git:
            warnings.append("It may change the repository in .git, but not its hooks and configuration.")
        if not found.is_complete:
            warnings.append("The folders are too large to keep every protected file in them read-only.")
        return Held("none" if writes_git else "roots", available.sandbox, confines, found, tuple(warnings))

    async def news(self, held: Held) -> tuple[Path, ...]:
        """Return the protected paths that came to be, or are others, since; having removed our own empty folders."""
        if held.found is None or held.confines is None:
            return ()
        if held.sandbox is not None and held.sandbox.makes_folders:
            for path in held.confines.absent:
                with contextlib.suppress(OSError):  # not ours any more: somebody put something into it
                    path.rmdir()
        now = await asyncio.to_thread(self.walk.find)
        return tuple(path for path, identity in now.paths.items() if held.found.paths.get(path) != identity)

    def _kept(self, path: Path, writes_git: bool) -> tuple[Path, ...]:
        """Return what stays as it is of a protected path: all of it, or of ``.git`` only what gives orders."""
        if not writes_git or path.name != ".git" or not path.is_dir():
            return (path,)
        return tuple(path / name for name in _GIT_ORDERS if self.exists(path / name))

    def _confines(
        self,
        folder: Path,
        protected: tuple[Path, ...],
        absent: tuple[Path, ...],
        scratch: Path,
        *,
        read_only: bool = False,
    ) -> Confines:
        rules = self.rules
        return Confines(
            roots=self.roots,
            folder=folder,
            home=rules.home,
            read_only=read_only,
            network=rules.network,
            protected=protected,
            absent=absent,
            hidden=tuple(self._hidden()),
            scratch=scratch,
        )

    def _hidden(self) -> list[str]:
        """Return what is not to be seen: always Steersman's own; without the network also keys, of no use then."""
        paths = [*self.rules.hidden, *(self.rules.home / name for name in _SOCKET_FOLDERS)]  # daemons that obey anybody
        if not self.rules.network:
            paths += (self.rules.home / name for name in (*_HIDDEN_FOLDERS, *_HIDDEN_FILES))
        roots = self.roots
        seen = [path for path in paths if self.exists(path) and not any(path.is_relative_to(root) for root in roots)]
        return [f"{path}/" if path.is_dir() else str(path) for path in seen]

    def _scratch(self) -> Path:
        if self._made_scratch is None:
            made = self.rules.scratch or Path(tempfile.mkdtemp(prefix="steersman-")).resolve()
            if self.rules.scratch is None:
                weakref.finalize(self, shutil.rmtree, made, ignore_errors=True)
            for name in ("tmp", "cache"):
                (made / name).mkdir(parents=True, exist_ok=True, mode=0o700)
            self._made_scratch = made
        return self._made_scratch


def may_write_git(command: str) -> bool:
    """Whether a command line calls a git command that changes the repository, as far as words can tell.

    Such a command is held all the same, but nobody may claim that ``.git`` is safe from it.
    """
    return any(match[1] not in _GIT_READS for match in _GIT.finditer(command))
