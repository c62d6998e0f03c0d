"""A session as JSON for other programs.

The schema is stable; fields are added, never changed or taken away::

    {
      "format": "steersman-session", "version": 1, "exportedAt": RFC 3339, "masked": bool,
      "session": {"id", "title", "folder": path or null, "createdAt", "updatedAt", "messages", "model",
                  "parentId": id or null, "usage": Usage, "cost": Cost or null},
      "messages": [{"seq", "role": "user" | "assistant" | "tool", "content", "createdAt",
                    user:      "origin": "person" | "steered" | "host"
                    assistant: "model", "reasoning", "truncated", "toolCalls": [{"id", "name", "arguments": text}]
                    tool:      "toolCallId", "isError", "outcome": "returned" | "aborted" | "failed" | "skipped" |
                               "interrupted", "changes": [{"path", "kind", "added", "removed", "saved", "from"?}]}],
      "responses": [{"runId", "turn", "at", "usage": Usage, "cost": Cost or null}],
      "timings": [{"runId", "turn", "kind": "run" | "turn" | "model" | "retry" | "approval" | "tool" | "error",
                   "startedAt", "endedAt", "callId": id or null, "label"}],
      "files": only when asked for: [{"seq", "callId": id or null, "path", "before": File or null,
                                      "buffer": text or null}]
    }

File is ``{"encoding": "utf-8", "text"}`` or ``{"encoding": "base64", "data"}``, what stood on the disk.

Usage is ``{"inputTokens", "cachedInputTokens", "cacheWriteTokens", "outputTokens", "reasoningTokens", "totalTokens",
"estimated"}``; Cost is ``{"amount", "currency": "USD", "estimate": true}``. What a provider wants back (opaque) and
the contents of files in checkpoints are not in it.
"""

from __future__ import annotations

import base64
import json
from typing import Any

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, ToolMessage
from steersman.agent.model import Usage
from steersman.sessions.export.transcript import Transcript
from steersman.sessions.export.wording import rfc3339
from steersman.sessions.records import KeptFile, ResponseUsage, SessionRecord, StoredMessage, Timing
from steersman.sessions.rows import clean

FORMAT = "steersman-session"
VERSION = 1


def to_json(transcript: Transcript) -> str:
    """Return the document, indented, with a final newline."""
    document: dict[str, Any] = {
        "format": FORMAT,
        "version": VERSION,
        "exportedAt": rfc3339(transcript.exported_at),
        "masked": transcript.masked,
        "session": _session(transcript.session),
        "messages": [_message(stored) for stored in transcript.messages],
        "responses": [_response(response) for response in transcript.responses],
        "timings": [_timing(timing) for timing in transcript.timings],
    }
    if transcript.files is not None:
        document["files"] = [_file(kept) for kept in transcript.files]
    return json.dumps(document, ensure_ascii=False, indent=2) + "\n"


def _session(record: SessionRecord) -> dict[str, Any]:
    return {
        "id": record.id,
        "title": record.title,
        "folder": record.folder or None,
        "createdAt": rfc3339(record.created_at),
        "updatedAt": rfc3339(record.updated_at),
        "messages": record.messages,
        "model": record.model,
        "parentId": record.parent_id,
        "usage": _usage(record.usage),
        "cost": _cost(record.cost),
    }


def _message(stored: StoredMessage) -> dict[str, Any]:
    message = stored.message
    fields: dict[str, Any] = {
        "seq": stored.seq,
        "role": message.role,
        "content": message.content,
        "createdAt": rfc3339(stored.created_at),
    }
    if isinstance(message, AssistantMessage):
        calls = [{"id": call.id, "name": call.name, "arguments": call.arguments} for call in message.tool_calls]
        return fields | {
            "model": message.model,
            "reasoning": message.reasoning,
            "truncated": message.truncated,
            "toolCalls": calls,
        }
    if isinstance(message, ToolMessage):
        return fields | {
            "toolCallId": message.tool_call_id,
            "isError": message.is_error,
            "outcome": message.outcome,
            "changes": [_change(change) for change in message.changes],
        }
    return fields | {"origin": message.origin}


def _change(change: ChangeSummary) -> dict[str, Any]:
    fields: dict[str, Any] = {
        "path": change.path,
        "kind": change.kind,
        "added": change.added,
        "removed": change.removed,
        "saved": change.saved,
    }
    return fields if change.moved_from is None else fields | {"from": change.moved_from}


def _response(response: ResponseUsage) -> dict[str, Any]:
    return {
        "runId": response.run_id,
        "turn": response.turn,
        "at": rfc3339(response.at),
        "usage": _usage(response.usage),
        "cost": _cost(response.cost),
    }


def _timing(timing: Timing) -> dict[str, Any]:
    return {
        "runId": timing.run_id,
        "turn": timing.turn,
        "kind": timing.kind,
        "startedAt": rfc3339(timing.started),
        "endedAt": rfc3339(timing.ended),
        "callId": timing.call_id,
        "label": timing.label,
    }


def _file(kept: KeptFile) -> dict[str, Any]:
    before: dict[str, str] | None = None
    if kept.data is not None:
        try:
            before = {"encoding": "utf-8", "text": kept.data.decode("utf-8")}
        except UnicodeDecodeError:
            before = {"encoding": "base64", "data": base64.b64encode(kept.data).decode("ascii")}
    buffer = None if kept.buffer is None else clean(kept.buffer)
    return {"seq": kept.seq, "callId": kept.call_id, "path": clean(kept.path), "before": before, "buffer": buffer}


def _usage(usage: Usage) -> dict[str, Any]:
    return {
        "inputTokens": usage.input_tokens,
        "cachedInputTokens": usage.cached_input_tokens,
        "cacheWriteTokens": usage.cache_write_tokens,
        "outputTokens": usage.output_tokens,
        "reasoningTokens": usage.reasoning_tokens,
        "totalTokens": usage.total_tokens,
        "estimated": usage.estimated,
    }


def _cost(amount: float | None) -> dict[str, Any] | None:
    return None if amount is None else {"amount": round(amount, 6), "currency": "USD", "estimate": True}
