"""A running Ollama is offered, never used unasked (DESIGN M1)."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlsplit

from steersman.models.builtin_providers import ollama_address

PROBE_LIMIT_S = 0.5


@dataclass(frozen=True, slots=True)
class LocalOffer:
    """An Ollama that answers, and the models it holds (``ollama/…`` names, the latest used first)."""

    address: str
    models: tuple[str, ...]

    @property
    def sentence(self) -> str:
        """What a person is told."""
        if not self.models:
            return (
                f"Ollama is running at {self.address}, with no model yet: `ollama pull` one, then set STEERSMAN_MODEL."
            )
        return f"Ollama is running at {self.address}: set STEERSMAN_MODEL={self.models[0]} to use it."


async def find_ollama(environ: Mapping[str, str]) -> LocalOffer | None:
    """Look whether an Ollama answers where ``OLLAMA_HOST`` says, or at its usual place; half a second at most."""
    try:
        address = ollama_address(environ.get("OLLAMA_HOST", ""))
    except ValueError:  # the variable holds no address
        return None
    if not await _is_listening(address):
        return None
    from steersman.agent.errors import ModelError  # noqa: PLC0415  # all of this is loaded only when somebody is there
    from steersman.models.endpoint import Endpoint  # noqa: PLC0415
    from steersman.models.http_probe import get_json  # noqa: PLC0415
    from steersman.models.json_values import as_list, as_object, as_text  # noqa: PLC0415

    try:
        answer = await get_json(Endpoint("ollama", address, ""), f"{address}/api/tags", time_limit_s=PROBE_LIMIT_S)
    except ModelError:
        return None
    entries = as_object(answer).get("models")
    if not isinstance(entries, list):
        return None
    names = [as_text(as_object(entry).get("name")) for entry in as_list(entries)]
    return LocalOffer(address, tuple(f"ollama/{name}" for name in names if name))


async def _is_listening(address: str) -> bool:
    """Whether anybody takes a connection there; spares everybody without an Ollama the loading of an HTTP client."""
    parts = urlsplit(address)
    try:
        async with asyncio.timeout(PROBE_LIMIT_S):
            _, writer = await asyncio.open_connection(parts.hostname, parts.port)
    except (OSError, TimeoutError, ValueError):  # ValueError: no name that a host can have
        return False
    writer.close()
    return True


async def first_notice(environ: Mapping[str, str]) -> str:
    """Return what ``demo/rules`` adds to its first answer when nothing is configured."""
    from steersman.models.demo import NOT_CONFIGURED_NOTICE  # noqa: PLC0415

    offer = await find_ollama(environ)
    return f"{NOT_CONFIGURED_NOTICE}\n{offer.sentence}" if offer else NOT_CONFIGURED_NOTICE
