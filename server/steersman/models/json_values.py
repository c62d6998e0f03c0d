"""Careful access to JSON that somebody else wrote.

Providers send what they like; a reader asks for a kind of value and gets it or a harmless default. Nothing in here
raises for a value of the wrong kind.
"""

from __future__ import annotations

import json
import math
import re

from steersman.agent.messages import JsonValue

_SURROGATE = re.compile("[\ud800-\udfff]")


def parse_json(text: str | bytes) -> JsonValue:
    """Parse JSON.

    Raises:
        ValueError: it is not JSON (NaN and Infinity are not), or nested too deeply to be meant.
    """
    try:
        value: JsonValue = json.loads(text, parse_constant=_refuse_constant)
    except RecursionError as error:
        raise ValueError("nested too deeply") from error
    return value


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is not JSON")


def as_object(value: JsonValue) -> dict[str, JsonValue]:
    """Return the value if it is an object, else an empty one."""
    return value if isinstance(value, dict) else {}


def as_list(value: JsonValue) -> list[JsonValue]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def as_text(value: JsonValue) -> str:
    """Return the value if it is a string, else ""."""
    return value if isinstance(value, str) else ""


def as_count(value: JsonValue) -> int:
    """Return a non-negative whole number, else 0; ``true`` is no number."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return 0
    try:
        return max(0, int(value))
    except (ValueError, OverflowError):  # NaN and infinity
        return 0


def mend_surrogates(text: str) -> str:
    """Join surrogate halves that stand side by side; a lone half becomes U+FFFD (DESIGN M2)."""
    if _SURROGATE.search(text) is None:
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def mended(value: JsonValue) -> JsonValue:
    """Return the value without lone surrogates and without numbers that JSON cannot hold."""
    if isinstance(value, str):
        return mend_surrogates(value)
    if isinstance(value, list):
        return [mended(item) for item in value]
    if isinstance(value, dict):
        return {mend_surrogates(key): mended(item) for key, item in value.items()}
    if isinstance(value, float) and not math.isfinite(value):  # 1e999 is JSON, and too large to be written again
        return None
    return value


def encode_json(value: JsonValue) -> bytes:
    """Serialise to UTF-8 that every parser takes: no lone surrogates, no NaN.

    Raises:
        ValueError: a number is not finite.
    """
    return mend_surrogates(json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))).encode()


class SurrogateJoiner:
    """Joins surrogate pairs that a provider split over two deltas."""

    def __init__(self) -> None:
        self._held = ""

    def feed(self, text: str) -> str:
        """Return what is certain so far; a high half at the end is held back for the next piece."""
        text = self._held + text
        self._held = ""
        if text and "\ud800" <= text[-1] <= "\udbff":
            self._held, text = text[-1], text[:-1]
        return mend_surrogates(text)

    def flush(self) -> str:
        """Return what is still held back, as U+FFFD."""
        held, self._held = self._held, ""
        return mend_surrogates(held)
