"""Our data as the wire's objects (PROTOCOL §2, §6)."""

import json
from pathlib import Path
from typing import get_args

import pytest

from steersman.agent import events
from steersman.agent.approval import Option
from steersman.agent.changes import Change, ChangeSummary, text_digest
from steersman.agent.errors import UnavailableError
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.agent.result import RunResult, StopReason
from steersman.runs.report import RefusedCall, RunReport
from steersman.sessions.records import SessionRecord, StoredMessage
from steersman.wire import (
    MAX_EVENT_TEXT,
    EventWire,
    error_to_wire,
    message_to_wire,
    report_to_wire,
    session_to_wire,
    time_to_wire,
    usage_to_wire,
)

PATH = str(Path("/ws/a b.py").absolute())
URI = Path(PATH).as_uri()
CHANGE = Change(PATH, "edit", text_digest("x\n"), "x\n", "y\n", display="a b.py")
SUMMARY = ChangeSummary(PATH, "edit", 1, 1, saved=False)
RESULT = RunResult((UserMessage("go"), AssistantMessage("done")), StopReason.COMPLETE, 1, Usage(5, output_tokens=2))

BODIES = [
    events.RunStarted("go", "demo/rules", "ask", PATH),
    events.UserMessageAdded(0, "go", steered=False),
    events.TurnStarted(40),
    events.TextDelta("do"),
    events.ReasoningDelta("hm"),
    events.StreamDiscarded("cancelled"),
    events.RetryWaiting("rate limited", 4.0, 1),
    events.AssistantMessageCommitted(1, "done", (ToolCall("c1", "echo", "{}"),)),
    events.ToolCallBegan(ToolCall("c1", "echo", "{}")),
    events.ApprovalRequested("c1", "edit_file", "edit a b.py", (CHANGE,), None, (Option("reject", "Reject"),)),
    events.ApprovalDecided("c1", "allow_once", "person"),
    events.ToolStarted("c1", "edit_file", "edit a b.py"),
    events.ToolOutput("c1", "line\n"),
    events.ToolResultCommitted(
        "c1", "edit_file", "x" * 9000, is_error=False, outcome="returned", duration_ms=3, changes=(SUMMARY,)
    ),
    events.ContextTrimmed(4, 1000),
    events.UsageReported(Usage(5, output_tokens=2), 0.5),
    events.Warned("note", "careful"),
    events.TurnEnded(),
    events.RunEnded(RESULT),
]


def wired(*bodies):
    wire = EventWire("r1", "s1")
    return [wire(events.Event("r1", seq, 1, 0.0, body)) for seq, body in enumerate(bodies)]


def test_there_is_an_example_of_every_event():
    assert {type(body) for body in BODIES} == set(get_args(events.EventBody))


def test_every_event_is_json_with_the_same_envelope_and_a_type_of_its_own():
    objects = json.loads(json.dumps(wired(*BODIES)))
    assert len({each["type"] for each in objects}) == len(BODIES)
    for seq, each in enumerate(objects):
        assert (each["runId"], each["sessionId"], each["seq"], each["turn"]) == ("r1", "s1", seq, 1)
        assert each["time"] == "1970-01-01T00:00:00.000Z"


def test_a_question_carries_the_diff_and_a_long_result_is_clipped():
    by_type = {each["type"]: each for each in wired(*BODIES)}
    change = by_type["approval_requested"]["changes"][0]
    assert (change["uri"], change["added"], change["removed"]) == (URI, 1, 1)
    assert "-x" in change["diff"]
    assert "+y" in change["diff"]
    assert len(by_type["tool_result"]["content"]) == MAX_EVENT_TEXT + 1


def test_a_run_that_ended_carries_its_result_and_one_that_failed_its_error():
    ended = wired(*BODIES)[-1]
    assert (ended["stopReason"], ended["result"]["answer"]) == ("complete", "done")
    failed = wired(events.RunEnded(None, "storage", "disk full"))[-1]
    assert failed["error"] == {"kind": "storage", "message": "disk full"}
    assert failed["result"]["stopReason"] is None


def test_a_run_result_has_the_documented_fields():
    refused = RefusedCall(ToolCall("c1", "run_command", "{}"), "no")
    report = RunReport("r1", "s1", RESULT, 1, RESULT.usage, 0.0012, {"edit_file": 1}, (SUMMARY,), (), (refused,))
    assert report_to_wire(report) == {
        "sessionId": "s1",
        "runId": "r1",
        "stopReason": "complete",
        "answer": "done",
        "turns": 1,
        "usage": {"inputTokens": 5, "cachedInputTokens": 0, "outputTokens": 2, "totalTokens": 7},
        "cost": {"amount": 0.0012, "currency": "USD", "estimate": True},
        "toolCalls": {"edit_file": 1},
        "changes": [{"uri": URI, "kind": "edit", "added": 1, "removed": 1, "saved": False}],
        "undelivered": [],
        "refused": [{"callId": "c1", "tool": "run_command", "arguments": "{}", "reason": "no"}],
    }


def test_an_error_tells_its_kind_its_hint_and_what_was_done():
    error = UnavailableError("The provider is down.", hint="Wait.")
    data = error_to_wire(error, RunReport("r1", "s1", turns=2, changes=(SUMMARY,)))
    assert (data["kind"], data["hint"], data["turns"], len(data["changes"])) == ("provider_unavailable", "Wait.", 2, 1)
    assert error_to_wire(error) == {"kind": "provider_unavailable", "hint": "Wait."}


def test_a_session_without_a_folder_and_without_a_price():
    wire = session_to_wire(SessionRecord("s1", "Title", "", 0.0, 1.5))
    assert (wire["folder"], wire["cost"], wire["updatedAt"]) == (None, None, "1970-01-01T00:00:01.500Z")


@pytest.mark.parametrize(
    ("message", "fields"),
    [
        (UserMessage("go"), {"role": "user", "content": "go"}),
        (UserMessage("faster", "steered"), {"role": "user", "origin": "steered"}),
        (
            AssistantMessage("", (ToolCall("c", "t", "{}"),)),
            {"toolCalls": [{"id": "c", "name": "t", "arguments": "{}"}]},
        ),
        (AssistantMessage("cut", truncated=True), {"truncated": True}),
        (
            ToolMessage("c", "no", is_error=True, outcome="aborted"),
            {"toolCallId": "c", "isError": True, "outcome": "aborted"},
        ),
    ],
)
def test_messages_say_what_they_are(message, fields):
    wire = message_to_wire(StoredMessage(3, message, 0.0))
    assert wire["seq"] == 3
    assert {key: wire[key] for key in fields} == fields


def test_tokens_show_cache_writes_reasoning_and_estimates_only_where_there_are_any():
    assert "estimated" not in usage_to_wire(Usage(1))
    full = usage_to_wire(Usage(9, 3, 2, 5, 1, estimated=True))
    assert (full["cacheWriteTokens"], full["reasoningTokens"], full["estimated"]) == (2, 1, True)


def test_times_are_rfc_3339_in_utc():
    assert time_to_wire(1_700_000_000.25) == "2023-11-14T22:13:20.250Z"
