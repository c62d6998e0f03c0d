"""Listeners for a run's events: one that prints readable lines, one that keeps them for tests (DESIGN L9)."""

from __future__ import annotations

import sys
from typing import TextIO

from steersman.agent.events import (
    ApprovalDecided,
    ApprovalRequested,
    AssistantMessageCommitted,
    ContextTrimmed,
    Event,
    RetryWaiting,
    RunEnded,
    RunStarted,
    StreamDiscarded,
    ToolCallBegan,
    ToolResultCommitted,
    UserMessageAdded,
    Warned,
)

_MAX_CALL = 70
_MAX_TEXT = 100
_REFUSED = "Refused: "


def trace_line(event: Event) -> str | None:
    """Return the line for an event, or None for those that have none (deltas, starts and ends that say nothing new).

    A call's arguments are clipped at 70 characters, a text at 100; control characters are made visible.
    """
    described = _describe(event)
    if described is None:
        return None
    label, text = described
    where = f"[turn {event.turn}]" if event.turn else "[run]"
    return f"{where} {label:<6} {text}"


def print_trace(event: Event, *, file: TextIO | None = None) -> None:
    """Write the event's line, if it has one, to ``file`` (standard error by default). Usable as ``on_event``."""
    line = trace_line(event)
    if line is not None:
        print(line, file=file or sys.stderr, flush=True)


class EventCollector:
    """Keeps every event; to be passed as ``on_event``."""

    def __init__(self) -> None:
        self.events: list[Event] = []

    def __call__(self, event: Event) -> None:
        """Keep the event."""
        self.events.append(event)

    @property
    def types(self) -> list[str]:
        """The bodies' class names, in order."""
        return [type(event.body).__name__ for event in self.events]


def collect_events() -> EventCollector:
    """Return a listener that keeps what it hears, for tests."""
    return EventCollector()


def _describe(event: Event) -> tuple[str, str] | None:
    """Return label and text."""
    match event.body:
        case RunStarted(prompt=prompt, model=model):
            return "start", f"{model}: {clip_line(prompt, _MAX_TEXT)}"
        case UserMessageAdded(text=text, steered=True):
            return "steer", clip_line(text, _MAX_TEXT)
        case ToolCallBegan(call=call):
            return "call", f"{call.name}({clip_line(call.arguments, _MAX_CALL)})"
        case ApprovalRequested(title=title):
            return "ask", clip_line(title, _MAX_TEXT)
        case ApprovalDecided(decision="reject"):
            return None  # the refusal that closes the call says it
        case ApprovalDecided(decision=decision, reason=reason):
            return "answer", decision + (f": {clip_line(reason, _MAX_TEXT)}" if reason else "")
        case ToolResultCommitted(tool=tool, content=content, is_error=True) if content.startswith(_REFUSED):
            return "refuse", f"{tool}: {clip_line(_first_sentence(content.removeprefix(_REFUSED)), _MAX_TEXT)}"
        case ToolResultCommitted(content=content, is_error=is_error):
            return ("error" if is_error else "result"), clip_line(content, _MAX_TEXT)
        case AssistantMessageCommitted(content=content, tool_calls=calls) if content.strip():
            return ("says" if calls else "answer"), clip_line(content, _MAX_TEXT)
        case _:
            return _describe_unusual(event)


def _describe_unusual(event: Event) -> tuple[str, str] | None:
    match event.body:
        case RetryWaiting(reason=reason, seconds=seconds):
            return "wait", f"{reason}, trying again in {seconds:.0f} s"
        case StreamDiscarded(reason=reason):
            return "void", f"what was streamed in this turn does not count: {reason}"
        case ContextTrimmed(messages_left_out=count):
            return "trim", f"{count} earlier messages are not sent to the model"
        case Warned(message=message):
            return "warn", clip_line(message, _MAX_TEXT * 3)
        case RunEnded(result=None, error_kind=kind, error_message=message):
            return "failed", f"{kind}: {clip_line(message or '', _MAX_TEXT * 3)}"
        case RunEnded(result=result) if result is not None:
            turns = "1 turn" if result.turns == 1 else f"{result.turns} turns"
            return "stop", f"{result.stop_reason} after {turns}, {result.usage.total_tokens} tokens"
        case _:
            return None


def _first_sentence(text: str) -> str:
    """Return why a call was refused; what follows tells the model what to do now."""
    return text.partition(". ")[0].removesuffix(".")


def clip_line(text: str, max_chars: int) -> str:
    """Return the text as one line of at most ``max_chars`` characters, control characters made visible."""
    shown = text[: max_chars + 1].strip()
    line = "".join(
        "⏎" if char == "\n" else " " if char == "\t" else char if char.isprintable() else f"\\x{ord(char):02x}"
        for char in shown
    )
    return line if len(text.strip()) <= max_chars and len(line) <= max_chars else line[: max_chars - 1] + "…"
