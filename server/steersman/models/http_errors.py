"""Translates what happens to connections into words for people (DESIGN M5)."""

from __future__ import annotations

import re
from collections.abc import AsyncGenerator
from contextlib import asynccontextmanager

import httpcore

from steersman.agent.errors import ModelError, RejectedError, UnavailableError
from steersman.models.content_coding import DamagedBodyError
from steersman.models.endpoint import Endpoint
from steersman.models.failures import broken, clean, unreachable
from steersman.models.http_address import InvalidAddressError
from steersman.models.http_exchange import WRITE_S, InvalidHeaderError, TransportErrors
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
    except InvalidAddressError as error:
        raise _no_address(endpoint, str(error)) from None
    except InvalidHeaderError as error:
        raise RejectedError(
            f"The header {error} cannot be sent to {endpoint.provider}: it holds characters that no header has.",
            hint=f"Correct headers under [providers.{endpoint.provider}].",
        ) from None
    except UnusableConnectionError as error:
        said = clean(str(error), endpoint.key, 300)
        raise RejectedError(
            f"{endpoint.provider} cannot be asked at {endpoint.origin}: {said}.", hint=error.hint
        ) from None  # to try again would change nothing


def _from_transport(endpoint: Endpoint, error: Exception, *, answered: bool, request_id: str | None) -> ModelError:
    said = clean(str(error), endpoint.key, 200)
    if isinstance(error, httpcore.ConnectTimeout):
        return unreachable(endpoint, "no connection within the time limit")
    if isinstance(error, httpcore.ConnectError):
        return unreachable(endpoint, _connect_words(said))
    if isinstance(error, httpcore.ProxyError):
        return unreachable(endpoint, f"the proxy refused ({said})")
    if isinstance(error, (httpcore.UnsupportedProtocol, httpcore.LocalProtocolError)):
        return _no_address(endpoint, said)
    if answered:
        return broken(endpoint, "the connection was lost", request_id=request_id)
    if isinstance(error, httpcore.WriteTimeout):
        return UnavailableError(f"{endpoint.provider} stopped reading the request for {WRITE_S:g} s.", hint=_SOON)
    if isinstance(error, httpcore.RemoteProtocolError) and not re.search("disconnected|closed connection", said):
        return UnavailableError(
            f"{endpoint.provider} at {endpoint.origin} answered with something that is no valid HTTP.",
            hint="Check the address, and whether it begins with http:// or https://.",
        )
    return UnavailableError(f"{endpoint.provider} closed the connection without an answer.", hint=_SOON)


_SOON = "Try again in a moment."


def _connect_words(said: str) -> str:
    if "CERTIFICATE_VERIFY_FAILED" in said:
        if "expired" in said or "not yet valid" in said:
            return "its certificate is not valid today (is this machine's clock right?)"
        if "mismatch" in said or "not valid for" in said:
            return "its certificate was made for another host"
        return "its certificate is not trusted (SSL_CERT_FILE names the authorities to trust)"
    if "WRONG_VERSION_NUMBER" in said or "UNEXPECTED_MESSAGE" in said or "record layer failure" in said:
        return "it does not speak TLS there (perhaps the address begins with http://)"
    return "the connection was refused" if said == "connection refused" else said


def _no_address(endpoint: Endpoint, why: str) -> RejectedError:
    return RejectedError(
        f"The address of {endpoint.provider} is not one that can be called: {endpoint.origin} ({why})",
        hint="Its base_url must begin with http:// or https://, and name a host.",
    )
