"""The user's own permission rules: tool and pattern -> allow, ask or deny (DESIGN A5).

``match`` is a command pattern where a command is asked for (``git log *``) and a path glob where a file is
(``docs/**``); ``*`` speaks of everything. Rules that allow are read to the letter; rules that ask or deny are read
loosely (case, Unicode form, the folder of a program, options in between), so that a way round them asks at least.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from steersman.permissions.command_patterns import loosely_matches, parse_pattern
from steersman.permissions.ground import Ground, folded
from steersman.permissions.path_patterns import path_matches
from steersman.permissions.proposal import (
    CallDemand,
    CommandDemand,
    Demand,
    OpaqueDemand,
    PathDemand,
    Proposal,
    mentioned_paths,
)

Action: TypeAlias = Literal["allow", "ask", "deny"]


@dataclass(frozen=True, slots=True)
class Rule:
    """One rule.

    Attributes:
        tool: a tool's name, or ``*`` for every tool.
        match: a path glob or a command pattern.
        action: what happens to a call it speaks of; a stricter rule wins over a laxer one.
    """

    tool: str
    match: str = "*"
    action: Action = "ask"

    def __str__(self) -> str:
        return f"{self.action} {self.tool} {self.match}"

    def allows(self, tool: str, demand: Demand, ground: Ground) -> bool:
        """Whether this rule covers one demand of a tool. Never true for a command that is not understood."""
        if self.action != "allow" or self.tool not in {"*", tool}:
            return False
        match demand:
            case PathDemand(path=path):
                return self.match == "*" or path_matches(self.match, path, ground, loosely=False)
            case CommandDemand():
                pattern = parse_pattern(self.match)
                return (
                    pattern is not None
                    and not _reads_folder_configuration(demand, ground)
                    and pattern.covers(demand.command, demand.folder, ground)
                )
            case CallDemand():
                return self.match == "*"
            case OpaqueDemand():
                return False

    def why_not(self, tool: str, demand: Demand, ground: Ground) -> str | None:
        """Say why a rule that allows does not cover a command that it seems to mean; None where it means another."""
        if self.action != "allow" or self.tool not in {"*", tool} or not isinstance(demand, CommandDemand):
            return None
        pattern = parse_pattern(self.match)
        if pattern is None:
            return None
        why = pattern.why_not(demand.command, demand.folder, ground)
        if (
            why is None
            and pattern.covers(demand.command, demand.folder, ground)
            and not self.allows(tool, demand, ground)
        ):
            why = "git would obey the configuration of a folder that is no root of the workspace"
        return None if why is None else f"Your rule “{self}” does not cover this: {why}."

    def forbids(self, proposal: Proposal, ground: Ground) -> bool:
        """Whether this rule, one that asks or denies, speaks of any part of the proposal."""
        if self.action == "allow" or (self.tool != "*" and folded(self.tool) != folded(proposal.tool)):
            return False
        if self.match == "*":
            return True
        if proposal.line is not None and loosely_matches(self.match, proposal.line):
            return True
        paths = [change.path for change in proposal.plan.changes]
        paths += [change.moved_from for change in proposal.plan.changes if change.moved_from is not None]
        paths += [*proposal.plan.targets, *(mentioned_paths(proposal, ground) if self.tool == "*" else ())]
        return any(path_matches(self.match, path, ground, loosely=True) for path in paths)

    def may_hide_in(self, proposal: Proposal) -> bool:
        """Whether the proposal is a command line in which a command that this rule forbids could be hidden."""
        return (
            self.action != "allow"
            and self.tool in {"*", proposal.tool}
            and proposal.line is not None
            and not proposal.line.understood
        )


def strictest(rules: Iterable[Rule], proposal: Proposal, ground: Ground) -> Rule | None:
    """Return the strictest rule that asks or denies; deny wins."""
    matching = [rule for rule in rules if rule.forbids(proposal, ground)]
    return min(matching, key=lambda rule: rule.action != "deny", default=None)


def check_rules(rules: Sequence[Rule]) -> list[str]:
    """Return a warning for each rule that can never allow what its writer meant."""
    return [
        f"The permission rule “{rule}” allows no command: it has to be the first words of one plain command."
        for rule in rules
        if rule.action == "allow" and rule.tool == "run_command" and parse_pattern(rule.match) is None
    ]


def _reads_folder_configuration(demand: CommandDemand, ground: Ground) -> bool:
    """Git obeys the configuration of a bare repository that any folder may hold; a rule means the workspace's own."""
    return demand.command.program == "git" and demand.folder not in ground.roots
