"""The tools of one run, put together. Few on purpose: a small model reads all their descriptions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.tool import Tool
from steersman_tools.apply_patch import ApplyPatch
from steersman_tools.delete_file import DeleteFile
from steersman_tools.edit_file import EditFile
from steersman_tools.find_files import FindFiles
from steersman_tools.kit.confining import CommandRules
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.ripgrep import Ripgrep
from steersman_tools.kit.sandbox_probe import SandboxProbe
from steersman_tools.kit.searching import Searcher
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Workspace
from steersman_tools.list_dir import ListDir
from steersman_tools.move_file import MoveFile
from steersman_tools.read_file import ReadFile
from steersman_tools.run_command import RunCommand
from steersman_tools.search import Search
from steersman_tools.write_file import WriteFile


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """What commands find and may do, apart from the mode.

    Attributes:
        environ: the server's environment; secrets are left out.
        secret_names: environment variables that hold keys by configuration.
        network: a confined command may use the network.
        hidden: Steersman's own files, which no command may see.
    """

    environ: Mapping[str, str]
    secret_names: Sequence[str] = ()
    network: bool = False
    hidden: tuple[Path, ...] = ()


class Toolbox:
    """Makes the tools; one for the whole process, since the sandbox is probed once.

    Args:
        commands: what commands find and may do.
    """

    def __init__(self, commands: CommandSettings) -> None:
        self._commands = commands
        self._probe = SandboxProbe()
        self._ripgrep = Ripgrep()

    def make_tools(self, workspace: Workspace, seen: SeenTexts, *, read_only: Callable[[], bool]) -> list[Tool]:
        """Return the tools of one run.

        Args:
            workspace: what they work on.
            seen: what the model has seen of each file.
            read_only: whether the run is in plan mode now: commands run in a wholly read-only sandbox or not at all.
        """
        lister = Lister(self._ripgrep)
        commands = self._commands
        rules = CommandRules(Path.home(), network=commands.network, hidden=commands.hidden)
        return [
            ReadFile(workspace, lister),
            ListDir(workspace),
            FindFiles(workspace, lister),
            Search(workspace, Searcher(self._ripgrep, lister)),
            EditFile(workspace, seen, lister),
            WriteFile(workspace, seen),
            ApplyPatch(workspace, seen, lister),
            MoveFile(workspace, seen, lister),
            DeleteFile(workspace, seen, lister),
            RunCommand(
                workspace,
                probe=self._probe,
                rules=rules,
                environ=commands.environ,
                secret_names=commands.secret_names,
                read_only=read_only,
            ),
        ]
