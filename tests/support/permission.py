"""What tests of permission are made of: plans of every kind, a ground, and people who answer as told."""

from __future__ import annotations

import asyncio
import posixpath
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from pydantic import BaseModel

from steersman.agent.approval import ApprovalRequest, Option
from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change, ChangeKind, text_digest
from steersman.agent.messages import ToolCall
from steersman.agent.tool import Confinement, Effect, Emit, Plan, ToolResult
from steersman.permissions.ground import Ground, Protection
from steersman.permissions.proposal import Proposal, propose
from steersman.permissions.question import Answer, Question

ROOT = "/ws"


class AnyArguments(BaseModel):
    """Takes nothing."""


@dataclass(frozen=True)
class PlannedTool:
    """A tool of which only name and effects matter."""

    name: str
    effects: frozenset[Effect]
    description: str = "A tool."
    parameters: type[BaseModel] = AnyArguments

    async def prepare(self, args: BaseModel) -> Plan | ToolResult:
        """Is not called."""
        raise NotImplementedError

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Is not called."""
        raise NotImplementedError


@dataclass(frozen=True)
class FakeProtection:
    """A protection."""

    reason: str
    is_secret: bool = False


def protection_by_name(path: str) -> Protection | None:
    """Protect a few names, as the real list does."""
    parts = path.casefold().split("/")
    if any(part.startswith(".env") for part in parts):
        return FakeProtection("it may hold secrets", is_secret=True)
    if {".git", ".vscode", "agents.md"} & set(parts):
        return FakeProtection("it is on the list")
    return None


def make_ground(
    roots: Sequence[str] = (ROOT,), *, windows: bool = False, resolve: Callable[[str], str] = posixpath.normpath
) -> Ground:
    """A ground with a small protected list and no file system."""
    return Ground(
        roots=tuple(roots),
        protection=lambda: protection_by_name,
        resolve=resolve,
        own=("/state",),
        home="/home/me",
        windows=windows,
    )


def change(
    path: str = "src/app.py",
    kind: ChangeKind = "edit",
    before: str | None = "a = 1\n",
    after: str | None = "a = 2\n",
    moved_from: str | None = None,
) -> Change:
    """A change below the root; paths are relative to it."""
    before = None if kind == "create" else before
    after = None if kind == "delete" else after
    digest = None if before is None else text_digest(before)
    source = None if moved_from is None else f"{ROOT}/{moved_from}"
    return Change(f"{ROOT}/{path}", kind, digest, before, after, source, path)


def edit_plan(*changes: Change) -> Plan:
    """A plan that changes files."""
    changes = changes or (change(),)
    effects = {"edit": Effect.EDIT, "create": Effect.EDIT, "delete": Effect.DELETE, "move": Effect.MOVE}
    return Plan(
        title="edit",
        effects=frozenset(effects[one.kind] for one in changes),
        targets=tuple(one.path for one in changes),
        changes=changes,
    )


def read_plan(path: str = "src/app.py") -> Plan:
    """A plan that reads a file."""
    return Plan(title=f"read {path}", effects=frozenset({Effect.READ}), targets=(f"{ROOT}/{path}",))


def command_plan(
    command: str = "git status",
    *,
    folder: str = ROOT,
    confinement: Confinement = "none",
    network: bool = False,
    unsaved: tuple[str, ...] = (),
) -> Plan:
    """A plan that runs a command."""
    return Plan(
        title=f"run {command}",
        effects=frozenset({Effect.EXECUTE, Effect.NETWORK} if network else {Effect.EXECUTE}),
        command=command,
        folder=folder,
        confinement=confinement,
        unsaved=unsaved,
    )


def call_plan(*effects: Effect) -> Plan:
    """A plan that shows neither files nor a command."""
    return Plan(title="do something", effects=frozenset(effects))


def proposal(plan: Plan, *, tool: str | None = None, arguments: str = "{}", undeclared: bool = False) -> Proposal:
    """The plan as a tool that declares its effects (or none at all) would propose it."""
    name = tool or ("run_command" if plan.command is not None else "edit_file" if plan.changes else "read_file")
    return propose(PlannedTool(name, frozenset() if undeclared else plan.effects), plan, arguments)


@dataclass
class ScriptedAsker:
    """Answers with what it was given, in order; an exception is raised, a callable is called."""

    answers: list[Answer | Exception | Callable[[Question], Answer | None] | None]
    questions: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Answer | None:
        """Note the question and give the next answer."""
        self.questions.append(question)
        answer = self.answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer(question) if callable(answer) else answer


@dataclass
class PatientAsker:
    """Leaves each question open until the test answers it; notes those that were withdrawn."""

    open: list[tuple[Question, asyncio.Future[Answer | None]]] = field(
        default_factory=list[tuple[Question, "asyncio.Future[Answer | None]"]]
    )
    asked: asyncio.Event = field(default_factory=asyncio.Event)
    withdrawn: list[Question] = field(default_factory=list[Question])

    async def ask(self, question: Question) -> Answer | None:
        """Wait for the test."""
        answer: asyncio.Future[Answer | None] = asyncio.get_running_loop().create_future()
        self.open.append((question, answer))
        self.asked.set()
        try:
            return await answer
        except asyncio.CancelledError:
            self.withdrawn.append(question)
            raise


def approval_request(
    plan: Plan,
    *,
    tool: str | None = None,
    arguments: str = "{}",
    call_id: str = "call-1",
    round_number: int = 1,
    announce: Callable[[tuple[Option, ...]], None] = lambda _: None,
) -> ApprovalRequest:
    """The loop's request for a plan."""
    name = proposal(plan, tool=tool).tool
    return ApprovalRequest(
        run_id="run-1",
        turn=1,
        call=ToolCall(call_id, name, arguments),
        tool=PlannedTool(name, plan.effects),
        plan=plan,
        round=round_number,
        announce=announce,
    )
