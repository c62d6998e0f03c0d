"""The server as a process: what it leaves for, what it answers to bad bytes, and what a silent client does to it.

Nothing here asserts a duration; a server that does not leave fails by the test's own time limit.
"""

import asyncio
import json
import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest

from steersman.app import HeadlessApp, headless_settings
from steersman.lsp.framing import encode_frame
from steersman.lsp.parent import is_alive
from support.lsp_process import SERVER_COMMAND, lsp_process, server_environment, write_script

STUCK = [["I am ", {"gate": "mid"}, "done."]]


async def roles_of_last_session(tmp_path: Path) -> list[str]:
    """Return the roles of the messages that the next start finds in the latest session."""
    environ = server_environment(tmp_path, None)
    async with HeadlessApp(tmp_path / "work", headless_settings(environ=environ), environ=environ) as headless:
        library = headless.app.sessions
        (session,) = (await library.list(folder=None, query=None, limit=5, offset=0))["sessions"]
        got = await library.get(session["id"], after=None, limit=None)
        return [message["role"] for message in got["messages"]]


async def test_shutdown_and_exit_leave_with_0(tmp_path: Path) -> None:
    async with lsp_process(tmp_path) as server:
        await server.initialize()
        assert await server.client.request("shutdown") is None
        server.client.notify("exit")
        assert await server.end() == 0


WAYS = ["input", "exit"] + (["term", "int"] if sys.platform != "win32" else [])  # Windows has no such signals


@pytest.mark.parametrize("way", WAYS)
async def test_it_leaves_in_the_middle_of_a_run_and_closes_it(tmp_path: Path, way: str) -> None:
    async with lsp_process(tmp_path, STUCK) as server:
        await server.initialize()
        server.client.start_command("steersman.run", {"prompt": "do"})
        await server.reached("mid")
        match way:
            case "input":
                server.close_input()
            case "term":
                server.process.send_signal(signal.SIGTERM)
            case "int":
                server.process.send_signal(signal.SIGINT)
            case _:
                server.client.notify("exit")
        code = await server.end()
    assert code == {"input": 1, "exit": 1, "term": 143, "int": 130}[way]
    assert await roles_of_last_session(tmp_path) == ["user"]


async def test_it_leaves_when_the_clients_process_is_gone_though_the_pipe_is_open(tmp_path: Path) -> None:
    client = await asyncio.create_subprocess_exec(sys.executable, "-c", "input()", stdin=asyncio.subprocess.PIPE)
    async with lsp_process(tmp_path) as server:
        await server.initialize(processId=client.pid)
        await server.client.command("steersman.status")
        client.kill()
        await client.wait()
        assert await server.end() == 1


