"""Trimming: what the model sees of a long conversation (DESIGN L12)."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.context import (
    LEFT_OUT_NOTE,
    ContextTooSmallError,
    ContextWindow,
    history_chars,
    trim_context,
)
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.validity import check_history


def group(size, number, calls=1):
    ids = [f"c{number}_{i}" for i in range(calls)]
    return [
        AssistantMessage("", tuple(ToolCall(i, "t", "{}") for i in ids)),
        *(ToolMessage(i, "r" * size) for i in ids),
    ]


def test_what_fits_is_sent_as_it_is():
    history = [UserMessage("hi"), *group(10, 1)]
    assert trim_context(history, 100) == history


def test_old_groups_go_first_and_the_first_message_says_so():
    history = [UserMessage("old"), AssistantMessage("x" * 500), UserMessage("new"), *group(50, 1)]
    sent = trim_context(history, 200)
    assert sent[0].content == f"{LEFT_OUT_NOTE}\n\nnew"
    assert sent[1:] == history[3:]


def test_this_runs_first_prompt_stays_when_later_messages_go():
    steered = UserMessage("faster", "steered")
    history = [UserMessage("the task"), *group(400, 1), steered, *group(400, 2), *group(50, 3)]
    sent = trim_context(history, 600)
    assert [m.content for m in sent if isinstance(m, UserMessage)] == [f"{LEFT_OUT_NOTE}\n\nthe task", "faster"]


def test_results_of_a_last_group_that_is_too_big_are_clipped_and_marked():
    history = [UserMessage("go"), *group(1000, 1, calls=2)]
    sent = trim_context(history, 500)
    assert history_chars(sent) <= 500
    assert all("cut to fit" in m.content for m in sent if isinstance(m, ToolMessage))
    assert [m.tool_call_id for m in sent if isinstance(m, ToolMessage)] == ["c1_0", "c1_1"]


def test_the_prefix_stays_the_same_for_many_turns():
    history = [UserMessage("the task")]
    beginnings = []
    for number in range(200):
        history += group(100, number)
        sent = trim_context(history, 4000)
        beginnings.append(sent[1].tool_calls[0].id if len(sent) > 1 else "")
    changes = sum(a != b for a, b in pairwise(beginnings))
    assert changes <= 200 * 103 / 2000 + 1


@pytest.mark.parametrize("budget", [0, -5])
def test_a_budget_below_one_raises(budget):
    with pytest.raises(ValueError, match="holds nothing"):
        trim_context([UserMessage("hi")], budget)


def test_a_budget_too_small_for_what_must_stay_raises():
    with pytest.raises(ContextTooSmallError):
        trim_context([UserMessage("x" * 100)], 50)


messages = st.lists(
    st.one_of(
        st.builds(lambda n: [UserMessage("u" * (n + 1))], st.integers(0, 60)),
        st.builds(lambda n: [UserMessage("s" * (n + 1), "steered")], st.integers(0, 60)),
        st.builds(lambda n: [AssistantMessage("a" * (n + 1))], st.integers(0, 60)),
        st.builds(lambda n, k: (n, k), st.integers(0, 200), st.integers(1, 3)),
    ),
    max_size=25,
)


@given(messages, st.integers(1, 2000))
def test_whatever_is_sent_is_valid_fits_and_holds_what_must_stay(parts, budget):
    history = [UserMessage("first")]
    for number, part in enumerate(parts):
        history += part if isinstance(part, list) else group(part[0], number, part[1])
    before = list(history)
    try:
        sent = trim_context(history, budget)
    except ContextTooSmallError:
        return
    assert history == before
    check_history(sent)
    assert history_chars(sent) <= budget
    users = [m for m in history if isinstance(m, UserMessage)]
    kept = " ".join(m.content for m in sent if isinstance(m, UserMessage))
    assert users[-1].content in kept
    assert [m for m in users if m.origin == "person"][-1].content in kept


@given(messages, st.lists(st.integers(1, 2000), min_size=1, max_size=4))
def test_a_growing_history_is_trimmed_as_if_it_were_seen_for_the_first_time(parts, budgets):
    history = [UserMessage("first")]
    window = ContextWindow(history)
    for number, part in enumerate(parts):
        history += part if isinstance(part, list) else group(part[0], number, part[1])
        budget = budgets[number * len(budgets) // len(parts)]
        try:
            anew = trim_context(history, budget)
        except ContextTooSmallError:
            with pytest.raises(ContextTooSmallError):
                window.view(budget)
            continue
        view = window.view(budget)
        assert anew == list(view.messages)
        assert (history_chars(anew), history_chars(history)) == (view.chars, window.chars)


def test_what_stays_is_sent_as_the_very_same_messages_until_the_cut_moves():
    """What a client kept of a request holds for the next one only then."""
    history = [UserMessage("the task"), *(message for number in range(40) for message in group(100, number))]
    window = ContextWindow(history)
    first = window.view(3000).messages
    history += group(100, 40)
    second = window.view(3000).messages
    assert len(second) == len(first) + 2
    assert all(one is other for one, other in zip(first, second, strict=False))


def test_without_a_budget_everything_is_sent():
    history = [UserMessage("hi"), *group(10, 1)]
    assert ContextWindow(history).view(None).messages == tuple(history)
