"""The order of a reply's parts, where a provider wants its own parts back between text and calls (DESIGN M2).

A message keeps its text in one piece and its calls in a list; the provider's parts (reasoning items, signed thinking)
must come back exactly where they stood. The layout is kept in the message's provider data as JSON:
``{"text": length}``, ``{"call": number}``, or the part itself, which always has a ``type``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from steersman.agent.messages import AssistantMessage, JsonValue, ToolCall
from steersman.models.json_values import as_list, as_object, mended

_KEY = "layout"


@dataclass(frozen=True, slots=True)
class TextPart:
    """A stretch of the message's text, and what the provider said about it."""

    text: str
    phase: str = ""


class LayoutRecorder:
    """Notes the order while a reply is read."""

    def __init__(self) -> None:
        self._parts: list[tuple[int, dict[str, JsonValue]]] = []  # with the place the provider gave it
        self._opaque = False

    def add_text(self, length: int, place: int = 0, phase: str = "") -> None:
        """Note so many characters of text."""
        last = self._parts[-1][1] if self._parts else {}
        so_far = last.get("text")
        if isinstance(so_far, int) and last.get("phase", "") == phase:
            last["text"] = so_far + length
        elif length:
            self._parts.append((place, {"text": length, "phase": phase} if phase else {"text": length}))

    def add_call(self, number: int, place: int = 0) -> None:
        """Note the message's call of this number, from 0."""
        self._parts.append((place, {"call": number}))

    def add_opaque(self, part: dict[str, JsonValue], place: int = 0) -> None:
        """Keep a part that the provider wants back as it is; it has a ``type``. It may come after what it precedes."""
        behind = next((at for at, (other, _) in enumerate(self._parts) if other > place), len(self._parts))
        self._parts.insert(behind, (place, as_object(mended(part))))
        self._opaque = True

    def data(self) -> dict[str, JsonValue]:
        """Return the provider data to keep; empty when the order says nothing that the message does not say."""
        return {_KEY: [dict(part) for _, part in self._parts]} if self._opaque else {}


def arranged(
    message: AssistantMessage, data: dict[str, JsonValue]
) -> Iterator[TextPart | ToolCall | dict[str, JsonValue]]:
    """Yield the message's parts in the order in which the provider sent them.

    Without a layout, or with one that does not fit the message: its text, then its calls. Blank text is left out (M8).
    """
    kept = [as_object(part) for part in as_list(data.get(_KEY))]
    layout = kept if _fits(message, kept) else _plain(message)
    at = 0
    for part in layout:
        length, number = part.get("text"), part.get("call")
        if isinstance(part.get("type"), str):
            yield part
        elif isinstance(length, int):
            text, at = message.content[at : at + length], at + length
            if text.strip():
                yield TextPart(text, str(part.get("phase") or ""))
        elif isinstance(number, int):
            yield message.tool_calls[number]


def _plain(message: AssistantMessage) -> list[dict[str, JsonValue]]:
    layout: list[dict[str, JsonValue]] = [{"text": len(message.content)}]
    layout.extend({"call": number} for number in range(len(message.tool_calls)))
    return layout


def _fits(message: AssistantMessage, layout: list[dict[str, JsonValue]]) -> bool:
    own = [part for part in layout if not isinstance(part.get("type"), str)]
    lengths = [length for part in own if isinstance(length := part.get("text"), int)]
    calls = [number for part in own if isinstance(number := part.get("call"), int)]
    return (
        bool(layout)
        and len(lengths) + len(calls) == len(own)
        and sum(lengths) == len(message.content)
        and calls == list(range(len(message.tool_calls)))
    )
