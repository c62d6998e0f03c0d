"""Connections as httpcore reads and writes them, over loopback."""

import asyncio
import socket
import ssl
from collections.abc import Awaitable, Callable
from contextlib import AsyncExitStack, asynccontextmanager, suppress

import httpcore
import pytest

from steersman.models.network import AsyncioBackend

Serve = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@asynccontextmanager
async def connected(serve: Serve):
    """A stream to a server that does this with its connection."""
    done = asyncio.Event()

    async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            await serve(reader, writer)
        finally:
            writer.close()
            with suppress(OSError):
                await writer.wait_closed()
            done.set()

    async with AsyncExitStack() as stack:
        server = await asyncio.start_server(accept, "127.0.0.1", 0)
        stack.callback(server.close)
        stream = await AsyncioBackend().connect_tcp("127.0.0.1", server.sockets[0].getsockname()[1], timeout=10)
        try:
            yield stream
        finally:
            await stream.aclose()
            await asyncio.wait_for(done.wait(), 10)


async def test_what_is_written_goes_out_in_one_piece_when_an_answer_is_waited_for():
    pieces: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        pieces.append(await reader.read(1000))
        writer.write(b"answer")

    async with connected(serve) as stream:
        await stream.write(b"head ")
        await stream.write(b"body")
        await asyncio.sleep(0)
        assert pieces == []
        assert await stream.read(100) == b"answer"
    assert pieces == [b"head body"]


async def test_a_body_larger_than_what_is_held_arrives_whole():
    body = bytes(range(256)) * 20_000
    arrived = bytearray()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while len(arrived) < len(body):
            arrived.extend(await reader.read(65536))
        writer.write(b"thanks")

    async with connected(serve) as stream:
        await stream.write(body[:3_000_000])
        await stream.write(body[3_000_000:])
        assert await stream.read(100) == b"thanks"
    assert arrived == body


async def test_a_server_that_takes_nothing_ends_the_writing():
    gate = asyncio.Event()

    async def serve(_: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await gate.wait()

    async with connected(serve) as stream:
        with pytest.raises(httpcore.WriteTimeout):
            await stream.write(bytes(50_000_000), timeout=0.01)
        gate.set()


async def test_a_read_gives_what_has_come_and_no_more_than_asked_for():
    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"abcdef")

    async with connected(serve) as stream:
        assert await stream.read(4) + await stream.read(4) + await stream.read(4) == b"abcdef"
        assert await stream.read(4) == b""


async def test_nothing_within_the_limit_is_a_timeout():
    gate = asyncio.Event()

    async def serve(_: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await gate.wait()

    async with connected(serve) as stream:
        with pytest.raises(httpcore.ReadTimeout):
            await stream.read(10, timeout=0.01)
        gate.set()


async def test_a_reset_is_an_error_and_what_came_before_it_is_not_lost():
    gate = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"half")
        await gate.wait()
        sock = writer.get_extra_info("socket")
        sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\1\0\0\0\0\0\0\0")
        writer.transport.abort()

    async with connected(serve) as stream:
        assert await stream.read(10) == b"half"
        gate.set()
        with pytest.raises(httpcore.ReadError):
            await stream.read(10)
        with pytest.raises(httpcore.WriteError):
            await stream.write(b"more")


async def test_a_server_that_sends_faster_than_is_read_has_to_wait():
    sent = 0

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal sent
        with suppress(ConnectionError):
            while True:
                writer.write(bytes(65536))
                await writer.drain()
                sent += 65536

    async with connected(serve) as stream:
        assert await stream.read(1)
        before = -1
        while before < sent:  # until it stands still
            before = sent
            for _ in range(200):
                await asyncio.sleep(0)
        assert len(stream._connection.unread) <= 1024 * 1024
        assert sum([len(await stream.read(65536)) for _ in range(200)]) > 256 * 1024


