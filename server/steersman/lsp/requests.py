"""Requests of ours that wait for the client's answer.

Every answer finds its way: null too, an error too. One that is no longer wanted is withdrawn, and its late answer
discarded in silence: no crash, no toast (DESIGN A7).
"""

from __future__ import annotations

import asyncio
import itertools
import logging
from collections.abc import Callable
from typing import Any

from steersman.lsp.contracts import ClientError, ClientGoneError, ClientLacksMethodError
from steersman.lsp.envelope import METHOD_NOT_FOUND, ErrorBody, MessageId, Response

logger = logging.getLogger(__name__)


class OutgoingRequests:
    """The table of open requests. Ids are strings of our own kind, so that they never meet the client's.

    Args:
        send: sends one JSON-RPC message.
    """

    def __init__(self, send: Callable[[dict[str, Any]], None]) -> None:
        self._send = send
        self._numbers = itertools.count(1)
        self._open: dict[MessageId, asyncio.Future[Any]] = {}
        self._closed = False

    def __contains__(self, message_id: object) -> bool:
        return message_id in self._open

    async def request(self, method: str, params: Any, *, timeout_s: float | None = None) -> Any:
        """Send a request in JSON and return the answer's result as JSON (``contracts.Client.request``)."""
        if self._closed:
            raise ClientGoneError("The editor is gone.")
        message_id = f"steersman-{next(self._numbers)}"
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._open[message_id] = answer
        self._send({"jsonrpc": "2.0", "id": message_id, "method": method, "params": params})
        try:
            async with asyncio.timeout(timeout_s):
                return await answer
        finally:
            if self._open.pop(message_id, None) is not None and not self._closed:
                self._send({"jsonrpc": "2.0", "method": "$/cancelRequest", "params": {"id": message_id}})

    def settle(self, response: Response) -> None:
        """Give an answer to whoever waits for it; nobody does for a withdrawn request."""
        answer = self._open.pop(response.id, None)
        if answer is None or answer.done():
            logger.debug("discarded the answer to %r: nobody waits for it", response.id)
        elif response.error is not None:
            answer.set_exception(_exception_of(response.error))
        else:
            answer.set_result(response.result)

    def close(self) -> None:
        """The client is gone: nothing that waits will be answered."""
        self._closed = True
        for answer in self._open.values():
            if not answer.done():
                answer.set_exception(ClientGoneError("The editor is gone."))
        self._open.clear()


def _exception_of(error: ErrorBody) -> ClientError:
    kind = ClientLacksMethodError if error.code == METHOD_NOT_FOUND else ClientError
    return kind(error.message, code=error.code)
