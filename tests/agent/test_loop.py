"""The loop's plain course: turns, outcomes the model can mend, failures, limits, steering (DESIGN L1 to L8)."""

import asyncio

import pytest

from steersman.agent.approval import Approved, Refused
from steersman.agent.errors import (
    ContentFilterError,
    ContextOverflowError,
    EmptyResponseError,
    InvalidRequestError,
    StorageError,
    StreamBrokenError,
    UnavailableError,
)
from steersman.agent.events import ContextTrimmed, StreamDiscarded, UsageReported, Warned
from steersman.agent.inbox import Inbox
from steersman.agent.limits import Limits
from steersman.agent.loop import CONTINUE_TEXT
from steersman.agent.messages import UserMessage
from steersman.agent.model import Usage
from steersman.agent.result import EXIT_CODES, StopReason
from steersman.agent.tool import ToolError, ToolResult
from steersman.agent.trace import collect_events
from steersman.models.scripted import AtGate, ScriptedClient, call, cut, reply
from support.fake_tools import FakeTool, adder, editing, failing, refusing
from support.memory_ledger import MemoryLedger
from support.running import check_closed, check_nesting, results, run, shape


async def test_a_plain_answer_is_one_turn_and_complete():
    result = await run(ScriptedClient(reply("Hello.")))
    assert (result.stop_reason, result.turns, result.answer) == (StopReason.COMPLETE, 1, "Hello.")
    assert shape(result.messages) == "user assistant"


async def test_calls_run_in_order_and_their_results_go_to_the_next_request():
    client = ScriptedClient(reply(call("add", {"a": 2, "b": 40}), call("add", {"a": 1, "b": 1})), reply("42 and 2"))
    result = await run(client, adder())
    assert results(client.requests[1].messages) == ["42", "2"]
    assert shape(result.messages) == "user assistant tool tool assistant"
    client.check()


async def test_what_a_tool_warns_of_is_told_to_the_person_whatever_the_model_says():
    warning = "A command made what is protected."
    tool = FakeTool(result=lambda _: ToolResult("done", warnings=(warning,)))
    client = ScriptedClient(reply(call("echo", {"text": "x"})), reply("All is well."))
    events = collect_events()
    result = await run(client, tool, on_event=events)
    assert [event.body for event in events.events if isinstance(event.body, Warned)] == [Warned("tool", warning)]
    assert results(result.messages) == ["done"]


async def test_the_history_holds_no_system_message_and_the_request_does():
    client = ScriptedClient(reply("ok"))
    result = await run(client)
    assert client.requests[0].system == "You are a test."
    assert "system" not in shape(result.messages)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        (call("nope", {}), "The tools are: add."),
        (call("add", '{"a": 2,'), "not valid JSON"),
        (call("add", "[1]"), "must be one JSON object"),
        (call("add", {"a": "two", "b": 1}), "a: Input should be a valid integer"),
        (call("add", {"a": 2}), "b: is missing"),
        (call("add", {"a": 1, "b": 2, "c": 3}), "c: there is no such field"),
        (call("add", '{"a": NaN, "b": 1}'), "NaN is not JSON"),
        (call("add", "[" * 100_000), "not valid JSON"),
    ],
)
async def test_what_the_model_can_mend_is_a_result_and_nobody_is_asked(wrong, says):
    asked = []

    async def hook(request):
        asked.append(request.call.name)
        return Approved()

    client = ScriptedClient(reply(wrong), reply(call("add", {"a": 2, "b": 40})), reply("42"))
    result = await run(client, adder(), before_tool_call=hook)
    assert says in results(result.messages)[0]
    assert result.messages[2].is_error
    assert asked == ["add"]
    assert result.answer == "42"


async def test_empty_arguments_count_as_an_empty_object():
    assert results((await run(ScriptedClient(reply(call("echo", "")), reply("ok")), FakeTool())).messages) == [""]


async def test_a_tools_own_error_and_a_refusal_go_back_to_the_model_which_recovers():
    async def hook(request):
        return Refused("not today") if request.call.name == "echo" else Approved()

    client = ScriptedClient(reply(call("picky"), call("echo")), reply("I see."))
    result = await run(client, refusing("no such file"), FakeTool(), before_tool_call=hook)
    assert results(result.messages) == ["no such file", "Refused: not today"]
    assert result.answer == "I see."


