"""The conversation: what is recorded, and sent to a model.

A history is a sequence of ``Message``; it never holds a system message (the model's request does). Valid means: every
tool call of an assistant message is answered by exactly one ``ToolMessage`` before the next user or assistant message.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from steersman.agent.changes import ChangeSummary

JsonValue: TypeAlias = "str | int | float | bool | list[JsonValue] | dict[str, JsonValue] | None"

Origin: TypeAlias = Literal["person", "steered", "host"]
"""Who wrote a user message: the person's prompt, the person in mid-run, or Steersman itself (to go on after a cut)."""

Outcome: TypeAlias = Literal["returned", "aborted", "failed", "skipped", "interrupted"]
"""How a call was closed (DESIGN L6): its own result; not started (cancel); it crashed; not run after another one
crashed; or unknown (it was running when the process ended, or was forced closed)."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's wish to run a tool.

    Attributes:
        id: unique within its assistant message; pairs with ``ToolMessage.tool_call_id``.
        name: the tool's name as the model wrote it.
        arguments: JSON text exactly as the model wrote it; may be invalid.
    """

    id: str
    name: str
    arguments: str


@dataclass(frozen=True, slots=True)
class ProviderData:
    """What a provider wants back with a later request (reasoning items, signatures), opaque to all others (M2).

    Attributes:
        provider: the provider's configured name; only this one ever gets ``data`` back.
        data: JSON.
    """

    provider: str
    data: Mapping[str, JsonValue]


@dataclass(frozen=True, slots=True)
class UserMessage:
    """What the person said (or the host in the person's place, see ``Origin``)."""

    content: str
    origin: Origin = "person"
    role: Literal["user"] = field(default="user", init=False)


@dataclass(frozen=True, slots=True)
class AssistantMessage:
    """One committed model response.

    Attributes:
        content: its text, may be empty when there are tool calls.
        tool_calls: in the model's order.
        reasoning: readable reasoning, or "".
        truncated: the provider's output limit cut the reply (L8, M9).
        model: ``provider/model`` that wrote it.
        provider_data: opaque extra data to send back to the same provider.
    """

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    reasoning: str = ""
    truncated: bool = False
    model: str = ""
    provider_data: ProviderData | None = None
    role: Literal["assistant"] = field(default="assistant", init=False)


@dataclass(frozen=True, slots=True)
class ToolMessage:
    """The answer to one tool call.

    Attributes:
        tool_call_id: the call it answers.
        content: what the model reads.
        is_error: the call did not do what was asked.
        outcome: how the call was closed.
        seen: canonical path -> digest of the text that the model saw or wrote (W4); "" means seen in part.
        changes: what was changed by it, for the run's summary.
    """

    tool_call_id: str
    content: str
    is_error: bool = False
    outcome: Outcome = "returned"
    seen: Mapping[str, str] = field(default_factory=dict[str, str])
    changes: tuple[ChangeSummary, ...] = ()
    role: Literal["tool"] = field(default="tool", init=False)


Message: TypeAlias = UserMessage | AssistantMessage | ToolMessage
