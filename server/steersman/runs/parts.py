"""What runs are made of: supplied by the composition root, so that nothing here knows an edge."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from steersman.agent.approval import BeforeToolCall
from steersman.agent.clock import Clock
from steersman.agent.limits import Limits
from steersman.agent.model import ModelClient
from steersman.agent.tool import Tool
from steersman.permissions.modes import Mode
from steersman.runs.shelf import StoreShelf
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.workspace import Root, Workspace


@dataclass(frozen=True, slots=True)
class RunDefaults:
    """What holds for a run that says nothing else."""

    model: str
    mode: Mode
    max_turns: int
    limits: Limits
    context_max_chars: int | None = None


@dataclass(frozen=True, slots=True)
class ModelChoice:
    """A model that is ready to be asked.

    Attributes:
        client: the client; owned by whoever made it.
        limits: the run's limits with the model's prices in them.
        context_max_chars: budget of what is sent; None: unknown, the provider will say.
        notes: what a person should be told of it once.
        look_up: asks the provider for what is not known yet, before the prompt is recorded; None: all is known.
            Raises a ``SteersmanError`` when a limit cannot be kept.
    """

    client: ModelClient
    limits: Limits
    context_max_chars: int | None = None
    notes: tuple[str, ...] = ()
    look_up: Callable[[], Awaitable[ModelChoice]] | None = None


class RunParts(Protocol):
    """The world as runs need it. Errors are ``SteersmanError``s."""

    @property
    def clock(self) -> Clock:
        """The time."""
        ...

    @property
    def holder(self) -> str:
        """Names this process to others that want a session it holds: "Neovim (pid 4711)"."""
        ...

    def new_id(self) -> str:
        """Return an id nobody has."""
        ...

    def roots(self) -> tuple[Root, ...]:
        """The workspace folders, with unique names; may be empty."""
        ...

    def defaults(self) -> RunDefaults:
        """What is configured now."""
        ...

    def tightest_mode(self, mode: Mode) -> Mode:
        """Return the mode as the workspace's own configuration tightens it (A6)."""
        ...

    @property
    def stores(self) -> StoreShelf:
        """The session stores of the workspace folders."""
        ...

    def choose_model(self, model: str, limits: Limits) -> ModelChoice:
        """Make the model ready; raises a ``SteersmanError`` that says what is missing."""
        ...

    def open_workspace(self, roots: Sequence[Root]) -> Workspace:
        """Make the workspace of one run; the first root is its own."""
        ...

    def tools(self, workspace: Workspace, seen: SeenTexts, mode: ModeSource) -> Sequence[Tool]:
        """Make the tools of one run."""
        ...

    def epoch(self) -> object:
        """Names the state of the person's documents (L11)."""
        ...

    def approver(
        self, run_id: str, session_id: str, workspace: Workspace, mode: ModeSource, warn: Callable[[str], None]
    ) -> BeforeToolCall:
        """Make the hook that approves a run's calls; ``warn`` takes a line that a person should see."""
        ...


class ModeSource(Protocol):
    """The mode of a run as it is now: it may change in mid-run, and the next call obeys."""

    def __call__(self) -> Mode:
        """Return the mode."""
        ...
