"""One real server, played through every command of the protocol: what each answers, and what the client was asked.

The documents' examples are held against it.
"""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from support.lsp_client import Json, LspError
from support.lsp_process import LspProcess, lsp_process

TEXT = "def greet(name):\n    return 'Hello, ' + name\n"


def call(name: str, **arguments: Any) -> Json:
    """One call of the scripted model."""
    return {"call": name, "arguments": arguments}


def usage(*items: Any) -> Json:
    """A reply with some tokens."""
    return {"items": list(items), "usage": {"input": 900, "output": 60, "cachedInput": 0}}


REPLIES = (
    usage("Let me look.", call("read_file", path="greet.py")),
    usage(call("edit_file", path="greet.py", old_text="Hello", new_text="Good day")),
    usage(call("run_command", command="echo done")),
    usage("Done: it says Good day now."),
    ["Working on it ", {"gate": "second"}],
    [call("write_file", path="notes.md", content="# Notes\n")],
    ["Written."],
)


@dataclass
class WireScene:
    """What was seen.

    Attributes:
        results: command -> what it answered.
        requests: method of the server's requests -> the params of the first.
        notifications: method -> the params of all.
        errors: what was done wrong on purpose -> the error.
    """

    results: dict[str, Json] = field(default_factory=dict[str, Json])
    requests: dict[str, Json] = field(default_factory=dict[str, Json])
    notifications: dict[str, list[Json]] = field(default_factory=dict[str, list[Json]])
    errors: dict[str, LspError] = field(default_factory=dict[str, LspError])
    initialize: Json = field(default_factory=dict[str, Any])


async def play(tmp_path: Path) -> WireScene:
    """Play it."""
    scene = WireScene()
    async with lsp_process(tmp_path, REPLIES) as server:
        (server.folder / "greet.py").write_text(TEXT)
        _answer_requests(server)
        scene.initialize = await server.initialize(
            {"workspace": {"applyEdit": True, "workspaceEdit": {"documentChanges": True}}},
            initializationOptions={
                "client": {"events": True, "approvals": True, "saveDocuments": True, "diagnostics": True}
            },
        )
        await _play_all(server, scene)
    for message in server.client.received:
        if "method" in message and "id" in message:
            scene.requests.setdefault(message["method"], message["params"])
        elif "method" in message:
            scene.notifications.setdefault(message["method"], []).append(message["params"])
    return scene


def _answer_requests(server: LspProcess) -> None:
    answers = iter(["allow_always", "allow_once"])

    async def approve(_params: Json) -> Json:
        try:
            return {"optionId": next(answers)}
        except StopIteration:
            await asyncio.Event().wait()  # the last question is answered by command
            raise AssertionError from None

    server.client.on("steersman/requestApproval", approve)
    server.client.on("steersman/diagnostics", lambda _: {"items": []})
    server.client.on("steersman/saveDocuments", lambda params: {"saved": params["uris"]})


async def _play_all(server: LspProcess, scene: WireScene) -> None:
    client = server.client

    async def do(command: str, arguments: Json | None = None) -> Json:
        result = await client.command(command, arguments)
        scene.results.setdefault(command, result)
        return result

    async def fail(command: str, arguments: Json | None = None) -> None:
        try:
            await client.command(command, arguments)
        except LspError as error:
            scene.errors[command] = error

    first = await do("steersman.run", {"prompt": "Say Good day in greet.py, then run echo done"})
    session = first["sessionId"]
    second = await do("steersman.start", {"prompt": "Go on", "sessionId": session})
    await server.reached("second")
    await do("steersman.status")
    await do("steersman.setMode", {"mode": "plan"})
    await do("steersman.steer", {"sessionId": session, "text": "Keep it short."})
    await do("steersman.cancel", {"runId": second["runId"]})
    await do("steersman.wait", {"runId": second["runId"]})
    third = await client.command("steersman.start", {"prompt": "Write notes.md"})
    while not (open_ := (await client.command("steersman.approvals.list"))["approvals"]):
        await asyncio.sleep(0.01)
    await do("steersman.approvals.list")
    call_id = open_[0]["callId"]
    await do("steersman.answer", {"runId": third["runId"], "callId": call_id, "optionId": "allow_session"})
    await client.command("steersman.wait", {"runId": third["runId"]})
    await do("steersman.sessions.list")
    await do("steersman.sessions.search", {"query": "greet.py"})
    await do("steersman.sessions.get", {"sessionId": session})
    await do("steersman.sessions.rename", {"sessionId": session, "title": "Good day"})
    forked = await do("steersman.sessions.fork", {"sessionId": session})
    await do("steersman.sessions.export", {"sessionId": session})
    await do("steersman.sessions.takeOver", {"sessionId": session})
    rewound = await do("steersman.rewind", {"sessionId": session, "toMessage": 0})
    await do("steersman.rewind.undo", {"rewindId": rewound["rewindId"]})
    await do("steersman.sessions.delete", {"sessionId": forked["session"]["id"]})
    await do("steersman.permissions.list")
    await do("steersman.permissions.reset")
    await do("steersman.models")
    await fail("steersman.wait", {"runId": "nobody"})
    await fail("steersman.run", {"prompt": "x", "maxTruns": 3})
