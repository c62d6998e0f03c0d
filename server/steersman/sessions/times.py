"""Seconds of a clock that may jump, or of a damaged database, as dates that people read. Never raises."""

from __future__ import annotations

from datetime import UTC, datetime


def utc_time(seconds: float) -> datetime:
    """Return the time in UTC; one that no calendar holds becomes the nearest that it does."""
    try:
        return datetime.fromtimestamp(seconds, UTC)
    except (OverflowError, ValueError, OSError):
        return datetime.max.replace(tzinfo=UTC) if seconds > 0 else datetime.min.replace(tzinfo=UTC)


def local_time(seconds: float) -> datetime:
    """Return the time where this machine is; in UTC at the calendar's very ends."""
    utc = utc_time(seconds)
    try:
        return utc.astimezone()
    except (OverflowError, ValueError, OSError):
        return utc
