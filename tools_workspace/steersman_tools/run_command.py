"""The tool that runs a shell command in a workspace folder (DESIGN W10, A1)."""

from __future__ import annotations

import asyncio
import re
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, Field

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Effect, Emit, Plan, ToolError, ToolResult
from steersman_tools.kit.command_output import HeadAndTail, PacedEmit, PlainText
from steersman_tools.kit.command_report import Report
from steersman_tools.kit.command_runner import Ended, Launch, Sleep, run_process
from steersman_tools.kit.command_words import command_description
from steersman_tools.kit.confining import CommandRules, Confiner
from steersman_tools.kit.environment import command_environment
from steersman_tools.kit.held import Held
from steersman_tools.kit.process_group import ProcessGroups, shell_argv, system_groups
from steersman_tools.kit.protected_walk import ProtectedWalk
from steersman_tools.kit.sandbox_probe import SandboxProbe
from steersman_tools.kit.workspace import Workspace

DEFAULT_TIMEOUT_S = 120.0
MAX_TIMEOUT_S = 1800.0
MAX_OUTPUT_CHARS = 30_000
_MAX_TITLE_CHARS = 100


class RunCommandArguments(BaseModel):
    """What the model gives."""

    model_config = ConfigDict(extra="forbid")

    command: str = Field(min_length=1)
    folder: str = "."
    timeout_s: float = Field(default=DEFAULT_TIMEOUT_S, gt=0, description=f"At most {MAX_TIMEOUT_S:.0f}.")


@dataclass(frozen=True, slots=True)
class _Prepared:
    timeout_s: float


class RunCommand:
    """Runs shell commands, each in a process group of its own, held by a sandbox where there is one.

    Args:
        workspace: whose folders it may start in.
        probe: finds the sandbox; one for the whole process.
        rules: what the commands of this run may do.
        environ: the server's environment; secrets are left out.
        secret_names: names of variables with the server's keys, whatever they are called.
        read_only: whether the run is in plan mode now, where a command may write nothing (A1).
        groups: the system's process groups.
        clock: seconds, monotonic.
        sleep: waits.
    """

    name = "run_command"
    parameters: type[BaseModel] = RunCommandArguments
    effects = frozenset({Effect.EXECUTE, Effect.NETWORK})

    def __init__(
        self,
        workspace: Workspace,
        *,
        probe: SandboxProbe,
        rules: CommandRules,
        environ: Mapping[str, str],
        secret_names: Sequence[str] = (),
        read_only: Callable[[], bool] = lambda: False,
        groups: ProcessGroups | None = None,
        clock: Callable[[], float] = time.monotonic,
        sleep: Sleep = asyncio.sleep,
    ) -> None:
        self._workspace = workspace
        self._probe = probe
        self._rules = rules
        self._read_only = read_only
        self._environment = command_environment(environ, secret_names)
        self._system_root = environ.get("SYSTEMROOT", r"C:\Windows")
        self._groups = groups or system_groups()
        self._clock = clock
        self._sleep = sleep
        roots = tuple(root.path for root in workspace.roots)
        self._confiner = Confiner(roots, rules, ProtectedWalk(roots))

    @property
    def description(self) -> str:
        """What it does, for the model."""
        return command_description(network=self._rules.network, read_only=self._read_only())

    async def prepare(self, args: BaseModel) -> Plan:
        """Work out how the command would be held.

        Raises:
            ToolError: the folder is none, or plan mode has no sandbox that works.
        """
        assert isinstance(args, RunCommandArguments)
        if not args.command.strip() or "\0" in args.command:
            raise ToolError("The command is empty, or holds a NUL character.")
        location = self._workspace.locate(args.folder)
        if not await asyncio.to_thread(location.path.is_dir):
            raise ToolError(f"{location.display} is no folder; a command needs one to start in.")
        found = await self._probe.find()
        held = await self._confiner.hold(args.command, location.path, found, read_only=self._read_only())
        unsaved = await self._workspace.prepare_for_command()
        reaches_out = held.sandbox is None or self._rules.network
        return Plan(
            title=f"run {_one_line(args.command)}",
            effects=frozenset({Effect.EXECUTE, Effect.NETWORK} if reaches_out else {Effect.EXECUTE}),
            targets=(str(location.path),),
            command=args.command,
            folder=str(location.path),
            confinement=held.confinement,
            unsaved=unsaved,
            warnings=held.warnings,
            payload=_Prepared(min(args.timeout_s, MAX_TIMEOUT_S)),
        )

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Run it to its end, or end it when the signal is set or the time is up.

        A mode that changed meanwhile can only make it stricter: what was approved as read-only stays so.
        """
        prepared = plan.payload
        assert isinstance(prepared, _Prepared)
        assert plan.command is not None
        assert plan.folder is not None
        if signal.is_set:
            return ToolResult("The command was not started.", is_error=True)
        unsaved = await self._workspace.prepare_for_command()
        # what is protected is looked at anew: the question may have stood for long
        read_only = plan.confinement == "read_only" or self._read_only()
        held = await self._confiner.hold(plan.command, Path(plan.folder), await self._probe.find(), read_only=read_only)
        output = _Output(emit, self._clock)
        started = self._clock()
        holding = await self._confiner.begin(held)
        try:
            ended = await self._run(plan.command, plan.folder, holding.held, prepared.timeout_s, output, signal)
        finally:
            news = await self._confiner.end(holding)
            await self._workspace.settle_after_command()
        report = Report(
            ended=ended,
            output=output.end(),
            seconds=self._clock() - started,
            timeout_s=prepared.timeout_s,
            unsaved=unsaved,
            is_held=held.sandbox is not None,
            read_only=read_only,
            network=self._rules.network,
            news=tuple(map(self._display, news.made)),
            set_aside=tuple(map(self._display, news.set_aside)),
            crowds=tuple(map(self._display, news.crowds)),
        )
        return ToolResult(report.text(), is_error=report.is_error, warnings=report.warnings())

    async def _run(
        self, command: str, folder: str, held: Held, timeout_s: float, output: _Output, signal: CancelSignal
    ) -> Ended:
        launch = Launch(
            argv=held.argv(shell_argv(command, system_root=self._system_root)),
            folder=folder,
            environment={**self._environment, **held.environment()},
            timeout_s=timeout_s,
            is_wrapped=held.sandbox is not None and held.sandbox.ends_all,
        )
        try:
            return await run_process(launch, output.take, signal, self._groups, sleep=self._sleep)
        except OSError as error:
            raise ToolError(f"The command could not be started: {error.strerror or error}.") from None

    def _display(self, path: Path) -> str:
        return self._workspace.locate(str(path)).display


class _Output:
    """Where the bytes go: to whoever watches, and into the result."""

    def __init__(self, emit: Emit, clock: Callable[[], float]) -> None:
        self._plain = PlainText()
        self._kept = HeadAndTail(MAX_OUTPUT_CHARS)
        self._emit = PacedEmit(emit, clock)

    def take(self, data: bytes) -> None:
        self._add(self._plain.feed(data))

    def end(self) -> str:
        self._add(self._plain.end())
        self._emit.end()
        return self._kept.text()

    def _add(self, text: str) -> None:
        self._kept.add(text)
        self._emit.add(text)


def _one_line(command: str) -> str:
    line = re.sub(r"\s+", " ", command.strip())
    return line if len(line) <= _MAX_TITLE_CHARS else line[:_MAX_TITLE_CHARS] + "…"
