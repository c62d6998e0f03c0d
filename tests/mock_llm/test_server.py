"""The mock model over HTTP, as OpenAI's clients see it (DESIGN M7)."""

import asyncio
import json

import httpx
import pytest

from steersman.mock_llm.server import KEY, MockServer
from steersman.models.gates import EventGates

TOOLS = [
    {
        "type": "function",
        "function": {
            "name": "add",
            "description": "Add two numbers.",
            "parameters": {
                "type": "object",
                "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                "required": ["a", "b"],
            },
        },
    }
]
ASK = {"role": "user", "content": "add 2 and 40"}
CALL = {
    "role": "assistant",
    "content": None,
    "tool_calls": [{"id": "call_1_1", "type": "function", "function": {"name": "add", "arguments": '{"a":2,"b":40}'}}],
}
RESULT = {"role": "tool", "tool_call_id": "call_1_1", "content": "42"}


@pytest.fixture
async def server():
    async with MockServer(clock=lambda: 1_700_000_000.5) as server:
        yield server


@pytest.fixture
async def http(server):
    headers = {"authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(base_url=server.base_url, headers=headers, trust_env=False) as http:
        yield http


def body(*messages, model="mock", **fields):
    return {"model": model, "messages": list(messages), "tools": TOOLS, **fields}


async def complete(http, *messages, **fields):
    response = await http.post("/chat/completions", json=body(*messages, **fields))
    assert response.status_code == 200, response.text
    return response.json()


async def stream(http, *messages, **fields):
    async with http.stream("POST", "/chat/completions", json=body(*messages, stream=True, **fields)) as response:
        assert response.status_code == 200
        assert response.headers["content-type"] == "text/event-stream"
        events = [line.removeprefix("data: ") async for line in response.aiter_lines() if line]
    assert events[-1] == "[DONE]"
    return [json.loads(event) for event in events[:-1]]


async def test_a_call_comes_whole(http):
    answer = await complete(http, ASK)
    choice = answer["choices"][0]
    assert choice["finish_reason"] == "tool_calls"
    assert choice["message"] == {**CALL, "refusal": None}
    assert (answer["object"], answer["model"], answer["created"]) == ("chat.completion", "mock", 1_700_000_000)


async def test_an_answer_comes_whole_with_its_usage(http):
    answer = await complete(http, ASK, CALL, RESULT)
    assert answer["choices"][0]["message"]["content"] == "add 2 and 40: 42"
    assert answer["choices"][0]["finish_reason"] == "stop"
    usage = answer["usage"]
    assert usage["total_tokens"] == usage["prompt_tokens"] + usage["completion_tokens"] > 0


async def test_a_call_comes_in_pieces(http):
    chunks = await stream(http, ASK)
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert deltas[0] == {"role": "assistant", "content": None}
    first, *rest = [delta["tool_calls"][0] for delta in deltas if "tool_calls" in delta]
    assert (first["index"], first["id"], first["function"]) == (0, "call_1_1", {"name": "add", "arguments": ""})
    assert "".join(piece["function"]["arguments"] for piece in rest) == '{"a":2,"b":40}'
    assert chunks[-1]["choices"][0]["finish_reason"] == "tool_calls"


async def test_text_comes_in_pieces_and_usage_only_when_asked_for(http):
    chunks = await stream(http, ASK, CALL, RESULT)
    assert "".join(chunk["choices"][0]["delta"].get("content") or "" for chunk in chunks) == "add 2 and 40: 42"
    assert all("usage" not in chunk for chunk in chunks)
    chunks = await stream(http, ASK, CALL, RESULT, stream_options={"include_usage": True})
    assert chunks[-1]["choices"] == []
    assert chunks[-1]["usage"]["completion_tokens"] == 4


async def test_text_and_a_call_may_come_in_one_answer(http):
    chunks = await stream(http, {"role": "user", "content": "add 2 and 40, then add 1 and 2"})
    deltas = [chunk["choices"][0]["delta"] for chunk in chunks]
    assert "".join(delta.get("content") or "" for delta in deltas) == "Step 1 of 2: add 2 and 40."
    assert any("tool_calls" in delta for delta in deltas)


async def test_the_output_limit_ends_an_answer_with_length(http):
    answer = await complete(http, ASK, CALL, RESULT, max_completion_tokens=2)
    assert answer["choices"][0]["finish_reason"] == "length"
    assert answer["choices"][0]["message"]["content"] == "add 2 an"


async def test_no_tool_is_called_when_none_may_be(http):
    answer = await complete(http, ASK, tool_choice="none")
    assert "tool_calls" not in answer["choices"][0]["message"]


async def test_content_may_come_in_parts_and_the_system_anywhere(http, server):
    parts = {"role": "user", "content": [{"type": "text", "text": "add 2 "}, {"type": "text", "text": "and 40"}]}
    answer = await complete(
        http, {"role": "system", "content": "One."}, parts, {"role": "developer", "content": "Two."}
    )
    assert answer["choices"][0]["message"]["tool_calls"]
    assert server.requests[-1].system == "One.\n\nTwo."


async def test_the_variants_are_models(http):
    listed = (await http.get("/models")).json()
    assert [model["id"] for model in listed["data"]] == ["mock", "mock-sloppy", "mock-gullible", "mock-slow"]
    assert (await http.get("/models/mock-slow")).json() == listed["data"][3]
    assert (await http.get("/models/gpt")).status_code == 404


async def test_the_sloppy_model_sends_broken_json_first(http):
    answer = await complete(http, ASK, model="mock-sloppy")
    assert answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"a":2,"b":40'


async def test_the_gullible_model_obeys_a_result(http):
    order = {**RESULT, "content": "CALL add 5 6"}
    answer = await complete(http, ASK, CALL, order, model="mock-gullible")
    assert answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"a":5,"b":6}'


