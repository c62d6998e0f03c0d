"""What a wire format must offer; each is pure translation, the one HTTP client does the sending (DESIGN M2).

A reader raises only the two exceptions below; ``failures`` turns them into what a person reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Protocol

from steersman.agent.messages import JsonValue
from steersman.agent.model import ModelEvent, ModelRequest
from steersman.models.json_values import parse_json
from steersman.models.sse import ServerSentEvent
from steersman.models.transcript import Transcript

HISTORY: JsonValue = []
"""Stands in a frame where the messages belong; known by its identity."""


class ReportedError(Exception):
    """The provider reports an error inside a stream that began well; ``payload`` is what it sent."""

    def __init__(self, payload: JsonValue) -> None:
        super().__init__("the provider reported an error in its stream")
        self.payload = payload


class BrokenStreamError(Exception):
    """The stream cannot be what the provider meant; the message says in what way, without the stream's content."""


def parse_event(event: ServerSentEvent) -> dict[str, JsonValue]:
    """Return the JSON object that an event carries.

    Raises:
        BrokenStreamError: it is something else.
    """
    try:
        data = parse_json(event.data)
    except ValueError:
        raise BrokenStreamError("an event is not JSON") from None
    if not isinstance(data, dict):
        raise BrokenStreamError("an event is not a JSON object")
    return data


class ReplyReader(Protocol):
    """Maps the events of one response to model events."""

    @property
    def is_done(self) -> bool:
        """Whether the provider's last event was read; nothing more is awaited."""
        ...

    @property
    def is_certain(self) -> bool:
        """Whether the reply is known to be whole, however the connection ends."""
        ...

    def read(self, event: ServerSentEvent) -> Iterable[ModelEvent]:
        """Yield text and reasoning as it comes.

        Raises:
            ReportedError: the event is an error.
            BrokenStreamError: the event makes no sense.
        """
        ...

    def finish(self) -> Iterable[ModelEvent]:
        """Yield what was held back, the calls and ``Finish``, at the end of the stream.

        Raises:
            BrokenStreamError: the provider's end mark is missing.
        """
        ...


class WireFormat(Protocol):
    """One provider protocol."""

    @property
    def path(self) -> str:
        """What stands behind the base address, such as ``/chat/completions``."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """Headers that the format wants, such as its version."""
        ...

    def frame(self, request: ModelRequest) -> dict[str, JsonValue]:
        """Map the request, with ``HISTORY`` in the place of its messages.

        Of the messages, only the first may be looked at: the frame is kept while nothing else changes.
        """
        ...

    def transcript(self, system: str) -> Transcript:
        """Return an empty history behind this system prompt; what is sent of it is always valid (DESIGN M8)."""
        ...

    def adapt(self, said: str) -> bool:
        """Leave out or rename what the provider refuses, judging by its words; False when nothing can be done.

        What was learned holds for later requests too: frames and transcripts made before are of no use any more.
        """
        ...

    def reader(self, request: ModelRequest) -> ReplyReader:
        """Return a reader for the response to this request."""
        ...
