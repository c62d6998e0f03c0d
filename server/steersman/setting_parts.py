"""What one source of settings may say, and what is wrong with what it says (PROTOCOL §7).

Apart from ``settings``, because it brings pydantic: where nothing is said, nothing is checked and this is not loaded.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.alias_generators import to_camel

from steersman.permissions.modes import Mode
from steersman.permissions.tool_names import unknown_tool
from steersman.setting_words import Durability, ShowAnswer, rule_place, setting_place, setting_problem


class _Part(BaseModel):
    model_config = ConfigDict(
        alias_generator=to_camel,
        populate_by_name=True,
        extra="forbid",
        protected_namespaces=(),
        defer_build=True,  # most sources say nothing, and what checks them is made for those that do
    )


class LimitsPart(_Part):
    """``limits``: what one run may cost."""

    max_tokens: Annotated[int, Field(gt=0)] | None = None
    max_cost: Annotated[float, Field(gt=0)] | None = None
    deadline_seconds: Annotated[float, Field(gt=0)] | None = None


class ClientPart(_Part):
    """``client``: what a richer client can do."""

    events: bool = False
    approvals: bool = False
    save_documents: bool = False
    diagnostics: bool = False


class PermissionPart(_Part):
    """One of ``permissions``: a rule of the user's own (A5); ``match`` is a path glob or a command pattern."""

    tool: str
    match: str = "*"
    action: Literal["allow", "ask", "deny"]


ASK_EVERYTHING = PermissionPart.model_construct(tool="*", match="*", action="ask")
"""Holds while the user's own rules cannot be read: one of them may have been one that denies."""


class SettingsPart(_Part):
    """What one source says; None where it says nothing. ``providers`` is checked by the models' own code."""

    model: str | None = None
    mode: Mode | None = None
    max_turns: Annotated[int, Field(gt=0)] | None = None
    max_output_tokens: Annotated[int, Field(gt=0)] | None = None
    limits: LimitsPart | None = None
    context_max_chars: Annotated[int, Field(gt=0)] | None = None
    providers: dict[str, dict[str, Any]] | None = None
    permissions: list[PermissionPart] | None = None
    show_answer: ShowAnswer | None = None
    client: ClientPart | None = None
    durability: Durability | None = None
    sandbox_network: bool | None = None


def wire_name(name: str) -> str:
    """Return a setting's name in camelCase."""
    return to_camel(name)


def check_part(name: str, said: Mapping[str, Any]) -> tuple[SettingsPart, list[str]]:
    """Check what a source says; see ``settings.parse_part``.

    Returns:
        The part and the warnings, each naming the source and the setting.
    """
    cleaned = {to_camel(key): value for key, value in said.items()}
    warnings: list[str] = []
    doubtful_rules = False
    places = [*range(len(cleaned.get("permissions") or ()))] if isinstance(cleaned.get("permissions"), list) else []
    while True:
        try:
            part = SettingsPart.model_validate(cleaned)
        except ValidationError as error:
            problem = error.errors(include_url=False)[0]
            loc, what = problem["loc"], setting_problem(problem)
            if loc[0] == "permissions":
                doubtful_rules = True
                named = (loc[0], places.pop(int(loc[1])), *loc[2:]) if len(loc) > 1 else loc
                warnings.append(f"{name}: {setting_place(named)} {what}; until it is mended, everything asks.")
                loc = loc[:2]
            elif loc == ("mode",):
                warnings.append(f"{name}: {setting_place(loc)} {what}; until it is mended, everything asks.")
                cleaned["mode"] = "ask"  # a laxer source must not speak for what may have been meant to be stricter
                continue
            else:
                warnings.append(f"{name}: {setting_place(loc)} {what}; it is ignored.")
            _drop(cleaned, loc)
        else:
            unknown = _unknown_tools(name, [*zip(places, part.permissions or (), strict=True)])
            if doubtful_rules or unknown:
                part.permissions = [*(part.permissions or []), ASK_EVERYTHING]
            return part, [*warnings, *unknown]


def _unknown_tools(name: str, rules: Sequence[tuple[int, PermissionPart]]) -> list[str]:
    """Return a warning for each rule of a tool that there is not; each comes with its place in the source."""
    problems = [(place, unknown_tool(rule.tool)) for place, rule in rules]
    return [
        f"{name}: {rule_place(place)}: {problem} Until it is mended, everything asks."
        for place, problem in problems
        if problem is not None
    ]


def _drop(values: dict[str, Any], loc: Sequence[int | str]) -> None:
    """Take out the innermost value that an error's location names."""
    owner: Any = values
    key: int | str = loc[0]
    for step in loc[1:]:
        inner = owner[key]
        if not isinstance(inner, dict | list) or (isinstance(inner, dict) and step not in inner):
            break
        owner, key = inner, step  # pyright: ignore[reportUnknownVariableType] -- JSON
    del owner[key]
