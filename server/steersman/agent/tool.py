"""What a tool is: it says what it would do (``prepare``), and then does exactly that (``run``) (DESIGN L3a)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias, runtime_checkable

from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import Change, ChangeSummary
from steersman.agent.messages import JsonValue

if TYPE_CHECKING:  # pydantic is slow to load, and the words in here are needed before any tool is
    from pydantic import BaseModel


class Effect(StrEnum):
    """What a tool may do to the world. None declared counts as ``EXECUTE`` (A, issue "Nothing unasked")."""

    READ = "read"
    EDIT = "edit"
    DELETE = "delete"
    MOVE = "move"
    EXECUTE = "execute"
    NETWORK = "network"


Confinement: TypeAlias = Literal["none", "roots", "read_only"]
"""How the host holds a command back (W10): not at all; it can write only below the workspace roots, W7's paths
excepted; or it can write nothing at all. Said only of a sandbox that a probe has shown to work."""


class ToolError(Exception):
    """What went wrong in words that let the model mend its call (L7). Becomes an error result; the run goes on."""


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool gives back.

    Attributes:
        content: what the model reads; bounded by the tool (W9).
        is_error: the call did not do what was asked.
        seen: canonical path -> digest of the whole text the model has now seen; "" when it saw a part (W4).
        changes: what was changed.
        warnings: what a person must know of it, whatever the model makes of it; told as ``Warned`` events.
        repeat: set by ``guard_repeats`` only; the loop reads nothing else to find that a run goes in circles (L11).
    """

    content: str
    is_error: bool = False
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    changes: tuple[ChangeSummary, ...] = ()
    warnings: tuple[str, ...] = ()
    repeat: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """What one call would do, before it does it: what is shown, asked, checked and then run.

    Attributes:
        title: short, for people: "edit src/app.py", "run pytest -q".
        effects: what this very call does; a subset of the tool's.
        targets: canonical absolute paths it reads or writes.
        changes: exactly what it would change; empty for reads and commands.
        command: the whole shell command, for a tool that runs one.
        folder: canonical absolute folder a command starts in.
        confinement: how the command will be held back; plan mode lets only ``read_only`` ones be asked for (A1).
        unsaved: display paths of open documents whose unsaved edits of ours a command would not see (W2).
        warnings: lines that a person must see before deciding, such as why a command has no sandbox.
        payload: the tool's own, from ``prepare`` to ``run``; nobody else looks at it.
    """

    title: str
    effects: frozenset[Effect]
    targets: tuple[str, ...] = ()
    changes: tuple[Change, ...] = ()
    command: str | None = None
    folder: str | None = None
    payload: object = None
    confinement: Confinement = "none"
    unsaved: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


Emit: TypeAlias = Callable[[str], None]
"""Takes a piece of a running tool's output; never blocks, never raises."""


@runtime_checkable
class Tool(Protocol):
    """One tool.

    ``parameters`` is the pydantic model of its arguments (its JSON schema is what the model sees; unknown fields are
    errors). ``effects`` is all it may ever do. ``repeatable`` exempts it from ``guard_repeats``.
    """

    @property
    def name(self) -> str:
        """The name the model calls it by."""
        ...

    @property
    def description(self) -> str:
        """What it does, for the model: short."""
        ...

    @property
    def parameters(self) -> type[BaseModel]:
        """The pydantic model of its arguments."""
        ...

    @property
    def effects(self) -> frozenset[Effect]:
        """All it may ever do."""
        ...

    async def prepare(self, args: BaseModel) -> Plan | ToolResult:
        """Work out what the call would do, changing nothing.

        ``args`` is an instance of ``parameters``. May be called again, with the same object, for the same call when the
        world moved. A
        ``ToolResult`` instead of a plan is the call's answer, nobody is asked. Raises ``ToolError`` for what the
        model can mend.
        """
        ...

    async def run(self, plan: Plan, signal: CancelSignal, emit: Emit) -> ToolResult:
        """Do what the plan says, or raise ``ToolError`` having changed nothing (or saying what was changed).

        Looks at ``signal`` where it may take long, and then returns the real, partial result.
        """
        ...


@runtime_checkable
class Described(Protocol):
    """A tool that knows its schema beforehand, so that nothing is loaded to describe it."""

    @property
    def schema(self) -> Mapping[str, JsonValue]:
        """What ``parameters_schema`` would work out."""
        ...


def parameters_schema(tool: Tool) -> dict[str, JsonValue]:
    """Return the JSON schema of the tool's arguments; one that knows its own is not asked for its parameters."""
    return dict(tool.schema) if isinstance(tool, Described) else schema_of(tool.parameters)


def schema_of(parameters: type[BaseModel]) -> dict[str, JsonValue]:
    """Return the JSON schema of arguments, without what only costs tokens.

    Left out are titles, the class's docstring (the tool has its own description), that a field with a default may be
    null as well, bounds that go without saying (no length below 1, no number below 0), and that there are no other
    fields: a call that brings one is told so.
    """
    schema = _lean(parameters.model_json_schema())
    assert isinstance(schema, dict)
    schema.pop("description", None)
    schema.setdefault("properties", {})
    return schema


_NEEDLESS: Sequence[tuple[str, JsonValue]] = (
    ("additionalProperties", False),
    ("minimum", 0),
    ("minimum", 1),
    ("exclusiveMinimum", 0),
    ("minLength", 1),
)
"""Keywords that only cost tokens: what they forbid goes without saying, and a call that does it is told."""


def _lean(schema: JsonValue, *, names: bool = False) -> JsonValue:
    """Drop such keywords; ``names``: the keys of this object are names of fields, not keywords."""
    if isinstance(schema, list):
        return [_lean(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    if names:
        return {name: _lean(value) for name, value in schema.items()}
    return {
        key: _lean(value, names=key in {"properties", "$defs"})
        for key, value in _without_null(schema).items()
        if not (key == "title" and isinstance(value, str)) and (key, value) not in _NEEDLESS
    }


def _without_null(schema: dict[str, JsonValue]) -> dict[str, JsonValue]:
    """Return the schema of a field that may be left out, without null as another way of leaving it out."""
    options = schema.get("anyOf")
    if "default" not in schema or schema["default"] is not None or not isinstance(options, list):
        return schema
    real = [option for option in options if option != {"type": "null"}]
    rest = {key: value for key, value in schema.items() if key not in {"anyOf", "default"}}
    return {**real[0], **rest} if len(real) == 1 and isinstance(real[0], dict) else {**rest, "anyOf": real}


def effective(effects: frozenset[Effect]) -> frozenset[Effect]:
    """The effects that count: none declared is ``EXECUTE``."""
    return effects or frozenset({Effect.EXECUTE})


def has_effects(effects: frozenset[Effect]) -> bool:
    """Whether a call with these effects does more than read."""
    return effective(effects) != frozenset({Effect.READ})
