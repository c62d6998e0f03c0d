"""Stopping: four checkpoints, woken waits, and what a tool did stays (DESIGN L5)."""

import asyncio

import pytest

from steersman.agent.approval import Approved
from steersman.agent.cancel import CancelSignal
from steersman.agent.events import StreamDiscarded, Warned
from steersman.agent.limits import Limits
from steersman.agent.messages import AssistantMessage, ToolMessage, UserMessage
from steersman.agent.result import StopReason
from steersman.agent.trace import collect_events
from steersman.models.scripted import AtGate, ScriptedClient, call, reply
from support.fake_clock import FakeClock
from support.fake_tools import FakeTool, gated
from support.memory_ledger import MemoryLedger
from support.running import check_closed, check_nesting, results, run, shape


async def test_cancelled_before_the_start_leaves_the_session_untouched_and_returns_its_history():
    history = [UserMessage("earlier"), AssistantMessage("yes")]
    ledger = MemoryLedger(history)
    signal = CancelSignal()
    signal.set()
    result = await run(ScriptedClient(), session=ledger, signal=signal)
    assert result.stop_reason == StopReason.ABORTED
    assert list(result.messages) == history
    assert ledger.log == []
    assert result.turns == 0


async def test_a_cancel_during_the_stream_wakes_it_at_once_and_commits_no_assistant_message():
    client = ScriptedClient(reply("Let me ", AtGate("in-stream"), "look."))
    signal, ledger, events = CancelSignal(), MemoryLedger(), collect_events()
    task = asyncio.create_task(run(client, session=ledger, signal=signal, on_event=events))
    await client.gates["in-stream"].wait_reached()
    signal.set()
    result = await task
    assert result.stop_reason == StopReason.ABORTED
    assert shape(ledger.messages) == "user"
    assert client.closed_early == 1
    assert [e.body for e in events.events if isinstance(e.body, StreamDiscarded)] == [StreamDiscarded("cancelled")]
    check_nesting(events.events)


async def test_a_cancel_that_races_the_end_of_the_stream_commits_no_assistant_message():
    signal, ledger = CancelSignal(), MemoryLedger()

    class SetsAtTheEnd(ScriptedClient):
        async def stream(self, request):
            async for event in super().stream(request):
                yield event
            signal.set()

    result = await run(SetsAtTheEnd(reply("All done.")), session=ledger, signal=signal)
    assert result.stop_reason == StopReason.ABORTED
    assert shape(ledger.messages) == "user"
    assert result.answer == ""


async def test_a_failure_of_the_stream_after_the_cancel_is_an_abort_not_a_failure():
    signal = CancelSignal()

    class FailsOnCancel(ScriptedClient):
        async def stream(self, request):
            try:
                async for event in super().stream(request):
                    yield event
            except asyncio.CancelledError:
                raise OSError("connection reset") from None

    client = FailsOnCancel(reply(AtGate("in-stream")))
    task = asyncio.create_task(run(client, signal=signal))
    await client.gates["in-stream"].wait_reached()
    signal.set()
    assert (await task).stop_reason == StopReason.ABORTED


async def test_a_cancel_while_the_question_is_open_starts_no_tool():
    tool, signal, asked, ledger = FakeTool(), CancelSignal(), asyncio.Event(), MemoryLedger()
    withdrawn = []

    async def hook(request):
        request.announce(())
        asked.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            withdrawn.append(request.call.id)
            raise

    client = ScriptedClient(reply(call("echo")))
    task = asyncio.create_task(run(client, tool, signal=signal, before_tool_call=hook, session=ledger))
    await asked.wait()
    signal.set()
    result = await task
    assert result.stop_reason == StopReason.ABORTED
    assert tool.runs == 0
    assert withdrawn == ["call_1"]
    assert results(ledger.messages) == ["aborted before execution"]


async def test_an_approval_that_arrives_together_with_the_cancel_starts_no_tool():
    tool, signal = FakeTool(), CancelSignal()

    async def hook(_request):
        signal.set()
        return Approved()

    result = await run(ScriptedClient(reply(call("echo"))), tool, signal=signal, before_tool_call=hook)
    assert tool.runs == 0
    assert results(result.messages) == ["aborted before execution"]


async def test_a_hook_that_raises_after_the_cancel_is_closed_as_aborted():
    signal = CancelSignal()

    async def hook(_request):
        signal.set()
        raise RuntimeError("late")

    result = await run(ScriptedClient(reply(call("echo"))), FakeTool(), signal=signal, before_tool_call=hook)
    assert result.stop_reason == StopReason.ABORTED
    assert results(result.messages) == ["aborted before execution"]


