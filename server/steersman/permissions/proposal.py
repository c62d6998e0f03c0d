"""What a call wants, in the terms that permission is given in.

A plan is taken apart into *demands*: one for each file it changes, one for each simple command, one for anything else.
A call is covered only when every demand is. What a plan shows counts for more than what it declares: one that holds a
command executes, whatever effects it names.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Literal, TypeAlias

from steersman.agent.changes import ChangeKind
from steersman.agent.tool import Effect, Plan, Tool, effective
from steersman.permissions.commands import CommandLine, SimpleCommand, analyse
from steersman.permissions.ground import Ground

Reach: TypeAlias = Literal["read", "change", "execute", "network", "unknown"]
"""How far a call reaches; ``unknown`` is an effect that this version has not heard of."""

_REACHES: dict[str, Reach] = {
    Effect.READ: "read",
    Effect.EDIT: "change",
    Effect.DELETE: "change",
    Effect.MOVE: "change",
    Effect.EXECUTE: "execute",
    Effect.NETWORK: "network",
}

_WELL_KNOWN = (
    *(".git", ".gitmodules", ".env", ".env.local", ".vscode", ".idea", ".github", ".gitlab-ci.yml", ".circleci"),
    *(
        ".steersman",
        ".mcp.json",
        ".claude",
        ".cursor",
        "AGENTS.md",
        "CLAUDE.md",
        ".exrc",
        ".nvim.lua",
        ".dir-locals.el",
    ),
    *(".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".ssh", ".aws", ".npmrc", ".pypirc", ".netrc"),
    *("Jenkinsfile", "id_rsa", "id_ed25519", "credentials.json", "secrets.json"),
)
"""Names that a glob in a command could be meant to hide."""


@dataclass(frozen=True, slots=True)
class PathDemand:
    """To do something to one file. ``path`` is canonical and absolute."""

    path: str
    kind: ChangeKind | Literal["read"]


@dataclass(frozen=True, slots=True)
class CommandDemand:
    """To run one simple command by ``tool`` in ``folder`` (canonical, absolute)."""

    command: SimpleCommand
    folder: str
    tool: str
    network: bool = False


@dataclass(frozen=True, slots=True)
class OpaqueDemand:
    """To run a command line that is not fully understood. Nothing remembered covers it."""

    line: CommandLine


@dataclass(frozen=True, slots=True)
class CallDemand:
    """To make this very call of a tool whose effects cannot be told by files or commands."""

    tool: str
    arguments: str


Demand: TypeAlias = PathDemand | CommandDemand | OpaqueDemand | CallDemand


@dataclass(frozen=True, slots=True)
class Proposal:
    """One call, worked out.

    Attributes:
        tool: the tool's name.
        plan: what it would do.
        reach: how far it reaches.
        arguments: its arguments in canonical JSON.
        line: its command taken apart, or None.
    """

    tool: str
    plan: Plan
    reach: frozenset[Reach]
    arguments: str
    line: CommandLine | None

    @property
    def only_reads(self) -> bool:
        """Whether it does nothing but read."""
        return self.reach == frozenset({"read"})

    def demands(self, ground: Ground) -> tuple[Demand, ...]:
        """Return everything beyond reading that has to be covered."""
        return tuple(dict.fromkeys(self._demands(ground)))

    def reads(self) -> tuple[PathDemand, ...]:
        """Return the files it names without changing them, as far as the plan says."""
        return tuple(PathDemand(path, "read") for path in self.plan.targets)

    def _demands(self, ground: Ground) -> Iterator[Demand]:
        changed = False
        for change in self.plan.changes:
            changed = True
            yield PathDemand(change.path, change.kind)
            if change.moved_from is not None:
                yield PathDemand(change.moved_from, "move")
        if "change" in self.reach and not changed:
            kinds = _change_kinds(self.plan)
            yield from (PathDemand(path, kind) for path in self.plan.targets for kind in kinds)
            if not self.plan.targets:
                yield CallDemand(self.tool, self.arguments)
        if self.line is not None:
            yield from self._command_demands(self.line, ground)
        elif self.reach & {"execute", "network", "unknown"}:
            yield CallDemand(self.tool, self.arguments)

    def _command_demands(self, line: CommandLine, ground: Ground) -> Iterator[Demand]:
        """Yield a demand for each part, following ``cd`` from folder to folder.

        ``cd`` into a folder of the workspace asks for nothing by itself; but what comes after it counts as run there,
        so every joint of such a line must be ``&&`` (or a pipe): otherwise a failed ``cd`` runs the rest elsewhere.
        """
        folder = self.plan.folder or ground.roots[0]
        changes_folder = any(part.program == "cd" for part in line.parts)
        if changes_folder and any(part.joint not in {"", "&&", "|"} for part in line.parts):
            line = replace(line, doubts=(*line.doubts, "it goes on even if the folder cannot be changed"))
        if not line.understood:
            yield OpaqueDemand(line)
            return
        for part in line.parts:
            if part.program == "cd":
                folder = ground.resolve(ground.join(folder, part.words[1].text))
                if not ground.is_inside(folder):
                    yield OpaqueDemand(replace(line, doubts=("it leaves the workspace",)))
                    return
            else:
                yield CommandDemand(part, folder, self.tool, network="network" in self.reach)


def propose(tool: Tool, plan: Plan, arguments: str) -> Proposal:
    """Work out a proposal. ``arguments`` is the JSON text that the model wrote."""
    effects = set(effective(plan.effects)) if tool.effects else {*effective(plan.effects), Effect.EXECUTE}
    reach: set[Reach] = {_REACHES.get(effect, "unknown") for effect in effects}
    if plan.changes:
        reach.add("change")
    if plan.command is not None:
        reach.add("execute")
    line = None if plan.command is None else analyse(plan.command)
    return Proposal(tool.name, plan, frozenset(reach), _canonical(arguments), line)


def mentioned_paths(proposal: Proposal, ground: Ground) -> Iterator[str]:
    """Yield the absolute paths that the command's words may name: as written, and with links resolved.

    A glob stands for the well-known protected names that it would match. A program's own name is not taken for a file.
    """
    line = proposal.line
    if line is None:
        return
    folders = [proposal.plan.folder or ground.roots[0]]
    folders += [
        ground.join(folders[0], part.words[1].text)
        for part in line.parts
        if part.program in {"cd", "pushd"} and len(part.words) > 1
    ]
    programs = {part.program for part in line.parts if "/" not in part.program} | {"HEAD"}
    names = {name for mention in line.mentions if mention not in programs for name in _spelled_out(mention)}
    for name in sorted(names):
        starts = [ground.home] if name.startswith("~/") and ground.home else folders
        for start in starts:
            path = ground.join(start, name.removeprefix("~/") if starts is not folders else name)
            yield path
            resolved = ground.resolve(path)
            if resolved != path:
                yield resolved


def _spelled_out(mention: str) -> Iterator[str]:
    """Yield the name, and for a glob the protected names it may stand for."""
    yield mention
    steps = mention.split("/")
    for index, step in enumerate(steps):
        if any(char in step for char in "*?["):
            fitting = (name for name in _WELL_KNOWN if fnmatchcase(name, step) and (step[0] == "." or name[0] != "."))
            yield from ("/".join([*steps[:index], name, *steps[index + 1 :]]) for name in fitting)


def _change_kinds(plan: Plan) -> tuple[ChangeKind, ...]:
    kinds: dict[Effect, ChangeKind] = {Effect.EDIT: "edit", Effect.DELETE: "delete", Effect.MOVE: "move"}
    return tuple(kind for effect, kind in kinds.items() if effect in plan.effects) or ("edit",)


def _canonical(arguments: str) -> str:
    try:
        return json.dumps(json.loads(arguments), sort_keys=True, ensure_ascii=False)
    except ValueError:
        return arguments
