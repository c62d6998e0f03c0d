"""Work-done progress of runs: begin, some reports, exactly one end, in every ending (PROTOCOL §3).

Reports are coalesced, so that a fast run neither floods nor waits for a slow client. A token is the client's own, or
one the server created; ``window/workDoneProgress/cancel`` for it stops the run.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, Protocol, TypeAlias

from steersman.lsp.contracts import ClientError, ClientFacts
from steersman.lsp.outbox import Delivery, newest
from steersman.lsp.throttle import Scheduler, Throttle

logger = logging.getLogger(__name__)

Token: TypeAlias = int | str

REPORT_INTERVAL_S = 0.1
MAX_MESSAGE_CHARS = 100
TITLE = "Steersman"


class ProgressClient(Protocol):
    """The client, as far as progress needs it; ``notify`` may be told how to deliver."""

    @property
    def facts(self) -> ClientFacts:
        """What is known of it."""
        ...

    async def request(self, method: str, params: object, *, timeout_s: float | None = None) -> Any:
        """Send a request (``contracts.Client.request``)."""
        ...

    def notify(self, method: str, params: Any, delivery: Delivery | None = None) -> None:
        """Send a notification."""
        ...


class Progress:
    """The progress of one run on one token; begun by whoever makes it, ended exactly once."""

    def __init__(
        self, client: ProgressClient, scheduler: Scheduler, message: str, on_end: Callable[[], object]
    ) -> None:
        self._client = client
        self._on_end = on_end
        self._token: Token | None = None
        self._message = message
        self._sent = ""
        self._ended = False
        self._throttle = Throttle(self._send_report, interval_s=REPORT_INTERVAL_S, scheduler=scheduler)

    def begin(self, token: Token) -> None:
        """Show it, unless it has ended."""
        if self._ended:
            return
        self._token = token
        self._sent = self._message
        self._send({"kind": "begin", "title": TITLE, "message": clip(self._message), "cancellable": True})

    def report(self, message: str) -> None:
        """Say what goes on now; shown soon, unless something newer comes first."""
        self._message = message
        if self._token is not None and not self._ended and message != self._sent:
            self._throttle.poke()

    def end(self, message: str) -> None:
        """Close it; what comes later is ignored."""
        if self._ended:
            return
        self._ended = True
        self._throttle.rest()
        if self._token is not None:
            self._send({"kind": "end", "message": clip(message)})
        self._on_end()

    def _send_report(self) -> None:
        self._sent = self._message
        self._send({"kind": "report", "message": clip(self._message)}, newest)

    def _send(self, value: dict[str, Any], join: Callable[[Any, Any], Any] | None = None) -> None:
        delivery = Delivery(("progress", self._token), join, droppable=join is not None)
        self._client.notify("$/progress", {"token": self._token, "value": value}, delivery)


class ProgressTokens:
    """All tokens in use, and what the person's stop does.

    Args:
        client: the editor.
        scheduler: the event loop.
        keep: owns a piece of work that nobody waits for.
    """

    def __init__(
        self, client: ProgressClient, scheduler: Scheduler, keep: Callable[[asyncio.Task[None]], None]
    ) -> None:
        self._client = client
        self._scheduler = scheduler
        self._keep = keep
        self._stops: dict[Token, Callable[[], None]] = {}

    def open(self, token: Token | None, *, run_id: str, message: str, stop: Callable[[], None]) -> Progress:
        """Begin the progress of a run.

        Args:
            token: the request's ``workDoneToken``; None: the server creates one if the client can.
            run_id: names the token that is created.
            message: shown first; the prompt.
            stop: what ``window/workDoneProgress/cancel`` does.
        """
        name = token if token is not None else f"steersman/{run_id}"
        progress = Progress(self._client, self._scheduler, message, lambda: self._stops.pop(name, None))
        self._stops[name] = stop
        if token is not None:
            progress.begin(token)
        elif self._client.facts.work_done_progress:
            self._keep(asyncio.ensure_future(self._create(name, progress)))
        return progress

    async def _create(self, token: Token, progress: Progress) -> None:
        try:
            await self._client.request("window/workDoneProgress/create", {"token": token})
        except ClientError as error:
            logger.info("the client shows no progress: %s", error.message)
        else:
            progress.begin(token)

    def stop(self, token: object) -> None:
        """The person stopped what runs under this token; what is none, or none of ours, stops nothing."""
        stop = self._stops.get(token) if isinstance(token, int | str) and not isinstance(token, bool) else None
        if stop is not None:
            stop()


def clip(text: str, *, max_chars: int = MAX_MESSAGE_CHARS) -> str:
    """Return the text on one line, shortened."""
    line = " ".join(text.split())
    return line if len(line) <= max_chars else line[: max_chars - 1] + "…"
