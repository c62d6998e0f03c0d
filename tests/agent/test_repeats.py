"""Going in circles is refused before anyone is asked, and ends the run (DESIGN L11)."""

import pytest

from steersman.agent.approval import Approved
from steersman.agent.repeats import guard_repeats
from steersman.agent.result import StopReason
from steersman.models.scripted import ScriptedClient, call, reply
from support.fake_tools import EDIT, FakeTool, editing
from support.running import results, run


async def test_the_third_identical_call_is_refused_without_asking():
    asked = []

    async def hook(request):
        asked.append(request.call.id)
        return Approved()

    tool = FakeTool()
    client = ScriptedClient(*(reply(call("echo", {"text": "x"})) for _ in range(3)), reply("giving up"))
    result = await run(client, *guard_repeats([tool]), before_tool_call=hook)
    assert (tool.runs, len(asked)) == (2, 2)
    assert "try something different or answer now" in results(result.messages)[2].lower()
    assert result.turns == 4


async def test_arguments_are_compared_in_canonical_form():
    tool = FakeTool()
    texts = ['{"text": "x"}', '{ "text":"x" }', '{"text": "\\u0078"}']
    client = ScriptedClient(*(reply(call("echo", text)) for text in texts), reply("ok"))
    await run(client, *guard_repeats([tool]))
    assert tool.runs == 2


async def test_three_turns_of_nothing_but_refused_repeats_end_the_run():
    client = ScriptedClient(*(reply(call("echo", {"text": "x"})) for _ in range(9)))
    result = await run(client, *guard_repeats([FakeTool()]))
    assert (result.stop_reason, result.turns) == (StopReason.NO_PROGRESS, 5)


async def test_another_call_with_effects_that_succeeded_resets_the_count():
    look, change = FakeTool(), FakeTool("change", effects=EDIT)
    script = ["echo", "echo", "change", "echo", "echo", "echo"]
    client = ScriptedClient(*(reply(call(name)) for name in script), reply("ok"))
    await run(client, *guard_repeats([look, change]))
    assert look.runs == 4


async def test_the_same_call_with_effects_does_not_reset_itself():
    change = FakeTool("change", effects=EDIT)
    client = ScriptedClient(*(reply(call("change")) for _ in range(4)), reply("ok"))
    await run(client, *guard_repeats([change]))
    assert change.runs == 2


async def test_a_change_of_the_persons_documents_resets_the_count():
    epoch, tool = iter([0, 0, 0, 1, 1]), FakeTool()
    client = ScriptedClient(*(reply(call("echo")) for _ in range(4)), reply("ok"))
    await run(client, *guard_repeats([tool], epoch=lambda: next(epoch)))
    assert tool.runs == 4


async def test_working_a_plan_out_anew_does_not_count_as_a_repeat():
    async def hook(_request):
        return Approved()

    tool = editing([("x\n", "y\n")])
    client = ScriptedClient(reply(call("edit")), reply(call("edit")), reply("ok"))
    await run(client, *guard_repeats([tool]), before_tool_call=hook)
    assert tool.runs == 2


async def test_exempt_tools_repeat_freely():
    tool = FakeTool()
    client = ScriptedClient(*(reply(call("echo")) for _ in range(5)), reply("ok"))
    await run(client, *guard_repeats([tool], exempt=["echo"]))
    assert tool.runs == 5


def test_a_limit_below_one_is_refused():
    with pytest.raises(ValueError, match="at least 1"):
        guard_repeats([], 0)
