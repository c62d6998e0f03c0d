"""Translates httpx's exceptions; the one place that names them (DESIGN M5)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpx

from steersman.agent.errors import ModelError, RejectedError, UnavailableError
from steersman.models.endpoint import Endpoint
from steersman.models.failures import broken, clean, unreachable


@asynccontextmanager
async def translated(
    endpoint: Endpoint, *, answered: bool, request_id: str | None = None
) -> AsyncGenerator[None, None]:
    """Turn httpx's exceptions into ``ModelError``s.

    Args:
        endpoint: for the message.
        answered: the response's headers have been read.
        request_id: the provider's id of the request, when known.
    """
    try:
        yield
    except httpx.TransportError as error:
        raise _from_transport(endpoint, error, answered=answered, request_id=request_id) from None
    except (httpx.HTTPError, httpx.StreamError) as error:  # damaged compression, a body read twice
        raise broken(endpoint, f"its body cannot be read ({type(error).__name__})", request_id=request_id) from None
    except TimeoutError:
        raise broken(endpoint, "nothing more came for too long", request_id=request_id) from None
    except httpx.InvalidURL:
        raise _no_address(endpoint) from None


def _from_transport(
    endpoint: Endpoint, error: httpx.TransportError, *, answered: bool, request_id: str | None
) -> ModelError:
    said = clean(str(error), endpoint.key, 200)
    if isinstance(error, httpx.ConnectTimeout):
        return unreachable(endpoint, "no connection within the time limit")
    if isinstance(error, httpx.ConnectError):
        return unreachable(endpoint, _connect_words(said))
    if isinstance(error, httpx.ProxyError):
        return unreachable(endpoint, f"the proxy refused ({said})")
    if isinstance(error, (httpx.UnsupportedProtocol, httpx.LocalProtocolError)):
        return _no_address(endpoint)
    if answered:
        return broken(endpoint, "the connection was lost", request_id=request_id)
    return UnavailableError(
        f"{endpoint.provider} closed the connection without an answer.", hint="Try again in a moment."
    )


def _connect_words(said: str) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in said:
        return "its certificate is not trusted (SSL_CERT_FILE names the authorities to trust)"
    if "All connection attempts failed" in said or not said:
        return "the connection was refused"
    return said


def _no_address(endpoint: Endpoint) -> RejectedError:
    return RejectedError(
        f"The address of {endpoint.provider} is not one that can be called: {endpoint.origin}",
        hint="Its base_url must begin with http:// or https://.",
    )
