"""The schema is stable: this test is changed only by adding to it."""

import json
from collections.abc import Callable
from typing import Any

import pytest

from steersman.agent.changes import Change
from steersman.agent.errors import InvalidRequestError
from steersman.agent.messages import AssistantMessage, ProviderData, ToolMessage, UserMessage
from steersman.sessions.export import export_session
from steersman.sessions.store import SessionStore
from steersman_tools.kit.workspace import Snapshot
from support.session_store import call


def exported(store: SessionStore, session_id: str, *, mask_secrets: bool = True) -> dict[str, Any]:
    return json.loads(export_session(store, session_id, "json", mask_secrets=mask_secrets))


def test_the_schema(store: SessionStore, sample: str):
    document = exported(store, sample)
    assert list(document) == [
        "format",
        "version",
        "exportedAt",
        "masked",
        "session",
        "messages",
        "responses",
        "timings",
    ]
    assert (document["format"], document["version"], document["masked"]) == ("steersman-session", 1, True)
    assert list(document["session"]) == [
        "id", "title", "folder", "createdAt", "updatedAt", "messages", "model", "parentId", "usage", "cost",
    ]  # fmt: skip
    usage = [
        "inputTokens",
        "cachedInputTokens",
        "cacheWriteTokens",
        "outputTokens",
        "reasoningTokens",
        "totalTokens",
        "estimated",
    ]
    assert list(document["session"]["usage"]) == usage
    assert document["session"]["cost"] == {"amount": 0.06, "currency": "USD", "estimate": True}
    user, assistant, tool = document["messages"][:3]
    common = ["seq", "role", "content", "createdAt"]
    assert list(user) == [*common, "origin"]
    assert list(assistant) == [*common, "model", "reasoning", "truncated", "toolCalls"]
    assert list(assistant["toolCalls"][0]) == ["id", "name", "arguments"]
    assert list(tool) == [*common, "toolCallId", "isError", "outcome", "changes"]
    assert list(document["messages"][4]["changes"][0]) == ["path", "kind", "added", "removed", "saved"]
    assert list(document["responses"][0]) == ["runId", "turn", "at", "usage", "cost"]
    assert list(document["timings"][0]) == ["runId", "turn", "kind", "startedAt", "endedAt", "callId", "label"]


def test_times_are_rfc_3339(store: SessionStore, sample: str):
    assert exported(store, sample)["messages"][0]["createdAt"] == "2026-09-21T14:13:20.000Z"


def test_an_impossible_time_does_not_end_the_export(store: SessionStore, session_of: Callable[..., str], clock: Any):
    clock.now = 1e300
    assert exported(store, session_of(UserMessage("x")))["messages"][0]["createdAt"].startswith("9999")


def test_secrets_are_masked_unless_asked_otherwise(store: SessionStore, session_of: Callable[..., str]):
    key = "sk-ant-" + "A1b2" * 10
    session_id = session_of(UserMessage(f"use {key}"), title=f"use {key}")
    assert key not in json.dumps(exported(store, session_id))
    document = exported(store, session_id, mask_secrets=False)
    assert document["messages"][0]["content"] == f"use {key}"
    assert document["masked"] is False


def test_what_is_opaque_stays_here(store: SessionStore, session_of: Callable[..., str]):
    message = AssistantMessage("x", provider_data=ProviderData("p", {"signature": "opaque-thing"}))
    assert "opaque-thing" not in export_session(store, session_of(UserMessage("x"), message), "json")


async def test_contents_of_files_stay_here_unless_asked_for(store: SessionStore):
    contents = {"/w/a": b"caf\xc3\xa9 password = 'hunter22'", "/w/b": b"\xff\x00", "/w/new": None}

    async def snapshot(path: str) -> Snapshot:
        return Snapshot(path, contents[path], None, "buffer" if path == "/w/a" else None)

    session = store.create("go")
    with store.acquire(session.id, "test", snapshot=snapshot) as handle:
        handle.append(UserMessage("go"))
        handle.append(AssistantMessage("", (call(1),)))
        await handle.checkpoint(call(1), tuple(Change(path, "edit", "x", "old", "new") for path in contents))
        handle.append(ToolMessage("c1", "done"))
    assert "files" not in exported(store, session.id)
    document = json.loads(export_session(store, session.id, "json", with_files=True))
    assert document["files"] == [
        {"seq": 1, "callId": "c1", "path": "/w/a", "buffer": "buffer",
         "before": {"encoding": "utf-8", "text": "café password = '[masked: secret]'"}},
        {"seq": 1, "callId": "c1", "path": "/w/b", "buffer": None, "before": {"encoding": "base64", "data": "/wA="}},
        {"seq": 1, "callId": "c1", "path": "/w/new", "buffer": None, "before": None},
    ]  # fmt: skip
    with pytest.raises(InvalidRequestError, match="JSON"):
        export_session(store, session.id, "html", with_files=True)
