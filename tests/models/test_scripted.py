"""The scripted model, which other tests trust."""

import asyncio

import pytest

from steersman.agent.errors import StreamBrokenError, UnavailableError
from steersman.agent.messages import AssistantMessage, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import (
    CallPiece,
    Finish,
    ModelRequest,
    ReasoningPiece,
    TextPiece,
    Usage,
    Waiting,
)
from steersman.agent.validity import InvalidHistoryError
from steersman.models.scripted import AtGate, ScriptedClient, ScriptExhaustedError, call, cut, reply

REQUEST = ModelRequest("You are a test.", (UserMessage("Do it."),))


async def collect(client, request=REQUEST, into=None):
    seen = [] if into is None else into
    async for event in client.stream(request):
        seen.append(event)
    return seen


async def test_it_plays_its_replies_in_order():
    client = ScriptedClient(reply("a", ReasoningPiece("because"), Waiting("busy", 1, 1)), reply("b"))
    assert await collect(client) == [TextPiece("a"), ReasoningPiece("because"), Waiting("busy", 1, 1), Finish("stop")]
    assert await collect(client) == [TextPiece("b"), Finish("stop")]
    client.check()


async def test_a_call_gets_an_id_and_the_finish_that_goes_with_it():
    client = ScriptedClient(reply(call("add", {"a": 1}), call("add", '{"a":', call_id="own")))
    assert await collect(client) == [
        CallPiece(ToolCall("call_1", "add", '{"a": 1}')),
        CallPiece(ToolCall("own", "add", '{"a":')),
        Finish("tool_calls"),
    ]


async def test_ids_go_on_where_the_history_ends():
    history = (UserMessage("x"), AssistantMessage("", (ToolCall("call_1", "a", "{}"),)), ToolMessage("call_1", "y"))
    client = ScriptedClient(reply(call("add")))
    events = await collect(client, ModelRequest("", history))
    assert events[0] == CallPiece(ToolCall("call_2", "add", "{}"))


async def test_the_end_mark_says_what_the_script_says():
    data = ProviderData("p", {"x": 1})
    client = ScriptedClient(reply("a", finish="length", usage=Usage(1, output_tokens=2), provider_data=data))
    assert (await collect(client))[-1] == Finish("length", Usage(1, output_tokens=2), data)


async def test_a_stream_may_stop_without_its_end_mark():
    assert await collect(ScriptedClient(reply("a", ends=False))) == [TextPiece("a")]


@pytest.mark.parametrize("failure", [UnavailableError("down"), cut(), RuntimeError("crash")])
async def test_it_fails_where_the_script_says(failure):
    client, seen = ScriptedClient(reply("a", failure, "never")), []
    with pytest.raises(type(failure)):
        await collect(client, into=seen)
    assert seen == [TextPiece("a")]
    assert client.closed_early == 1


def test_a_cut_is_a_broken_stream():
    assert isinstance(cut(), StreamBrokenError)


async def test_it_stands_still_at_a_gate_until_it_is_opened():
    client, seen = ScriptedClient(reply("a", AtGate("here"), "b")), []
    reading = asyncio.create_task(collect(client, into=seen))
    await client.gates["here"].wait_reached()
    assert seen == [TextPiece("a")]
    client.gates["here"].open()
    await reading
    assert seen == [TextPiece("a"), TextPiece("b"), Finish("stop")]


async def test_closing_the_stream_at_a_gate_is_counted():
    client = ScriptedClient(reply("a", AtGate("here")))
    reading = asyncio.create_task(collect(client))
    await client.gates["here"].wait_reached()
    reading.cancel()
    with pytest.raises(asyncio.CancelledError):
        await reading
    assert client.closed_early == 1


async def test_requests_are_kept():
    client = ScriptedClient(reply("a"))
    await collect(client)
    assert client.requests == [REQUEST]


async def test_a_reply_may_be_made_from_the_request_and_the_script_endless():
    def echo(request):
        return reply(request.messages[-1].content)

    client = ScriptedClient(echo for _ in iter(int, 1))
    for _ in range(3):
        assert (await collect(client))[0] == TextPiece("Do it.")


INVALID = [
    ((), "the history is empty"),
    ((AssistantMessage("x"),), "first message must be a user message"),
    ((UserMessage("x"), AssistantMessage("y")), "nothing was asked"),
    ((UserMessage("x"), AssistantMessage("", (ToolCall("a", "add", "{}"),))), "tool calls without a result: a"),
    ((UserMessage("x"), ToolMessage("a", "y")), "answers no open tool call"),
]


@pytest.mark.parametrize(("history", "problem"), INVALID)
async def test_an_invalid_history_fails_the_test(history, problem):
    client = ScriptedClient(reply("a"))
    with pytest.raises(InvalidHistoryError, match=problem):
        await collect(client, ModelRequest("", history))
    with pytest.raises(AssertionError, match=problem):
        client.check()


async def test_a_request_more_than_there_are_replies_fails_the_test():
    client = ScriptedClient()
    with pytest.raises(ScriptExhaustedError):
        await collect(client)
    with pytest.raises(AssertionError, match="no reply"):
        client.check()


def test_a_reply_that_was_never_asked_for_fails_the_check():
    with pytest.raises(AssertionError, match="never asked for"):
        ScriptedClient(reply("a")).check()
