"""JSON-RPC over pygls, with what Steersman needs different: every request is answered, whatever it looks like.

Messages come in as frames and are taken apart here, because pygls leaves some unanswered, loses others over a nested
key, and logs them whole. A cancelled request may finish in its own way (``IncomingRequest.on_cancel``). Requests of
ours go through ``OutgoingRequests``. This module knows the life cycle of a connection, and no method besides.
"""

from __future__ import annotations

import asyncio
import inspect
import logging
from collections.abc import Awaitable, Callable, Coroutine
from functools import partial
from typing import Any, Literal, cast

import cattrs
from lsprotocol import types
from pygls.exceptions import JsonRpcMethodNotFound
from pygls.protocol import LanguageServerProtocol

from steersman.lsp.contracts import ClientError, ClientFacts, JsonObject
from steersman.lsp.envelope import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    SERVER_NOT_INITIALIZED,
    ErrorBody,
    Invalid,
    MessageId,
    Notification,
    Request,
    Response,
    parse_message,
)
from steersman.lsp.failures import InvalidParamsError, error_body
from steersman.lsp.framing import BadFrame, Piece
from steersman.lsp.outbox import Delivery
from steersman.lsp.requests import OutgoingRequests

logger = logging.getLogger(__name__)

_RAW = frozenset({types.INITIALIZE, types.WORKSPACE_EXECUTE_COMMAND, types.WORKSPACE_DID_CHANGE_CONFIGURATION})
"""Methods whose params are read from plain JSON: odd ones must be answered in our own words."""

Send = Callable[[JsonObject, Delivery | None], None]
"""Puts one message on the wire; never blocks."""


class IncomingRequest:
    """A request at work, and how it is cancelled."""

    def __init__(self, message_id: MessageId) -> None:
        self.id = message_id
        self.task: asyncio.Task[Any] | None = None
        self._cancelled = False
        self._stop: Callable[[], None] | None = None

    def on_cancel(self, stop: Callable[[], None]) -> None:
        """Let a cancellation call ``stop`` instead of cancelling the task; at once when it came already."""
        self._stop = stop
        if self._cancelled:
            stop()

    def cancel(self) -> None:
        """The client no longer wants it."""
        self._cancelled = True
        if self._stop is not None:
            self._stop()
        elif self.task is not None:
            self.task.cancel()