async def test_a_tool_that_throws_leaves_every_call_with_a_result_and_the_original_error_goes_up():
    secret, ledger, events = ValueError("sk-secret"), MemoryLedger(), collect_events()
    client = ScriptedClient(reply(call("add", {"a": 1, "b": 1}), call("crash"), call("add", {"a": 2, "b": 2})))
    with pytest.raises(ValueError, match="sk-secret") as raised:
        await run(client, adder(), failing(secret), session=ledger, on_event=events)
    assert raised.value is secret
    wanted = ["2", "tool execution failed", "not executed after an earlier failure"]
    assert results(MemoryLedger(ledger.messages).load()) == wanted
    assert "sk-secret" not in str(ledger.messages)
    assert events.events[-1].body.error_kind == "tool_crashed"
    check_closed(ledger.messages)
    check_nesting(events.events)


async def test_a_hook_that_throws_starts_nothing_and_leaves_every_call_with_a_result():
    tool, ledger, events = FakeTool(), MemoryLedger(), collect_events()

    async def hook(_request):
        raise LookupError("no window")

    with pytest.raises(LookupError):
        await run(
            ScriptedClient(reply(call("echo"), call("echo"))),
            tool,
            session=ledger,
            before_tool_call=hook,
            on_event=events,
        )
    assert tool.runs == 0
    assert results(ledger.messages) == ["tool execution failed", "not executed after an earlier failure"]
    assert events.events[-1].body.error_kind == "approval_failed"
    check_nesting(events.events)


async def test_an_empty_response_commits_nothing():
    ledger = MemoryLedger()
    with pytest.raises(EmptyResponseError):
        await run(ScriptedClient(reply()), session=ledger)
    assert shape(ledger.messages) == "user"


async def test_a_stream_without_end_mark_commits_nothing_even_with_a_whole_call():
    tool, ledger = FakeTool(), MemoryLedger()
    with pytest.raises(StreamBrokenError):
        await run(ScriptedClient(reply("I will", call("echo"), ends=False)), tool, session=ledger)
    assert tool.runs == 0
    assert shape(ledger.messages) == "user"


async def test_a_filtered_answer_is_an_error_and_not_committed():
    ledger = MemoryLedger()
    with pytest.raises(ContentFilterError):
        await run(ScriptedClient(reply("Half an ans", finish="content_filter")), session=ledger)
    assert shape(ledger.messages) == "user"


async def test_a_broken_stream_is_asked_again_only_where_the_limits_say_so():
    events = collect_events()
    client = ScriptedClient(reply("Half", cut()), reply("Whole."))
    result = await run(client, limits=Limits(stream_retries=1), on_event=events)
    assert result.answer == "Whole."
    assert any(isinstance(event.body, StreamDiscarded) for event in events.events)
    with pytest.raises(StreamBrokenError):
        await run(ScriptedClient(reply("Half", cut()), reply("Whole.")))


async def test_the_error_of_the_model_goes_up_unchanged_and_the_prompt_stays():
    ledger, error = MemoryLedger(), UnavailableError("overloaded")
    with pytest.raises(UnavailableError) as raised:
        await run(ScriptedClient(reply(error)), session=ledger)
    assert raised.value is error
    assert shape(ledger.messages) == "user"


async def test_max_turns_counts_this_runs_turns_only_and_stops_after_the_tool_ran():
    ledger, tool = MemoryLedger(), FakeTool()
    for _ in range(3):
        result = await run(ScriptedClient(reply(call("echo"))), tool, max_turns=1, session=ledger)
        assert (result.stop_reason, result.turns) == (StopReason.MAX_TURNS, 1)
    assert tool.runs == 3
    check_closed(ledger.messages)


async def test_a_reply_cut_by_the_output_limit_is_asked_to_go_on_twice_and_then_truncated():
    client = ScriptedClient(*(reply(f"part {n} ", finish="length") for n in range(3)))
    result = await run(client)
    assert result.stop_reason == StopReason.TRUNCATED
    assert shape(result.messages) == "user assistant user assistant user assistant"
    assert result.messages[2] == UserMessage(CONTINUE_TEXT, "host")
    assert result.answer == "part 0 part 1 part 2 "


