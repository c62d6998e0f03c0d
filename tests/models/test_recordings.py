"""What llama.cpp's server and llama-cpp-python really sent, byte for byte, over a socket.

The ``.http`` files hold every byte of a response, status line, headers and chunk framing; nothing in them was edited.
"""

import json
from pathlib import Path

import pytest

from steersman.agent.errors import AuthenticationError, ContextOverflowError, StreamBrokenError
from steersman.models.endpoint import Endpoint
from steersman.models.failures import LoadingError
from steersman.models.http_client import HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from support.fault_server import FaultServer, raw
from support.replies import REQUEST, Reply, collect, read_body

FOLDER = Path(__file__).parents[1] / "fixtures" / "sse" / "llama_cpp"


async def play(name: str) -> Reply:
    async with FaultServer(raw((FOLDER / f"{name}.http").read_bytes())) as server:
        client = HttpModelClient(Endpoint("local", server.url, "q05"), OpenAIChat(provider="local", model="q05"))
        reply = await collect(client.stream(REQUEST))
        await client.aclose()
    return reply


@pytest.mark.parametrize(
    ("name", "begins", "finish", "output_tokens"),
    [
        ("qwen05_fence.03_text_stream_usage", "```python", "stop", 61),
        ("qwen05_fence.04_length_stop", "Once upon", "length", 12),
        ("qwen05_fence.06_unicode", "你好，", "stop", 18),
        ("qwen05_fence.08_tool_required", "In notes", "tool_calls", 112),
        ("qwen05_native_template.tool_call_as_text_fence", "```json", "stop", 30),
        ("misc.long_prompt_pings", "OK", "stop", 2),
    ],
)
async def test_text_comes_as_the_model_wrote_it(name: str, begins: str, finish: str, output_tokens: int):
    reply = await play(name)
    assert reply.failure is None
    assert reply.text.startswith(begins)
    assert reply.finish == finish
    assert reply.usage is not None
    assert reply.usage.output_tokens == output_tokens


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("qwen05_fence.07_tool_auto", ["read_file"]),
        ("qwen05_fence.08_tool_required", ["read_file"]),
        ("qwen05_fence.10_tool_write_multiline", ["write_file"]),
        ("qwen05_native_template.parallel_2_calls", ["read_file", "read_file"]),
        ("llama_cpp_python.named_stream", ["read_file"]),
    ],
)
async def test_calls_come_whole(name: str, calls: list[str]):
    reply = await play(name)
    assert [call.name for call in reply.calls] == calls
    assert all(isinstance(json.loads(call.arguments), dict) for call in reply.calls)
    assert len({call.id for call in reply.calls}) == len(calls)
    assert reply.finish == "tool_calls"


async def test_a_call_that_was_cut_says_so():
    reply = await play("qwen05_fence.15_tool_cut_by_length")
    [call] = reply.calls
    assert (call.name, reply.finish) == ("write_file", "length")
    with pytest.raises(ValueError, match=r"."):
        json.loads(call.arguments)


@pytest.mark.parametrize(
    "name",
    [
        "misc.server_killed_midstream",
        "llama_cpp_python.interrupted_by_second_request",
        "llama_cpp_python.overflow_stream",
    ],
)
async def test_a_server_that_died_or_was_interrupted_is_a_broken_stream(name: str):
    """The interrupted one even sends ``[DONE]``, and the overflowing one nothing at all."""
    reply = await play(name)
    assert isinstance(reply.error, StreamBrokenError)
    assert (reply.finish, reply.calls) == (None, ())


async def test_a_reply_of_nothing_at_all_says_what_it_may_mean():
    assert "prompt is too long" in str((await play("llama_cpp_python.overflow_stream")).error)


@pytest.mark.parametrize(
    ("name", "kind", "words"),
    [
        ("misc.401_no_key", AuthenticationError, "Invalid API Key"),
        ("misc.503_loading", LoadingError, "Loading model"),
        ("qwen05_fence.20_ctx_overflow_stream", ContextOverflowError, "4,626 tokens, and its window holds 4,096"),
    ],
)
async def test_errors_have_their_names(name: str, kind: type, words: str):
    reply = await play(name)
    assert type(reply.error) is kind
    assert words in str(reply.error)


async def test_its_messages_api_is_read():
    reply = await read_body("anthropic", [(FOLDER / "anthropic_messages.sse").read_bytes()])
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [("read_file", {"path": "notes.txt"})]
    assert (reply.failure, reply.finish) == (None, "tool_calls")
    assert reply.usage is not None
    assert (reply.usage.input_tokens, reply.usage.output_tokens) == (168, 30)


async def test_its_responses_api_is_read():
    """No event of it has an output index."""
    reply = await read_body("openai_responses", [(FOLDER / "responses_api.sse").read_bytes()])
    assert [(call.name, json.loads(call.arguments)) for call in reply.calls] == [("read_file", {"path": "notes.txt"})]
    assert (reply.failure, reply.finish) == (None, "tool_calls")