class Dispatch(LanguageServerProtocol):
    """Incoming messages to handlers, answers and requests of ours back.

    Handlers are methods marked with ``lsp_method`` or features registered on the server: functions of the params that
    return the result, or a coroutine of it.
    """

    def __init__(self, server: Any, converter: cattrs.Converter) -> None:
        super().__init__(server, converter)
        self._stage: Literal["fresh", "running", "shut down"] = "fresh"
        self._incoming: dict[MessageId, IncomingRequest] = {}
        self._current: IncomingRequest | None = None
        self._outgoing = OutgoingRequests(self._send_data)
        self._background: set[asyncio.Future[Any]] = set()
        self._put: Send = lambda _message, _delivery: None
        self.facts = ClientFacts()

    def connect(self, send: Send) -> None:
        """Send by this from now on."""
        self._put = send

    # Outgoing ---------------------------------------------------------------------------------------------------------

    async def request(self, method: str, params: object, *, timeout_s: float | None = None) -> Any:
        """Send a request of ours (``contracts.Client.request``)."""
        result = await self._outgoing.request(method, self._converter.unstructure(params), timeout_s=timeout_s)
        return None if result is None else self._structure_result(method, result)

    def notify(self, method: str, params: Any | None = None, delivery: Delivery | None = None) -> None:
        """Send a notification (``contracts.Client.notify``); a dictionary is JSON already and is not gone through."""
        wire = cast("Any", params) if isinstance(params, dict) else self._converter.unstructure(params)
        self._put({"jsonrpc": "2.0", "method": method, "params": wire}, delivery)

    def connection_lost(self) -> None:
        """The client is gone: answer what waits for it."""
        self._outgoing.close()

    def _send_data(self, data: Any) -> None:
        self._put(self._converter.unstructure(data), None)

    def _structure_result(self, method: str, result: Any) -> Any:
        response_type = self.get_result_type(method)
        if response_type is None:
            return result
        try:
            return self._converter.structure({"id": 0, "jsonrpc": "2.0", "result": result}, response_type).result
        except Exception as error:  # cattrs raises what its hooks raise
            logger.warning("the client's answer to %s makes no sense", method)
            raise ClientError(f"The editor's answer to {method} makes no sense.") from error

    def _answer(self, message_id: MessageId | None, result: Any = None, error: ErrorBody | None = None) -> None:
        message: JsonObject = {"jsonrpc": "2.0", "id": message_id}
        if error is None:
            message["result"] = result
        else:
            message["error"] = {"code": error.code, "message": error.message}
            if error.data is not None:
                message["error"]["data"] = error.data
        try:
            self._send_data(message)
        except (TypeError, ValueError):
            logger.exception("an answer is no JSON")
            body = ErrorBody(INTERNAL_ERROR, "Steersman has a fault of its own; its log says more.")
            self._send_data({"jsonrpc": "2.0", "id": message_id, "error": {"code": body.code, "message": body.message}})

    # Incoming ---------------------------------------------------------------------------------------------------------

    def receive(self, piece: Piece) -> None:
        """Take in one message. Never raises."""
        try:
            self._take(piece)
        except Exception:  # a message must not end the connection
            logger.exception("a message could not be handled")

    def _take(self, piece: Piece) -> None:
        if isinstance(piece, BadFrame):
            message = parse_message(piece.body) if piece.body is not None else None
            message_id = message.id if isinstance(message, Request | Invalid) else None
            self._answer(
                message_id, error=ErrorBody(INVALID_REQUEST, f"Not a message of this protocol: {piece.reason}.")
            )
            return
        message = parse_message(piece.body)
        match message:
            case Request():
                self._take_request(message)
            case Notification():
                self._take_notification(message)
            case Response():
                self._outgoing.settle(message)
            case Invalid(id=message_id) if message_id in self._outgoing:  # an answer that leaves its null out
                self._outgoing.settle(Response(cast("MessageId", message_id)))
            case Invalid():
                self._answer(message.id, error=ErrorBody(message.code, message.message))

    def _take_request(self, request: Request) -> None:
        refusal = self._refusal(request)
        if refusal is not None:
            self._answer(request.id, error=refusal)
            return
        incoming = IncomingRequest(request.id)
        self._incoming[request.id] = incoming
        try:
            handler = self._get_handler(request.method)
            outcome = self._call(handler, self._structure_params(request.method, request.params), incoming)
        except Exception as error:  # noqa: BLE001 - whatever a handler raises is answered, and logged there
            self._finish(request, error=error)
            return
        if inspect.iscoroutine(outcome):
            incoming.task = asyncio.ensure_future(cast("Coroutine[Any, Any, Any]", outcome))
            incoming.task.add_done_callback(partial(self._finish_task, request))
        else:
            self._finish(request, result=outcome)

    def _refusal(self, request: Request) -> ErrorBody | None:
        if request.id in self._incoming:
            return ErrorBody(INVALID_REQUEST, f"A request with the id {request.id!r} is still at work.")
        if self._stage == "shut down":
            return ErrorBody(INVALID_REQUEST, "The server has been shut down.")
        if self._stage == "fresh" and request.method != types.INITIALIZE:
            return ErrorBody(SERVER_NOT_INITIALIZED, "The first request has to be initialize.")
        if self._stage == "running" and request.method == types.INITIALIZE:
            return ErrorBody(INVALID_REQUEST, "The server has been initialized already.")
        return None

    def _take_notification(self, note: Notification) -> None:
        if note.method == types.CANCEL_REQUEST:
            self._cancel(note.params)
            return
        if note.method != types.EXIT and self._stage != "running":
            logger.info("ignored %s: the server is %s", note.method, self._stage)
            return
        try:
            handler = self._get_handler(note.method)
            outcome = self._call(handler, self._structure_params(note.method, note.params), None)
        except JsonRpcMethodNotFound:
            if not note.method.startswith("$/"):
                logger.info("ignored the unknown notification %s", note.method)
            return
        except InvalidParamsError as error:
            logger.warning("ignored %s: %s", note.method, error.message)
            return
        if inspect.isawaitable(outcome):
            self.keep(outcome)

    def keep(self, work: Awaitable[Any]) -> None:
        """Own a piece of work that nobody waits for; what it raises is logged."""
        task = asyncio.ensure_future(work)
        self._background.add(task)
        task.add_done_callback(self._forget)

    def _forget(self, task: asyncio.Future[Any]) -> None:
        self._background.discard(task)
        if not task.cancelled() and (error := task.exception()) is not None:
            logger.error("background work failed", exc_info=error)

    def _call(self, handler: Callable[[Any], Any], params: Any, incoming: IncomingRequest | None) -> Any:
        """Call a handler; while its synchronous part runs, ``self._current`` is the request it answers."""
        self._current = incoming
        try:
            return handler(params)
        finally:
            self._current = None

    def _structure_params(self, method: str, params: Any) -> Any:
        kinds = types.METHOD_TO_TYPES.get(method)
        kind = kinds[2] if kinds is not None else None
        if kind is None or method in _RAW:
            return params
        try:
            return self._converter.structure(params if params is not None else {}, kind)
        except Exception as error:
            details = (
                cattrs.transform_error(error, path="params") if isinstance(error, cattrs.BaseValidationError) else []
            )
            reason = "; ".join(details) or "they do not have the shape they should"
            raise InvalidParamsError(f"The params of {method} are wrong: {reason}.") from error

    def _finish_task(self, request: Request, task: asyncio.Task[Any]) -> None:
        if task.cancelled():
            self._finish(request, error=asyncio.CancelledError())
        elif (error := task.exception()) is not None:
            self._finish(request, error=error)
        else:
            self._finish(request, result=task.result())

    def _finish(self, request: Request, *, result: Any = None, error: BaseException | None = None) -> None:
        self._incoming.pop(request.id, None)
        if error is not None:
            self._answer(request.id, error=error_body(error, what=request.method))
        else:
            self._answer(request.id, result)

    def _cancel(self, params: Any) -> None:
        message_id = cast("dict[str, Any]", params).get("id") if isinstance(params, dict) else None
        incoming = self._incoming.get(message_id) if isinstance(message_id, int | str) else None
        if incoming is not None:
            incoming.cancel()
