"""Requests of Chat Completions: always valid, and each endpoint's own way (DESIGN M2, M8)."""

import json

import pytest

from steersman.agent.messages import AssistantMessage, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import ModelRequest, ToolSpec
from steersman.models.dialects import dialect_for
from steersman.models.openai_chat import ChatDialect, OpenAIChat
from support.bodies import body_of
from support.replies import read_body

READ = ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {"path": {"type": "string"}}})


def request(*messages, system: str = "Be brief.", tools=(READ,), limit: int | None = None) -> ModelRequest:
    return ModelRequest(system, tuple(messages), tuple(tools), limit)


def sent(*messages, dialect: ChatDialect | None = None, provider: str = "p") -> list[dict]:
    """Return the messages of the body, the system's left out."""
    body = body_of(OpenAIChat(provider=provider, model="m", dialect=dialect), request(*messages))
    return body["messages"][1:]


CALL = ToolCall("call_1", "read_file", '{"path": "a.py"}')


def test_a_request_holds_all_that_is_wanted():
    body = body_of(OpenAIChat(provider="p", model="m"), request(UserMessage("Hi."), limit=100))
    assert body == {
        "model": "m",
        "messages": [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "Hi."}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": [
            {
                "type": "function",
                "function": {"name": "read_file", "description": "Read a file.", "parameters": dict(READ.parameters)},
            }
        ],
        "max_tokens": 100,
    }


def test_what_is_not_wanted_is_left_out():
    body = body_of(OpenAIChat(provider="p", model="m"), request(UserMessage("Hi."), system="", tools=()))
    assert set(body) == {"model", "messages", "stream", "stream_options"}


def test_the_users_own_fields_come_last():
    wire = OpenAIChat(provider="p", model="m", extra_body={"temperature": 0, "stream_options": None})
    body = body_of(wire, request(UserMessage("Hi.")))
    assert (body["temperature"], body["stream_options"]) == (0, None)


def test_calls_and_results_are_paired():
    history = [UserMessage("Go."), AssistantMessage("Look.", (CALL,)), ToolMessage("call_1", "text")]
    assert sent(*history)[1:] == [
        {
            "role": "assistant",
            "content": "Look.",
            "tool_calls": [
                {"id": "call_1", "type": "function", "function": {"name": "read_file", "arguments": '{"path": "a.py"}'}}
            ],
        },
        {"role": "tool", "tool_call_id": "call_1", "content": "text"},
    ]


@pytest.mark.parametrize("text", ["", " ", "\n\t"])
def test_blank_text_beside_a_call_is_null(text: str):
    entries = sent(UserMessage("Go."), AssistantMessage(text, (CALL,)), ToolMessage("call_1", "x"))
    assert entries[1]["content"] is None


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_blank_message_is_left_out(text: str):
    entries = sent(UserMessage("Go."), AssistantMessage(text), UserMessage("Well?"))
    assert [entry["content"] for entry in entries] == ["Go.", "Well?"]


@pytest.mark.parametrize("arguments", ['{"path": "a', "[]", "", "null", "5", '{"n": NaN}', "{'a': 1}"])
def test_arguments_that_are_no_object_go_out_as_an_empty_one(arguments: str):
    """One such entry makes llama.cpp answer 500 to every later request."""
    call = ToolCall("c", "f", arguments)
    entries = sent(UserMessage("Go."), AssistantMessage("", (call,)), ToolMessage("c", "bad", is_error=True))
    assert entries[1]["tool_calls"][0]["function"]["arguments"] == "{}"


def test_lone_surrogates_in_arguments_are_mended():
    call = ToolCall("c", "f", '{"s": "\\ud83d"}')
    entries = sent(UserMessage("Go."), AssistantMessage("", (call,)), ToolMessage("c", "x"))
    assert json.loads(entries[1]["tool_calls"][0]["function"]["arguments"]) == {"s": "\ufffd"}


def test_ids_are_made_to_fit_and_stay_paired():
    """Mistral takes nine letters and digits, each once; the results follow their calls."""
    calls = (ToolCall("toolu_01ABCDEFGHIJ", "f", "{}"), ToolCall("x_01ABCDEFGHIJ", "f", "{}"))
    results = [ToolMessage(call.id, call.id) for call in calls]
    entries = sent(
        UserMessage("Go."), AssistantMessage("", calls), *results, dialect=dialect_for("https://api.mistral.ai/v1")
    )
    ids = [call["id"] for call in entries[1]["tool_calls"]]
    assert [len(call_id) for call_id in ids] == [9, 9]
    assert len(set(ids)) == 2
    assert all(call_id.isalnum() for call_id in ids)
    assert [entry["tool_call_id"] for entry in entries[2:]] == ids


