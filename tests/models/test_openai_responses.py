"""Requests of the Responses API: stateless, valid, reasoning in its place (DESIGN M2, M8)."""

import json
from pathlib import Path

import pytest

from steersman.agent.messages import AssistantMessage, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.openai_responses import OpenAIResponses
from steersman.models.sse import SseDecoder
from support.bodies import body_of
from support.replies import Reply, read_body

FIXTURES = Path(__file__).parents[1] / "fixtures" / "sse" / "openai_responses"
CALL = ToolCall("call_a", "read_file", '{"path":"a"}')


def wire() -> OpenAIResponses:
    return OpenAIResponses(provider="openai", model="gpt-5")


def items_of(*messages, format_: OpenAIResponses | None = None) -> list[dict]:
    return body_of(format_ or wire(), ModelRequest("", tuple(messages)))["input"]


async def recorded(name: str) -> Reply:
    return await read_body("openai_responses", [(FIXTURES / f"{name}.sse").read_bytes()])


def kept(reply: Reply, *, provider: str = "openai", model: str = "openai/gpt-5") -> AssistantMessage:
    """Return the message as it comes out of a store after a restart."""
    assert reply.data is not None
    data = ProviderData(provider, json.loads(json.dumps(dict(reply.data.data))))
    return AssistantMessage(reply.text, reply.calls, reply.reasoning, model=model, provider_data=data)


def test_a_request_stores_nothing_and_asks_for_encrypted_reasoning():
    tool = ToolSpec("f", "Do.", {"type": "object"})
    body = body_of(wire(), ModelRequest("Be brief.", (UserMessage("Hi."),), (tool,), 100))
    assert len(str(body.pop("prompt_cache_key"))) == 32
    assert body == {
        "model": "gpt-5",
        "instructions": "Be brief.",
        "input": [{"type": "message", "role": "user", "content": [{"type": "input_text", "text": "Hi."}]}],
        "stream": True,
        "store": False,
        "include": ["reasoning.encrypted_content"],
        "reasoning": {"summary": "auto"},
        "tools": [
            {"type": "function", "name": "f", "description": "Do.", "parameters": {"type": "object"}, "strict": False}
        ],
        "max_output_tokens": 100,
    }


def test_calls_and_results_are_paired():
    items = items_of(UserMessage("Go."), AssistantMessage("Look.", (CALL,)), ToolMessage("call_a", "text"))
    assert items[1:] == [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "Look.", "annotations": []}],
        },
        {"type": "function_call", "call_id": "call_a", "name": "read_file", "arguments": '{"path":"a"}'},
        {"type": "function_call_output", "call_id": "call_a", "output": "text"},
    ]


def test_a_cut_off_call_goes_out_as_an_empty_object_and_blank_text_not_at_all():
    cut = ToolCall("c", "f", '{"a')
    items = items_of(UserMessage("Go."), AssistantMessage(" \n", (cut,)), ToolMessage("c", "cut", is_error=True))
    assert [(item["type"], item.get("arguments")) for item in items[1:]] == [
        ("function_call", "{}"),
        ("function_call_output", None),
    ]


async def test_reasoning_goes_back_before_what_it_led_to():
    items = items_of(
        UserMessage("Go."), kept(await recorded("encrypted_reasoning_and_a_call")), ToolMessage("call_a", "x")
    )
    assert [item["type"] for item in items] == [
        "message",
        "reasoning",
        "message",
        "function_call",
        "function_call_output",
    ]
    assert items[1] == {"type": "reasoning", "id": "rs_0", "summary": [], "encrypted_content": "ZW5j"}
    assert items[2]["phase"] == "commentary"


async def test_reasoning_that_closes_last_still_goes_back_first():
    items = items_of(UserMessage("Go."), kept(await recorded("reasoning_closed_last")))
    assert [item["type"] for item in items] == ["message", "reasoning", "message"]


