"""Calling a tool as the loop does: prepare, then run what was planned."""

from __future__ import annotations

from steersman.agent.cancel import CancelSignal
from steersman.agent.tool import Plan, Tool, ToolError, ToolResult


async def plan_call(tool: Tool, **arguments: object) -> Plan:
    """Return the plan of a call.

    Raises:
        ToolError: the tool's own refusal.
    """
    plan = await tool.prepare(tool.parameters.model_validate(arguments))
    assert isinstance(plan, Plan)
    return plan


async def call(tool: Tool, **arguments: object) -> ToolResult:
    """Prepare and run a call, with nobody asked between.

    Raises:
        ToolError: the tool's own refusal.
    """
    plan = await plan_call(tool, **arguments)
    return await tool.run(plan, CancelSignal(), lambda _: None)


async def refusal(tool: Tool, **arguments: object) -> str:
    """Return the words with which the tool refuses the call; an error when it does not."""
    try:
        await call(tool, **arguments)
    except ToolError as error:
        return str(error)
    raise AssertionError("the call was not refused")
