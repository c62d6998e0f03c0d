"""The scripted endpoint of the tests, played to the real client."""

import asyncio

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.errors import RejectedError, StreamBrokenError
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import CallPiece, Finish, ModelRequest, ReasoningPiece, TextPiece, Usage
from steersman.agent.result import StopReason
from steersman.models.clients import make_client
from steersman.models.retry import close_client
from steersman.models.scripted import AtGate, call, cut, reply
from support.fake_tools import FakeTool
from support.running import results, run
from support.scripted_server import ScriptedServer, calls_then_text, many_deltas

ASK = ModelRequest("", (UserMessage("x"),))


class Talk:
    """A scripted endpoint and a client that speaks to it."""

    def __init__(self, *replies):
        self.server = ScriptedServer(*replies)

    async def __aenter__(self):
        await self.server.__aenter__()
        environ = {"OPENAI_BASE_URL": self.server.base_url, "OPENAI_API_KEY": "any"}
        self.client = make_client("openai/any", {}, environ)
        return self

    async def __aexit__(self, *_):
        await close_client(self.client)
        await self.server.__aexit__()

    async def collect(self, request=ASK):
        return [event async for event in self.client.stream(request)]


async def test_a_script_is_played_over_http():
    usage = Usage(input_tokens=3, output_tokens=4)
    async with Talk(reply("a", ReasoningPiece("why"), "b", call("add", {"a": 1}), call("sub"), usage=usage)) as talk:
        events = await talk.collect()
        talk.server.check()
    assert "".join(event.text for event in events if isinstance(event, TextPiece)) == "ab"
    assert [event.text for event in events if isinstance(event, ReasoningPiece)] == ["why"]
    calls = [event.call for event in events if isinstance(event, CallPiece)]
    assert calls == [ToolCall("call_1", "add", '{"a": 1}'), ToolCall("call_2", "sub", "{}")]
    assert isinstance(events[-1], Finish)
    assert (events[-1].reason, events[-1].usage) == ("tool_calls", usage)


async def test_a_run_of_many_turns_leaves_its_times_and_requests():
    tool = FakeTool("read_file")
    async with Talk(*calls_then_text(5, "read_file", {}, "Done.")) as talk:
        result = await run(talk.client, tool)
        talk.server.check()
    assert (result.answer, result.turns, len(results(result.messages))) == ("Done.", 6, 5)
    assert len(talk.server.received) == 6
    assert len(talk.server.gaps) == 5
    assert all(gap > 0 for gap in talk.server.gaps)
    assert talk.server.received[-1].body["messages"][-1]["role"] == "tool"


async def test_twenty_thousand_deltas_come_through_whole():
    async with Talk(many_deltas(20_000)) as talk:
        events = await talk.collect()
    assert "".join(event.text for event in events if isinstance(event, TextPiece)) == "word " * 20_000


async def test_a_stream_stands_still_at_a_gate_and_notices_that_it_was_left():
    signal = CancelSignal()
    async with Talk(reply("a", AtGate("here"), "b")) as talk:
        running = asyncio.create_task(run(talk.client, signal=signal))
        await talk.server.gates["here"].wait_reached()
        signal.set()
        assert (await running).stop_reason == StopReason.ABORTED
        while not talk.server.closed_early:
            await asyncio.sleep(0)


@pytest.mark.parametrize("script", [reply("a", cut()), reply("a", ends=False)])
async def test_a_stream_can_be_cut(script):
    async with Talk(script) as talk:
        with pytest.raises(StreamBrokenError):
            await talk.collect()


async def test_a_client_that_sends_an_invalid_history_is_refused_and_the_check_fails():
    async with Talk(reply("a")) as talk:
        with pytest.raises(RejectedError):
            await talk.collect(ModelRequest("", (UserMessage("x"), ToolMessage("nobody", "y"))))
        with pytest.raises(AssertionError, match="answers no open tool call"):
            talk.server.check()


async def test_arguments_that_were_no_object_come_back_as_one():
    """The real client mends them (DESIGN M8); the endpoint would refuse them otherwise."""
    history = (UserMessage("x"), AssistantMessage("", (ToolCall("c", "add", '{"a":'),)), ToolMessage("c", "not JSON"))
    async with Talk(reply("fine")) as talk:
        await talk.collect(ModelRequest("", history))
        talk.server.check()