def test_the_same_id_in_two_turns_is_told_apart():
    turn = [AssistantMessage("", (ToolCall("call_1", "f", "{}"),)), ToolMessage("call_1", "x")]
    entries = sent(UserMessage("Go."), *turn, *turn)
    assert [entry.get("tool_call_id") for entry in entries[2::2]] == ["call_1", "call_1_2"]


@pytest.mark.parametrize(
    ("name", "fitted"), [("", "unnamed"), ("functions.read", "functions_read"), ("a b\n" * 40, None)]
)
def test_names_are_made_to_fit(name: str, fitted: str | None):
    entries = sent(
        UserMessage("Go."), AssistantMessage("", (ToolCall("c", name, "{}"),)), ToolMessage("c", "no such tool")
    )
    shown = entries[1]["tool_calls"][0]["function"]["name"]
    assert len(shown) <= 64
    assert fitted in {None, shown}


def with_data(provider: str, data: dict) -> list:
    message = AssistantMessage("", (CALL,), provider_data=ProviderData(provider, data))
    return [UserMessage("Go."), message, ToolMessage("call_1", "x")]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_details"])
def test_reasoning_goes_back_with_its_calls_under_its_own_name(field: str):
    assert sent(*with_data("p", {field: "why"}))[1][field] == "why"


def test_reasoning_goes_to_no_other_provider():
    assert set(sent(*with_data("q", {"reasoning_content": "why"}))[1]) == {"role", "content", "tool_calls"}


def test_reasoning_without_calls_stays_away():
    message = AssistantMessage("Done.", provider_data=ProviderData("p", {"reasoning_content": "why"}))
    assert sent(UserMessage("Go."), message, UserMessage("More."))[1] == {"role": "assistant", "content": "Done."}


def test_a_signature_beside_a_call_goes_back_beside_it():
    extras = [{"google": {"thought_signature": "s"}}]
    entry = sent(*with_data("p", {"call_extras": extras}))[1]
    assert entry["tool_calls"][0]["extra_content"] == extras[0]


def test_an_endpoint_that_insists_gets_some_reasoning_for_calls_of_another_provider():
    dialect = dialect_for("https://api.deepseek.com/v1")
    entries = sent(UserMessage("Go."), AssistantMessage("", (CALL,)), ToolMessage("call_1", "x"), dialect=dialect)
    assert entries[1]["reasoning_content"]


async def test_what_was_read_is_what_goes_back():
    """Situation 28, in one: reasoning read from a stream, kept as JSON, sent with the calls it led to."""
    body = (
        b'data: {"choices":[{"index":0,"delta":{"reasoning_content":"Because."}}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"a","function":{"name":"f","arguments":"{}"}}]}}]}\n\n'
        b'data: {"choices":[{"index":0,"delta":{},"finish_reason":"tool_calls"}]}\n\ndata: [DONE]\n\n'
    )
    reply = await read_body("openai_chat", [body])
    assert reply.data is not None
    stored = json.loads(json.dumps(dict(reply.data.data)))
    message = AssistantMessage(reply.text, reply.calls, provider_data=ProviderData(reply.data.provider, stored))
    entries = sent(UserMessage("Go."), message, ToolMessage("a", "x"))
    assert entries[1]["reasoning_content"] == "Because."


async def test_pieces_of_reasoning_details_are_put_together():
    details = [
        {"type": "reasoning.text", "index": 0, "text": "One "},
        {"type": "reasoning.text", "index": 0, "text": "two.", "signature": "s", "format": None},
        {"type": "reasoning.encrypted", "index": 1, "data": "x"},
    ]
    chunks = [
        {"choices": [{"index": 0, "delta": {"reasoning": "r", "reasoning_details": [detail]}}]} for detail in details
    ]
    end = {"choices": [{"index": 0, "delta": {"content": "ok"}, "finish_reason": "stop"}]}
    body = "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in [*chunks, end]).encode()
    reply = await read_body("openai_chat", [body])
    assert reply.data is not None
    assert reply.data.data == {
        "reasoning_details": [
            {"type": "reasoning.text", "index": 0, "text": "One two.", "signature": "s"},
            {"type": "reasoning.encrypted", "index": 1, "data": "x"},
        ]
    }