async def test_a_call_in_a_cut_reply_never_runs_and_the_model_is_told():
    tool = FakeTool()
    client = ScriptedClient(reply(call("echo", '{"text": "hal'), finish="length"), reply("ok"))
    result = await run(client, tool)
    assert tool.runs == 0
    assert "cut off" in results(result.messages)[0]
    assert result.stop_reason == StopReason.COMPLETE


async def test_a_token_budget_lets_the_responses_calls_run_and_sends_no_further_request():
    tool = FakeTool()
    client = ScriptedClient(reply(call("echo"), usage=Usage(100, output_tokens=60)), reply("never"))
    result = await run(client, tool, limits=Limits(max_tokens=150))
    assert (result.stop_reason, tool.runs, len(client.requests)) == (StopReason.BUDGET, 1, 1)


async def test_a_cost_budget_stops_by_the_estimate_and_the_events_carry_it():
    events = collect_events()
    client = ScriptedClient(reply(call("echo"), usage=Usage(100, output_tokens=10)), reply("never"))
    limits = Limits(max_cost=1.0, cost_of=lambda usage: usage.total_tokens / 100)
    result = await run(client, FakeTool(), limits=limits, on_event=events)
    assert result.stop_reason == StopReason.BUDGET
    assert result.cost == pytest.approx(1.1)
    assert [e.body.cost for e in events.events if isinstance(e.body, UsageReported)] == [pytest.approx(1.1)]


async def test_usage_that_is_not_reported_is_estimated_and_marked():
    result = await run(ScriptedClient(reply("x" * 40)))
    assert result.usage.estimated
    assert result.usage.output_tokens == 10


async def test_steered_texts_join_after_all_results_each_as_a_message_of_its_own():
    inbox, client = Inbox(), ScriptedClient(reply(call("echo"), call("echo")), reply("done"))
    inbox.put("use tabs")
    inbox.put("and be quick")
    result = await run(client, FakeTool(), inbox=inbox)
    assert shape(result.messages) == "user assistant tool tool user user assistant"
    assert result.messages[4] == UserMessage("use tabs", "steered")


async def test_a_text_that_is_queued_when_the_model_stops_lets_the_run_go_on():
    inbox, client = Inbox(), ScriptedClient(reply("Done.", AtGate("end")), reply("Renamed."))
    task = asyncio.create_task(run(client, inbox=inbox))
    await client.gates["end"].wait_reached()
    inbox.put("rename it too")
    client.gates["end"].open()
    result = await task
    assert (result.answer, result.stop_reason) == ("Renamed.", StopReason.COMPLETE)


async def test_steered_texts_that_find_no_turn_come_back_as_undelivered_and_later_ones_are_not_taken():
    inbox = Inbox()
    inbox.put("too late")
    result = await run(ScriptedClient(reply(call("echo"))), FakeTool(), max_turns=1, inbox=inbox)
    assert result.undelivered == ("too late",)
    assert not inbox.put("later still")


async def test_an_approval_holds_where_the_text_only_moved_and_is_asked_again_where_it_changed():
    rounds = []

    async def hook(request):
        rounds.append(request.round)
        return Approved()

    moved = editing([("a\nx\n", "a\ny\n"), ("new\na\nx\n", "new\na\ny\n")])
    await run(ScriptedClient(reply(call("edit")), reply("ok")), moved, before_tool_call=hook)
    assert rounds == [1]
    rounds.clear()
    changed = editing([("x\n", "y\n"), ("z\n", "y\n")])
    await run(ScriptedClient(reply(call("edit")), reply("ok")), changed, before_tool_call=hook)
    assert rounds == [1, 2]


async def test_a_file_that_keeps_changing_is_given_back_after_three_questions():
    async def hook(_request):
        return Approved()

    tool = editing([(f"v{n}\n", "w\n") for n in range(9)])
    result = await run(ScriptedClient(reply(call("edit")), reply("ok")), tool, before_tool_call=hook)
    assert tool.runs == 0
    assert "kept changing" in results(result.messages)[0]


