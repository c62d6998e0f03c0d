"""What a provider does on a bad day, over real sockets: each fault has its name and its remedy (DESIGN M4-M6)."""

import asyncio
import gzip
import zlib

import pytest

from steersman.agent.errors import (
    AuthenticationError,
    ContextOverflowError,
    EmptyResponseError,
    ModelError,
    ModelNotFoundError,
    QuotaError,
    RateLimitedError,
    RejectedError,
    StreamBrokenError,
    UnavailableError,
)
from steersman.agent.model import CallPiece, Finish, TextPiece, Waiting
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpLimits, HttpModelClient
from steersman.models.openai_chat import OpenAIChat
from steersman.models.retry import RetryingClient, RetryPolicy
from support.fault_server import (
    Answer,
    FaultServer,
    chat,
    delta,
    finish,
    hang_up,
    raw,
    reset,
    respond,
    sse,
    stream,
)
from support.replies import KEY, REQUEST, collect

HELLO = stream(chat("Hello."))


def http_client(server: FaultServer, limits: HttpLimits | None = None) -> HttpModelClient:
    endpoint = Endpoint("test", server.url, "m").with_key(KEY, "TEST_KEY")
    return HttpModelClient(endpoint, OpenAIChat(provider="test", model="m"), limits=limits, now=lambda: 784111777.0)


