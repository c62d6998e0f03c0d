"""``RunParts`` for tests: a real store in a folder, a scripted model, tools of the test's choice, a person's answers."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steersman.agent.approval import ApprovalRequest, Approved, BeforeToolCall, Decision
from steersman.agent.clock import Clock, SystemClock
from steersman.agent.limits import Limits
from steersman.agent.model import ModelClient
from steersman.agent.tool import Tool
from steersman.permissions.modes import Mode, tighten
from steersman.runs.parts import ModelChoice, ModeSource, RunDefaults
from steersman.runs.shelf import StoreShelf
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Root, Workspace


async def approve(_request: ApprovalRequest, /) -> Decision:
    """Say yes to everything."""
    return Approved()


@dataclass
class FakeParts:
    """What a run is made of; every part can be exchanged."""

    folder: Path
    state: Path
    client: ModelClient
    run_tools: Sequence[Tool] = ()
    hook: BeforeToolCall = approve
    clock: Clock = field(default_factory=SystemClock)
    holder: str = "a test"
    configured: RunDefaults = field(default_factory=lambda: RunDefaults("scripted/model", Mode.ASK, 10, Limits()))
    workspace_mode: Mode = Mode.AUTO
    folders: list[Path] | None = None

    def __post_init__(self) -> None:
        self._ids = itertools.count(1)
        self.stores = StoreShelf(self.state, clock=self.clock.now, new_id=self.new_id)
        self.modes: list[ModeSource] = []

    def new_id(self) -> str:
        return f"id{next(self._ids)}"

    def roots(self) -> tuple[Root, ...]:
        paths = [self.folder] if self.folders is None else self.folders
        return tuple(Root(path.name, path.resolve()) for path in paths)

    def defaults(self) -> RunDefaults:
        return self.configured

    def tightest_mode(self, mode: Mode) -> Mode:
        return tighten(mode, self.workspace_mode)

    def choose_model(self, model: str, limits: Limits) -> ModelChoice:
        return ModelChoice(self.client, limits)

    def open_workspace(self, roots: Sequence[Root]) -> Workspace:
        return DiskWorkspace(roots)

    def tools(self, workspace: Workspace, seen: SeenTexts, mode: ModeSource) -> Sequence[Tool]:
        self.modes.append(mode)
        return self.run_tools

    def epoch(self) -> object:
        return 0

    def approver(
        self, run_id: str, session_id: str, workspace: Workspace, mode: ModeSource, warn: Callable[[str], None]
    ) -> BeforeToolCall:
        return self.hook
