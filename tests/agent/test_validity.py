"""What a valid history is."""

import pytest

from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.validity import InvalidHistoryError, check_history

ASK = UserMessage("x")
TWO_CALLS = AssistantMessage("", (ToolCall("a", "add", "{}"), ToolCall("b", "add", "{")))


@pytest.mark.parametrize(
    "history",
    [
        [ASK],
        [ASK, ASK],
        [ASK, AssistantMessage("y")],
        [ASK, TWO_CALLS, ToolMessage("b", ""), ToolMessage("a", "2"), ASK],
        [
            ASK,
            TWO_CALLS,
            ToolMessage("a", "1"),
            ToolMessage("b", "2"),
            TWO_CALLS,
            ToolMessage("a", "1"),
            ToolMessage("b", "2"),
        ],
    ],
)
def test_a_valid_history_passes(history):
    check_history(history)


@pytest.mark.parametrize(
    ("history", "index", "problem"),
    [
        ([], 0, "is empty"),
        ([TWO_CALLS], 0, "must be a user message, not assistant"),
        ([ToolMessage("a", "")], 0, "must be a user message, not tool"),
        ([ASK, UserMessage("")], 1, "the user message is empty"),
        ([ASK, AssistantMessage("")], 1, "neither text nor tool calls"),
        ([ASK, TWO_CALLS], 2, "without a result: a, b"),
        ([ASK, TWO_CALLS, ToolMessage("a", "")], 3, "without a result: b"),
        ([ASK, TWO_CALLS, ToolMessage("a", ""), ASK, ToolMessage("b", "")], 3, "without a result: b"),
        ([ASK, TWO_CALLS, ToolMessage("a", ""), ToolMessage("a", "")], 3, "answers no open tool call"),
        ([ASK, AssistantMessage("y"), ToolMessage("a", "")], 2, "answers no open tool call"),
        ([ASK, AssistantMessage("", (ToolCall("a", "x", ""), ToolCall("a", "y", "")))], 1, "the same id: a, a"),
        ([ASK, AssistantMessage("", (ToolCall("", "x", ""),))], 1, "no id or no name"),
        ([ASK, AssistantMessage("", (ToolCall("a", "", ""),))], 1, "no id or no name"),
    ],
)
def test_what_a_provider_would_reject_is_named_with_its_place(history, index, problem):
    with pytest.raises(InvalidHistoryError, match=problem) as caught:
        check_history(history)
    assert caught.value.index == index
