"""initialize is answered before the rest is loaded, and no differently (DESIGN §9)."""

import asyncio
import json
import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

from steersman import __version__
from steersman.lsp.early import Opening, open_connection
from steersman.lsp.framing import Frame, FrameReader, encode_frame
from steersman.lsp.transport import Transport
from support.face import NEOVIM, Face

Make = Callable[..., Face]


def frame(message: Any) -> bytes:
    return encode_frame(json.dumps(message).encode())


def initialize(params: Any, message_id: Any = 1) -> bytes:
    return frame({"jsonrpc": "2.0", "id": message_id, "method": "initialize", "params": params})


class Pipes:
    """The server's ends of two pipes, and the client's."""

    def __init__(self) -> None:
        self.source, self.to_server = os.pipe()
        self.from_server, self.sink = os.pipe()

    def opened(self, data: bytes) -> Opening:
        os.write(self.to_server, data)
        os.close(self.to_server)
        return open_connection(self.source, self.sink, __version__)

    def answers(self) -> list[Any]:
        os.close(self.sink)
        data = b"".join(iter(lambda: os.read(self.from_server, 1 << 16), b""))
        return [json.loads(piece.body) for piece in FrameReader().feed(data) if isinstance(piece, Frame)]

    def close(self) -> None:
        os.close(self.source)
        os.close(self.from_server)


@pytest.fixture
def pipes() -> Any:
    pipes = Pipes()
    yield pipes
    pipes.close()


@pytest.mark.parametrize("capabilities", [{}, NEOVIM, {"general": {"positionEncodings": ["utf-32"]}}])
async def test_the_early_answer_is_the_full_one(pipes: Pipes, make_face: Make, capabilities: Any) -> None:
    opening = pipes.opened(initialize({"capabilities": capabilities}, "first"))
    (answer,) = pipes.answers()
    assert answer == {"jsonrpc": "2.0", "id": "first", "result": await make_face().initialize(capabilities)}
    assert opening.answered == "first"


def test_what_was_read_is_handed_on_whole(pipes: Pipes) -> None:
    rest = frame({"jsonrpc": "2.0", "method": "initialized"})
    opening = pipes.opened(initialize({}) + rest + b"Content-Le")
    assert len(opening.pieces) == 2
    assert len(list(opening.frames.feed(b"ngth: 2\r\n\r\n{}"))) == 1
    assert len(pipes.answers()) == 1


@pytest.mark.parametrize(
    "data",
    [
        frame({"jsonrpc": "2.0", "id": 1, "method": "shutdown"}),
        frame({"jsonrpc": "2.0", "method": "initialize", "params": {}}),
        frame({"id": 1, "method": "initialize", "params": {}}),
        initialize([1]),
        initialize(None),
        encode_frame(b"{"),
        b"Content-Length: x\r\n\r\n",
    ],
)
def test_anything_else_is_left_to_the_whole_server(pipes: Pipes, data: bytes) -> None:
    opening = pipes.opened(data)
    assert opening.answered is None
    assert len(opening.pieces) == 1
    assert pipes.answers() == []


def test_a_client_that_leaves_at_once_is_lost(pipes: Pipes) -> None:
    assert pipes.opened(b"Content-Length: 10\r\n").lost
    assert pipes.answers() == []


async def test_the_second_answer_to_the_same_request_is_left_out() -> None:
    reader, writer = os.pipe()
    source, closing = os.pipe()
    opening = Opening(pieces=[Frame(b"1"), Frame(b"2")], answered=7)
    transport = Transport(source, writer, opening)
    pieces: list[Any] = []
    lost = asyncio.Event()
    transport.start(pieces.append, lambda _why: lost.set())
    transport.send({"id": 7, "method": "a request of ours with the same id"})
    transport.send({"id": 7, "result": 1})
    transport.send({"id": 7, "result": 2})
    os.close(closing)
    await lost.wait()
    assert await transport.close(timeout_s=10)
    os.close(writer)
    data = await asyncio.to_thread(os.read, reader, 1000)
    os.close(reader)
    os.close(source)
    assert pieces == [Frame(b"1"), Frame(b"2")]
    assert data.count(b"result") == 1
    assert b'"result":2' in data


def test_nothing_heavy_is_loaded_before_the_answer() -> None:
    """Held by which modules are loaded, not by time (DESIGN §9)."""
    script = """
import sys
from steersman.terminal.lsp import serve
from steersman.lsp import server
print(sorted({"asyncio", "pygls", "lsprotocol", "pydantic", "httpx", "sqlite3", "attrs"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_an_idle_server_has_loaded_no_more_than_it_needs() -> None:
    script = """
import sys
import steersman.lsp.serving
print(sorted({"pydantic", "httpx", "sqlite3", "tree_sitter", "steersman.app", "steersman.runs"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-P", "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_threads_are_not_needed_for_it() -> None:
    before = threading.active_count()
    pipes = Pipes()
    pipes.opened(initialize({}))
    pipes.answers()
    pipes.close()
    assert threading.active_count() == before
