"""Makes the bodies of requests out of what a conversation's earlier ones have in common with them (DESIGN §9).

A body is always, byte for byte, what it would be if nothing had been kept: that is what the tests hold.
"""

from __future__ import annotations

import operator
from collections.abc import Sequence
from dataclasses import replace
from weakref import WeakKeyDictionary

from steersman.agent.messages import JsonValue, Message
from steersman.agent.model import Conversation, ModelRequest
from steersman.models.json_values import encode_json
from steersman.models.wire_format import HISTORY, WireFormat


class RequestBodies:
    """Bodies in one wire format.

    What is kept belongs to a ``Conversation`` and goes with it; a request that names none is serialised anew.
    """

    def __init__(self, wire: WireFormat) -> None:
        self._wire = wire
        self._kept: WeakKeyDictionary[Conversation, _Kept] = WeakKeyDictionary()

    def encode(self, request: ModelRequest) -> bytes:
        """Return the request's body.

        Raises:
            ValueError: a number is not finite.
        """
        if request.conversation is None:
            return _Kept(self._wire).encode(request)
        kept = self._kept.get(request.conversation)
        if kept is None:
            kept = self._kept[request.conversation] = _Kept(self._wire)
        return kept.encode(request)

    def forget(self) -> None:
        """The format has learned to write otherwise: nothing that was kept holds any more."""
        self._kept.clear()


class _Kept:
    """What the requests of one conversation have in common."""

    def __init__(self, wire: WireFormat) -> None:
        self._wire = wire
        self._messages: Sequence[Message] = ()
        self._system = ""
        self._transcript = wire.transcript("")
        self._framed: ModelRequest | None = None
        self._frame: tuple[bytes, bytes | None] = (b"", None)

    def encode(self, request: ModelRequest) -> bytes:
        head, tail = self._frame_of(request)
        if tail is None:
            return head
        self._follow(request)
        pieces = list(self._transcript.encoded())
        if not pieces:
            return head + tail
        pieces[0] = head + pieces[0]
        pieces[-1] += tail
        return b",".join(pieces)  # in one go: a long conversation is megabytes

    def _follow(self, request: ModelRequest) -> None:
        """Bring the transcript up to the request's history: add what is new, or begin anew where it is another."""
        known = len(self._messages)
        is_longer = known <= len(request.messages) and self._system == request.system
        if not is_longer or any(map(operator.is_not, self._messages, request.messages)):
            self._system, known = request.system, 0
            self._transcript = self._wire.transcript(request.system)
        self._messages = ()  # should a message be one that cannot be written, nothing of this is relied upon
        for message in request.messages[known:]:
            self._transcript.add(message)
        self._messages = request.messages

    def _frame_of(self, request: ModelRequest) -> tuple[bytes, bytes | None]:
        """Return what stands before and behind the history."""
        if self._framed is None or not _same_frame(self._framed, request):
            self._frame = _encode_frame(self._wire.frame(request))
            self._framed = replace(request, messages=request.messages[:1], conversation=None)
        return self._frame


def _same_frame(one: ModelRequest, other: ModelRequest) -> bool:
    """Whether two requests differ in nothing but what comes behind their first message."""
    return (
        one.tools is other.tools
        and one.system == other.system
        and one.max_output_tokens == other.max_output_tokens
        and _first(one) is _first(other)
    )


def _first(request: ModelRequest) -> Message | None:
    return request.messages[0] if request.messages else None


def _encode_frame(fields: dict[str, JsonValue]) -> tuple[bytes, bytes | None]:
    """Return the bytes up to the history and those behind it; the whole body and None where it has no place."""
    names = list(fields)
    place = next((at for at, name in enumerate(names) if fields[name] is HISTORY), None)
    if place is None:
        return encode_json(fields), None
    before = encode_json({name: fields[name] for name in names[: place + 1]})
    after = encode_json({name: fields[name] for name in names[place + 1 :]})
    return before.removesuffix(b"]}"), b"]" + (b"," + after[1:] if len(after) > 2 else after[1:])
