"""A session changes its model half-way, in any direction, and goes on (DESIGN M2, M8)."""

import itertools
import json
from pathlib import Path

import pytest

from steersman.agent.messages import AssistantMessage, Message, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import ModelRequest
from steersman.models.dialects import dialect_for
from steersman.models.json_values import encode_json
from steersman.models.provider_config import ProviderConfig
from steersman.models.providers import resolve_provider
from steersman.models.wires import make_wire
from support.bodies import body_of
from support.replies import Kind, read_body

FIXTURES = Path(__file__).parents[1] / "fixtures" / "sse"
SPEAKERS: dict[str, tuple[Kind, str]] = {
    "openai": ("openai_responses", "encrypted_reasoning_and_a_call"),
    "anthropic": ("anthropic", "thinking_and_a_call"),
    "deepseek": ("openai_chat", "reasoning_content"),
    "mistral": ("openai_chat", "two_calls_by_index"),
    "gemini": ("openai_chat", "signature_beside_a_call"),
}
ENVIRON: dict[str, str] = {}


async def turn(provider: str) -> list[Message]:
    """Return one turn as this provider would have left it in the session."""
    kind, name = SPEAKERS[provider]
    reply = await read_body(kind, [(FIXTURES / kind / f"{name}.sse").read_bytes()])
    data = ProviderData(provider, reply.data.data) if reply.data else None
    message = AssistantMessage(reply.text, reply.calls, reply.reasoning, model=f"{provider}/m", provider_data=data)
    return [message, *(ToolMessage(call.id, "result") for call in reply.calls)]


def body_for(provider: str, messages: list[Message]) -> dict:
    resolved = resolve_provider(provider, {}, ENVIRON)
    return body_of(make_wire(resolved, "m"), ModelRequest("Be brief.", tuple(messages)))


def check_pairs(provider: str, body: dict) -> None:
    """Every call is answered by exactly one result, in the format of this provider."""
    if provider == "anthropic":
        blocks = [block for message in body["messages"] for block in message["content"]]
        calls = [block["id"] for block in blocks if block["type"] == "tool_use"]
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        roles = [message["role"] for message in body["messages"]]
        assert all(one != other for one, other in itertools.pairwise(roles))
    elif provider == "openai":
        calls = [item["call_id"] for item in body["input"] if item["type"] == "function_call"]
        results = [item["call_id"] for item in body["input"] if item["type"] == "function_call_output"]
    else:
        calls = [call["id"] for message in body["messages"] for call in message.get("tool_calls", [])]
        results = [message["tool_call_id"] for message in body["messages"] if message["role"] == "tool"]
    assert calls == results
    assert len(set(calls)) == len(calls)


@pytest.mark.parametrize(("first", "then"), list(itertools.permutations(SPEAKERS, 2)))
async def test_what_one_provider_wrote_is_valid_for_another(first: str, then: str):
    history = [UserMessage("Go."), *await turn(first), UserMessage("On."), *await turn(then), UserMessage("And?")]
    body = body_for(then, history)
    check_pairs(then, body)
    text = json.dumps(body)
    foreign = {
        "openai": "ZW5j",
        "anthropic": '"signature": "c2ln"',
        "deepseek": "Let me think.",
        "gemini": "thought_signature",
    }
    assert foreign.get(first, "\0") not in text


@pytest.mark.parametrize("provider", SPEAKERS)
async def test_what_a_provider_wrote_itself_goes_back_with_all_that_it_wants(provider: str):
    body = body_for(provider, [UserMessage("Go."), *await turn(provider), UserMessage("And?")])
    check_pairs(provider, body)
    wanted = {"openai": "ZW5j", "anthropic": "c2ln", "gemini": "thought_signature"}
    assert wanted.get(provider, "") in json.dumps(body)


@pytest.mark.parametrize("provider", SPEAKERS)
def test_a_history_after_a_cut_off_call_is_valid_everywhere(provider: str):
    cut = AssistantMessage(" ", (ToolCall("call:1", "write file", '{"path": "a", "con'),), truncated=True)
    history = [
        UserMessage("Go."),
        cut,
        ToolMessage("call:1", "The reply was cut off.", is_error=True),
        UserMessage("Go on.", "host"),
    ]
    body = body_for(provider, history)
    check_pairs(provider, body)
    assert '"con' not in json.dumps(body).replace('"content', "")


@pytest.mark.parametrize("provider", SPEAKERS)
def test_lone_surrogates_anywhere_are_sent_as_replacement_characters(provider: str):

    odd = "a\ud83db"
    history = [
        UserMessage(odd),
        AssistantMessage(odd, (ToolCall("c", "f", json.dumps({odd: odd})),)),
        ToolMessage("c", odd),
    ]
    assert b"\\ud83d" not in encode_json(body_for(provider, history))


def test_the_dialect_follows_the_address_and_not_the_name():
    config = ProviderConfig(base_url="https://api.mistral.ai/v1")
    provider = resolve_provider("mine", {"mine": config}, ENVIRON)
    assert dialect_for(provider.base_url).max_id_length == 9
