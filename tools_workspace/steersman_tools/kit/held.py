"""How one command is held, before, while and after it runs (DESIGN W10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from steersman.agent.tool import Confinement
from steersman_tools.kit.git_folders import GitHold
from steersman_tools.kit.leftovers import Leftover, Record
from steersman_tools.kit.protected_walk import ProtectedFound, Signature
from steersman_tools.kit.sandbox import Confines, Sandbox


@dataclass(frozen=True, slots=True)
class Held:
    """How one command is held.

    Attributes:
        confinement: what may be claimed of it.
        sandbox: what holds it, or None.
        confines: what it is held to, or None.
        found: the protected paths before it ran, or None where nobody looked.
        git: how the repositories are held that it may change.
        places: what must not come to be.
        warnings: what a person must know.
    """

    confinement: Confinement
    sandbox: Sandbox | None = None
    confines: Confines | None = None
    found: ProtectedFound | None = None
    git: GitHold = field(default_factory=GitHold)
    places: tuple[Leftover, ...] = ()
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


@dataclass(frozen=True, slots=True)
class Holding:
    """A command that is about to run, or does.

    Attributes:
        held: how; what must not come to be is kept away by now.
        record: what we made for that, or None.
        watched: what is protected where nothing is held, with what changes when it does.
        known: what tells the repositories that there are from those that it makes.
        rebases: the rebases under way that run programs.
    """

    held: Held
    record: Record | None = None
    watched: Mapping[Path, Signature] = field(default_factory=dict[Path, Signature])
    known: frozenset[tuple[int, int]] = frozenset()
    rebases: Mapping[Path, bytes] = field(default_factory=dict[Path, bytes])


@dataclass(frozen=True, slots=True)
class News:
    """What a command did to what is protected.

    Attributes:
        made: paths that came to be, or are others now.
        set_aside: paths that git would have obeyed, and that have another name now.
        crowds: folders that other programs fill, in which there are many such paths.
    """

    made: tuple[Path, ...] = ()
    set_aside: tuple[Path, ...] = ()
    crowds: tuple[Path, ...] = ()
