"""Texts of ours that a person looks at in the editor: a proposed change, a long command, a transcript.

A client that knows ``workspace/textDocumentContent`` gets a virtual document (scheme ``steersman``); any other a file
in the state folder, readable by its owner only. Nothing is ever written into the workspace for that.
"""

from __future__ import annotations

import itertools
import os
import re
from collections import OrderedDict
from pathlib import Path
from typing import Any, Protocol
from urllib.parse import quote

from steersman.lsp.capabilities import VIRTUAL_SCHEME
from steersman.lsp.contracts import ClientError, ClientFacts

KEPT = 50
"""How many virtual documents stay available; files of earlier processes are kept as many."""

_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


class ShowClient(Protocol):
    """The client, as far as showing needs it."""

    @property
    def facts(self) -> ClientFacts:
        """What is known of it."""
        ...

    async def request(self, method: str, params: object, *, timeout_s: float | None = None) -> Any:
        """Send a request (``contracts.Client.request``)."""
        ...


class ShownDocuments:
    """Shows texts and keeps the virtual ones.

    Args:
        client: the editor.
        folder: where files go when the client has no virtual documents; made when needed.
    """

    def __init__(self, client: ShowClient, folder: Path) -> None:
        self._client = client
        self._folder = folder
        self._texts: OrderedDict[str, str] = OrderedDict()
        self._numbers = itertools.count(1)

    @property
    def can_show(self) -> bool:
        """Whether the client shows documents at all."""
        return self._client.facts.show_document

    def text(self, uri: str) -> str | None:
        """Return the text of a virtual document of ours, or None."""
        return self._texts.get(uri)

    async def show(self, name: str, text: str, *, take_focus: bool = True) -> bool:
        """Open a text in the editor; say whether the client did.

        Args:
            name: what it is called; its ending tells the language: ``app.py.diff``, ``answer.md``.
            text: its content.
            take_focus: whether the editor goes there.
        """
        if not self.can_show:
            return False
        try:
            uri = self._publish(name, text)
            params = {"uri": uri, "takeFocus": take_focus}
            result = await self._client.request("window/showDocument", params)
        except (ClientError, OSError):
            return False
        return bool(result is not None and result.success)

    def _publish(self, name: str, text: str) -> str:
        number = next(self._numbers)
        if self._client.facts.text_document_content:
            uri = f"{VIRTUAL_SCHEME}:/{number}/{quote(name, safe='')}"
            self._texts[uri] = text
            while len(self._texts) > KEPT:
                self._texts.popitem(last=False)
            return uri
        return self._write(f"{os.getpid()}-{number}-{_UNSAFE.sub('_', name)[-80:]}", text).as_uri()

    def _write(self, name: str, text: str) -> Path:
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        for old in sorted(self._folder.iterdir(), key=lambda path: path.stat().st_mtime)[:-KEPT]:
            old.unlink(missing_ok=True)
        path = self._folder / name
        path.unlink(missing_ok=True)
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace", newline="") as file:
            file.write(text)
        return path
