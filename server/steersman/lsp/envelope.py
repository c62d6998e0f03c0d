"""JSON-RPC 2.0 envelopes: what kind of message a body is, and what is wrong with it (JSON-RPC 2.0, sections 4 and 5).

Never raises: a body that is no message is an ``Invalid`` with the error it deserves and the id it had. ``params`` and
``result`` stay plain JSON here, whatever keys they hold.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, NoReturn, TypeAlias, cast

PARSE_ERROR = -32700
INVALID_REQUEST = -32600
METHOD_NOT_FOUND = -32601
INVALID_PARAMS = -32602
INTERNAL_ERROR = -32603
SERVER_NOT_INITIALIZED = -32002
REQUEST_FAILED = -32803
REQUEST_CANCELLED = -32800

MessageId: TypeAlias = int | str


@dataclass(frozen=True, slots=True)
class Request:
    """A request; ``params`` is an object, an array or None."""

    id: MessageId
    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class Notification:
    """A notification; ``params`` is an object, an array or None."""

    method: str
    params: Any


@dataclass(frozen=True, slots=True)
class ErrorBody:
    """The error of a response."""

    code: int
    message: str
    data: Any = None


@dataclass(frozen=True, slots=True)
class Response:
    """An answer to a request of ours: ``result`` (maybe None), or ``error``."""

    id: MessageId
    result: Any = None
    error: ErrorBody | None = None


@dataclass(frozen=True, slots=True)
class Invalid:
    """No message. ``id`` is the one to answer to, None where there is none."""

    id: MessageId | None
    code: int
    message: str


Incoming: TypeAlias = Request | Notification | Response | Invalid


def parse_message(body: bytes) -> Incoming:
    """Say what message this is."""
    try:
        data: Any = json.loads(body.decode("utf-8"), parse_constant=_refuse_constant)
    except UnicodeDecodeError:
        return Invalid(None, PARSE_ERROR, "The message is not UTF-8.")
    except RecursionError:
        return Invalid(None, PARSE_ERROR, "The message is nested too deeply.")
    except ValueError as error:
        return Invalid(None, PARSE_ERROR, f"The message is not JSON: {error}.")
    if isinstance(data, list):
        return Invalid(None, INVALID_REQUEST, "The message is an array; LSP has no batches.")
    if not isinstance(data, dict):
        return Invalid(None, INVALID_REQUEST, "The message is not an object.")
    return _classify(cast("dict[str, Any]", data))


def _classify(data: dict[str, Any]) -> Incoming:
    message_id = _id_of(data)
    if data.get("jsonrpc") != "2.0":
        return Invalid(message_id, INVALID_REQUEST, 'The message lacks "jsonrpc": "2.0".')
    if "id" in data and message_id is None and "method" in data:
        return Invalid(None, INVALID_REQUEST, "The request's id is neither a string nor a whole number.")
    if "method" in data:
        return _classify_call(data, message_id)
    if "result" not in data and "error" not in data:
        return Invalid(message_id, INVALID_REQUEST, "The message has no method and no result.")
    if message_id is None:  # somebody's error about a message it could not read: there is nobody to tell
        return Notification("$/unanswerable", None)
    return Response(message_id, data.get("result"), _error_of(data.get("error")))


def _classify_call(data: dict[str, Any], message_id: MessageId | None) -> Incoming:
    method = data["method"]
    params = data.get("params")
    if not isinstance(method, str):
        return Invalid(message_id, INVALID_REQUEST, "The method is not a string.")
    if params is not None and not isinstance(params, dict | list):
        return Invalid(message_id, INVALID_PARAMS, "The params are neither an object nor an array.")
    if message_id is None:
        return Notification(method, params)
    return Request(message_id, method, params)


def _id_of(data: dict[str, Any]) -> MessageId | None:
    message_id = data.get("id")
    if isinstance(message_id, float) and message_id.is_integer():
        return int(message_id)
    if isinstance(message_id, str) or (isinstance(message_id, int) and not isinstance(message_id, bool)):
        return message_id
    return None


def _error_of(error: Any) -> ErrorBody | None:
    if error is None:
        return None
    if not isinstance(error, dict):
        return ErrorBody(INTERNAL_ERROR, str(error))
    fields = cast("dict[str, Any]", error)
    code = fields.get("code")
    return ErrorBody(
        code if isinstance(code, int) else INTERNAL_ERROR, str(fields.get("message", "")), fields.get("data")
    )


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


def encode_message(message: dict[str, Any]) -> bytes:
    """Return the message as a body in UTF-8. Halves of surrogate pairs that stand alone become U+FFFD.

    Raises:
        TypeError: something in it is not JSON.
        ValueError: a number that JSON does not have, or a circle.
    """
    text = json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
    try:
        return text.encode("utf-8")
    except UnicodeEncodeError:
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace").encode("utf-8")
