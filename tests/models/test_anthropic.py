"""Requests of Anthropic Messages: always valid, with cache marks, thinking in its place (DESIGN M2, M8)."""

import json

import pytest

from steersman.agent.messages import AssistantMessage, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.anthropic import AnthropicMessages
from support.bodies import body_of
from support.replies import read_body

TOOLS = (ToolSpec("f", "First.", {"type": "object"}), ToolSpec("g", "Second.", {"type": "object"}))
MARK = {"type": "ephemeral"}


def sent(*messages, model: str = "claude-sonnet-5", **rest) -> dict:
    request = ModelRequest("Be brief.", tuple(messages), TOOLS, **rest)
    return body_of(AnthropicMessages(provider="anthropic", model=model), request)


def unmarked(blocks: list[dict]) -> list[dict]:
    return [{name: value for name, value in block.items() if name != "cache_control"} for block in blocks]


def marked(body: dict) -> list[str]:
    """Return the places that carry a cache mark."""
    places = [f"tools {at}" for at, tool in enumerate(body["tools"]) if "cache_control" in tool]
    places += ["system" for block in body["system"] if "cache_control" in block]
    for number, message in enumerate(body["messages"]):
        places += [f"message {number}.{at}" for at, block in enumerate(message["content"]) if "cache_control" in block]
    return places


CALLS = (ToolCall("t1", "f", '{"n": 1}'), ToolCall("t2", "g", "{}"))
HISTORY = (
    UserMessage("Go."),
    AssistantMessage("Looking.", CALLS),
    ToolMessage("t1", "one"),
    ToolMessage("t2", "", is_error=True),
    UserMessage("Faster.", "steered"),
)


def test_a_request_has_the_form_that_is_wanted():
    body = sent(UserMessage("Hi."), max_output_tokens=100)
    assert (body["model"], body["max_tokens"], body["stream"]) == ("claude-sonnet-5", 100, True)
    assert body["system"] == [{"type": "text", "text": "Be brief.", "cache_control": MARK}]
    assert unmarked(body["tools"])[0] == {"name": "f", "description": "First.", "input_schema": {"type": "object"}}


def test_results_and_what_the_person_said_are_one_message_of_the_user():
    messages = sent(*HISTORY)["messages"]
    assert [message["role"] for message in messages] == ["user", "assistant", "user"]
    assert unmarked(messages[2]["content"]) == [
        {"type": "tool_result", "tool_use_id": "t1", "content": "one"},
        {"type": "tool_result", "tool_use_id": "t2", "is_error": True},
        {"type": "text", "text": "Faster."},
    ]
    assert messages[1]["content"] == [
        {"type": "text", "text": "Looking."},
        {"type": "tool_use", "id": "t1", "name": "f", "input": {"n": 1}},
        {"type": "tool_use", "id": "t2", "name": "g", "input": {}},
    ]


def test_the_prefix_is_marked_behind_the_tools_the_system_and_the_last_two_messages_of_the_user():
    assert marked(sent(*HISTORY)) == ["tools 1", "system", "message 0.0", "message 2.2"]


def test_the_mark_of_one_request_is_still_there_in_the_next():
    """What the first request wrote to the cache is where the second one reads it."""
    first = sent(*HISTORY[:1])
    second = sent(*HISTORY)
    assert marked(first)[-1] == "message 0.0"
    assert "message 0.0" in marked(second)


def test_there_are_never_more_than_four_marks():
    long = [UserMessage("Go."), *[part for _ in range(9) for part in (AssistantMessage("ok"), UserMessage("more"))]]
    assert len(marked(sent(*long))) == 4


@pytest.mark.parametrize("text", ["", "  \n"])
def test_blank_text_is_never_sent(text: str):
    messages = sent(UserMessage("Go."), AssistantMessage(text, CALLS[:1]), ToolMessage("t1", text), UserMessage(text))[
        "messages"
    ]
    assert [block["type"] for block in messages[1]["content"]] == ["tool_use"]
    assert "content" not in messages[2]["content"][0]
    assert messages[2]["content"][1]["text"].strip()


def test_a_blank_answer_is_left_out_and_its_neighbours_are_one_message():
    messages = sent(UserMessage("Go."), AssistantMessage(" "), UserMessage("Well?"))["messages"]
    assert [(message["role"], len(message["content"])) for message in messages] == [("user", 2)]


def test_a_cut_off_call_goes_out_as_an_empty_object():
    messages = sent(
        UserMessage("Go."), AssistantMessage("", (ToolCall("t", "f", '{"a'),)), ToolMessage("t", "cut", is_error=True)
    )["messages"]
    assert messages[1]["content"] == [{"type": "tool_use", "id": "t", "name": "f", "input": {}}]