async def test_checkpoint_comes_before_the_marker_and_the_marker_before_the_result():
    ledger = MemoryLedger()
    await run(ScriptedClient(reply(call("edit")), reply("ok")), editing([("x\n", "y\n")]), session=ledger)
    assert [what for what, _ in ledger.log] == ["append", "append", "checkpoint", "start", "append", "append"]


@pytest.mark.parametrize(
    "where", ["load", "append user", "append assistant", "checkpoint", "mark_started", "append tool"]
)
async def test_a_store_that_fails_ends_the_run_with_storage_and_nothing_runs_unrecorded(where):
    def fail(what):
        if what == where:
            raise StorageError("disk full")

    tool, events = editing([("x\n", "y\n")]), collect_events()
    ledger = MemoryLedger(fail=fail)
    with pytest.raises(StorageError):
        await run(ScriptedClient(reply(call("edit")), reply("ok")), tool, session=ledger, on_event=events)
    assert tool.runs == (1 if where == "append tool" else 0)
    assert events.events[-1].body.error_kind == "storage"
    check_nesting(events.events)


async def test_overflow_before_any_output_is_trimmed_and_asked_again():
    events = collect_events()
    history = [UserMessage("old " * 500), *(await run(ScriptedClient(reply("yes " * 500)), user="x")).messages[1:]]
    client = ScriptedClient(reply(ContextOverflowError("too long")), reply("fits"))
    result = await run(client, session=MemoryLedger(history), on_event=events)
    assert result.answer == "fits"
    assert sum(len(m.content) for m in client.requests[1].messages) < 0.6 * 4100
    assert any(isinstance(event.body, ContextTrimmed) for event in events.events)
    assert len(result.messages) == 4


async def test_overflow_that_trimming_cannot_help_is_the_providers_own_error():
    error = ContextOverflowError("prompt has 9000 tokens, the window 8192")
    with pytest.raises(ContextOverflowError) as raised:
        await run(ScriptedClient(reply(error)))
    assert raised.value is error


async def test_ids_are_made_unique_within_a_message():
    client = ScriptedClient(reply(call("echo", call_id="same"), call("echo", call_id="same")), reply("ok"))
    result = await run(client, FakeTool())
    assert [c.id for c in result.messages[1].tool_calls] == ["same", "same_2"]
    check_closed(result.messages)


async def test_a_listener_that_raises_does_not_break_the_run():
    def listener(_event):
        raise RuntimeError("bad listener")

    assert (await run(ScriptedClient(reply("fine")), on_event=listener)).answer == "fine"


@pytest.mark.parametrize(("user", "turns"), [("", 5), (" \n", 5), ("hi", 0)])
async def test_nonsense_is_refused_before_anything_happens(user, turns):
    ledger = MemoryLedger()
    with pytest.raises(InvalidRequestError):
        await run(ScriptedClient(), user=user, max_turns=turns, session=ledger)
    assert ledger.log == []


async def test_two_tools_of_one_name_are_refused():
    with pytest.raises(InvalidRequestError, match="echo"):
        await run(ScriptedClient(), FakeTool(), FakeTool())


async def test_a_tool_error_while_running_is_an_error_result():
    def changed(_args):
        raise ToolError("the file changed meanwhile")

    result = await run(ScriptedClient(reply(call("echo")), reply("ok")), FakeTool(result=changed))
    assert results(result.messages) == ["the file changed meanwhile"]


async def test_a_result_from_prepare_answers_the_call_without_asking():
    asked = []

    async def hook(request):
        asked.append(request)
        return Approved()

    tool = FakeTool(plan=lambda _args, _count: ToolResult("cached"))
    result = await run(ScriptedClient(reply(call("echo")), reply("ok")), tool, before_tool_call=hook)
    assert results(result.messages) == ["cached"]
    assert (asked, tool.runs) == ([], 0)


def test_each_stop_reason_has_its_exit_code():
    expected = {
        "complete": 0,
        "max_turns": 2,
        "aborted": 130,
        "timeout": 124,
        "budget": 3,
        "no_progress": 4,
        "truncated": 5,
    }
    assert {reason.value: code for reason, code in EXIT_CODES.items()} == expected
    assert set(EXIT_CODES) == set(StopReason)