class Slept:
    """Stands for the waiting of the retries: notes how long, takes no time."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def ask(*answers: Answer, retries: RetryPolicy | None = None, limits: HttpLimits | None = None):
    """Return (reply, what was waited, the server) of one request that is retried as configured."""
    slept = Slept()
    async with FaultServer(*answers) as server:
        client = RetryingClient(http_client(server, limits), policy=retries, chance=lambda: 0.0, sleep=slept)
        reply = await collect(client.stream(REQUEST))
        await client.aclose()
    return reply, slept.seconds, server


async def error_of(answer: Answer, limits: HttpLimits | None = None) -> ModelError:
    """Return the error of one request that is not retried."""
    async with FaultServer(answer) as server:
        client = http_client(server, limits)
        reply = await collect(client.stream(REQUEST))
        await client.aclose()
    assert reply.error is not None
    return reply.error


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_a_passing_failure_is_tried_again(status: int):
    reply, slept, server = await ask(respond(status, {"error": {"message": "later"}}), HELLO)
    assert (reply.text, reply.failure, len(server.requests)) == ("Hello.", None, 2)
    assert slept == [0.25]


@pytest.mark.parametrize("status", [408, 409, 429, 500, 502, 503, 529])
async def test_retry_after_is_honoured(status: int):
    reply, slept, _ = await ask(respond(status, b"", headers={"retry-after": "7"}), HELLO)
    assert (reply.text, slept) == ("Hello.", [7.0])


async def test_429_with_retry_after_1_then_success_is_one_answer_with_a_visible_waiting():
    """Situation 29, first half."""
    async with FaultServer(respond(429, b"", headers={"retry-after": "1"}), HELLO) as server:
        client = RetryingClient(http_client(server), sleep=Slept())
        events = [event async for event in client.stream(REQUEST)]
        await client.aclose()
    assert events == [Waiting("rate limited", 1.0, 1), TextPiece("Hello."), Finish("stop")]


async def test_500_twice_then_success_is_one_answer():
    """Situation 29, second half."""
    reply, slept, server = await ask(respond(500), respond(500), HELLO)
    assert (reply.text, slept, len(server.requests)) == ("Hello.", [0.25, 0.5], 3)


async def test_waiting_can_be_cancelled():
    """Situation 29: closing the generator while it waits ends it, and nothing more is sent."""
    async with FaultServer(respond(429, b"", headers={"retry-after": "60"})) as server:
        client = RetryingClient(http_client(server))
        events = client.stream(REQUEST)
        assert await anext(events) == Waiting("rate limited", 60.0, 1)
        waiting = asyncio.ensure_future(anext(events))
        await asyncio.sleep(0)
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting
        await client.aclose()
        assert len(server.requests) == 1


async def test_retries_end():
    reply, slept, server = await ask(respond(503, {"error": {"message": "no"}}))
    assert isinstance(reply.error, UnavailableError)
    assert (len(server.requests), slept) == (6, [0.25, 0.5, 1.0, 2.0, 4.0])


async def test_a_provider_that_wants_an_hour_is_not_waited_for():
    reply, slept, _ = await ask(respond(429, b"", headers={"retry-after": "3600"}))
    assert isinstance(reply.error, RateLimitedError)
    assert (reply.error.retry_after_s, slept) == (3600.0, [])


async def test_a_date_in_retry_after_is_understood():
    reply, slept, _ = await ask(respond(429, b"", headers={"retry-after": "Sun, 06 Nov 1994 08:49:47 GMT"}), HELLO)
    assert (reply.text, slept) == ("Hello.", [10.0])


async def test_overloaded_in_the_stream_before_the_first_piece_is_tried_again():
    overloaded = stream(sse({"error": {"type": "overloaded_error", "message": "Overloaded"}}))
    reply, slept, _ = await ask(overloaded, HELLO)
    assert (reply.text, slept) == ("Hello.", [0.25])


async def test_overloaded_in_the_stream_after_the_first_piece_is_an_error():
    """After output began nothing is replayed silently."""
    overloaded = stream(delta(content="Half"), sse({"error": {"type": "overloaded_error", "message": "Overloaded"}}))
    reply, slept, server = await ask(overloaded, HELLO)
    assert (reply.text, reply.failure, slept, len(server.requests)) == ("Half", "provider_unavailable", [], 1)


@pytest.mark.parametrize("answer", [hang_up, reset], ids=["closed", "reset"])
async def test_a_connection_lost_before_an_answer_is_tried_again(answer: Answer):
    reply, slept, _ = await ask(answer, HELLO)
    assert (reply.text, slept) == ("Hello.", [0.25])


@pytest.mark.parametrize("end", ["close", "reset"])
async def test_a_connection_lost_in_the_reply_is_a_broken_stream(end: str):
    reply, slept, _ = await ask(stream(delta(content="Half"), end=end), HELLO)  # type: ignore[arg-type]
    assert (reply.text, reply.failure, slept) == ("Half", "stream_broken", [])


async def test_a_reply_that_ends_before_its_first_event_is_tried_once_more():
    reply, slept, server = await ask(stream(b": hello\n\n"))
    assert (reply.failure, len(slept), len(server.requests)) == ("stream_broken", 1, 2)


async def test_an_empty_reply_is_tried_once_more_and_then_named():
    reply, slept, server = await ask(stream(finish()))
    assert isinstance(reply.error, EmptyResponseError)
    assert (len(slept), len(server.requests)) == (1, 2)


async def test_an_empty_reply_is_forgotten_when_the_second_one_speaks():
    reply, _, _ = await ask(stream(finish()), HELLO)
    assert (reply.text, reply.failure) == ("Hello.", None)


async def test_a_wrong_key_is_named_with_its_source():
    error = await error_of(respond(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}))
    assert isinstance(error, AuthenticationError)
    assert "TEST_KEY" in error.message
    assert KEY not in error.message


async def test_an_unknown_model_is_named_with_near_names():
    async def near(endpoint: Endpoint) -> list[str]:
        return [f"{endpoint.model}-large", f"{endpoint.model}-small"]

    async with FaultServer(respond(404, {"error": {"message": "The model `m` does not exist"}})) as server:
        endpoint = Endpoint("test", server.url, "m")
        client = HttpModelClient(endpoint, OpenAIChat(provider="test", model="m"), near_names=near)
        reply = await collect(client.stream(REQUEST))
        await client.aclose()
    assert isinstance(reply.error, ModelNotFoundError)
    assert reply.error.hint == "It has, for example: m-large, m-small."


async def test_quota_is_not_waited_for():
    body = {"error": {"message": "You exceeded your current quota", "type": "insufficient_quota"}}
    reply, slept, _ = await ask(respond(429, body))
    assert isinstance(reply.error, QuotaError)
    assert slept == []


async def test_overflow_is_named_with_its_numbers():
    body = {
        "error": {
            "code": 400,
            "message": "request (4626 tokens) exceeds the available context size (4096 tokens), try increasing it",
            "type": "exceed_context_size_error",
            "n_prompt_tokens": 4626,
            "n_ctx": 4096,
        }
    }
    error = await error_of(respond(400, body))
    assert isinstance(error, ContextOverflowError)
    assert "4,626 tokens" in error.message
    assert "4,096" in error.message


@pytest.mark.parametrize("status", [200, 404, 502])
async def test_a_web_page_instead_of_json_is_named_as_one(status: int):
    page = "<!DOCTYPE html><html><head><title>Bad gateway</title></head><body>secret</body></html>"
    error = await error_of(respond(status, page))
    assert "web page titled “Bad gateway”" in error.message
    assert "secret" not in error.message


async def test_json_instead_of_a_stream_is_read():
    """Some gateways cannot stream, and say so by not doing it."""
    whole = {"choices": [{"index": 0, "message": {"role": "assistant", "content": "All."}, "finish_reason": "stop"}]}
    reply, _, _ = await ask(respond(200, whole))
    assert (reply.text, reply.finish) == ("All.", "stop")


async def test_an_error_with_status_200_is_an_error():
    """Situation 27."""
    error = await error_of(respond(200, {"error": {"message": "no such backend", "code": 502}}))
    assert isinstance(error, UnavailableError)
    assert "no such backend" in error.message


async def test_a_redirect_to_another_host_is_not_followed():
    async with FaultServer(HELLO) as elsewhere:
        error = await error_of(respond(307, b"", headers={"location": f"{elsewhere.url}/chat/completions"}))
        assert isinstance(error, RejectedError)
        assert elsewhere.origin in error.message
        assert elsewhere.requests == []


@pytest.mark.parametrize("encode", [gzip.compress, zlib.compress], ids=["gzip", "deflate"])
async def test_a_compressed_stream_is_read(encode):
    name = "gzip" if encode is gzip.compress else "deflate"
    reply, _, _ = await ask(stream(encode(chat("Packed.")), headers={"content-encoding": name}))
    assert (reply.text, reply.failure) == ("Packed.", None)


async def test_damaged_compression_is_a_broken_stream():
    error = await error_of(stream(b"this is not gzip", headers={"content-encoding": "gzip"}))
    assert isinstance(error, StreamBrokenError)


async def test_an_error_of_50_megabytes_is_read_in_part():
    page = b"<html><title>Big</title>" + b"x" * 50_000_000
    error = await error_of(respond(500, page, headers={"content-type": "text/html"}))
    assert "web page titled “Big”" in error.message
    assert len(error.message) < 1000


async def test_a_reply_of_50_megabytes_is_read():
    part = delta(content="x" * 1_000_000)
    reply, _, _ = await ask(stream(*[part] * 50, finish()))
    assert (len(reply.text), reply.failure) == (50_000_000, None)


async def test_an_event_of_50_megabytes_is_a_broken_stream():
    reply, _, _ = await ask(stream(b'data: {"x":"', *[b"x" * 1_000_000] * 50), retries=RetryPolicy(broken_retries=0))
    assert reply.failure == "stream_broken"


async def test_an_endless_stream_ends_at_a_limit():
    async def endless(connection, received) -> None:
        await connection.send(b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n")
        while not connection.writer.is_closing():
            await connection.send(delta(content="x" * 1000))
        connection.keep = False

    error = await error_of(endless, HttpLimits(max_reply_bytes=1_000_000))
    assert isinstance(error, StreamBrokenError)
    assert "1000000 bytes" in error.message


async def test_the_first_byte_may_take_as_long_as_it_likes():
    """A queued local server sends no headers, or headers and nothing else, before its turn."""
    gates = [asyncio.Event(), asyncio.Event()]
    async with FaultServer(stream(chat("At last."), before=gates)) as server:
        client = http_client(server, HttpLimits(silence_s=0.01))
        reply = asyncio.ensure_future(collect(client.stream(REQUEST)))
        for gate in gates:
            await asyncio.sleep(0.05)  # longer than the silence that would break a reply that has begun
            gate.set()
        assert (await reply).text == "At last."
        await client.aclose()


async def test_silence_after_the_first_byte_is_a_broken_stream():
    error = await error_of(stream(delta(content="Half"), end="hold"), HttpLimits(silence_s=0.05))
    assert isinstance(error, StreamBrokenError)


async def test_a_server_that_stays_open_after_its_last_event_is_not_waited_for():
    reply, _, _ = await ask(stream(chat("Done."), end="hold"), limits=HttpLimits(drain_s=0.01, silence_s=60))
    assert (reply.text, reply.failure) == ("Done.", None)


async def test_done_from_an_interrupted_server_is_a_broken_stream():
    """``[DONE]`` without a finish reason counts only when the body ends as it should."""
    reply, _, _ = await ask(stream(delta(content="Half"), sse("[DONE]"), end="close"))
    assert (reply.text, reply.failure) == ("Half", "stream_broken")


async def test_nobody_there_says_what_to_start():
    async with FaultServer(HELLO) as server:
        url = server.url
    client = HttpModelClient(Endpoint("ollama", url, "m"), OpenAIChat(provider="ollama", model="m"))
    reply = await collect(client.stream(REQUEST))
    await client.aclose()
    assert isinstance(reply.error, UnavailableError)
    assert "Is Ollama running at http://127.0.0.1:" in (reply.error.hint or "")


async def test_an_unanswered_question_is_tried_twice_more_when_nobody_is_there():
    async with FaultServer(HELLO) as server:
        url = server.url
    slept = Slept()
    inner = HttpModelClient(Endpoint("test", url, "m"), OpenAIChat(provider="test", model="m"))
    reply = await collect(RetryingClient(inner, sleep=slept).stream(REQUEST))
    await inner.aclose()
    assert (reply.failure, len(slept.seconds)) == ("provider_unavailable", 2)


async def test_a_refused_field_is_left_out_and_not_asked_for_again():
    refusal = respond(400, {"error": {"message": "Unknown parameter: 'stream_options'"}})
    async with FaultServer(refusal, HELLO) as server:
        client = http_client(server)
        assert (await collect(client.stream(REQUEST))).text == "Hello."
        assert (await collect(client.stream(REQUEST))).text == "Hello."
        await client.aclose()
    assert ["stream_options" in request.json for request in server.requests] == [True, False, False]


async def test_the_request_id_is_in_the_error():
    error = await error_of(respond(400, {"error": {"message": "bad"}}, headers={"x-request-id": "req_123"}))
    assert (error.request_id, "[request req_123]" in error.message) == ("req_123", True)


async def test_connections_are_used_again():
    async with FaultServer(HELLO) as server:
        client = http_client(server)
        for _ in range(3):
            await collect(client.stream(REQUEST))
        await client.aclose()
    assert {request.connection for request in server.requests} == {0}


async def test_a_connection_that_the_server_closed_meanwhile_is_not_used():
    async def once(connection, received) -> None:
        await HELLO(connection, received)
        connection.keep = False

    async with FaultServer(once) as server:
        client = http_client(server)
        for _ in range(3):
            assert (await collect(client.stream(REQUEST))).text == "Hello."
            await server.connections[-1].gone.wait()
        await client.aclose()
    assert len(server.connections) == 3


async def test_a_chat_template_that_refuses_the_roles_is_obeyed():
    """llama.cpp answers 500 with the template's own words."""
    refusal = respond(500, {"error": {"message": "Conversation roles must alternate user/assistant/user/assistant"}})
    reply, slept, server = await ask(refusal, HELLO)
    assert (reply.text, slept, len(server.requests)) == ("Hello.", [], 2)


async def test_headers_that_are_no_http_are_an_unavailable_provider():
    error = await error_of(raw(b"SSH-2.0-OpenSSH_9.6\r\n"))
    assert isinstance(error, UnavailableError)
    assert not isinstance(error, StreamBrokenError)


async def test_calls_come_whole_over_a_socket_too():
    call = {"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"n":'}}
    rest = {"index": 0, "function": {"arguments": "1}"}}
    answer = stream(delta(tool_calls=[call]), delta(tool_calls=[rest]), finish("tool_calls"))
    async with FaultServer(answer) as server:
        client = http_client(server)
        events = [event async for event in client.stream(REQUEST)]
        await client.aclose()
    assert [event.call.arguments for event in events if isinstance(event, CallPiece)] == ['{"n":1}']
    assert isinstance(events[-1], Finish)
