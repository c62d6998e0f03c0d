"""Joins the pieces of tool calls: by index, and by id where the index is missing, wrong or used twice (DESIGN M3).

What providers do: no index at all; index 0 for every call, told apart by id; an index that counts pieces instead of
calls; the same id for two calls; ids left empty; id and name repeated with every piece; the whole call once more at
the end; arguments as a JSON object instead of text. This module must never invent a call: a piece that fits nowhere
belongs to the call before it.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field

from steersman.agent.messages import JsonValue, ToolCall
from steersman.models.json_values import SurrogateJoiner, as_object, as_text, mend_surrogates, parse_json


def is_json_object(text: str) -> bool:
    """Whether the text is one JSON object and nothing else."""
    if not text.rstrip().endswith("}"):
        return False
    try:
        return isinstance(parse_json(text), dict)
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class CallPart:
    """One piece of a call as it came; "" and None where the provider said nothing."""

    index: int | None
    id: str
    name: str
    arguments: str


@dataclass(slots=True)
class OpenCall:
    """A call whose pieces are still coming; ``given``: its arguments, should no pieces of them come."""

    index: int | None
    id: str
    name: str
    pieces: list[str] = field(default_factory=list[str])
    joiner: SurrogateJoiner = field(default_factory=SurrogateJoiner)
    extra: dict[str, JsonValue] = field(default_factory=dict[str, JsonValue])
    given: Mapping[str, JsonValue] | None = None

    @property
    def arguments(self) -> str:
        """All pieces so far."""
        return "".join(self.pieces)

    def extend(self, arguments: str) -> None:
        """Add a piece of the arguments."""
        self.pieces.append(self.joiner.feed(arguments))

    def complete(self, arguments: str) -> None:
        """Take the whole arguments, as they are told once more at the end."""
        if arguments.strip():
            self.pieces, self.joiner = [mend_surrogates(arguments)], SurrogateJoiner()

    def is_blank(self) -> bool:
        """Whether there are no arguments yet."""
        return not any(piece.strip() for piece in self.pieces)

    def is_whole(self) -> bool:
        """Whether the arguments are a JSON object already; nothing can continue that."""
        last = next((piece for piece in reversed(self.pieces) if piece.strip()), "")
        return last.rstrip().endswith("}") and is_json_object(self.arguments)

    def is_followed_by(self, part: CallPart) -> bool:
        """Whether the piece begins another call although it names this one's place."""
        return bool(part.name) and (self.is_whole() or (self.is_blank() and self.name not in {"", part.name}))

    def is_repeated_by(self, part: CallPart) -> bool:
        """Whether the piece says the whole call once more."""
        return part.arguments.lstrip().startswith("{") and self.arguments == part.arguments and self.is_whole()


class CallJoiner:
    """Collects pieces in the order they come; the calls keep the order in which they began."""

    def __init__(self) -> None:
        self._calls: list[OpenCall] = []

    def __bool__(self) -> bool:
        return bool(self._calls)

    def add_delta(self, entry: JsonValue) -> None:
        """Take one entry of a ``tool_calls`` delta in the form of Chat Completions."""
        item = as_object(entry)
        function = as_object(item.get("function"))
        index = item.get("index")
        part = CallPart(
            index if isinstance(index, int) and not isinstance(index, bool) else None,
            as_text(item.get("id")),
            as_text(function.get("name")),
            _arguments_text(function.get("arguments")),
        )
        call = self.add(part)
        extra = as_object(item.get("extra_content"))
        if call is not None and extra:
            call.extra.update(extra)

    def begin(self, call: OpenCall) -> OpenCall:
        """Begin a call where the provider says so; later pieces go to it by ``extend``."""
        self._calls.append(call)
        return call

    def add(self, part: CallPart) -> OpenCall | None:
        """Take one piece; return the call it went to."""
        if not (part.id or part.name or part.arguments):
            return None
        call = self._continued_by(part)
        if call is None:
            call = OpenCall(part.index, part.id, part.name)
            self._calls.append(call)
        elif part.id and part.id == call.id and call.is_repeated_by(part):
            return call
        call.id = call.id or part.id
        call.name = call.name or part.name
        call.extend(part.arguments)
        return call

    def _continued_by(self, part: CallPart) -> OpenCall | None:
        """Return the call that the piece continues, or None when it begins a new one."""
        if not self._calls:
            return None
        at_index = self._last_with(index=part.index)
        if part.id:
            with_id = self._last_with(call_id=part.id)
            if with_id is not None:
                again = with_id is not at_index and not with_id.is_repeated_by(part) and with_id.is_followed_by(part)
                return None if again else with_id
            unnamed = at_index if part.index is not None else self._calls[-1]
            return None if unnamed is None or unnamed.id or unnamed.is_followed_by(part) else unnamed
        if at_index is not None:
            return None if at_index.is_followed_by(part) else at_index
        last = self._calls[-1]
        if part.name and (part.index is not None or last.is_followed_by(part)):
            return None
        return last

    def _last_with(self, *, index: int | None = None, call_id: str | None = None) -> OpenCall | None:
        for call in reversed(self._calls):
            if (index is not None and call.index == index) or (call_id is not None and call.id == call_id):
                return call
        return None

    def are_whole(self) -> bool:
        """Whether every call's arguments are a JSON object, or empty."""
        return all(call.is_blank() or call.is_whole() for call in self._calls)

    def calls(self) -> tuple[ToolCall, ...]:
        """Return the calls, each with an id of its own; empty arguments become ``{}``."""
        made: list[ToolCall] = []
        taken: set[str] = set()
        for call in self._calls:
            call.pieces.append(call.joiner.flush())
            call.id = unused_id(mend_surrogates(call.id) or f"call_{len(made) + 1}", taken)
            taken.add(call.id)
            arguments = json.dumps(call.given, ensure_ascii=False) if call.given and call.is_blank() else call.arguments
            made.append(ToolCall(call.id, mend_surrogates(call.name), arguments if arguments.strip() else "{}"))
        return tuple(made)

    def extras(self) -> list[JsonValue]:
        """Return what came beside each call (``extra_content``), for the provider that wants it back."""
        return [dict(call.extra) for call in self._calls]


def unused_id(wanted: str, taken: set[str]) -> str:
    """Return the id, with a number behind it if it is taken."""
    if wanted not in taken:
        return wanted
    number = 2
    while f"{wanted}_{number}" in taken:
        number += 1
    return f"{wanted}_{number}"


def _arguments_text(value: JsonValue) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False)
