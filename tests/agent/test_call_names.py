"""A call without a name, or with an absurd one, never makes a history that cannot be sent again (L6, L7)."""

from hypothesis import example, given
from hypothesis import strategies as st

from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.result import StopReason
from steersman.agent.stream import Response, with_fit_names
from steersman.agent.validity import check_history
from steersman.models.scripted import ScriptedClient, call, reply
from support.fake_tools import adder
from support.memory_ledger import MemoryLedger
from support.running import check_closed, results, run

ASK = UserMessage("x")


async def test_a_call_without_a_name_is_answered_and_the_run_goes_on():
    ledger = MemoryLedger()
    client = ScriptedClient(reply(call(""), call("add", {"a": 1, "b": 2})), reply("done"))
    result = await run(client, adder(), session=ledger)
    assert (result.stop_reason, result.answer) == (StopReason.COMPLETE, "done")
    assert "named no tool" in results(result.messages)[0]
    assert results(result.messages)[1] == "3"
    check_closed(result.messages)
    check_history(ledger.load())


async def test_a_session_that_holds_a_call_without_a_name_goes_on():
    old = [ASK, AssistantMessage("", (ToolCall("a", "", "{}"),)), ToolMessage("a", "no such tool", is_error=True)]
    client = ScriptedClient(reply("second answer"))
    result = await run(client, adder(), session=MemoryLedger(old))
    assert result.answer == "second answer"
    check_history(client.requests[0].messages)


async def test_a_name_of_a_million_characters_is_told_in_short():
    result = await run(ScriptedClient(reply(call("do_it" * 200_000)), reply("ok")), adder())
    said = results(result.messages)[0]
    assert "do_itdo_it" in said
    assert len(said) < 1000


@given(st.lists(st.text(max_size=300), min_size=1, max_size=5))
@example([" \n", "\u200b", "\ud800", "x\0y"])
def test_whatever_a_model_names_the_history_stays_valid(names: list[str]):
    response = Response(calls=[ToolCall("", name, "{}") for name in names])
    message = response.message("m")
    check_history([ASK, message, *(ToolMessage(each.id, "") for each in message.tool_calls)])
    assert all(each.name.isprintable() and len(each.name) <= 201 for each in message.tool_calls)
    assert with_fit_names(message) is message


@given(st.from_regex(r"[A-Za-z0-9_.:/ -]{0,99}[A-Za-z0-9]", fullmatch=True))
def test_a_name_that_can_be_read_stays_as_it_is(name: str):
    assert Response(calls=[ToolCall("a", name, "{}")]).message("m").tool_calls[0].name == name
