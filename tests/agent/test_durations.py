"""How long a call took: its tool's time, not the time a person thought about it (DESIGN L7)."""

from pydantic import BaseModel

from steersman.agent.approval import ApprovalRequest, Approved, Refused
from steersman.agent.events import Event, ToolResultCommitted
from steersman.agent.tool import ToolResult
from steersman.models.scripted import ScriptedClient, call, reply
from support.fake_clock import FakeClock
from support.fake_tools import FakeTool
from support.running import run


async def durations(*, thinks_s: float, decision: Approved | Refused) -> list[int]:
    """Run one call whose tool takes two seconds; return the durations that are told."""
    clock = FakeClock()

    async def think(_request: ApprovalRequest) -> Approved | Refused:
        clock.advance(thinks_s)
        return decision

    def work(_arguments: BaseModel) -> ToolResult:
        clock.advance(2)
        return ToolResult("done")

    tool = FakeTool(result=work)
    events: list[Event] = []
    client = ScriptedClient(reply(call("echo")), reply("Done."))
    await run(client, tool, clock=clock, before_tool_call=think, on_event=events.append)
    return [event.body.duration_ms for event in events if isinstance(event.body, ToolResultCommitted)]


async def test_the_person_s_thinking_is_no_part_of_it():
    assert await durations(thinks_s=90, decision=Approved("person", "allow_once")) == [2000]


async def test_a_call_whose_tool_never_began_took_no_time():
    assert await durations(thinks_s=90, decision=Refused("no", "person")) == [0]
