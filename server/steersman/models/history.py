"""What every wire format does to a history before it is sent: make it valid for this provider (DESIGN M2, M8)."""

from __future__ import annotations

import json
import re
from dataclasses import replace

from steersman.agent.messages import AssistantMessage, JsonValue, Message, ToolMessage
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


class IdFitter:
    """Gives the calls of a history ids that the provider takes, each used once.

    Args:
        unfit: matches one character that an id must not hold.
        max_length: of an id; nine at least.
    """

    def __init__(self, unfit: re.Pattern[str], max_length: int) -> None:
        self._unfit = unfit
        self._filler = "" if unfit.search("_") else "_"
        self._max_length = max_length
        self._taken: set[str] = set()
        self._numbers: dict[str, int] = {}
        self._renamed: dict[str, str] = {}

    def fit(self, message: Message) -> Message:
        """Return the next message of a valid history with its ids made to fit."""
        if isinstance(message, AssistantMessage):
            self._renamed = {call.id: self._fit_id(call.id) for call in message.tool_calls}
            if all(old == new for old, new in self._renamed.items()):
                return message
            calls = tuple(replace(call, id=self._renamed[call.id]) for call in message.tool_calls)
            return replace(message, tool_calls=calls)
        if isinstance(message, ToolMessage):
            call_id = self._renamed.get(message.tool_call_id, message.tool_call_id)
            return message if call_id == message.tool_call_id else replace(message, tool_call_id=call_id)
        return message

    def _fit_id(self, call_id: str) -> str:
        """Return an id that fits and is not taken, and take it."""
        wanted = self._unfit.sub(self._filler, call_id)[-self._max_length :] or "call"
        fitted = self._unused(wanted)
        number = len(self._taken)
        while len(fitted) > self._max_length or fitted in self._taken:
            number += 1
            fitted = f"call{number:05d}"
        self._taken.add(fitted)
        return fitted

    def _unused(self, wanted: str) -> str:
        """Return the id, with a number behind it if it is taken; some models call every call the same."""
        if wanted not in self._taken:
            return wanted
        number = self._numbers.get(wanted, 2)
        while f"{wanted}{self._filler}{number}" in self._taken:
            number += 1
        self._numbers[wanted] = number
        return f"{wanted}{self._filler}{number}"


def provider_data(message: AssistantMessage, provider: str) -> dict[str, JsonValue]:
    """Return what this provider wanted back with the message; what another one left is never sent."""
    data = message.provider_data
    return dict(data.data) if data is not None and data.provider == provider else {}


def own_data(message: AssistantMessage, provider: str, model: str) -> dict[str, JsonValue]:
    """Return ``provider_data`` if this very model wrote the message: one does not take another's signed reasoning."""
    same = message.model in {"", f"{provider}/{model}"}
    return provider_data(message, provider) if same else {}
