"""The face's own share of ``initializationOptions`` and of the configuration section (PROTOCOL §1).

``null`` anywhere means the default, ``{"steersman": {…}}`` around it is taken off, and what is odd is a warning, never
an error: nobody's editor may fail to start over an option.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias, cast, get_args

from steersman.lsp.contracts import ClientOptions, JsonMapping

ShowAnswer: TypeAlias = Literal["auto", "message", "document", "none"]

_CLIENT_FIELDS = {
    "events": "events",
    "approvals": "approvals",
    "saveDocuments": "save_documents",
    "diagnostics": "diagnostics",
}


@dataclass(frozen=True, slots=True)
class FaceOptions:
    """What was read.

    Attributes:
        client: what the client declares beyond the LSP.
        show_answer: how a plain client gets the answer; None where it is not said.
        rest: everything else, for the settings.
        warnings: what was odd, one sentence each.
    """

    client: ClientOptions = field(default_factory=ClientOptions)
    show_answer: ShowAnswer | None = None
    rest: JsonMapping = field(default_factory=dict[str, Any])
    warnings: tuple[str, ...] = ()


def read_options(raw: object, *, source: str) -> FaceOptions:
    """Read options of any shape.

    Args:
        raw: the JSON as it came, or None.
        source: its name in warnings, such as ``initializationOptions``.
    """
    warnings: list[str] = []
    fields = _unwrap(raw, source, warnings)
    client = _read_client(fields.pop("client", None), source, warnings)
    show_answer = _read_show_answer(fields.pop("showAnswer", None), source, warnings)
    return FaceOptions(client, show_answer, fields, tuple(warnings))


def _unwrap(raw: object, source: str, warnings: list[str]) -> dict[str, Any]:
    fields = _object(raw, source, warnings)
    if "steersman" not in fields:
        return fields
    others = sorted(key for key in fields if key != "steersman")
    if others:
        warnings.append(f"{source}: {', '.join(others)} beside “steersman” ignored.")
    return _object(fields["steersman"], f"{source}.steersman", warnings)


def _read_client(raw: object, source: str, warnings: list[str]) -> ClientOptions:
    declared: dict[str, bool] = {}
    for name, value in _object(raw, f"{source}.client", warnings).items():
        if name not in _CLIENT_FIELDS:
            warnings.append(f"{source}: unknown field client.{name} ignored.")
        elif isinstance(value, bool):
            declared[_CLIENT_FIELDS[name]] = value
        elif value is not None:
            warnings.append(f"{source}: client.{name} is not true or false; ignored.")
    return ClientOptions(**declared)


def _read_show_answer(raw: object, source: str, warnings: list[str]) -> ShowAnswer | None:
    choices: tuple[ShowAnswer, ...] = get_args(ShowAnswer)
    for choice in choices:
        if raw == choice:
            return choice
    if raw is not None:
        warnings.append(f"{source}: showAnswer is none of {', '.join(choices)}; ignored.")
    return None


def _object(raw: object, source: str, warnings: list[str]) -> dict[str, Any]:
    if isinstance(raw, Mapping):
        return dict(cast("Mapping[str, Any]", raw))
    if raw is not None and raw != []:  # Lua and PHP write an empty object as []
        warnings.append(f"{source} is not an object; ignored.")
    return {}
