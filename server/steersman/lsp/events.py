"""``steersman/event`` notifications for clients that declare them (PROTOCOL §6): every event, in order.

Deltas are merged, so that two thousand a second are about thirty notifications; what a client has not read yet runs
together further. An event that is no delta never waits.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, Protocol

from steersman.agent.events import Event, ReasoningDelta, TextDelta, ToolOutput
from steersman.lsp.contracts import JsonObject
from steersman.lsp.outbox import Delivery
from steersman.lsp.throttle import Scheduler, Throttle

METHOD = "steersman/event"
DELTA_INTERVAL_S = 1 / 30
MAX_DELTA_CHARS = 64 * 1024

_DELTA_TYPES = frozenset({"text_delta", "reasoning_delta", "tool_output"})


class Notify(Protocol):
    """Sends a notification."""

    def __call__(self, method: str, params: Any, delivery: Delivery | None = None) -> None:
        """Send it."""
        ...


class EventStream:
    """One run's events on their way to the client.

    Args:
        notify: sends a notification.
        to_wire: makes the wire's object of an event; called in order, once for each event that is sent.
        scheduler: the event loop.
    """

    def __init__(self, notify: Notify, to_wire: Callable[[Event], JsonObject], scheduler: Scheduler) -> None:
        self._notify = notify
        self._to_wire = to_wire
        self._throttle = Throttle(self._send_held, interval_s=DELTA_INTERVAL_S, scheduler=scheduler)
        self._held: Event | None = None
        self._texts: list[str] = []

    def add(self, event: Event) -> None:
        """Take an event on its way."""
        body = event.body
        if not isinstance(body, TextDelta | ReasoningDelta | ToolOutput):
            self.flush()
            self._send(event)
            return
        if self._held is not None and not _continues(self._held, event):
            self.flush()
        self._held = event
        self._texts.append(body.text)
        self._throttle.poke()

    def flush(self) -> None:
        """Send what is held back."""
        if self._held is not None:
            self._throttle.now()

    def _send_held(self) -> None:
        event, texts = self._held, self._texts
        self._held, self._texts = None, []
        if event is not None and isinstance(event.body, TextDelta | ReasoningDelta | ToolOutput):
            self._send(replace(event, body=replace(event.body, text="".join(texts))))

    def _send(self, event: Event) -> None:
        wire = self._to_wire(event)
        is_delta = wire["type"] in _DELTA_TYPES
        delivery = Delivery(("events", event.run_id), _join if is_delta else None, droppable=is_delta)
        params = {"runId": wire["runId"], "sessionId": wire["sessionId"], "seq": wire["seq"], "event": wire}
        self._notify(METHOD, params, delivery)


def _continues(held: Event, event: Event) -> bool:
    if isinstance(held.body, ToolOutput) and isinstance(event.body, ToolOutput):
        return held.body.call_id == event.body.call_id
    return type(held.body) is type(event.body)


def _join(older: JsonObject, newer: JsonObject) -> JsonObject | None:
    """Make one notification of two deltas of one run that nothing stands between."""
    before, after = older["params"]["event"], newer["params"]["event"]
    if before["type"] != after["type"] or before.get("callId") != after.get("callId"):
        return None
    if len(before["text"]) + len(after["text"]) > MAX_DELTA_CHARS:
        return None
    event = {**after, "text": before["text"] + after["text"]}
    return {**newer, "params": {**newer["params"], "event": event}}
