"""Agent messages as table rows, and back: the one place that knows both (DESIGN M2, S2).

The text stands in a column of its own, so that most rows need no JSON at all; ``extra`` holds what is not the default.
Reading is lenient about fields it does not know (a later version's) and strict about nothing else being lost.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, Message, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Usage

_DECODER = json.JSONDecoder()
_MAX_TOKENS = 10**12
"""Reads what ``_dump`` wrote: nothing before or behind the object, which ``json.loads`` spends half its time on."""


@dataclass(frozen=True, slots=True)
class MessageRow:
    """A message as its columns; all texts are valid UTF-8."""

    role: str
    content: str
    call_id: str | None
    extra: str | None


def clean(text: str) -> str:
    """Join split surrogate pairs and replace lone halves by U+FFFD: SQLite takes UTF-8 only (M2)."""
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text


def to_row(message: Message) -> MessageRow:
    """Return the message's columns."""
    call_id: str | None = None
    if isinstance(message, UserMessage):
        extra = {} if message.origin == "person" else {"origin": message.origin}
    elif isinstance(message, AssistantMessage):
        extra = _assistant_extra(message)
    else:
        extra, call_id = _tool_extra(message), clean(message.tool_call_id)
    return MessageRow(message.role, clean(message.content), call_id, _dump(extra))


def from_row(role: str, content: str, call_id: str | None, extra: str | None) -> Message:
    """Return the message of these columns."""
    fields: dict[str, Any] = _DECODER.raw_decode(extra)[0] if extra else {}
    if role == "tool":
        return ToolMessage(
            call_id or "",
            content,
            is_error=fields.get("is_error", False),
            outcome=fields.get("outcome", "returned"),
            seen=fields.get("seen", {}),
            changes=tuple(_change(change) for change in fields.get("changes", ())),
        )
    if role == "assistant":
        return AssistantMessage(
            content,
            tuple(ToolCall(*call) for call in fields.get("calls", ())),
            reasoning=fields.get("reasoning", ""),
            truncated=fields.get("truncated", False),
            model=fields.get("model", ""),
            provider_data=_provider_data(fields.get("provider_data")),
        )
    return UserMessage(content, fields.get("origin", "person"))


def call_ids(extra: str | None) -> list[str]:
    """Return the ids of an assistant row's calls, in order."""
    return [call[0] for call in json.loads(extra).get("calls", ())] if extra else []


def usage_columns(usage: Usage) -> tuple[int, int, int, int, int, int]:
    """Return the columns of a usage: input, cached, cache writes, output, reasoning, estimated.

    What no model can have used is cut: the columns and their sums hold 64 bits, and a provider may report anything.
    """
    return (
        min(usage.input_tokens, _MAX_TOKENS),
        min(usage.cached_input_tokens, _MAX_TOKENS),
        min(usage.cache_write_tokens, _MAX_TOKENS),
        min(usage.output_tokens, _MAX_TOKENS),
        min(usage.reasoning_tokens, _MAX_TOKENS),
        int(usage.estimated),
    )


def usage_from(columns: Sequence[int]) -> Usage:
    """Return the usage of these columns."""
    tokens = columns[:5]
    return Usage(*tokens, estimated=bool(columns[5]))


def _assistant_extra(message: AssistantMessage) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    if message.tool_calls:
        extra["calls"] = [[call.id, call.name, call.arguments] for call in message.tool_calls]
    if message.reasoning:
        extra["reasoning"] = message.reasoning
    if message.truncated:
        extra["truncated"] = True
    if message.model:
        extra["model"] = message.model
    if message.provider_data is not None:
        extra["provider_data"] = [message.provider_data.provider, message.provider_data.data]
    return extra


def _tool_extra(message: ToolMessage) -> dict[str, Any]:
    extra: dict[str, Any] = {}
    if message.is_error:
        extra["is_error"] = True
    if message.outcome != "returned":
        extra["outcome"] = message.outcome
    if message.seen:
        extra["seen"] = message.seen
    if message.changes:
        extra["changes"] = [_change_fields(change) for change in message.changes]
    return extra


def _change_fields(change: ChangeSummary) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "path": change.path,
        "kind": change.kind,
        "added": change.added,
        "removed": change.removed,
    }
    if not change.saved:
        fields["saved"] = False
    if change.moved_from is not None:
        fields["moved_from"] = change.moved_from
    return fields


def _change(fields: Mapping[str, Any]) -> ChangeSummary:
    return ChangeSummary(
        fields["path"],
        fields["kind"],
        fields["added"],
        fields["removed"],
        fields.get("saved", True),
        fields.get("moved_from"),
    )


def _provider_data(value: object) -> ProviderData | None:
    if value is None:
        return None
    provider, data = cast("tuple[str, dict[str, Any]]", value)
    return ProviderData(provider, data)


def _dump(extra: dict[str, Any]) -> str | None:
    if not extra:
        return None
    return clean(json.dumps(extra, ensure_ascii=False, separators=(",", ":"), default=_plain))


def _plain(value: object) -> object:
    """A mapping or sequence that is not a dict or list (a read-only view) becomes one."""
    if isinstance(value, Mapping):
        return dict(cast("Mapping[str, object]", value))
    if isinstance(value, Sequence):
        return list(cast("Sequence[object]", value))
    raise TypeError(f"{type(value).__name__} is not JSON")
