"""Messages as rows and back: nothing is lost but what UTF-8 cannot hold."""

import json
from dataclasses import fields, is_dataclass
from types import MappingProxyType
from typing import Any

from hypothesis import example, given

from steersman.agent.changes import ChangeSummary
from steersman.agent.messages import AssistantMessage, Message, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.sessions.rows import clean, from_row, to_row
from support.session_store import any_message, any_text


def cleaned(value: Any) -> Any:
    """The same value with every text in it cleaned."""
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, tuple):
        return tuple(cleaned(item) for item in value)
    if isinstance(value, list):
        return [cleaned(item) for item in value]
    if isinstance(value, dict):
        return {cleaned(key): cleaned(item) for key, item in value.items()}
    if is_dataclass(value) and not isinstance(value, type):
        return type(value)(**{f.name: cleaned(getattr(value, f.name)) for f in fields(value) if f.init})
    return value


def through(message: Message) -> Message:
    row = to_row(message)
    return from_row(row.role, row.content, row.call_id, row.extra)


@given(any_message)
@example(UserMessage("\0 \U0001f600 \u2028 \r\n"))
@example(
    ToolMessage(
        "c1", "", seen={"/a\0b": ""}, changes=(ChangeSummary("/a", "move", 1, 2, moved_from="/b", saved=False),)
    )
)
def test_any_message_comes_back_as_it_went(message: Message):
    assert through(message) == cleaned(message)


@given(any_message)
def test_every_column_is_valid_utf_8(message: Message):
    row = to_row(message)
    for column in (row.content, row.call_id, row.extra):
        assert column is None or column.encode("utf-8").decode("utf-8") == column


@given(any_text)
def test_cleaning_twice_changes_nothing_more(text: str):
    assert clean(clean(text)) == clean(text)


def test_surrogate_pairs_are_joined_and_lone_halves_replaced():
    assert clean("a\ud83d\ude00b\ud83dc\ude00") == "a\U0001f600b\ufffdc\ufffd"


def test_a_message_of_defaults_needs_no_json():
    assert to_row(UserMessage("hello")).extra is None
    assert to_row(AssistantMessage("hello")).extra is None
    assert to_row(ToolMessage("c1", "done")).extra is None


def test_read_only_mappings_are_taken_too():
    data = MappingProxyType({"signature": MappingProxyType({"a": (1, 2)})})
    message = AssistantMessage("", provider_data=ProviderData("anthropic", data))
    assert through(message) == AssistantMessage(
        "", provider_data=ProviderData("anthropic", {"signature": {"a": [1, 2]}})
    )


def test_invalid_arguments_of_a_call_stay_verbatim():
    broken = AssistantMessage("", (ToolCall("c1", "edit_file", '{"path": "a'),))
    assert through(broken) == broken


def test_fields_of_a_later_version_are_passed_over():
    row = to_row(ToolMessage("c1", "x", is_error=True))
    extra = json.dumps({**json.loads(row.extra or "{}"), "novelty": [1]})
    assert from_row("tool", "x", "c1", extra) == ToolMessage("c1", "x", is_error=True)
