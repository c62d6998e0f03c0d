"""How failures look on the wire: one place that turns exceptions into JSON-RPC errors (PROTOCOL §2, §5).

No stack trace and no text of a foreign exception ever reaches the client; those go to the log.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Sequence

from pygls.exceptions import JsonRpcException

from steersman.agent.errors import SteersmanError
from steersman.lsp.contracts import JsonMapping
from steersman.lsp.envelope import INTERNAL_ERROR, INVALID_PARAMS, REQUEST_CANCELLED, REQUEST_FAILED, ErrorBody

logger = logging.getLogger(__name__)


class InvalidParamsError(Exception):
    """A request's parameters do not have the shape they should.

    Attributes:
        message: which field, and what was wanted.
        fields: the names of the fields, dotted.
    """

    def __init__(self, message: str, *, fields: Sequence[str] = ()) -> None:
        super().__init__(message)
        self.message = message
        self.fields = tuple(fields)


class RequestFailedError(Exception):
    """A command failed, and its error's ``data`` is already made (a run that failed half-way).

    Attributes:
        message: for the person.
        data: as PROTOCOL's head describes it.
    """

    def __init__(self, message: str, data: JsonMapping) -> None:
        super().__init__(message)
        self.message = message
        self.data = dict(data)


def error_body(error: BaseException, *, what: str) -> ErrorBody:
    """Return the error to answer with; log what the client must not see.

    Args:
        error: what was raised.
        what: the method or command it was raised in, for the log.
    """
    match error:
        case InvalidParamsError():
            return ErrorBody(INVALID_PARAMS, error.message, {"kind": "invalid_request", "fields": list(error.fields)})
        case RequestFailedError():
            return ErrorBody(REQUEST_FAILED, error.message, error.data)
        case SteersmanError():
            data = {"kind": error.kind} | ({"hint": error.hint} if error.hint else {})
            return ErrorBody(REQUEST_FAILED, error.message, data)
        case asyncio.CancelledError():
            return ErrorBody(REQUEST_CANCELLED, "The request was cancelled.")
        case JsonRpcException():
            return ErrorBody(error.code, error.message)
        case _:
            logger.error("%s failed", what, exc_info=error)
            return ErrorBody(
                INTERNAL_ERROR, "Steersman has a fault of its own; its log says more.", {"kind": "internal"}
            )
