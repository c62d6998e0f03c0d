"""A key never appears: not in logs, events, errors, sessions, output, or the list of processes (DESIGN M5)."""

import asyncio
import json
import logging
import os
import sys
from pathlib import Path

import pytest

from steersman.models.clients import make_client
from steersman.models.provider_config import ProviderConfig
from support.fault_server import Answer, FaultServer, chat, delta, hang_up, raw, reset, respond, sse, stream
from support.replies import REQUEST, collect

KEY = "sk-grep-for-this-0123456789"
ECHO = {"error": {"message": f"the key {KEY} is bad", "type": "x", "code": KEY, "param": f"Bearer {KEY}"}}

FAULTS: dict[str, Answer] = {
    "echoed with 400": respond(400, ECHO),
    "echoed with 401": respond(401, ECHO),
    "echoed with 404": respond(404, ECHO),
    "echoed with 429": respond(429, ECHO, headers={"retry-after": "1000"}),
    "echoed with 500": respond(500, ECHO),
    "echoed on a web page": respond(502, f"<html><title>{KEY}</title>{KEY}</html>"),
    "echoed as text": respond(403, f"no {KEY}".encode()),
    "echoed in a redirect": respond(302, b"", headers={"location": f"http://elsewhere.test/?k={KEY}"}),
    "echoed in the request's id": respond(500, b"", headers={"x-request-id": KEY}),
    "echoed in the stream": stream(delta(content="Half"), sse(ECHO)),
    "echoed in a stream that is no JSON": stream(sse(f"oops {KEY}")),
    "echoed in a status line": raw(f"HTTP/1.1 {KEY} no\r\n\r\n".encode()),
    "closed": hang_up,
    "reset": reset,
    "broken off": stream(delta(content="Half"), end="close"),
    "answered": stream(chat("Fine.")),
}


@pytest.mark.parametrize("answer", FAULTS.values(), ids=FAULTS.keys())
async def test_no_failure_shows_the_key(answer: Answer, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    async with FaultServer(answer) as server:
        configs = {"mine": ProviderConfig(base_url=f"{server.url}?token=x", api_key_env="MINE_KEY")}
        client = make_client("mine/m", configs, {"MINE_KEY": KEY})
        client._sleep = no_sleep  # type: ignore[attr-defined]
        reply = await collect(client.stream(REQUEST))
        await client.aclose()  # type: ignore[attr-defined]
    assert any(KEY in value for request in server.requests for value in request.headers.values())
    error = reply.error
    told = [caplog.text, repr(reply), repr(client), str(error), repr(error), repr(vars(error) if error else None)]
    told += (
        [repr(error.__cause__), repr(error.__context__ if not error.__suppress_context__ else None)] if error else []
    )
    assert not [text for text in told if KEY in text]


async def no_sleep(seconds: float) -> None:
    """Take no time."""


async def run_steersman(folder: Path, server: FaultServer) -> tuple[bytes, list[bytes]]:
    """Run one prompt in a process of its own; return what it printed, and the command lines seen meanwhile."""
    environ = {name: value for name, value in os.environ.items() if not name.upper().endswith(("_PROXY", "_KEY"))}
    environ |= {
        "OPENAI_BASE_URL": server.url,
        "OPENAI_API_KEY": KEY,
        "STEERSMAN_MODEL": "openai/m",
        "STEERSMAN_STATE_DIR": str(folder / "state"),
        "STEERSMAN_CONFIG": str(folder / "config.toml"),
    }
    process = await asyncio.create_subprocess_exec(
        *[sys.executable, "-P", "-m", "steersman", "run", "Say hello.", "-C", str(folder), "--output", "stream-json"],
        env=environ,
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    reading = asyncio.ensure_future(process.communicate())
    while not server.requests and not reading.done():
        await asyncio.sleep(0.01)
    lines = (
        [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if path.exists()]
        if Path("/proc").is_dir()
        else []
    )
    output, _ = await reading
    return output, lines


@pytest.mark.parametrize("fault", ["echoed with 401", "echoed in the stream", "answered"])
async def test_neither_output_nor_session_nor_process_list_shows_the_key(fault: str, tmp_path: Path):
    async with FaultServer(FAULTS[fault]) as server:
        output, lines = await run_steersman(tmp_path, server)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"
    assert b'"run_ended"' in output
    assert KEY.encode() not in output
    assert not [line for line in lines if KEY.encode() in line]
    kept = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert kept, "the session was kept somewhere"
    assert not [path for path in kept if KEY.encode() in path.read_bytes()]
    assert json.loads(output.splitlines()[0])["type"] == "run_started"