def test_ids_of_another_provider_are_made_to_fit():
    call = ToolCall("functions.read:0", "f", "{}")
    messages = sent(UserMessage("Go."), AssistantMessage("", (call,)), ToolMessage(call.id, "x"))["messages"]
    assert messages[1]["content"][0]["id"] == messages[2]["content"][0]["tool_use_id"] == "functions_read_0"


async def thought(**changes) -> AssistantMessage:
    """Return a message as it would be kept after a reply with thinking between text and calls."""
    events = [
        {"type": "message_start", "message": {"usage": {"input_tokens": 1}}},
        *block(
            0,
            {"type": "thinking", "thinking": ""},
            {"type": "thinking_delta", "thinking": "Hm."},
            {"type": "signature_delta", "signature": "s"},
        ),
        *block(1, {"type": "text", "text": ""}, {"type": "text_delta", "text": "Reading."}),
        *block(2, {"type": "redacted_thinking", "data": "x"}),
        *block(3, {"type": "tool_use", "id": "t1", "name": "f", "input": {}}),
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
        {"type": "message_stop"},
    ]
    reply = await read_body("anthropic", ["".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()])
    assert reply.data is not None
    data = ProviderData(changes.get("provider", "anthropic"), json.loads(json.dumps(dict(reply.data.data))))
    return AssistantMessage(
        changes.get("text", reply.text),
        reply.calls,
        reply.reasoning,
        model=changes.get("model", "anthropic/claude-sonnet-5"),
        provider_data=data,
    )


def block(index: int, start: dict, *deltas: dict) -> list[dict]:
    return [
        {"type": "content_block_start", "index": index, "content_block": start},
        *({"type": "content_block_delta", "index": index, "delta": delta} for delta in deltas),
        {"type": "content_block_stop", "index": index},
    ]


async def sent_back(message: AssistantMessage, wire: AnthropicMessages | None = None) -> list[dict]:
    wire = wire or AnthropicMessages(provider="anthropic", model="claude-sonnet-5")
    body = body_of(wire, ModelRequest("", (UserMessage("Go."), message, ToolMessage("t1", "x"))))
    return body["messages"][1]["content"]


async def test_thinking_goes_back_signed_and_in_its_place():
    assert await sent_back(await thought()) == [
        {"type": "thinking", "thinking": "Hm.", "signature": "s"},
        {"type": "text", "text": "Reading."},
        {"type": "redacted_thinking", "data": "x"},
        {"type": "tool_use", "id": "t1", "name": "f", "input": {}},
    ]


@pytest.mark.parametrize(
    "change",
    [{"provider": "other"}, {"model": "anthropic/claude-opus-5"}, {"text": "Changed since."}],
    ids=["another provider", "another model", "a text that does not fit"],
)
async def test_thinking_that_is_not_this_models_own_stays_away(change: dict):
    assert [part["type"] for part in await sent_back(await thought(**change))] == ["text", "tool_use"]


async def test_thinking_that_the_provider_refuses_is_left_out():
    wire = AnthropicMessages(provider="anthropic", model="claude-sonnet-5")
    assert wire.adapt("messages.1.content.0: Invalid `signature` in `thinking` block")
    assert [part["type"] for part in await sent_back(await thought(), wire)] == ["text", "tool_use"]


@pytest.mark.parametrize(("model", "limit"), [("claude-opus-5", 32_000), ("claude-3-haiku-20240307", 8_192)])
def test_the_output_limit_that_the_format_demands_suits_the_model(model: str, limit: int):
    assert sent(UserMessage("Hi."), model=model)["max_tokens"] == limit


def test_a_smaller_limit_is_learned_from_the_refusal():
    wire = AnthropicMessages(provider="anthropic", model="claude-3-haiku-20240307")
    assert wire.adapt("max_tokens: 8192 > 4096, which is the maximum allowed number of output tokens for this model")
    assert body_of(wire, ModelRequest("", (UserMessage("Hi."),)))["max_tokens"] == 4096
    assert not wire.adapt("max_tokens: 4096 > 4096, which makes no sense")


def test_cache_marks_that_are_refused_are_left_out():
    wire = AnthropicMessages(provider="p", model="m")
    assert wire.adapt("cache_control: Extra inputs are not permitted")
    assert "cache_control" not in json.dumps(body_of(wire, ModelRequest("s", (UserMessage("Hi."),), TOOLS)))
