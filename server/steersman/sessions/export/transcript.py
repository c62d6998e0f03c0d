"""All that an export tells of a session, gathered and masked before any format sees it."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, cast

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, JsonValue, Message, ProviderData, ToolCall, ToolMessage
from steersman.sessions.export.masking import Mask, mask_json, mask_nothing, mask_secrets, mask_values
from steersman.sessions.records import KeptFile, ResponseUsage, SessionRecord, StoredMessage, Timing

if TYPE_CHECKING:
    from steersman.sessions.store import SessionStore


@dataclass(frozen=True, slots=True)
class Transcript:
    """One session, ready to be written.

    Attributes:
        session: its record.
        messages: the conversation, every call closed.
        responses: what each model response used.
        timings: where the time went, in order of beginning.
        exported_at: when.
        masked: text that looks like a secret was masked.
        files: the files as they were before calls changed them; None: they stay on the machine.
    """

    session: SessionRecord
    messages: tuple[StoredMessage, ...]
    responses: tuple[ResponseUsage, ...]
    timings: tuple[Timing, ...]
    exported_at: float
    masked: bool
    files: tuple[KeptFile, ...] | None = None


@dataclass(frozen=True, slots=True)
class Exchange:
    """A tool call with its result.

    Attributes:
        call: the call.
        result: its result with its number, or None while it runs.
        ran: when the tool ran, or None when that is not known.
        asked: when a person was asked and what was decided, or None.
    """

    call: ToolCall
    result: StoredMessage | None
    ran: Timing | None
    asked: Timing | None


def gather(store: SessionStore, session_id: str, *, with_secrets: bool, with_files: bool = False) -> Transcript:
    """Read a session; raise ``SessionNotFoundError``."""
    mask = mask_nothing if with_secrets else mask_secrets
    record = store.get(session_id)
    messages = store.messages(session_id)
    return Transcript(
        session=record._replace(title=mask(record.title)),
        messages=tuple(stored._replace(message=_masked(stored.message, mask)) for stored in messages),
        responses=tuple(store.responses(session_id)),
        timings=tuple(replace(timing, label=mask(timing.label)) for timing in store.timings(session_id)),
        exported_at=store.now(),
        masked=not with_secrets,
        files=tuple(_masked_file(kept, mask) for kept in store.kept_files(session_id)) if with_files else None,
    )


def find_exchanges(transcript: Transcript) -> dict[int, list[Exchange]]:
    """Return the calls of every assistant message that has some, by the message's index.

    Ids repeat in some providers' responses: a span of time belongs to the first call of its id that was made before
    it began and had no result yet.
    """
    spans: dict[tuple[str, str], deque[Timing]] = {}
    for timing in transcript.timings:
        if timing.call_id is not None:
            spans.setdefault((timing.kind, timing.call_id), deque()).append(timing)
    found: dict[int, list[Exchange]] = {}
    for index, stored in enumerate(transcript.messages):
        if isinstance(stored.message, AssistantMessage) and stored.message.tool_calls:
            results = _results_behind(transcript.messages, index)
            found[index] = [
                Exchange(
                    call,
                    results.get(call.id),
                    _take(spans.get(("tool", call.id)), stored, results.get(call.id)),
                    _take(spans.get(("approval", call.id)), stored, results.get(call.id)),
                )
                for call in stored.message.tool_calls
            ]
    return found


def _results_behind(messages: Sequence[StoredMessage], index: int) -> dict[str, StoredMessage]:
    results: dict[str, StoredMessage] = {}
    for position in range(index + 1, len(messages)):
        message = messages[position].message
        if not isinstance(message, ToolMessage):
            break
        results.setdefault(message.tool_call_id, messages[position])
    return results


def _take(spans: deque[Timing] | None, asked: StoredMessage, answered: StoredMessage | None) -> Timing | None:
    """Return the last span between a call and its result; earlier ones are passed over for good."""
    found: Timing | None = None
    while spans and (answered is None or spans[0].started <= answered.created_at):
        span = spans.popleft()
        if span.started >= asked.created_at:
            found = span
    return found


def arguments_of(call: ToolCall) -> dict[str, JsonValue] | None:
    """Return the call's arguments, or None when they are no JSON object."""
    try:
        value: object = json.loads(call.arguments) if call.arguments.strip() else {}
    except (ValueError, RecursionError):
        return None
    return cast("dict[str, JsonValue]", value) if isinstance(value, dict) else None


def changed_files(transcript: Transcript) -> list[ChangeSummary]:
    """Return one summary a file, over all changes of the conversation, in order of the first."""
    merged: dict[str, ChangeSummary] = {}
    for stored in transcript.messages:
        if not isinstance(stored.message, ToolMessage):
            continue
        for change in stored.message.changes:
            known = merged.get(change.path)
            if known is None:
                merged[change.path] = change
                continue
            kind = known.kind if known.kind == "create" and change.kind == "edit" else change.kind
            merged[change.path] = replace(
                change, kind=kind, added=known.added + change.added, removed=known.removed + change.removed
            )
    return list(merged.values())


def _masked_file(kept: KeptFile, mask: Mask) -> KeptFile:
    """Mask a file that is text; bytes that are none cannot be told apart and stay."""
    buffer = None if kept.buffer is None else mask(kept.buffer)
    try:
        data = None if kept.data is None else mask(kept.data.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError:
        data = kept.data
    return replace(kept, data=data, buffer=buffer)


def _masked(message: Message, mask: Mask) -> Message:
    if mask is mask_nothing:
        return message
    if isinstance(message, ToolMessage):
        return replace(message, content=mask(message.content))
    if isinstance(message, AssistantMessage):
        data = message.provider_data
        masked = data and ProviderData(data.provider, cast("dict[str, JsonValue]", mask_values(dict(data.data), mask)))
        calls = tuple(replace(call, arguments=mask_json(call.arguments, mask)) for call in message.tool_calls)
        return replace(
            message,
            content=mask(message.content),
            reasoning=mask(message.reasoning),
            tool_calls=calls,
            provider_data=masked,
        )
    return replace(message, content=mask(message.content))
