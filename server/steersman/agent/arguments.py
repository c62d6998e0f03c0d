"""From the text a model wrote to a tool's checked arguments, or words that help it mend them (DESIGN L7)."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING

from steersman.agent.messages import JsonValue, ToolCall
from steersman.agent.tool import Tool, ToolError

if TYPE_CHECKING:
    from pydantic import BaseModel, ValidationError

_MAX_PROBLEMS = 8
UNNAMED = "unknown_tool"
"""Stands for the name of a call that came without one; no tool is named so."""


def parse_arguments(call: ToolCall, tool: Tool) -> BaseModel:
    """Return the call's arguments as an instance of ``tool.parameters``.

    An empty text counts as ``{}`` (M3). JSON is read strictly, except for control characters inside strings.

    Raises:
        ToolError: not JSON, not an object, or not fitting; says which field and what was wanted.
    """
    text = call.arguments.strip() or "{}"
    try:
        data: JsonValue = json.loads(text, strict=False, parse_constant=_no_constant)
    except (ValueError, RecursionError) as error:
        where = f" at character {error.pos}" if isinstance(error, json.JSONDecodeError) else ""
        reason = error.msg if isinstance(error, json.JSONDecodeError) else str(error) or "nested too deeply"
        raise ToolError(
            f"The arguments of {call.name} are not valid JSON{where} ({reason}). "
            f"Send one JSON object with {_fields(tool)}."
        ) from None
    if not isinstance(data, dict):
        raise ToolError(f"The arguments of {call.name} must be one JSON object with {_fields(tool)}.")
    from pydantic import ValidationError  # noqa: PLC0415 - slow to load, and not needed before the first call

    try:
        return tool.parameters.model_validate(data)
    except ValidationError as error:
        problems = _problems(error)
        raise ToolError(
            f"The arguments of {call.name} do not fit: {'; '.join(problems)}. It takes {_fields(tool)}."
        ) from None


def unknown_tool(name: str, tools: Sequence[Tool]) -> ToolError:
    """Return the error for a tool that there is not; it lists those there are."""
    known = ", ".join(sorted(tool.name for tool in tools)) or "none"
    if name == UNNAMED:
        return ToolError(f"The call named no tool (it is kept as {UNNAMED!r}). The tools are: {known}.")
    return ToolError(f"There is no tool named {name!r}. The tools are: {known}.")


def _no_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is not JSON")


def _problems(error: ValidationError) -> list[str]:
    found: list[str] = []
    for problem in error.errors(include_url=False, include_input=False, include_context=False)[:_MAX_PROBLEMS]:
        field = ".".join(str(part) for part in problem["loc"]) or "arguments"
        if problem["type"] == "extra_forbidden":
            found.append(f"{field}: there is no such field")
        elif problem["type"] == "missing":
            found.append(f"{field}: is missing")
        else:
            found.append(f"{field}: {problem['msg']}")
    return found


def _fields(tool: Tool) -> str:
    fields = tool.parameters.model_fields
    if not fields:
        return "no fields"
    return ", ".join(name if field.is_required() else f"{name} (optional)" for name, field in fields.items())