@pytest.mark.parametrize("last_word", [b"", b"HTTP/1.1 408 Request Timeout\r\n\r\n"], ids=["nothing", "a late word"])
async def test_a_connection_at_rest_that_the_server_ended_is_not_used_again(last_word: bytes):
    gate = asyncio.Event()

    async def serve(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await gate.wait()
        writer.write(last_word)

    async with connected(serve) as stream:
        assert not stream.get_extra_info("is_readable")
        gate.set()
        while not stream.get_extra_info("is_readable"):
            await asyncio.sleep(0)


async def test_closing_is_done_at_once_and_may_be_done_again():
    async def serve(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            assert await reader.read() == b""

    async with connected(serve) as stream:
        sock = stream.get_extra_info("socket")
        await stream.aclose()
        assert sock.fileno() == -1
        await stream.aclose()


async def test_the_addresses_of_both_ends_are_told():
    async def serve(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await reader.read()

    async with connected(serve) as stream:
        sock = stream.get_extra_info("socket")
        assert stream.get_extra_info("client_addr") == sock.getsockname()
        assert stream.get_extra_info("server_addr") == sock.getpeername()
        assert stream.get_extra_info("ssl_object") is None


def unused_port(host: str = "127.0.0.1") -> int:
    with socket.create_server((host, 0)) as taken:
        return taken.getsockname()[1]


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost"])
async def test_a_refused_connection_says_so_alone(host: str):
    """Whatever number of addresses the host has."""
    with pytest.raises(httpcore.ConnectError, match=r"^connection refused$"):
        await AsyncioBackend().connect_tcp(host, unused_port())


async def test_several_addresses_with_several_errors_are_all_told(monkeypatch: pytest.MonkeyPatch):
    async def fail(*_: object, **__: object) -> None:
        raise OSError("Multiple exceptions: [Errno 111] Connect call failed (), [Errno 113] No route to host")

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", fail)
    with pytest.raises(httpcore.ConnectError, match=r"^connection refused, no route to host$"):
        await AsyncioBackend().connect_tcp("host.test", 80)


async def test_a_host_without_an_address_is_named_as_unknown(monkeypatch: pytest.MonkeyPatch):
    async def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", fail)
    with pytest.raises(httpcore.ConnectError, match="its name cannot be found"):
        await AsyncioBackend().connect_tcp("host.test", 80)


async def test_a_connection_that_takes_too_long_is_a_timeout(monkeypatch: pytest.MonkeyPatch):
    async def hang(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio.get_running_loop(), "create_connection", hang)
    with pytest.raises(httpcore.ConnectTimeout):
        await AsyncioBackend().connect_tcp("host.test", 80, timeout=0.01)


async def test_options_and_the_local_address_reach_the_socket():
    done = asyncio.Event()

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()
        await writer.wait_closed()
        done.set()

    async with AsyncExitStack() as stack:
        server = await asyncio.start_server(serve, "127.0.0.1", 0)
        stack.callback(server.close)
        stream = await AsyncioBackend().connect_tcp(
            "127.0.0.1",
            server.sockets[0].getsockname()[1],
            local_address="127.0.0.1",
            socket_options=[(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)],
        )
        assert stream.get_extra_info("socket").getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        assert stream.get_extra_info("client_addr")[0] == "127.0.0.1"
        await stream.aclose()
        await asyncio.wait_for(done.wait(), 10)


async def test_a_handshake_that_fails_closes_the_connection():
    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(1)
        writer.write(b"this is no TLS at all")
        with suppress(ConnectionError):
            await reader.read()

    async with connected(serve) as stream:
        sock = stream.get_extra_info("socket")
        with pytest.raises(httpcore.ConnectError):
            await stream.start_tls(ssl.create_default_context(), "host.test", 10)
        await stream.aclose()
        assert sock.fileno() == -1


async def test_a_handshake_that_takes_too_long_is_a_timeout():
    async def serve(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        with suppress(ConnectionError):
            await reader.read()

    async with connected(serve) as stream:
        sock = stream.get_extra_info("socket")
        with pytest.raises(httpcore.ConnectTimeout):
            await stream.start_tls(ssl.create_default_context(), "host.test", 0.05)
        await stream.aclose()
        assert sock.fileno() == -1
