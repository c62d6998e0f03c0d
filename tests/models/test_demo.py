"""``demo/rules``, the rule-based model in process."""

import asyncio

import pytest

from steersman.agent.cancel import CancelSignal
from steersman.agent.errors import RejectedError
from steersman.agent.messages import AssistantMessage, ToolCall, UserMessage
from steersman.agent.model import CallPiece, Finish, ModelRequest, TextPiece
from steersman.agent.result import StopReason
from steersman.models.demo import NOT_CONFIGURED_NOTICE, DemoClient
from steersman.models.gates import EventGates
from steersman.rules import next_reply
from support.fake_tools import adder
from support.running import run
from support.specs import COURSE

REQUEST = ModelRequest("You are a test.", (UserMessage("add 2 and 40, then explain monads"),), COURSE)


async def collect(client, request):
    return [event async for event in client.stream(request)]


async def test_it_streams_what_the_rules_say_in_pieces():
    events = await collect(DemoClient(), REQUEST)
    reply = next_reply(REQUEST)
    texts = [event.text for event in events if isinstance(event, TextPiece)]
    assert len(texts) > 3
    assert "".join(texts) == reply.text
    assert [event.call for event in events if isinstance(event, CallPiece)] == list(reply.calls)
    assert events[-1] == Finish("tool_calls", reply.usage)


async def test_its_usage_is_not_estimated():
    finish = (await collect(DemoClient(), REQUEST))[-1]
    assert isinstance(finish, Finish)
    assert finish.usage is not None
    assert not finish.usage.estimated


async def test_an_invalid_history_is_rejected_as_a_provider_would():
    history = (UserMessage("x"), AssistantMessage("", (ToolCall("a", "add", "{}"),)))
    with pytest.raises(RejectedError, match="tool calls without a result: a"):
        await collect(DemoClient(), ModelRequest("", history))


async def test_the_pause_comes_before_each_piece():
    pauses = 0

    async def pause() -> None:
        nonlocal pauses
        pauses += 1

    events = await collect(DemoClient(pause=pause), REQUEST)
    assert pauses == len(events)


async def test_it_can_be_cancelled_in_mid_stream():
    gates, signal = EventGates(), CancelSignal()
    count = 0

    async def pause() -> None:
        nonlocal count
        count += 1
        if count == 3:
            await gates.go_through("third piece")

    running = asyncio.create_task(run(DemoClient(pause=pause), user="hello there, who are you?", signal=signal))
    await gates["third piece"].wait_reached()
    signal.set()
    result = await running
    assert (result.stop_reason, len(result.messages)) == (StopReason.ABORTED, 1)


@pytest.mark.parametrize(("variant", "name"), [("mock", "demo/rules"), ("mock-sloppy", "demo/mock-sloppy")])
def test_its_name_tells_what_it_is(variant, name):
    assert DemoClient(variant).model == name


async def test_the_notice_comes_with_the_first_answer():
    result = await run(DemoClient(notice=NOT_CONFIGURED_NOTICE), adder(), user="add 2 and 40")
    assert result.answer == f"add 2 and 40: 42\n\n{NOT_CONFIGURED_NOTICE}"