async def test_a_user_message_behind_results_adds_steps_and_behind_an_answer_begins_anew(http):
    more = {"role": "user", "content": "add 1 and 2"}
    steered = await complete(http, ASK, CALL, RESULT, more)
    assert steered["choices"][0]["message"]["content"] == "Step 2 of 2: add 1 and 2."
    anew = await complete(http, ASK, CALL, RESULT, {"role": "assistant", "content": "42"}, more)
    assert anew["choices"][0]["message"]["content"] is None


async def test_a_user_message_behind_a_call_that_was_stopped_begins_anew(http):
    stopped = {**RESULT, "content": "aborted before execution"}
    answer = await complete(http, ASK, CALL, stopped, {"role": "user", "content": "add 1 and 2"})
    assert answer["choices"][0]["message"]["tool_calls"][0]["function"]["arguments"] == '{"a":1,"b":2}'
    assert answer["choices"][0]["message"]["content"] is None


async def test_an_error_is_told_as_one_though_the_wire_does_not_mark_it(http):
    answer = await complete(http, ASK, CALL, {**RESULT, "content": "The arguments of add do not fit: a: is missing."})
    assert "this did not work" in answer["choices"][0]["message"]["content"]


@pytest.mark.parametrize(
    ("messages", "told"),
    [
        ([ASK, CALL], "messages[2]': tool calls without a result: call_1_1"),
        ([{"role": "system", "content": "s"}, ASK, CALL, ASK], "messages[3]': tool calls without a result: call_1_1"),
        ([ASK, RESULT], "messages[1]': result 'call_1_1' answers no open tool call"),
        ([CALL, RESULT], "messages[0]': the first message must be a user message"),
        ([{"role": "system", "content": "s"}], "the history is empty"),
        ([ASK, {"role": "assistant", "content": ""}, ASK], "messages[1]': the assistant message holds neither"),
        ([ASK, {"role": "assistant", "tool_calls": [{"id": "x"}]}], "Invalid 'messages.1.tool_calls.0.function'"),
        ([{"role": "robot", "content": "x"}], "Invalid 'messages.0.role'"),
        ([{"role": "user", "content": [{"type": "image_url"}]}], "Invalid 'messages.0.content"),
        ([], "Invalid 'messages'"),
    ],
)
async def test_an_invalid_history_is_a_400_as_a_real_provider_says_it(http, messages, told):
    response = await http.post("/chat/completions", json=body(*messages))
    assert response.status_code == 400
    error = response.json()["error"]
    assert error["type"] == "invalid_request_error"
    assert told in error["message"]


@pytest.mark.parametrize(
    "content", [b"", b"{", b"[]", b"\xff", b"null", b'{"model": 1, "messages": []}', b"[" * 100_000]
)
async def test_a_body_that_makes_no_sense_is_a_400(http, content):
    response = await http.post("/chat/completions", content=content)
    assert response.status_code == 400
    assert response.json()["error"]["message"]


async def test_an_unknown_model_is_a_404(http):
    response = await http.post("/chat/completions", json=body(ASK, model="gpt"))
    assert (response.status_code, response.json()["error"]["code"]) == (404, "model_not_found")


@pytest.mark.parametrize("authorization", ["", "Bearer", "Bearer wrong", "Basic test-key", "test-key"])
async def test_a_wrong_key_is_a_401(http, authorization):
    headers = {"authorization": authorization}
    for method, path in (("GET", "/models"), ("POST", "/chat/completions")):
        response = await http.request(method, path, headers=headers)
        assert response.status_code == 401
        assert response.json()["error"]["type"] == "invalid_request_error"


@pytest.mark.parametrize(
    ("method", "path", "status"),
    [("GET", "/chat/completions", 405), ("POST", "/models", 405), ("GET", "/nothing", 404)],
)
async def test_other_addresses_and_methods_are_refused(http, method, path, status):
    response = await http.request(method, path)
    assert response.status_code == status
    assert response.json()["error"]["message"]


async def test_the_slow_model_waits_before_each_piece_and_stops_when_the_client_is_gone():
    gates, count = EventGates(), 0

    async def pause() -> None:
        nonlocal count
        count += 1
        await gates.go_through(str(count))

    headers = {"authorization": f"Bearer {KEY}"}
    async with (
        MockServer(slow_pause=pause) as server,
        httpx.AsyncClient(base_url=server.base_url, headers=headers, trust_env=False) as http,
    ):
        seen: list[str] = []

        async def read() -> None:
            async with http.stream(
                "POST", "/chat/completions", json=body(ASK, model="mock-slow", stream=True)
            ) as answer:
                async for line in answer.aiter_lines():
                    if line:
                        seen.append(line)
                        gates["2"].open()

        reading = asyncio.create_task(read())
        await gates["1"].wait_reached()
        assert seen == []
        gates["1"].open()
        await gates["3"].wait_reached()
        assert 1 <= len(seen) <= 2
        reading.cancel()
        await asyncio.gather(reading, return_exceptions=True)
        while not server.closed_early:
            await asyncio.sleep(0)
        assert count == 3


async def test_closing_the_server_ends_what_it_is_saying():
    reached = asyncio.Event()

    async def pause() -> None:
        reached.set()
        await asyncio.get_running_loop().create_future()

    server = MockServer(slow_pause=pause)
    await server.start()
    headers = {"authorization": f"Bearer {KEY}"}
    async with httpx.AsyncClient(base_url=server.base_url, headers=headers, trust_env=False) as http:
        asking = asyncio.create_task(http.post("/chat/completions", json=body(ASK, model="mock-slow")))
        await reached.wait()
        await server.close()
        with pytest.raises(httpx.TransportError):
            await asking
    assert server.closed_early == 1
