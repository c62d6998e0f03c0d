"""Translates what happens to connections into words for people (DESIGN M5)."""

from __future__ import annotations

from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpcore

from steersman.agent.errors import ModelError, RejectedError, UnavailableError
from steersman.models.endpoint import Endpoint
from steersman.models.failures import broken, clean, unreachable
from steersman.models.http_address import InvalidAddressError
from steersman.models.http_exchange import DamagedBodyError, TransportErrors
from steersman.models.http_pool import UnusableConnectionError


@asynccontextmanager
async def translated(
    endpoint: Endpoint, *, answered: bool, request_id: str | None = None
) -> AsyncGenerator[None, None]:
    """Turn what may happen while a request is sent and read into ``ModelError``s.

    Args:
        endpoint: for the message.
        answered: the response's headers have been read.
        request_id: the provider's id of the request, when known.
    """
    try:
        yield
    except TransportErrors as error:
        raise _from_transport(endpoint, error, answered=answered, request_id=request_id) from None
    except DamagedBodyError as error:
        raise broken(endpoint, f"its body cannot be read ({error})", request_id=request_id) from None
    except TimeoutError:
        raise broken(endpoint, "nothing more came for too long", request_id=request_id) from None
    except InvalidAddressError:
        raise _no_address(endpoint) from None
    except UnusableConnectionError as error:
        raise unreachable(endpoint, clean(str(error), endpoint.key, 300)) from None


def _from_transport(endpoint: Endpoint, error: Exception, *, answered: bool, request_id: str | None) -> ModelError:
    said = clean(str(error), endpoint.key, 200)
    if isinstance(error, httpcore.ConnectTimeout):
        return unreachable(endpoint, "no connection within the time limit")
    if isinstance(error, httpcore.ConnectError):
        return unreachable(endpoint, _connect_words(said))
    if isinstance(error, httpcore.ProxyError):
        return unreachable(endpoint, f"the proxy refused ({said})")
    if isinstance(error, (httpcore.UnsupportedProtocol, httpcore.LocalProtocolError)):
        return _no_address(endpoint)
    if answered:
        return broken(endpoint, "the connection was lost", request_id=request_id)
    return UnavailableError(
        f"{endpoint.provider} closed the connection without an answer.", hint="Try again in a moment."
    )


def _connect_words(said: str) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in said:
        return "its certificate is not trusted (SSL_CERT_FILE names the authorities to trust)"
    if said in {"connection refused", ""}:
        return "the connection was refused"
    return said


def _no_address(endpoint: Endpoint) -> RejectedError:
    return RejectedError(
        f"The address of {endpoint.provider} is not one that can be called: {endpoint.origin}",
        hint="Its base_url must begin with http:// or https://.",
    )