async def test_a_cancel_during_a_tool_keeps_its_real_result_and_the_rest_is_aborted_before_execution():
    tool, signal, ledger, events = gated(), CancelSignal(), MemoryLedger(), collect_events()
    client = ScriptedClient(reply(call("slow"), call("slow"), call("slow")))
    task = asyncio.create_task(run(client, tool, signal=signal, session=ledger, on_event=events))
    await tool.gates["tool"].wait_reached()
    signal.set()
    result = await task
    assert result.stop_reason == StopReason.ABORTED
    assert results(ledger.messages) == ["stopped half-way", "aborted before execution", "aborted before execution"]
    assert tool.runs == 1
    check_closed(result.messages)
    check_nesting(events.events)


async def test_a_tool_that_raises_after_the_cancel_is_interrupted_with_unknown_outcome():
    signal = CancelSignal()

    async def crash(_args):
        signal.set()
        raise OSError("gone")

    result = await run(ScriptedClient(reply(call("echo"))), FakeTool(result=crash), signal=signal)
    assert result.stop_reason == StopReason.ABORTED
    assert results(result.messages) == ["interrupted: outcome unknown"]


async def test_cancelling_the_callers_task_waits_for_the_tool_closes_the_ledger_and_goes_up():
    tool, ledger = gated(), MemoryLedger()
    client = ScriptedClient(reply(call("slow"), call("slow")))
    task = asyncio.create_task(run(client, tool, session=ledger))
    await tool.gates["tool"].wait_reached()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert results(ledger.messages) == ["stopped half-way", "aborted before execution"]


async def test_a_tool_that_ignores_the_signal_is_waited_for_and_named_after_ten_seconds():
    tool, signal, clock, events = gated(obeys=False), CancelSignal(), FakeClock(), collect_events()
    task = asyncio.create_task(
        run(ScriptedClient(reply(call("slow"))), tool, signal=signal, clock=clock, on_event=events)
    )
    await tool.gates["tool"].wait_reached()
    signal.set()
    await asyncio.sleep(0)
    assert not task.done()
    clock.advance(9.9)
    assert not any(isinstance(event.body, Warned) for event in events.events)
    clock.advance(0.2)
    assert [event.body.kind for event in events.events if isinstance(event.body, Warned)] == ["tool_ignores_cancel"]
    tool.gates["tool"].open()
    assert results((await task).messages) == ["finished late"]


async def test_force_closes_a_tool_that_ignores_the_signal_as_unknown_and_hands_it_over():
    tool, signal, stragglers = gated(obeys=False), CancelSignal(), set()
    client = ScriptedClient(reply(call("slow"), call("slow")))
    task = asyncio.create_task(run(client, tool, signal=signal, stragglers=stragglers))
    await tool.gates["tool"].wait_reached()
    signal.set(force=True)
    result = await task
    assert results(result.messages) == ["interrupted: outcome unknown", "aborted before execution"]
    assert len(stragglers) == 1
    tool.gates["tool"].open()
    await asyncio.wait(set(stragglers))
    await asyncio.sleep(0)
    assert stragglers == set()


async def test_the_deadline_ends_the_run_with_timeout_at_the_same_checkpoints():
    clock = FakeClock()
    client = ScriptedClient(reply(AtGate("in-stream"), "late"))
    task = asyncio.create_task(run(client, clock=clock, limits=Limits(deadline_s=0.5)))
    await client.gates["in-stream"].wait_reached()
    clock.advance(0.6)
    result = await task
    assert result.stop_reason == StopReason.TIMEOUT
    assert shape(result.messages) == "user"


async def test_the_deadline_stands_still_while_a_question_is_open():
    clock, asked, answer = FakeClock(), asyncio.Event(), asyncio.Event()

    async def hook(request):
        request.announce(())
        asked.set()
        await answer.wait()
        return Approved()

    client = ScriptedClient(reply(call("echo")), reply("done"))
    task = asyncio.create_task(
        run(client, FakeTool(), clock=clock, limits=Limits(deadline_s=10), before_tool_call=hook)
    )
    await asked.wait()
    clock.advance(1000)
    answer.set()
    assert (await task).stop_reason == StopReason.COMPLETE


async def test_a_cancel_while_waiting_to_retry_wakes_at_once():
    from steersman.agent.model import Waiting

    signal = CancelSignal()
    client = ScriptedClient(reply(Waiting("rate limited", 60, 1), AtGate("waiting"), "late"))
    task = asyncio.create_task(run(client, signal=signal))
    await client.gates["waiting"].wait_reached()
    signal.set()
    assert (await task).stop_reason == StopReason.ABORTED


async def test_what_is_cancelled_from_within_is_a_failure_not_an_abort():
    async def hook(_request):
        raise asyncio.CancelledError

    with pytest.raises(RuntimeError, match="cancelled from within"):
        await run(ScriptedClient(reply(call("echo"))), FakeTool(), before_tool_call=hook)


async def test_a_result_of_a_tool_is_a_tool_message_of_its_call():
    result = await run(ScriptedClient(reply(call("echo", {"text": "hi"})), reply("ok")), FakeTool())
    assert result.messages[2] == ToolMessage("call_1", "hi")
