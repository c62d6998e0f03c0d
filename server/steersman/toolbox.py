"""The tools of one run, put together. Short on purpose: a small model reads all their descriptions."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

from steersman_tools.find_files import FindFiles
from steersman_tools.list_dir import ListDir
from steersman_tools.read_file import ReadFile
from steersman_tools.run_command import RunCommand
from steersman_tools.search import Search

from steersman.agent.tool import Tool
from steersman.permissions.modes import Mode
from steersman.runs.parts import ModeSource
from steersman_tools.apply_patch import ApplyPatch
from steersman_tools.delete_file import DeleteFile
from steersman_tools.edit_file import EditFile
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Workspace
from steersman_tools.move_file import MoveFile
from steersman_tools.write_file import WriteFile


def make_tools(
    workspace: Workspace,
    seen: SeenTexts,
    mode: ModeSource,
    *,
    environ: Mapping[str, str],
    hidden: Collection[str],
    network: bool,
) -> Sequence[Tool]:
    """Return the built-in tools.

    Args:
        workspace: what they work on.
        seen: what the model has seen of each file; updated by them.
        mode: the run's mode as it is now; in plan mode a command runs wholly read-only or not at all.
        environ: the environment that commands get, less its secrets.
        hidden: environment variables that hold keys by configuration.
        network: whether a confined command may use the network.
    """
    return [
        ReadFile(workspace, seen),
        ListDir(workspace),
        FindFiles(workspace),
        Search(workspace),
        EditFile(workspace, seen),
        WriteFile(workspace, seen),
        ApplyPatch(workspace, seen),
        MoveFile(workspace, seen),
        DeleteFile(workspace, seen),
        RunCommand(workspace, environ=environ, hidden=hidden, network=network, read_only=lambda: mode() is Mode.PLAN),
    ]
