"""The loop's own cost: from the model's answer to the next request, over real HTTP, with a durable session and events.

A scripted endpoint answers at once with a ``read_file`` call, 200 times, and then with a text.
"""

from __future__ import annotations

import asyncio
import os
import statistics
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from steersman.agent.events import Event
from steersman.app import HeadlessApp, headless_settings
from steersman.permissions.modes import Mode
from steersman.runs import RunRequest
from support.scripted_server import ScriptedServer, calls_then_text

TURNS = 200
EDGE = 10


async def measure(folder: Path) -> list[float]:
    """Return the gap behind each answer, in seconds."""
    workspace = folder / "ws"
    workspace.mkdir()
    (workspace / "a.py").write_text("".join(f"line {number}\n" for number in range(40)))
    events: list[Event] = []
    script = [
        reply
        for number in range(TURNS)
        for reply in calls_then_text(
            1, "read_file", {"path": "a.py", "offset": number % 40 + 1, "limit": 5 + number // 40}, ""
        )[:1]
    ]
    async with ScriptedServer(*script, *calls_then_text(0, "", {}, "Done.")) as server:
        environ = {
            **os.environ,
            "OPENAI_BASE_URL": server.base_url,
            "OPENAI_API_KEY": "test-key",
            "STEERSMAN_STATE_DIR": str(folder / "state"),
            "STEERSMAN_CONFIG": str(folder / "config.toml"),
        }
        settings = headless_settings("openai/scripted", environ)
        async with HeadlessApp(workspace, settings, environ=environ) as app:
            request = RunRequest("Read it.", mode=Mode.AUTO, max_turns=TURNS + 5)
            await app.runs.start(request, events.append).wait()
        server.check()
        return server.gaps


def rows() -> list[tuple[str, float, float, float]]:
    """Return (what, ours, floor, target ratio) in seconds: the last ten turns beside the first ten."""
    with tempfile.TemporaryDirectory() as folder:
        gaps = asyncio.run(measure(Path(folder)))
    first, last = statistics.median(gaps[:EDGE]), statistics.median(gaps[-EDGE:])
    return [(f"loop: last {EDGE} gaps of {TURNS} beside the first {EDGE}", last, first, 1.3)]
