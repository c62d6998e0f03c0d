"""Steersman's data as JSON objects with the wire's own names (PROTOCOL §2, §6): for commands, notifications, exports.

One direction only: from our data outwards. The same objects go to an editor and to ``--output json|stream-json``.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeAlias

from steersman.agent.changes import Change, ChangeSummary, count_changed_lines
from steersman.agent.errors import SteersmanError
from steersman.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    AssistantMessageCommitted,
    ContextTrimmed,
    Event,
    EventBody,
    ReasoningDelta,
    RetryWaiting,
    RunEnded,
    RunStarted,
    StreamDiscarded,
    TextDelta,
    ToolCallBegan,
    ToolOutput,
    ToolResultCommitted,
    ToolStarted,
    TurnEnded,
    TurnStarted,
    UsageReported,
    UserMessageAdded,
    Warned,
)
from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage
from steersman.agent.model import Usage
from steersman.runs.report import RefusedCall, ReportBuilder, RunReport
from steersman.sessions.records import SearchHit, SessionRecord, StoredMessage
from steersman.sessions.times import utc_time

Json: TypeAlias = dict[str, Any]

MAX_EVENT_TEXT = 4_000
"""How much of a tool's result an event carries; the session has all of it."""


def time_to_wire(seconds: float) -> str:
    """Return an RFC 3339 time in UTC with milliseconds."""
    return utc_time(seconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def path_to_uri(path: str) -> str:
    """Return the ``file:`` URI of an absolute path, or "" for none."""
    return Path(path).as_uri() if path else ""


def usage_to_wire(usage: Usage) -> Json:
    """Return the tokens; cache writes, reasoning and the mark of an estimate only where there are any."""
    wire: Json = {
        "inputTokens": usage.input_tokens,
        "cachedInputTokens": usage.cached_input_tokens,
        "outputTokens": usage.output_tokens,
        "totalTokens": usage.total_tokens,
    }
    if usage.cache_write_tokens:
        wire["cacheWriteTokens"] = usage.cache_write_tokens
    if usage.reasoning_tokens:
        wire["reasoningTokens"] = usage.reasoning_tokens
    if usage.estimated:
        wire["estimated"] = True
    return wire


def cost_to_wire(cost: float | None) -> Json | None:
    """Return the estimated cost, or None when no price is known."""
    return None if cost is None else {"amount": round(cost, 6), "currency": "USD", "estimate": True}


def change_to_wire(change: ChangeSummary) -> Json:
    """Return one entry of a result's ``changes``."""
    wire: Json = {
        "uri": path_to_uri(change.path),
        "kind": change.kind,
        "added": change.added,
        "removed": change.removed,
        "saved": change.saved,
    }
    if change.moved_from is not None:
        wire["from"] = path_to_uri(change.moved_from)
    return wire


def planned_change_to_wire(change: Change, *, full: bool) -> Json:
    """Return a change that is asked about; ``full``: with the whole texts (PROTOCOL §6, requestApproval)."""
    from steersman.permissions.render import unified_diff  # noqa: PLC0415 - only when a person is asked

    added, removed = count_changed_lines(change)
    wire: Json = {"uri": path_to_uri(change.path), "kind": change.kind, "added": added, "removed": removed}
    if change.moved_from is not None:
        wire["from"] = path_to_uri(change.moved_from)
    if full:
        wire["before"] = change.before
        wire["after"] = change.after
    wire["diff"] = unified_diff((change,))
    return wire


def report_to_wire(report: RunReport) -> Json:
    """Return a RunResult (PROTOCOL §2). For a failed run ``stopReason`` is None."""
    result = report.result
    return {
        "sessionId": report.session_id,
        "runId": report.run_id,
        "stopReason": result.stop_reason.value if result is not None else None,
        "answer": result.answer if result is not None else "",
        "turns": report.turns,
        "usage": usage_to_wire(report.usage),
        "cost": cost_to_wire(report.cost),
        "toolCalls": dict(report.tool_calls),
        "changes": [change_to_wire(change) for change in report.changes],
        "undelivered": list(report.undelivered),
        "refused": [_refused_to_wire(each) for each in report.refused],
    }


def _refused_to_wire(refused: RefusedCall) -> Json:
    call = refused.call
    return {"callId": call.id, "tool": call.name, "arguments": call.arguments, "reason": refused.reason}


def error_to_wire(error: SteersmanError, report: RunReport | None = None) -> Json:
    """Return the ``data`` of a RequestFailed: the kind, a hint, and what a failed run had done (PROTOCOL, head)."""
    wire: Json = {"kind": error.kind}
    if error.hint is not None:
        wire["hint"] = error.hint
    if report is not None:
        full = report_to_wire(report)
        wire.update({key: full[key] for key in ("sessionId", "runId", "turns", "usage", "changes", "undelivered")})
    return wire


def session_to_wire(record: SessionRecord) -> Json:
    """Return a Session (PROTOCOL §2)."""
    return {
        "id": record.id,
        "title": record.title,
        "folder": path_to_uri(record.folder) or None,
        "createdAt": time_to_wire(record.created_at),
        "updatedAt": time_to_wire(record.updated_at),
        "messages": record.messages,
        "model": record.model,
        "running": record.running,
        "parentId": record.parent_id,
        "usage": usage_to_wire(record.usage),
        "cost": cost_to_wire(record.cost),
    }


def hit_to_wire(hit: SearchHit) -> Json:
    """Return a SearchHit (PROTOCOL §2)."""
    return {"session": session_to_wire(hit.session), "seq": hit.seq, "role": hit.role, "line": hit.line}


def message_to_wire(stored: StoredMessage) -> Json:
    """Return a Message (PROTOCOL §2)."""
    message: Message = stored.message
    wire: Json = {"seq": stored.seq, "role": message.role, "content": message.content}
    if isinstance(message, AssistantMessage):
        wire["toolCalls"] = [call_to_wire(call) for call in message.tool_calls]
        if message.reasoning:
            wire["reasoning"] = message.reasoning
        if message.truncated:
            wire["truncated"] = True
    elif isinstance(message, ToolMessage):
        wire["toolCallId"] = message.tool_call_id
        wire["isError"] = message.is_error
        wire["outcome"] = message.outcome
        wire["changes"] = [change_to_wire(change) for change in message.changes]
    elif message.origin != "person":
        wire["origin"] = message.origin
    wire["createdAt"] = time_to_wire(stored.created_at)
    return wire


def call_to_wire(call: ToolCall) -> Json:
    """Return one tool call."""
    return {"id": call.id, "name": call.name, "arguments": call.arguments}


class EventWire:
    """Turns one run's events into wire objects; they must come in order, each once."""

    def __init__(self, run_id: str, session_id: str) -> None:
        self._session_id = session_id
        self._builder = ReportBuilder(run_id, session_id)

    def __call__(self, event: Event) -> Json:
        """Return the event as PROTOCOL §6 has it."""
        self._builder.add(event)
        kind, fields = self._body(event.body)
        return {
            "type": kind,
            "runId": event.run_id,
            "sessionId": self._session_id,
            "seq": event.seq,
            "turn": event.turn,
            "time": time_to_wire(event.time),
            **fields,
        }

    def _body(self, body: EventBody) -> tuple[str, Json]:
        if isinstance(body, RunEnded):
            return "run_ended", self._run_ended(body)
        kind, convert = _CONVERTERS[type(body)]
        return kind, convert(body)

    def _run_ended(self, body: RunEnded) -> Json:
        result = report_to_wire(self._builder.build())
        if body.result is not None:
            return {"stopReason": body.result.stop_reason.value, "result": result}
        return {"error": {"kind": body.error_kind, "message": body.error_message}, "result": result}


def _approval_requested(body: ApprovalRequested) -> Json:
    return {
        "callId": body.call_id,
        "tool": body.tool,
        "title": body.title,
        "changes": [planned_change_to_wire(change, full=False) for change in body.changes],
        "command": body.command,
        "options": [{"id": option.id, "label": option.label} for option in body.options],
    }


def _tool_result(body: ToolResultCommitted) -> Json:
    content = body.content
    if len(content) > MAX_EVENT_TEXT:
        content = content[:MAX_EVENT_TEXT] + "…"
    return {
        "callId": body.call_id,
        "tool": body.tool,
        "content": content,
        "isError": body.is_error,
        "outcome": body.outcome,
        "durationMs": body.duration_ms,
        "changes": [change_to_wire(change) for change in body.changes],
    }


def _assistant_message(body: AssistantMessageCommitted) -> Json:
    calls = [call_to_wire(call) for call in body.tool_calls]
    return {"messageSeq": body.seq, "content": body.content, "toolCalls": calls, "truncated": body.truncated}


_CONVERTERS: dict[type[Any], tuple[str, Callable[[Any], Json]]] = {
    RunStarted: (
        "run_started",
        lambda b: {"prompt": b.prompt, "model": b.model, "mode": b.mode, "folder": path_to_uri(b.folder)},
    ),
    UserMessageAdded: ("user_message", lambda b: {"messageSeq": b.seq, "text": b.text, "steered": b.steered}),
    TurnStarted: ("turn_started", lambda b: {"maxTurns": b.max_turns}),
    TextDelta: ("text_delta", lambda b: {"text": b.text}),
    ReasoningDelta: ("reasoning_delta", lambda b: {"text": b.text}),
    StreamDiscarded: ("stream_discarded", lambda b: {"reason": b.reason}),
    RetryWaiting: (
        "retry_waiting",
        lambda b: {"reason": b.reason, "seconds": b.seconds, "attempt": b.attempt},
    ),
    AssistantMessageCommitted: ("assistant_message", _assistant_message),
    ToolCallBegan: (
        "tool_call",
        lambda b: {"callId": b.call.id, "tool": b.call.name, "arguments": b.call.arguments},
    ),
    ApprovalRequested: ("approval_requested", _approval_requested),
    ApprovalDecided: (
        "approval_decided",
        lambda b: {"callId": b.call_id, "decision": b.decision, "by": b.by, "reason": b.reason},
    ),
    ToolStarted: ("tool_started", lambda b: {"callId": b.call_id, "tool": b.tool, "title": b.title}),
    ToolOutput: ("tool_output", lambda b: {"callId": b.call_id, "text": b.text}),
    ToolResultCommitted: ("tool_result", _tool_result),
    ContextTrimmed: ("context_trimmed", lambda b: {"messagesLeftOut": b.messages_left_out, "chars": b.chars}),
    UsageReported: ("usage", lambda b: {**usage_to_wire(b.usage), "cost": cost_to_wire(b.cost)}),
    Warned: ("warning", lambda b: {"kind": b.kind, "message": b.message}),
    TurnEnded: ("turn_ended", lambda _: {}),
}
