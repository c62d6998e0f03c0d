"""What every format does to a history before it is sent (DESIGN M8)."""

import re

from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.messages import AssistantMessage, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.models.history import IdFitter, arguments_object, own_data, provider_data, sendable_arguments
from steersman.models.layout import LayoutRecorder, TextPart, arranged

UNFIT = re.compile(r"[^a-zA-Z0-9]")

TURNS = st.lists(
    st.lists(st.text(st.sampled_from("ab:-0é"), max_size=12), min_size=1, max_size=3, unique=True), max_size=6
)


@given(turns=TURNS, max_length=st.integers(9, 40))
def test_any_ids_fit_are_told_apart_and_stay_paired(turns: list[list[str]], max_length: int):
    history: list = [UserMessage("Go.")]
    for ids in turns:
        history.append(AssistantMessage("", tuple(ToolCall(call_id, "f", "{}") for call_id in ids)))
        history.extend(ToolMessage(call_id, "x") for call_id in ids)
    fitted = [*map(IdFitter(UNFIT, max_length).fit, history)]
    calls = [call.id for message in fitted if isinstance(message, AssistantMessage) for call in message.tool_calls]
    results = [message.tool_call_id for message in fitted if isinstance(message, ToolMessage)]
    assert calls == results
    assert len(set(calls)) == len(calls)
    assert all(0 < len(call_id) <= max_length and not UNFIT.search(call_id) for call_id in calls)


def test_fitting_ids_stay_as_they_are():
    history = (UserMessage("Go."), AssistantMessage("", (ToolCall("abc1", "f", "{}"),)), ToolMessage("abc1", "x"))
    assert tuple(map(IdFitter(UNFIT, 40).fit, history)) == history


@given(st.text(max_size=30) | st.sampled_from(['{"a":1}', "{}", '{"a":1e999}', '{"a":"\\ud800"}', "[1]", "nul"]))
def test_any_arguments_can_be_sent(arguments: str):
    sendable = sendable_arguments(arguments)
    assert arguments_object(sendable) is not None
    assert sendable in {"{}", arguments} or arguments_object(arguments) is not None


def test_data_goes_to_the_provider_that_left_it():
    message = AssistantMessage("Hi", model="a/m", provider_data=ProviderData("a", {"x": 1}))
    assert (provider_data(message, "a"), provider_data(message, "b")) == ({"x": 1}, {})
    assert (own_data(message, "a", "m"), own_data(message, "a", "n")) == ({"x": 1}, {})


PART = {"type": "thinking", "thinking": "x"}


def test_parts_come_back_where_they_stood():
    layout = LayoutRecorder()
    layout.add_text(3)
    layout.add_opaque(dict(PART))
    layout.add_call(0)
    layout.add_text(2)
    call = ToolCall("c", "f", "{}")
    message = AssistantMessage("onetw", (call,))
    assert list(arranged(message, layout.data())) == [TextPart("one"), PART, call, TextPart("tw")]


def test_text_that_comes_in_pieces_is_one_part():
    layout = LayoutRecorder()
    layout.add_opaque(dict(PART))
    layout.add_text(1)
    layout.add_text(2)
    assert list(arranged(AssistantMessage("abc"), layout.data())) == [PART, TextPart("abc")]


def test_an_order_that_says_nothing_new_is_not_kept():
    layout = LayoutRecorder()
    layout.add_text(3)
    layout.add_call(0)
    assert layout.data() == {}


def test_an_order_that_does_not_fit_is_not_used():
    layout = LayoutRecorder()
    layout.add_opaque(dict(PART))
    layout.add_text(3)
    assert list(arranged(AssistantMessage("a longer text"), layout.data())) == [TextPart("a longer text")]


JUNK = st.dictionaries(
    st.just("layout"),
    st.lists(
        st.dictionaries(st.sampled_from(["text", "call", "type"]), st.none() | st.integers(-2, 3) | st.text(max_size=2))
    ),
)


@given(JUNK)
def test_any_stored_order_loses_neither_text_nor_calls(data: dict):
    message = AssistantMessage("ab", (ToolCall("c", "f", "{}"),))
    parts = list(arranged(message, data))
    assert "".join(part.text for part in parts if isinstance(part, TextPart)) == "ab"
    assert [part for part in parts if isinstance(part, ToolCall)] == list(message.tool_calls)
