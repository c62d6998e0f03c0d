"""Times, durations, tokens and money in words, the same in every export."""

from __future__ import annotations

from collections.abc import Mapping

from steersman.agent.messages import JsonValue, ToolCall
from steersman.sessions.export.transcript import arguments_of
from steersman.sessions.times import utc_time
from steersman.sessions.titles import clip, one_line

_MAX_TARGET_CHARS = 100
_TARGETS = ("command", "pattern", "path", "url", "query", "name", "text")


_DECISIONS = {
    "allow_once": "allowed",
    "allow_session": "allowed for the session",
    "allow_always": "always allowed",
    "reject": "rejected",
    "withdrawn": "question withdrawn",
    "": "asked",
}

CONTROLS = tuple(
    chr(code)
    for code in (*range(9), 0x0B, 0x0C, *range(0x0E, 0x20), *range(0x7F, 0xA0), 0x061C, *range(0x202A, 0x202F))
) + tuple(chr(code) for code in (*range(0x2066, 0x206A), 0xFEFF, 0xAD, 0x200B, *range(0xE0000, 0xE0080)))
"""Characters that are not seen, or that change the order in which others are read."""

_SHOWN = {ord(char): f"⟨U+{ord(char):04X}⟩" for char in CONTROLS}


def show_controls(text: str) -> str:
    """Return the text with such characters named where they stand (DESIGN A2)."""
    return text.translate(_SHOWN)


def rfc3339(seconds: float) -> str:
    """Return a time as RFC 3339 in UTC, to the millisecond."""
    return utc_time(seconds).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def short_time(seconds: float) -> str:
    """Return a time for people: day and minute, UTC."""
    return utc_time(seconds).strftime("%Y-%m-%d %H:%M UTC")


def day(seconds: float) -> str:
    """Return the day of a time, UTC."""
    return utc_time(seconds).strftime("%Y-%m-%d")


def clock_time(seconds: float) -> str:
    """Return the time of day, UTC."""
    return utc_time(seconds).strftime("%H:%M:%S")


def decision(words: str) -> str:
    """Return what was decided on a question, for people; words that are not known stay as they are."""
    return _DECISIONS.get(words, words)


def duration(seconds: float) -> str:
    """Return a duration for people: 40 ms, 2.4 s, 12 s, 3 min 20 s, 2 h 5 min."""
    if seconds < 0.9995:
        return f"{seconds * 1000:.0f} ms"
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
    if amount >= 1:
        return f"≈ ${amount:.2f}"
    whole, _, cents = f"{amount:.4f}".partition(".")
    return f"≈ ${whole}.{cents[:2]}{cents[2:].rstrip('0')}"


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
