"""The tools of one run, put together. Few on purpose: a small model reads all their descriptions.

A run begins with what the catalogue says of them; each is loaded when it is first called (DESIGN §9).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING

from steersman.agent.tool import Tool
from steersman_tools.catalogue import Entry, read_catalogue
from steersman_tools.kit.command_words import command_description

if TYPE_CHECKING:
    from pydantic import BaseModel

    from steersman.agent.cancel import CancelSignal
    from steersman.agent.messages import JsonValue
    from steersman.agent.tool import Effect, Emit, Plan, ToolResult
    from steersman_tools.kit.leftovers import LeftoverStore
    from steersman_tools.kit.listing import Lister
    from steersman_tools.kit.ripgrep import Ripgrep
    from steersman_tools.kit.sandbox_probe import SandboxProbe
    from steersman_tools.kit.seen import SeenTexts
    from steersman_tools.kit.workspace import Workspace


@dataclass(frozen=True, slots=True)
class CommandSettings:
    """What commands find and may do, apart from the mode.

    Attributes:
        environ: the server's environment; secrets are left out.
        secret_names: environment variables that hold keys by configuration.
        network: a confined command may use the network.
        hidden: Steersman's own files, which no command may see.
        leftovers: the folder where it is noted what has to be removed if this process is killed.
    """

    environ: Mapping[str, str]
    secret_names: Sequence[str] = ()
    network: bool = False
    hidden: tuple[Path, ...] = ()
    leftovers: Path | None = None


class Toolbox:
    """Makes the tools; one for the whole process, since the sandbox is probed once.

    Args:
        commands: what commands find and may do.
        probe: finds the sandbox; None: the system's.
    """

    def __init__(self, commands: CommandSettings, probe: SandboxProbe | None = None) -> None:
        self.commands = commands
        self._probe = probe

    def make_tools(self, workspace: Workspace, seen: SeenTexts, *, read_only: Callable[[], bool]) -> list[Tool]:
        """Return the tools of one run.

        Args:
            workspace: what they work on.
            seen: what the model has seen of each file.
            read_only: whether the run is in plan mode now: commands run in a wholly read-only sandbox or not at all.
        """
        parts = _Parts(self, workspace, seen, read_only)
        return [_LateTool(name, entry, parts) for name, entry in read_catalogue().items()]

    @cached_property
    def ripgrep(self) -> Ripgrep:
        """What lists and searches."""
        from steersman_tools.kit.ripgrep import Ripgrep  # noqa: PLC0415 - at the first call that needs it

        return Ripgrep()

    @property
    def probe(self) -> SandboxProbe:
        """What finds the sandbox."""
        if self._probe is None:
            from steersman_tools.kit.sandbox_probe import SandboxProbe  # noqa: PLC0415 - at the first command

            self._probe = SandboxProbe()
        return self._probe

    @property
    def leftovers(self) -> Callable[[], LeftoverStore] | None:
        """What gives the store of all that has to be removed if this process is killed; None: there is none."""
        folder = self.commands.leftovers
        return None if folder is None else partial(_store_in, folder)


def _store_in(folder: Path) -> LeftoverStore:
    from steersman.sessions.oslock import try_lock  # noqa: PLC0415 - at the first call that leaves anything
    from steersman_tools.kit.leftovers import usable_store  # noqa: PLC0415 - likewise

    return usable_store(folder, try_lock)


class _Parts:
    """What the tools of one run are made of."""

    def __init__(self, toolbox: Toolbox, workspace: Workspace, seen: SeenTexts, read_only: Callable[[], bool]) -> None:
        self.toolbox = toolbox
        self.workspace = workspace
        self.seen = seen
        self.read_only = read_only

    @cached_property
    def lister(self) -> Lister:
        """What knows the files there are."""
        from steersman_tools.kit.listing import Lister  # noqa: PLC0415 - at the first call that needs it

        return Lister(self.toolbox.ripgrep)


class _LateTool:
    """A tool as the catalogue has it; what does the work is loaded when it is first needed."""

    def __init__(self, name: str, entry: Entry, parts: _Parts) -> None:
        self.name = name
        self.effects: frozenset[Effect] = entry.effects
        self.schema: Mapping[str, JsonValue] = entry.schema
        self._description = entry.description
        self._parts = parts

    @property
    def description(self) -> str:
        if self._description:
            return self._description
        return command_description(network=self._parts.toolbox.commands.network, read_only=self._parts.read_only())

    @property
    def parameters(self) -> type[BaseModel]:
        return self._tool.parameters

    async def prepare(self, args: BaseModel) -> Plan | ToolResult:
        return await self._tool.prepare(args)

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        return await self._tool.run(plan, signal, emit)

    @cached_property
    def _tool(self) -> Tool:
        return _MAKERS[self.name](self._parts)


def _read_file(parts: _Parts) -> Tool:
    from steersman_tools.read_file import ReadFile  # noqa: PLC0415 - at its first call, as all that follow

    return ReadFile(parts.workspace, parts.lister)


def _list_dir(parts: _Parts) -> Tool:
    from steersman_tools.list_dir import ListDir  # noqa: PLC0415

    return ListDir(parts.workspace)


def _find_files(parts: _Parts) -> Tool:
    from steersman_tools.find_files import FindFiles  # noqa: PLC0415

    return FindFiles(parts.workspace, parts.lister)


def _search(parts: _Parts) -> Tool:
    from steersman_tools.kit.searching import Searcher  # noqa: PLC0415
    from steersman_tools.search import Search  # noqa: PLC0415

    return Search(parts.workspace, Searcher(parts.toolbox.ripgrep, parts.lister, parts.toolbox.leftovers))


def _edit_file(parts: _Parts) -> Tool:
    from steersman_tools.edit_file import EditFile  # noqa: PLC0415

    return EditFile(parts.workspace, parts.seen, parts.lister)


def _write_file(parts: _Parts) -> Tool:
    from steersman_tools.write_file import WriteFile  # noqa: PLC0415

    return WriteFile(parts.workspace, parts.seen)


def _apply_patch(parts: _Parts) -> Tool:
    from steersman_tools.apply_patch import ApplyPatch  # noqa: PLC0415

    return ApplyPatch(parts.workspace, parts.seen, parts.lister)


def _move_file(parts: _Parts) -> Tool:
    from steersman_tools.move_file import MoveFile  # noqa: PLC0415

    return MoveFile(parts.workspace, parts.seen, parts.lister)


def _delete_file(parts: _Parts) -> Tool:
    from steersman_tools.delete_file import DeleteFile  # noqa: PLC0415

    return DeleteFile(parts.workspace, parts.seen, parts.lister)


def _run_command(parts: _Parts) -> Tool:
    from steersman_tools.kit.confining import CommandRules  # noqa: PLC0415
    from steersman_tools.run_command import RunCommand  # noqa: PLC0415

    commands, leftovers = parts.toolbox.commands, parts.toolbox.leftovers
    return RunCommand(
        parts.workspace,
        probe=parts.toolbox.probe,
        rules=CommandRules(
            Path.home(),
            network=commands.network,
            hidden=commands.hidden,
            leftovers=None if leftovers is None else leftovers(),
        ),
        environ=commands.environ,
        secret_names=commands.secret_names,
        read_only=parts.read_only,
    )


_MAKERS: Mapping[str, Callable[[_Parts], Tool]] = {
    "read_file": _read_file,
    "list_dir": _list_dir,
    "find_files": _find_files,
    "search": _search,
    "edit_file": _edit_file,
    "write_file": _write_file,
    "apply_patch": _apply_patch,
    "move_file": _move_file,
    "delete_file": _delete_file,
    "run_command": _run_command,
}
