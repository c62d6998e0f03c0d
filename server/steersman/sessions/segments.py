"""Which messages make up the conversation after it was rewound: nothing is deleted, a new head is appended (DESIGN S7).

A conversation is a list of spans of message numbers, in order. The last span is open: what is appended belongs to it.
Pure; knows no SQL.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TypeAlias, cast

from steersman.agent.errors import InvalidRequestError
from steersman.agent.messages import AssistantMessage, ToolMessage
from steersman.sessions.records import StoredMessage

Segments: TypeAlias = tuple[tuple[int, int | None], ...]
"""Spans (first, last) of numbers, both included; only the last one may be open (None)."""

WHOLE: Segments = ((0, None),)
"""A conversation that was never rewound."""


def dump(segments: Segments) -> str:
    """Return the spans as JSON."""
    return json.dumps(segments)


def parse(text: str | None) -> Segments:
    """Return the spans of the JSON; None is the whole."""
    if text is None:
        return WHOLE
    return tuple((first, last) for first, last in cast("list[tuple[int, int | None]]", json.loads(text)))


def cut(segments: Segments, last_kept: int, next_seq: int) -> Segments:
    """Return the conversation up to ``last_kept`` (-1: nothing), going on at ``next_seq``."""
    kept = [
        (first, last if last is not None and last <= last_kept else last_kept)
        for first, last in segments
        if first <= last_kept
    ]
    return (*kept, (next_seq, None))


def resume(segments: Segments, next_seq: int, branched_at: int) -> Segments:
    """Return an earlier conversation again, going on at ``next_seq``.

    Args:
        segments: what it was made of.
        next_seq: the number of the next message.
        branched_at: the number that was the next one when it was left.
    """
    return cut(segments, branched_at - 1, next_seq)


def snap_down(history: Sequence[StoredMessage], last_kept: int) -> int:
    """Return the last group boundary at or before a message: an assistant message and its results stay together.

    Args:
        history: the conversation.
        last_kept: the number of a message of it, or -1.

    Returns:
        The number of the last message to keep, -1 for none.
    """
    index = max((i for i, stored in enumerate(history) if stored.seq <= last_kept), default=-1)
    while index >= 0 and not _ends_group(history, index):
        index -= 1
    return history[index].seq if index >= 0 else -1


def no_such_message(seq: int) -> InvalidRequestError:
    """Return the error for a number that no message of a conversation has."""
    return InvalidRequestError(
        f"The conversation has no message {seq}.", hint="`steersman sessions show` tells the numbers."
    )


def _ends_group(history: Sequence[StoredMessage], index: int) -> bool:
    """Say whether nothing that belongs to the message at ``index`` comes after it, or is missing."""
    answered: set[str] = set()
    for stored in reversed(history[: index + 1]):
        message = stored.message
        if isinstance(message, ToolMessage):
            answered.add(message.tool_call_id)
            continue
        if isinstance(message, AssistantMessage):
            return all(call.id in answered for call in message.tool_calls)
        return True
    return True


def is_inside(segments: Segments, seq: int) -> bool:
    """Say whether the message of this number belongs to the conversation."""
    return any(first <= seq and (last is None or seq <= last) for first, last in segments)
