"""Small questions to a provider besides asking its model: which models there are, whether it is there at all."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping

from steersman.agent.errors import UnavailableError
from steersman.agent.messages import JsonValue
from steersman.models.endpoint import Endpoint
from steersman.models.failures import broken, clean, error_from_report, read_report, redirected
from steersman.models.http_errors import translated
from steersman.models.http_exchange import HttpResponse, HttpSender
from steersman.models.http_pool import RequestHandler
from steersman.models.json_values import parse_json

MAX_BYTES = 16 * 1024 * 1024


async def get_json(
    endpoint: Endpoint,
    url: str,
    *,
    headers: Mapping[str, str] | None = None,
    time_limit_s: float,
    post: JsonValue = None,
    handler: RequestHandler | None = None,
) -> JsonValue:
    """Ask for one JSON document (by POST when ``post`` is given).

    Raises:
        ModelError: it could not be had, in the words of ``failures``.
    """
    method, content = ("GET", b"") if post is None else ("POST", json.dumps(post).encode())
    accepted = {"accept": "application/json", "accept-encoding": "identity"}
    typed = {"content-type": "application/json"} if content else {}
    every = accepted | typed | dict(headers or {}) | endpoint.request_headers()
    try:
        async with (
            asyncio.timeout(time_limit_s),
            translated(endpoint, answered=False),
            HttpSender(endpoint.base_url, time_limit_s, handler) as http,
            http.opened(method, url, every, content) as response,
        ):
            body = bytearray()
            async for piece in response.body():
                body += piece
                if len(body) > MAX_BYTES:
                    raise broken(endpoint, f"more than {MAX_BYTES} bytes came")
    except TimeoutError:
        raise UnavailableError(
            f"{endpoint.provider} at {endpoint.origin} did not answer within {time_limit_s:g} s.",
            hint="Try again later.",
        ) from None
    return _checked(endpoint, response, bytes(body))


def _checked(endpoint: Endpoint, response: HttpResponse, body: bytes) -> JsonValue:
    text = body.decode("utf-8", "replace")
    if response.is_redirect:
        raise redirected(endpoint, response.status, response.headers.get("location", ""))
    if not response.is_success:
        raise error_from_report(endpoint, response.status, read_report(text, endpoint.key))
    try:
        return parse_json(text)
    except ValueError:
        said = clean(read_report(text, endpoint.key).message, endpoint.key, 200)
        raise broken(endpoint, f"it is not JSON ({said})") from None
