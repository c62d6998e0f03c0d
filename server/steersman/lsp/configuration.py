"""The editor's configuration section ``steersman``: asked for, and again when it changes (PROTOCOL §1).

It counts as the workspace's, because a clone's settings arrive merged in it: it may tighten and choose how answers are
shown, nothing else (DESIGN A6). A client that cannot be asked tells it with its notification.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import Any, Protocol, cast

from steersman.lsp.contracts import ClientError, ClientFacts, JsonMapping
from steersman.lsp.options import FaceOptions, read_options

logger = logging.getLogger(__name__)

SECTION = "steersman"
_ANSWER_S = 10.0
_REGISTRATION = {"registrations": [{"id": "steersman-configuration", "method": "workspace/didChangeConfiguration"}]}


class ConfigurationClient(Protocol):
    """The client, as far as configuration needs it."""

    @property
    def facts(self) -> ClientFacts:
        """What is known of it."""
        ...

    async def request(self, method: str, params: object, *, timeout_s: float | None = None) -> Any:
        """Send a request (``contracts.Client.request``)."""
        ...


class Configuration:
    """The configuration as it is now.

    Args:
        client: the editor.
        on_change: called with what was read.
    """

    def __init__(self, client: ConfigurationClient, on_change: Callable[[FaceOptions], None]) -> None:
        self._client = client
        self._on_change = on_change
        self.now = FaceOptions()

    async def begin(self) -> None:
        """Ask for it, and to be told of changes."""
        facts = self._client.facts
        if facts.dynamic_configuration:
            await self._request("client/registerCapability", _REGISTRATION)
        if facts.configuration:
            await self.ask()

    async def ask(self) -> None:
        """Ask for it again."""
        answer = await self._request("workspace/configuration", {"items": [{"section": SECTION}]})
        if isinstance(answer, list | tuple) and answer:
            self._take(cast("Sequence[Any]", answer)[0])

    async def changed(self, settings: object) -> None:
        """Take in ``workspace/didChangeConfiguration``."""
        if self._client.facts.configuration:
            await self.ask()
        else:
            section = cast("JsonMapping", settings).get(SECTION) if isinstance(settings, dict) else None
            self._take(section)

    def _take(self, section: object) -> None:
        self.now = read_options(section, source="configuration")
        self._on_change(self.now)

    async def _request(self, method: str, params: object) -> Any:
        try:
            return await self._client.request(method, params, timeout_s=_ANSWER_S)
        except (ClientError, TimeoutError):
            logger.info("the client does not answer %s", method)
            return None
