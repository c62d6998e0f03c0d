"""A Steersman server (or any language server) as a process, with a client that is quick enough to measure it."""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncGenerator, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from benchmarks.processes import PYTHON, SERVER, cpu_seconds, resident_bytes
from steersman.lsp.framing import Frame, FrameReader, encode_frame
from support.lsp_client import FakeClient, Json, Pending

BARE_SERVER = (*PYTHON, "-c", "from pygls.lsp.server import LanguageServer; LanguageServer('bare', '1').start_io()")


class Server:
    """One process and its client.

    Attributes:
        client: the client; what it has ``received`` may be cleared at any time.
        arrivals: (time, event) of every ``steersman/event``; may be cleared at any time.
    """

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process
        self._frames = FrameReader()
        self.client = FakeClient()
        self.client.connect_by(self._write)
        self.client.on("window/workDoneProgress/create", lambda _: None)
        self.arrivals: list[tuple[float, Json]] = []
        self._news = asyncio.Event()
        self._reading = asyncio.ensure_future(self._read())

    @property
    def cpu(self) -> float:
        """CPU seconds so far."""
        return cpu_seconds(self._process.pid)

    @property
    def resident(self) -> int:
        """Bytes of memory held."""
        return resident_bytes(self._process.pid)

    def _write(self, body: bytes) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(encode_frame(body))

    async def _read(self) -> None:
        assert self._process.stdout is not None
        while data := await self._process.stdout.read(1 << 18):
            now = time.perf_counter()
            for piece in self._frames.feed(data):
                assert isinstance(piece, Frame)
                message = json.loads(piece.body)
                if message.get("method") == "steersman/event":
                    self.arrivals.append((now, message["params"]["event"]))
                    self._news.set()
                else:
                    self.client.take(message)

    async def initialize(self, folder: Path, *, events: bool = True) -> None:
        """Do the handshake, and wait until everything that follows it is done."""
        options = {"client": {"events": events}}
        params: Json = {"processId": None, "rootUri": folder.as_uri(), "initializationOptions": options}
        await self.client.request("initialize", params | {"capabilities": {}})
        self.client.notify("initialized", {})

    def start_run(self, prompt: str = "Do it.", **more: Any) -> Pending:
        """Begin a run; its answer is awaited later."""
        arguments = {"prompt": prompt, "mode": "auto", "maxTurns": 10_000, **more}
        return self.client.start_command("steersman.run", arguments)

    async def run(self, prompt: str = "Do it.", **more: Any) -> Any:
        """Do a run to its end."""
        result = await self.start_run(prompt, **more).answer
        self.client.received.clear()
        self.arrivals.clear()
        return result

    async def wait_event(self, kind: str) -> None:
        """Return as soon as an event of this type is among the arrivals."""
        while all(event["type"] != kind for _, event in self.arrivals):
            self._news.clear()
            await self._news.wait()

    async def status(self) -> Any:
        """Ask for the status."""
        return await self.client.command("steersman.status")

    def kill(self) -> None:
        """End it at once."""
        self._reading.cancel()
        if self._process.returncode is None:
            self._process.kill()

    async def wait(self) -> None:
        """Return when it has ended."""
        await self._process.wait()


@asynccontextmanager
async def server(environ: Mapping[str, str], argv: Sequence[str] = SERVER) -> AsyncGenerator[Server]:
    """Start a server; kill it at last."""
    process = await asyncio.create_subprocess_exec(
        *argv,
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=dict(environ),
    )
    found = Server(process)
    try:
        yield found
    finally:
        found.kill()
        await found.wait()
