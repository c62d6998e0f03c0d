"""What every wire format does to a history before it is sent: make it valid for this provider (DESIGN M2, M8)."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from steersman.agent.messages import AssistantMessage, JsonValue, Message, ToolMessage
from steersman.models.call_pieces import unused_id
from steersman.models.json_values import as_object, mended, parse_json

_UNFIT_IN_NAME = re.compile(r"[^a-zA-Z0-9_-]")
MAX_NAME = 64


def sendable_arguments(arguments: str) -> str:
    """Return the arguments as written if they are a JSON object that every parser takes, else mended or ``{}``."""
    value = arguments_object(arguments)
    if value is None:
        return "{}"
    return arguments if value == parse_json(arguments) else json.dumps(value, ensure_ascii=False)


def arguments_object(arguments: str) -> dict[str, JsonValue] | None:
    """Return the arguments as an object without lone surrogates, or None when they are no JSON object."""
    try:
        value = parse_json(arguments)
    except ValueError:
        return None
    return as_object(mended(value)) if isinstance(value, dict) else None


def fit_name(name: str) -> str:
    """Return a tool name that every provider takes, also where the model wrote nonsense."""
    return _UNFIT_IN_NAME.sub("_", name)[:MAX_NAME] or "unnamed"


def fit_ids(messages: tuple[Message, ...], unfit: re.Pattern[str], max_length: int) -> tuple[Message, ...]:
    """Return the history with call ids that the provider takes, each used once.

    Args:
        messages: a valid history.
        unfit: matches one character that an id must not hold.
        max_length: of an id; nine at least.
    """
    taken: set[str] = set()
    renamed: dict[str, str] = {}
    fitted: list[Message] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            renamed = {call.id: _fit_id(call.id, unfit, max_length, taken) for call in message.tool_calls}
            calls = tuple(replace(call, id=renamed[call.id]) for call in message.tool_calls)
            fitted.append(replace(message, tool_calls=calls))
        elif isinstance(message, ToolMessage):
            fitted.append(replace(message, tool_call_id=renamed.get(message.tool_call_id, message.tool_call_id)))
        else:
            fitted.append(message)
    return tuple(fitted)


def _fit_id(call_id: str, unfit: re.Pattern[str], max_length: int, taken: set[str]) -> str:
    """Return an id that fits and is not taken, and take it."""
    filler = "" if unfit.search("_") else "_"
    fitted = unused_id(unfit.sub(filler, call_id)[-max_length:] or "call", taken, filler)
    number = len(taken)
    while len(fitted) > max_length or fitted in taken:
        number += 1
        fitted = f"call{number:05d}"
    taken.add(fitted)
    return fitted


def provider_data(message: AssistantMessage, provider: str) -> dict[str, JsonValue]:
    """Return what this provider wanted back with the message; what another one left is never sent."""
    data = message.provider_data
    return dict(data.data) if data is not None and data.provider == provider else {}


def own_data(message: AssistantMessage, provider: str, model: str) -> dict[str, JsonValue]:
    """Return ``provider_data`` if this very model wrote the message: one does not take another's signed reasoning."""
    same = message.model in {"", f"{provider}/{model}"}
    return provider_data(message, provider) if same else {}
