"""Times, durations, tokens and money in words, the same in every export."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime

from steersman.agent.messages import JsonValue, ToolCall
from steersman.sessions.export.transcript import arguments_of
from steersman.sessions.titles import clip, one_line

_MAX_TARGET_CHARS = 100
_TARGETS = ("path", "command", "pattern", "url", "query", "name", "text")


def rfc3339(seconds: float) -> str:
    """Return a time as RFC 3339 in UTC, to the millisecond."""
    return _date(seconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def short_time(seconds: float) -> str:
    """Return a time for people: day and minute, UTC."""
    return _date(seconds).strftime("%Y-%m-%d %H:%M UTC")


def duration(seconds: float) -> str:
    """Return a duration for people: 0.4 s, 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 10:
        return f"{seconds:.1f} s"
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    hours, minutes = divmod(minutes, 60)
    return f"{hours} h {minutes} min" if minutes else f"{hours} h"


def number(value: int) -> str:
    """Return a number with thin spaces between its thousands."""
    return f"{value:,}".replace(",", "\u202f")


def money(amount: float | None) -> str:
    """Return an estimate of US dollars; a dash when no price is known."""
    if amount is None:
        return "–"
    return f"≈ ${amount:.4f}" if amount < 1 else f"≈ ${amount:.2f}"


def count(amount: int, one: str, many: str | None = None) -> str:
    """Return an amount with its noun: 1 turn, 2 turns."""
    return f"{number(amount)} {one if amount == 1 else many or one + 's'}"


def target_of(call: ToolCall) -> str:
    """Return what a call is about, on one short line: its path, command or pattern."""
    arguments: Mapping[str, JsonValue] = arguments_of(call) or {}
    for name in _TARGETS:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return clip(one_line(value), _MAX_TARGET_CHARS)
    return ""


def _date(seconds: float) -> datetime:
    """Return the time; one that no calendar holds becomes the nearest that it does."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.max.replace(tzinfo=UTC) if seconds > 0 else datetime.min.replace(tzinfo=UTC)
