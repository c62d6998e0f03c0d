"""What tests of commands need: a tool on a real folder, and time that passes when the test says so."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Plan, ToolResult
from steersman_tools.kit.command_runner import GRACE_S
from steersman_tools.kit.confining import CommandRules
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.sandbox_probe import SandboxProbe
from steersman_tools.kit.workspace import Root, Workspace
from steersman_tools.run_command import RunCommand

TIMEOUT_S = 77.0
"""The time limit of every command here; it is over when ``Commands.late`` is set."""


def no_sandbox() -> SandboxProbe:
    """A probe that finds none."""
    return SandboxProbe("linux", lambda _: False)


@dataclass
class Commands:
    """Runs commands in a folder.

    Attributes:
        folder: the workspace.
        probe: finds the sandbox.
        rules: what the commands may do.
        read_only: plan mode.
        printed: what was emitted by the last command.
        signal: of the last command.
        late: set it, and the time limit is over.
        hurry: the moment between TERM and KILL is over at once.
        on_print: called with all that was emitted so far, whenever something is.
    """

    folder: Path
    probe: SandboxProbe = field(default_factory=no_sandbox)
    rules: CommandRules = field(default_factory=lambda: CommandRules(Path("/nowhere")))
    read_only: bool = False
    workspace: Workspace | None = None
    environ: dict[str, str] = field(default_factory=lambda: dict(os.environ))
    printed: str = ""
    signal: CancelSignal = field(default_factory=CancelSignal)
    late: asyncio.Event = field(default_factory=asyncio.Event)
    hurry: bool = False
    on_print: Callable[[str], None] = lambda _: None

    @property
    def tool(self) -> RunCommand:
        """A new tool."""
        workspace = self.workspace or DiskWorkspace([Root("ws", self.folder)])
        return RunCommand(
            workspace,
            probe=self.probe,
            rules=self.rules,
            environ=self.environ,
            secret_names=("LOCAL_MODEL",),
            read_only=lambda: self.read_only,
            sleep=self._sleep,
        )

    async def plan(self, command: str, folder: str = ".") -> Plan:
        """Return the plan for a command."""
        arguments = {"command": command, "folder": folder, "timeout_s": TIMEOUT_S}
        return await self.tool.prepare(RunCommand.parameters.model_validate(arguments))

    async def run(self, command: str, folder: str = ".") -> ToolResult:
        """Prepare and run a command to its end."""
        self.printed = ""
        tool = self.tool
        arguments = {"command": command, "folder": folder, "timeout_s": TIMEOUT_S}
        plan = await tool.prepare(RunCommand.parameters.model_validate(arguments))
        return await tool.run(plan, self.signal, self._emit)

    def _emit(self, text: str) -> None:
        self.printed += text
        self.on_print(self.printed)

    async def _sleep(self, seconds: float) -> None:
        if seconds == TIMEOUT_S:
            await self.late.wait()
        elif seconds != GRACE_S or not self.hurry:
            await asyncio.sleep(seconds)
