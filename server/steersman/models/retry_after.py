"""``Retry-After`` in its two forms, and the milliseconds some send instead (RFC 9110 §10.2.3; DESIGN M4)."""

from __future__ import annotations

import math
from collections.abc import Mapping


def read_retry_after(headers: Mapping[str, str], now: float) -> float | None:
    """Return the seconds to wait, 0 for a moment that is past, or None when nothing usable is said.

    Args:
        headers: of the response, looked up in lower case.
        now: seconds since the epoch.
    """
    milliseconds = _seconds(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    value = headers.get("retry-after")
    seconds = _seconds(value)
    if seconds is not None or value is None:
        return seconds
    from email.utils import parsedate_to_datetime  # noqa: PLC0415 - brings all of mail, for a date that hardly anybody sends

    try:
        moment = parsedate_to_datetime(value)
        return max(0.0, moment.timestamp() - now)
    except (ValueError, TypeError, OverflowError):
        return None


def _seconds(text: str | None) -> float | None:
    try:
        seconds = float(text) if text is not None else None
    except ValueError:
        return None
    return seconds if seconds is not None and math.isfinite(seconds) and seconds >= 0 else None