@pytest.mark.parametrize(
    ("url", "field"),
    [
        ("https://api.openai.com/v1", "max_completion_tokens"),
        ("https://x.openai.azure.com/openai/v1", "max_completion_tokens"),
        ("http://127.0.0.1:8080/v1", "max_tokens"),
    ],
)
def test_the_output_limit_has_the_endpoints_name(url: str, field: str):
    body = body_of(OpenAIChat(provider="p", model="m", dialect=dialect_for(url)), request(UserMessage("Hi."), limit=5))
    assert body[field] == 5


@pytest.mark.parametrize(
    ("said", "field", "gone"),
    [
        (
            "Unsupported parameter: 'max_tokens'. Use 'max_completion_tokens' instead.",
            "max_completion_tokens",
            "max_tokens",
        ),
        ("Extra inputs are not permitted: stream_options", "max_tokens", "stream_options"),
    ],
)
def test_a_refused_field_is_renamed_or_left_out_once(said: str, field: str, gone: str):
    wire = OpenAIChat(provider="p", model="m")
    assert wire.adapt(said)
    body = body_of(wire, request(UserMessage("Hi."), limit=5))
    assert field in body
    assert gone not in body
    assert not wire.adapt(said)


def test_missing_reasoning_is_first_given_and_then_left_out():
    wire = OpenAIChat(provider="p", model="m")
    history = request(*with_data("q", {}))
    assert wire.adapt("The reasoning_content in the thinking mode must be passed back")
    assert body_of(wire, history)["messages"][2]["reasoning_content"]
    assert wire.adapt("reasoning_content is not a known field")
    assert "reasoning_content" not in body_of(wire, history)["messages"][2]
    assert not wire.adapt("reasoning_content again")


def test_an_unknown_complaint_changes_nothing():
    assert not OpenAIChat(provider="p", model="m").adapt("the messages are wrong")


RUN_ON = [
    UserMessage("Go."),
    AssistantMessage("", (CALL,)),
    ToolMessage("call_1", "text"),
    UserMessage("Faster.", "steered"),
    UserMessage("Now."),
]


def roles(entries: list[dict]) -> list[str]:
    return [entry["role"] for entry in entries]


def test_most_endpoints_get_the_roles_as_they_are():
    assert roles(sent(*RUN_ON)) == ["user", "assistant", "tool", "user", "user"]


def test_strict_roles_alternate_and_no_word_is_lost():
    entries = sent(*RUN_ON, dialect=dialect_for("https://api.mistral.ai/v1"))
    assert roles(entries) == ["user", "assistant", "tool", "assistant", "user"]
    assert entries[-1]["content"] == "Faster.\n\nNow."


@pytest.mark.parametrize(
    "said",
    [
        "Expected last role... Unexpected role 'user' after role 'tool'",
        "Conversation roles must alternate user/assistant/...",
    ],
)
def test_strict_roles_are_learned_from_the_refusal(said: str):
    wire = OpenAIChat(provider="p", model="m")
    assert wire.adapt(said)
    assert roles(body_of(wire, request(*RUN_ON))["messages"])[-2:] == ["assistant", "user"]
    assert not wire.adapt(said)


def test_a_model_of_anthropic_behind_openrouter_gets_cache_marks():
    dialect = dialect_for("https://openrouter.ai/api/v1", "anthropic/claude-opus-5")
    wire = OpenAIChat(provider="p", model="m", dialect=dialect)
    messages = body_of(wire, request(*RUN_ON[:3], AssistantMessage("Ok."), UserMessage("On.")))["messages"]
    marked = [at for at, entry in enumerate(messages) if "cache_control" in json.dumps(entry)]
    assert marked == [0, 3, 5]
    assert messages[5]["content"] == [{"type": "text", "text": "On.", "cache_control": {"type": "ephemeral"}}]


@pytest.mark.parametrize("url", ["https://openrouter.ai/api/v1", "http://127.0.0.1:8080/v1"])
def test_others_get_none(url: str):
    wire = OpenAIChat(provider="p", model="m", dialect=dialect_for(url, "openai/gpt-5"))
    assert "cache_control" not in json.dumps(body_of(wire, request(*RUN_ON)))
