"""The server as a process of its own, over real pipes, with a scripted model whose gates are files."""

from __future__ import annotations

import asyncio
import json
import os
import sys
from collections.abc import AsyncGenerator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from steersman.lsp.framing import Frame, FrameReader, encode_frame
from steersman.models.gates import FileGates
from support.lsp_client import FakeClient, Json

SERVER_COMMAND = (sys.executable, "-P", "-m", "steersman", "lsp", "--stdio")


def write_script(folder: Path, replies: Sequence[Any]) -> tuple[str, FileGates]:
    """Write a script of the scripted model; return the model's name and its gates (``models.script_file``)."""
    script = folder / "script.jsonl"
    script.write_text("".join(f"{json.dumps(each)}\n" for each in replies), encoding="utf-8")
    return f"scripted/{script}", FileGates(folder / "script.jsonl.gates")


def server_environment(folder: Path, model: str | None) -> dict[str, str]:
    """Return an environment in which the server keeps everything below the folder."""
    own = {"STEERSMAN_STATE_DIR": str(folder / "state"), "STEERSMAN_CONFIG": str(folder / "config.toml")}
    return os.environ | own | ({"STEERSMAN_MODEL": model} if model else {})


class LspProcess:
    """One server process and its client.

    Attributes:
        client: the client's end.
        process: the process.
        folder: the workspace folder.
        gates: the scripted model's gates.
    """

    def __init__(self, process: asyncio.subprocess.Process, folder: Path, gates: FileGates) -> None:
        self.process = process
        self.folder = folder
        self.gates = gates
        self.client = FakeClient()
        self.client.connect_by(lambda body: self.write(encode_frame(body)))
        self.client.on("window/workDoneProgress/create", lambda _: None)
        self._reading: asyncio.Task[None] | None = None

    @property
    def pid(self) -> int:
        """The process's id."""
        return self.process.pid

    def write(self, data: bytes) -> None:
        """Write bytes as they are."""
        assert self.process.stdin is not None
        self.process.stdin.write(data)

    def read_on(self) -> None:
        """Begin to read what the server writes; until then it stays in the pipe."""
        self._reading = asyncio.ensure_future(self._read())

    async def _read(self) -> None:
        assert self.process.stdout is not None
        frames = FrameReader()
        while data := await self.process.stdout.read(1 << 16):
            for piece in frames.feed(data):
                assert isinstance(piece, Frame), f"not a message: {piece}"
                self.client.take(json.loads(piece.body))

    async def initialize(self, capabilities: Json | None = None, **params: Any) -> Any:
        """Do the handshake."""
        params = {"processId": None, "rootUri": self.folder.as_uri(), "capabilities": capabilities or {}} | params
        answer = await self.client.request("initialize", params)
        self.client.notify("initialized", {})
        return answer

    async def reached(self, gate: str) -> None:
        """Return when the model stands before the gate."""
        while not self.gates.is_reached(gate):
            await asyncio.sleep(0.01)

    def close_input(self) -> None:
        """Close the server's standard input."""
        assert self.process.stdin is not None
        self.process.stdin.close()

    async def end(self) -> int:
        """Wait until the process has ended; return its exit code."""
        return await self.process.wait()


@asynccontextmanager
async def lsp_process(tmp_path: Path, replies: Sequence[Any] = (), *, reads: bool = True) -> AsyncGenerator[LspProcess]:
    """Start a server; end it at last, whatever happened."""
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    model, gates = write_script(tmp_path, replies)
    process = await asyncio.create_subprocess_exec(
        *SERVER_COMMAND,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        env=server_environment(tmp_path, model),
    )
    server = LspProcess(process, folder, gates)
    if reads:
        server.read_on()
    try:
        yield server
    finally:
        server.close_input()
        if process.returncode is None:
            await process.wait()