@pytest.mark.parametrize("change", [{"provider": "other"}, {"model": "openai/gpt-4.1"}], ids=["provider", "model"])
async def test_reasoning_goes_to_nobody_else(change: dict):
    message = kept(await recorded("encrypted_reasoning_and_a_call"), **change)
    items = items_of(UserMessage("Go."), message, ToolMessage("call_a", "x"))
    assert "reasoning" not in [item["type"] for item in items]


async def test_reasoning_without_content_is_not_sent():
    """An id alone would be looked up at a provider that was told to store nothing."""
    body = (
        b'data: {"type":"response.output_item.done","output_index":0,"item":{"type":"reasoning","id":"rs","summary":[]}}\n\n'
        b'data: {"type":"response.output_text.delta","delta":"Hi"}\n\n'
        b'data: {"type":"response.completed","response":{"status":"completed"}}\n\n'
    )
    assert (await read_body("openai_responses", [body])).data is None


@pytest.mark.parametrize(
    ("said", "field"),
    [
        ("Encrypted content is not supported with this model.", "include"),
        ("Your organization must be verified to generate reasoning summaries.", 'summary": "auto'),
        ("Unknown parameter: 'prompt_cache_key'.", "prompt_cache_key"),
        ("Item 'rs_0' of type 'reasoning' was provided without its required following item.", '"reasoning"'),
    ],
)
async def test_what_the_model_refuses_is_left_out(said: str, field: str):
    format_ = wire()
    message = kept(await recorded("encrypted_reasoning_and_a_call"))
    request = ModelRequest("", (UserMessage("Go."), message, ToolMessage("call_a", "x")))
    assert field in json.dumps(body_of(format_, request))
    assert format_.adapt(said)
    body = body_of(format_, request)
    assert field not in json.dumps(body["input"] if field == '"reasoning"' else body)


async def test_reasoning_between_calls_stays_between_them():
    items = [
        {"type": "function_call", "id": "fc_0", "call_id": "a", "name": "f", "arguments": "{}"},
        {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "x"},
        {"type": "function_call", "id": "fc_2", "call_id": "b", "name": "g", "arguments": "{}"},
    ]
    events = [{"type": "response.output_item.done", "output_index": at, "item": item} for at, item in enumerate(items)]
    events.append({"type": "response.completed", "response": {"status": "completed"}})
    reply = await read_body(
        "openai_responses", ["".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()]
    )
    sent = items_of(UserMessage("Go."), kept(reply), ToolMessage("a", "x"), ToolMessage("b", "y"))
    assert [item.get("call_id") or item["type"] for item in sent] == ["message", "a", "reasoning", "b", "a", "b"]


@pytest.mark.parametrize(("limit", "finish"), [(None, "stop"), (6, "stop"), (5, "length")])
async def test_a_reply_as_long_as_it_may_be_is_taken_for_cut(limit: int | None, finish: str):
    """llama.cpp's server calls it completed all the same."""
    reader = wire().reader(ModelRequest("", (UserMessage("Hi."),), max_output_tokens=limit))
    decoder = SseDecoder()
    for event in decoder.feed((FIXTURES / "text.sse").read_bytes()):
        list(reader.read(event))
    assert list(reader.finish())[-1].reason == finish


@pytest.mark.parametrize(
    ("model", "fields"),
    [
        ("gpt-5.5", {"include", "reasoning"}),
        ("o4-mini", {"include", "reasoning"}),
        ("gpt-4.1-mini", set()),
        ("gpt-5-chat-latest", set()),
        ("qwen3", {"include"}),
    ],
)
def test_only_models_that_reason_are_asked_for_reasoning(model: str, fields: set[str]):
    body = body_of(OpenAIResponses(provider="p", model=model), ModelRequest("", (UserMessage("Hi."),)))
    assert {"include", "reasoning"} & set(body) == fields


def test_requests_of_one_conversation_meet_the_same_cache():
    def key(*messages) -> object:
        return body_of(wire(), ModelRequest("Be brief.", messages))["prompt_cache_key"]

    first = key(UserMessage("Go."))
    assert key(UserMessage("Go."), AssistantMessage("Look."), UserMessage("On.")) == first
    assert key(UserMessage("Come.")) != first