async def test_it_leaves_when_its_client_is_killed(tmp_path: Path) -> None:
    """A client in between starts the server and is killed: the pipes close, and nothing is left behind (reports 34)."""
    model, gates = write_script(tmp_path, STUCK)
    (tmp_path / "work").mkdir()
    initialize = {"processId": None, "rootUri": (tmp_path / "work").as_uri(), "capabilities": {}}
    command = {"command": "steersman.run", "arguments": [{"prompt": "do"}]}
    messages = [
        {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": initialize},
        {"jsonrpc": "2.0", "method": "initialized", "params": {}},
        {"jsonrpc": "2.0", "id": 2, "method": "workspace/executeCommand", "params": command},
    ]
    script = """
import subprocess, sys
server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
server.stdin.write(bytes.fromhex(sys.argv[1]))
server.stdin.flush()
print(server.pid, flush=True)
server.wait()
"""
    data = b"".join(encode_frame(json.dumps(message).encode()) for message in messages).hex()
    client = await asyncio.create_subprocess_exec(
        *(sys.executable, "-c", script, data, *SERVER_COMMAND),
        stdout=asyncio.subprocess.PIPE,
        env=server_environment(tmp_path, model),
    )
    assert client.stdout is not None
    pid = int(await client.stdout.readline())
    while not gates.is_reached("mid"):
        await asyncio.sleep(0.01)
    client.kill()
    await client.wait()
    while is_alive(pid):
        await asyncio.sleep(0.01)
    assert await roles_of_last_session(tmp_path) == ["user"]


@pytest.mark.skipif(sys.platform == "win32", reason="named pipes of the file system are POSIX's")
async def test_a_command_that_does_not_want_to_end_ends_with_the_server(tmp_path: Path) -> None:
    """It ignores TERM and holds a pipe; the pipe's end is the proof that nothing of it is left."""
    stubborn = "trap '' TERM; exec 3>held; echo ready >&3; sleep 1000"
    async with lsp_process(
        tmp_path, [[{"call": "run_command", "arguments": {"command": stubborn}}], ["never"]]
    ) as server:
        os.mkfifo(server.folder / "held")
        await server.initialize()
        server.client.on("window/showMessageRequest", lambda _: {"title": "Allow once"})
        server.client.start_command("steersman.run", {"prompt": "do"})
        held = await asyncio.to_thread((server.folder / "held").open, "rb")
        with held:
            assert await asyncio.to_thread(held.readline) == b"ready\n"
            server.close_input()
            assert await server.end() == 1
            assert await asyncio.to_thread(held.read) == b""
    assert await roles_of_last_session(tmp_path) == ["user", "assistant", "tool"]


async def test_bad_bytes_are_answered_and_the_connection_goes_on(tmp_path: Path) -> None:
    async with lsp_process(tmp_path) as server:
        await server.initialize()
        before = len(server.client.received)
        server.write(b"Content-Length: 7\r\n\r\nnonsens")
        server.write(b"POST / HTTP/1.1\r\nContent-Length: 40\r\n\r\n" + b'{"jsonrpc":"2.0","id":"post","method":1}')
        server.write(b"Content-Length: 99999999999999\r\n")
        server.write(b"X: " + b"y" * 100_000 + b"\r\n\r\n")
        await server.client.wait_for(lambda: len(server.client.received) >= before + 2)
        codes = [(each["id"], each["error"]["code"]) for each in server.client.received[before:]]
        assert codes[:2] == [(None, -32700), ("post", -32600)]


async def test_a_client_that_does_not_read_does_not_stop_a_run(tmp_path: Path) -> None:
    """Far more than a pipe holds is written while nobody reads; the model reaches its end all the same."""
    pieces: list[Any] = [f"{n} " + "x" * 2000 + "\n" for n in range(300)]
    async with lsp_process(tmp_path, [[*pieces, {"gate": "end"}]], reads=False) as server:
        options = {"client": {"events": True}}
        params = {
            "processId": None,
            "rootUri": server.folder.as_uri(),
            "capabilities": {},
            "initializationOptions": options,
        }
        server.client.start("initialize", params)
        server.client.notify("initialized", {})
        running = server.client.start_command("steersman.run", {"prompt": "do"}, workDoneToken="tok")
        await server.reached("end")
        server.read_on()
        status = await server.client.command("steersman.status")
        assert len(status["runs"]) == 1
        server.gates.open("end")
        result = await running.answer
        assert result["answer"] == "".join(pieces)
        kinds = [params["value"]["kind"] for params in server.client.of("$/progress")]
        assert (kinds[0], kinds[-1], kinds.count("end")) == ("begin", "end", 1)
        events = [params["event"] for params in server.client.of("steersman/event")]
        assert "".join(event["text"] for event in events if event["type"] == "text_delta") == result["answer"]


async def test_standard_output_is_the_protocols_alone(tmp_path: Path) -> None:
    """``_read`` fails on anything that is no message; a command's own output goes elsewhere."""
    call = {"call": "run_command", "arguments": {"command": "echo loud; echo louder >&2"}}
    async with lsp_process(tmp_path, [[call], ["Done."]]) as server:
        await server.initialize()
        server.client.on("window/showMessageRequest", lambda _: {"title": "Allow once"})
        result = await server.client.command("steersman.run", {"prompt": "do"})
        assert result["answer"] == "Done."
        session = await server.client.command("steersman.sessions.get", {"sessionId": result["sessionId"]})
        assert "loud" in session["messages"][2]["content"]
