"""Permission as an application puts it together: policy, the user's rules, and what people's answers left behind.

A part of the composition root of its own, because it loads the shell's grammar and much else that nobody needs before
a model's first call.
"""

from __future__ import annotations

import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from steersman.permissions.approver import Approver
from steersman.permissions.grants import Grant
from steersman.permissions.ground import Ground
from steersman.permissions.memory import SessionMemories
from steersman.permissions.places import always_file
from steersman.permissions.rule import Rule, check_rules
from steersman.permissions.store import AlwaysStore
from steersman.sessions.places import folder_key
from steersman_tools.kit.protected_paths import ProtectedPaths
from steersman_tools.kit.workspace import Root, Workspace

if TYPE_CHECKING:
    from steersman.agent.tool import Plan
    from steersman.permissions.question import Asker
    from steersman.runs.parts import ModeSource
    from steersman.setting_parts import PermissionPart


class Place(Protocol):
    """The editor or terminal, as far as permission goes (``app.Surroundings``)."""

    @property
    def roots(self) -> tuple[Root, ...]:
        """The workspace folders."""
        ...

    @property
    def asker(self) -> Asker | None:
        """Puts questions to the person; None: nobody is there."""
        ...

    @property
    def must_ask(self) -> Callable[[Plan], str | None]:
        """Says why a plan is asked in every mode here, or None."""
        ...

    @property
    def saver(self) -> Callable[[Workspace], Callable[[tuple[str, ...]], Awaitable[None]] | None]:
        """Makes what saves documents (display paths) before a command, where this place can."""
        ...


@dataclass(slots=True)
class Permitting:
    """What decides on the calls of an application's runs.

    Attributes:
        place: the editor or terminal.
        written: the user's own rules.
        state_dir: where "always allow" is kept; runs may not touch it.
        config: the user's configuration, likewise.
    """

    place: Place
    written: Sequence[PermissionPart]
    state_dir: Path
    config: Path
    _memories: SessionMemories = field(default_factory=SessionMemories)

    def approver(
        self, session_id: str, workspace: Workspace, mode: ModeSource, warn: Callable[[str], None]
    ) -> Approver:
        """Make the hook that approves a run's calls."""
        return Approver(
            session_id=session_id,
            mode=mode,
            ground=self.ground(workspace.roots),
            asker=self.place.asker,
            rules=self._rules(),
            memory=self._memories.of(session_id),
            always=self.always(workspace.roots[0].path),
            must_ask=self.place.must_ask,
            save=self.place.saver(workspace),
            warn=warn,
        )

    def ground(self, roots: Sequence[Root]) -> Ground:
        """Return what policy has to know of the place."""
        paths = [root.path for root in roots]
        return Ground(
            roots=tuple(str(path) for path in paths),
            protection=ProtectedPaths(paths).now,
            exists=lambda path: Path(path).exists(),
            resolve=_resolve,
            own=tuple(_resolve(str(path.absolute())) for path in (self.state_dir, self.config)),
            home=str(Path.home()),
            windows=os.name == "nt",
        )

    def always(self, folder: Path) -> AlwaysStore:
        """Return what is always allowed in a folder."""
        key = folder_key(folder)
        return AlwaysStore(always_file(self.state_dir, key), key)

    def warnings(self) -> list[str]:
        """Return what is wrong with the user's rules and with what is always allowed in the workspace folders."""
        folders = [root.path for root in self.roots()]
        always = [problem for folder in folders if (problem := self.always(folder).problem) is not None]
        return [*check_rules(self._rules()), *always]

    def roots(self) -> tuple[Root, ...]:
        """The workspace folders."""
        return self.place.roots

    def session_grants(self) -> Mapping[str, tuple[Grant, ...]]:
        """Return what each session of this process was allowed."""
        return self._memories.all()

    def forget_sessions(self) -> int:
        """Forget what was allowed for sessions of this process; return how many grants there were."""
        return self._memories.clear()

    def _rules(self) -> list[Rule]:
        return [Rule(rule.tool, rule.match, rule.action) for rule in self.written]


def _resolve(path: str) -> str:
    try:
        return str(Path(path).resolve())
    except (OSError, RuntimeError):  # a loop of links, a path too long: it stays as it is, and outside every root
        return path
