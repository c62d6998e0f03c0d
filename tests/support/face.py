"""The whole server in one process, with a scripted model behind it and a fake client before it.

Everything between is real: the face, the composition root, the stores (in a temporary folder), the tools.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from steersman.agent.model import ModelClient
from steersman.app import Application, LspApp
from steersman.lsp.face import SteersmanServer
from steersman.lsp.host import Editor
from steersman.models.gates import EventGates
from steersman.models.scripted import Answering, ScriptedClient, ScriptedModel
from support.lsp_client import FakeClient, Json

MODEL = "scripted/model"

NEOVIM: Json = {
    "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
    "window": {"workDoneProgress": True, "showDocument": {"support": True}, "showMessage": {}},
    "workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}, "workspaceFolders": True},
    "textDocument": {"codeAction": {"codeActionLiteralSupport": {}}},
}
"""About what a well-equipped client declares."""


class ScriptedApp(LspApp):
    """The composition root with scripted models; ``models`` holds them by name."""

    def __init__(self, state: Path, models: Mapping[str, ModelClient]) -> None:
        environ = {"STEERSMAN_STATE_DIR": str(state), "STEERSMAN_CONFIG": str(state / "config.toml")}
        super().__init__(environ | {"STEERSMAN_MODEL": MODEL})
        self._models = models
        self.engines: list[Application] = []

    def open(self, editor: Editor) -> Application:
        """Open the application and put the scripted models in."""
        engine = super().open(editor)
        engine._clients.update(self._models)  # pyright: ignore[reportPrivateUsage]
        self.engines.append(engine)
        return engine


class Face:
    """A server with its client, initialized for one folder.

    Attributes:
        client: the client.
        model: the scripted model.
        folder: the workspace folder.
        left: the exit codes it left with.
    """

    def __init__(self, tmp_path: Path, replies: Sequence[Answering | Iterable[Answering]]) -> None:
        self.folder = tmp_path / "work"
        self.folder.mkdir(exist_ok=True)
        self.state = tmp_path / "state"
        self.model: ScriptedModel[EventGates] = ScriptedClient(*replies, model=MODEL)
        self.app = ScriptedApp(self.state, {MODEL: self.model})
        self.left: list[int] = []
        self.watched: list[int] = []
        self.server = SteersmanServer(self.app, leave=self.left.append, watch=self.watched.append)
        self.client = FakeClient()
        self.client.connect(self.server.connection)
        self.client.on("window/workDoneProgress/create", lambda _: None)

    async def initialize(self, capabilities: Json | None = None, **params: Any) -> Any:
        """Do the handshake; return the server's answer."""
        params.setdefault("rootUri", self.folder.as_uri())
        params.setdefault("processId", None)
        params["capabilities"] = NEOVIM if capabilities is None else capabilities
        answer = await self.client.request("initialize", params)
        self.client.notify("initialized", {})
        return answer

    async def run(self, prompt: str = "do it", **more: Any) -> Any:
        """Run a task to its end."""
        return await self.client.command("steersman.run", {"prompt": prompt, **more})

    def open(self, name: str, text: str, *, version: int = 1) -> str:
        """Open a document of the folder with this text; return its URI."""
        uri = (self.folder / name).as_uri()
        item = {"uri": uri, "languageId": "python", "version": version, "text": text}
        self.client.notify("textDocument/didOpen", {"textDocument": item})
        return uri

    def answer_with(self, title: str) -> None:
        """Answer every question with this button."""
        self.client.on("window/showMessageRequest", lambda _: {"title": title})

    async def close(self) -> None:
        """Close the server, and check that no request of the model's was invalid."""
        await self.server.aclose()
        await asyncio.sleep(0)
        assert self.model.faults == []


def progress_of(client: FakeClient) -> list[tuple[str, str, str | None]]:
    """Return (token, kind, message) of all progress so far."""
    return [
        (str(each["token"]), each["value"]["kind"], each["value"].get("message")) for each in client.of("$/progress")
    ]
