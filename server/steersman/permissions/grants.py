"""What a person allowed beyond one call, in exact terms (DESIGN A5).

A grant is what "Allow for this session" or "Always allow" leaves behind: a file or its folder, a command, a call. It is
literal (a bracket in a file's name is a bracket) and says in words what it covers, so that a button can show it. No
grant ever covers a protected path; ``policy`` sees to that before it looks here.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TypeAlias, assert_never

from steersman.permissions.command_patterns import CommandPattern, pattern_for
from steersman.permissions.ground import Ground
from steersman.permissions.proposal import CallDemand, CommandDemand, Demand, OpaqueDemand, PathDemand

_VERBS = {"edit": "edits of", "create": "edits of", "delete": "deleting", "move": "moving"}


@dataclass(frozen=True, slots=True)
class PathGrant:
    """Changes of one kind to a file, or to everything below a folder.

    Attributes:
        path: canonical and absolute.
        kind: ``edit`` covers creating too.
        below: ``path`` is a folder, and everything below it is meant.
    """

    path: str
    kind: str
    below: bool = False

    def covers(self, demand: Demand, ground: Ground) -> bool:
        """Whether the grant covers the demand."""
        if not isinstance(demand, PathDemand) or _kind(demand) != self.kind:
            return False
        return ground.contains(self.path, demand.path) if self.below else demand.path == self.path

    def words(self, ground: Ground) -> str:
        """Say what it covers."""
        name = short_name(self.path, ground)
        return f"{_VERBS[self.kind]} {'everything in ' if self.below else ''}{name}{'/' if self.below else ''}"


@dataclass(frozen=True, slots=True)
class CommandGrant:
    """A command in one folder.

    Attributes:
        pattern: what it begins with.
        folder: canonical absolute folder it was allowed in.
        tool: the tool that runs it.
        network: it was allowed with the network.
    """

    pattern: CommandPattern
    folder: str
    tool: str
    network: bool = False

    def covers(self, demand: Demand, ground: Ground) -> bool:
        """Whether the grant covers the demand."""
        return (
            isinstance(demand, CommandDemand)
            and (demand.folder, demand.tool) == (self.folder, self.tool)
            and (self.network or not demand.network)
            and self.pattern.covers(demand.command, demand.folder, ground)
        )

    def words(self, ground: Ground) -> str:
        """Say what it covers."""
        where = "" if ground.roots[:1] == (self.folder,) else f" in {short_name(self.folder, ground)}"
        return f"{self.pattern}{where}"


@dataclass(frozen=True, slots=True)
class CallGrant:
    """The same call again: tool and arguments."""

    tool: str
    arguments: str

    def covers(self, demand: Demand, ground: Ground) -> bool:
        """Whether the grant covers the demand."""
        del ground
        return demand == CallDemand(self.tool, self.arguments)

    def words(self, ground: Ground) -> str:
        """Say what it covers."""
        del ground
        return f"this very call of {self.tool}"


Grant: TypeAlias = PathGrant | CommandGrant | CallGrant


def grants_for(demands: Sequence[Demand], present: Iterable[Grant], ground: Ground) -> tuple[Grant, ...]:
    """Return what "allow for this session" would add, or () when the call can only be allowed once.

    For an edit that is the file itself, and its folder once another file of that folder was allowed before (never a
    whole workspace root: that is what the mode is for). For commands see ``pattern_for``.
    """
    known = tuple(present)
    grants: list[Grant] = []
    for demand in demands:
        match demand:
            case PathDemand():
                grants.append(_path_grant(demand, known, ground))
            case CommandDemand():
                pattern = pattern_for(demand.command, demand.folder, ground)
                if pattern is None:
                    return ()
                grants.append(CommandGrant(pattern, demand.folder, demand.tool, demand.network))
            case OpaqueDemand():
                return ()
            case CallDemand():
                grants.append(CallGrant(demand.tool, demand.arguments))
            case _:
                assert_never(demand)
    return tuple(dict.fromkeys(grants))


def describe_grants(grants: Sequence[Grant], ground: Ground, *, max_shown: int = 3) -> str:
    """Say in words what all the grants cover together."""
    words = [grant.words(ground) for grant in grants]
    if len(words) <= max_shown:
        return ", ".join(words)
    return f"{', '.join(words[: max_shown - 1])} and {len(words) - max_shown + 1} more"


def short_name(path: str, ground: Ground) -> str:
    """Return a path as people see it: below its root, after the root's name where there are several."""
    for index, root in enumerate(ground.roots):
        below = ground.relative(path, root)
        if below is not None:
            name = ground.components(root, fold=False)[-1:]
            return below or "." if index == 0 else "/".join([*name, *([below] if below else [])])
    return path


def _path_grant(demand: PathDemand, known: Sequence[Grant], ground: Ground) -> PathGrant:
    folder, kind = ground.parent(demand.path), _kind(demand)
    siblings = [
        grant
        for grant in known
        if isinstance(grant, PathGrant) and grant.kind == kind and grant.path != demand.path and not grant.below
    ]
    is_root = any(ground.contains(folder, root) for root in ground.roots)
    if not is_root and any(ground.parent(grant.path) == folder for grant in siblings):
        return PathGrant(folder, kind, below=True)
    return PathGrant(demand.path, kind)


def _kind(demand: PathDemand) -> str:
    return "edit" if demand.kind == "create" else demand.kind
