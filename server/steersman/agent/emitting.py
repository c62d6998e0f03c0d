"""Puts events into their envelope and hands them on; a listener that raises is not the run's problem (DESIGN L9)."""

from __future__ import annotations

import logging
from collections.abc import Callable

from steersman.agent.clock import Clock
from steersman.agent.events import Event, EventBody

_log = logging.getLogger(__name__)


class Emitter:
    """Numbers a run's events. ``turn`` is set by the loop."""

    def __init__(self, on_event: Callable[[Event], None] | None, clock: Clock, run_id: str) -> None:
        self.turn = 0
        self._on_event = on_event
        self._clock = clock
        self._run_id = run_id
        self._seq = 0

    def __call__(self, body: EventBody) -> None:
        """Emit one event."""
        if self._on_event is None:
            return
        event = Event(self._run_id, self._seq, self.turn, self._clock.now(), body)
        self._seq += 1
        try:
            self._on_event(event)
        except Exception as error:  # noqa: BLE001 - L9: a listener must not break the run
            _log.warning("an event listener raised %s on %s", type(error).__name__, type(body).__name__)
