"""Whatever happens in a run, its ledger is whole (DESIGN L4, L6, L9): any mix of texts, calls, failures, refusals,
and a cancel at any await point."""

import asyncio

from hypothesis import given, settings
from hypothesis import strategies as st

from steersman.agent.approval import Approved, Refused
from steersman.agent.cancel import CancelSignal
from steersman.agent.errors import UnavailableError
from steersman.agent.inbox import Inbox
from steersman.agent.limits import Limits
from steersman.agent.loop import run_agent
from steersman.agent.messages import AssistantMessage, UserMessage
from steersman.agent.model import Usage
from steersman.agent.repeats import guard_repeats
from steersman.agent.trace import collect_events
from steersman.models.scripted import ScriptedClient, call, cut, reply
from support.fake_tools import FakeTool, adder, editing, failing, gated, refusing
from support.memory_ledger import MemoryLedger
from support.running import check_closed, check_nesting

pieces = st.one_of(
    st.sampled_from(["text ", "more "]),
    st.sampled_from(["add", "echo", "crash", "picky", "edit", "nope", "slow", "broken"]).map(
        lambda name: call("add", '{"a":') if name == "broken" else call(name, {"a": 1, "b": 2} if name == "add" else {})
    ),
)
replies = st.one_of(
    st.builds(
        lambda items, finish, tokens: reply(*items, finish=finish, usage=Usage(tokens)),
        st.lists(pieces, max_size=4),
        st.sampled_from([None, None, None, "length"]),
        st.integers(0, 100),
    ),
    st.builds(lambda items: reply(*items, cut()), st.lists(pieces, max_size=2)),
    st.builds(lambda items: reply(*items, ends=False), st.lists(pieces, max_size=2)),
    st.just(reply(UnavailableError("down"))),
)
decisions = st.lists(st.sampled_from(["yes", "yes", "yes", "no", "raise"]), max_size=8)


class Counting:
    """An event loop step counter: cancels the run at the n-th opportunity the loop gives it."""

    def __init__(self, steps: int | None, act) -> None:
        self._left = steps
        self._act = act

    async def count(self) -> None:
        while self._left is not None and self._left > 0:
            await asyncio.sleep(0)
            self._left -= 1
        if self._left is not None:
            self._act()


async def drive(script, answers, cancel_at, how, steer_at, guarded):
    ledger, events, signal, inbox = MemoryLedger(), collect_events(), CancelSignal(), Inbox()
    left = list(answers)
    slow = gated()
    slow.gates["tool"].open()

    async def hook(request):
        request.announce(())
        await asyncio.sleep(0)
        answer = left.pop(0) if left else "yes"
        if answer == "raise":
            raise LookupError("hook")
        return Approved() if answer == "yes" else Refused("no")

    tools = [adder(), FakeTool(), failing(ValueError("secret")), refusing("mend it"), editing([("x", "y")]), slow]
    client = ScriptedClient(*script)
    task = asyncio.ensure_future(
        run_agent(
            client=client,
            system="s",
            tools=guard_repeats(tools) if guarded else tools,
            user="go",
            max_turns=6,
            signal=signal,
            before_tool_call=hook,
            session=ledger,
            limits=Limits(max_tokens=400, stream_retries=1),
            on_event=events,
            inbox=inbox,
        )
    )
    act = (lambda: signal.set(force=how == "force")) if how != "task" else task.cancel
    watchers = [
        asyncio.ensure_future(Counting(cancel_at, act).count()),
        asyncio.ensure_future(Counting(steer_at, lambda: inbox.put("steered")).count()),
    ]
    await asyncio.wait({task})
    for watcher in watchers:
        watcher.cancel()
    result = None if task.cancelled() or task.exception() else task.result()
    return ledger, events, client, result


@settings(max_examples=400, deadline=None)
@given(
    st.lists(replies, max_size=7),
    decisions,
    st.none() | st.integers(0, 60),
    st.sampled_from(["signal", "force", "task"]),
    st.none() | st.integers(0, 40),
    st.booleans(),
)
def test_every_committed_call_has_one_result_nothing_tentative_is_stored_and_events_nest(
    script, answers, cancel_at, how, steer_at, guarded
):
    ledger, events, client, result = asyncio.run(drive(script, answers, cancel_at, how, steer_at, guarded))
    check_closed(ledger.messages)
    check_nesting(events.events)
    assert client.faults == [] or "no reply" in client.faults[0]
    committed = [event.body for event in events.events if type(event.body).__name__ == "AssistantMessageCommitted"]
    stored = [message for message in ledger.messages if isinstance(message, AssistantMessage)]
    assert [(m.content, m.tool_calls) for m in stored] == [(c.content, c.tool_calls) for c in committed]
    assert all(message.content or message.tool_calls for message in stored)
    assert "secret" not in str(ledger.messages)
    if result is not None:
        assert list(result.messages) == ledger.load()
        steered = [m for m in ledger.messages if isinstance(m, UserMessage) and m.origin == "steered"]
        assert len(steered) + len(result.undelivered) <= 1
