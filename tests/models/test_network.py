"""Connections as httpcore reads and writes them, over loopback."""

import asyncio
import socket
import ssl
from contextlib import asynccontextmanager, suppress

import httpcore
import pytest

from steersman.models.network import AsyncioBackend
from support.raw_server import Serve, raw_server


@asynccontextmanager
async def connected(serve: Serve):
    """A stream to a server that does this with its connection."""
    async with raw_server(serve) as port:
        stream = await AsyncioBackend().connect_tcp("127.0.0.1", port, timeout=10)
        try:
            yield stream
        finally:
            await stream.aclose()


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


async def test_a_host_without_an_address_is_named_as_unknown(monkeypatch: pytest.MonkeyPatch):
    async def fail(*_: object, **__: object) -> None:
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", fail)
    with pytest.raises(httpcore.ConnectError, match="its name cannot be found"):
        await AsyncioBackend().connect_tcp("host.test", 80)


async def test_a_connection_that_takes_too_long_is_a_timeout(monkeypatch: pytest.MonkeyPatch):
    async def hang(*_: object, **__: object) -> None:
        await asyncio.Event().wait()

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", hang)
    with pytest.raises(httpcore.ConnectTimeout):
        await AsyncioBackend().connect_tcp("host.test", 80, timeout=0.01)


async def test_a_name_that_no_host_can_have_is_a_failure_to_connect():
    with pytest.raises(httpcore.ConnectError, match="not one that a host can have"):
        await AsyncioBackend().connect_tcp("a..b", 80)


@pytest.mark.parametrize("host", ["127.0.0.1", "[::ffff:127.0.0.1]"])
async def test_an_address_may_stand_in_the_brackets_it_has_in_a_url(host: str):
    with pytest.raises(httpcore.ConnectError, match=r"^connection refused$"):
        await AsyncioBackend().connect_tcp(host, unused_port())


async def silent(reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
    """Read until the other side goes, without a word."""
    with suppress(ConnectionError):
        await reader.read()


async def talk_nonsense(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer what is no TLS at all."""
    await reader.read(1)
    writer.write(b"this is no TLS at all")
    await silent(reader, writer)


@pytest.mark.parametrize(
    ("serve", "limit_s", "error"),
    [(talk_nonsense, 10, httpcore.ConnectError), (silent, 0.05, httpcore.ConnectTimeout)],
    ids=["fails", "takes too long"],
)
async def test_a_handshake_that_comes_to_nothing_closes_the_connection(
    serve: Serve, limit_s: float, error: type[Exception]
):
    async with connected(serve) as stream:
        sock = stream.get_extra_info("socket")
        with pytest.raises(error):
            await stream.start_tls(ssl.create_default_context(), "host.test", limit_s)
        await stream.aclose()
        assert sock.fileno() == -1


@pytest.mark.parametrize("what", ["read", "write", "start_tls"])
async def test_whoever_is_cancelled_leaves_no_connection_behind(what: str):
    """In the same turn, whatever is still cleaned up by others after that."""

    async def unread(_: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.transport.pause_reading()
        await gate.wait()

    gate = asyncio.Event()
    async with connected(unread) as stream:
        acts = {
            "read": lambda: stream.read(10),
            "write": lambda: stream.write(bytes(50_000_000)),
            "start_tls": lambda: stream.start_tls(ssl.create_default_context(), "host.test"),
        }
        acting = asyncio.ensure_future(acts[what]())
        for _ in range(10):
            await asyncio.sleep(0)
        assert not stream.get_extra_info("is_readable")
        acting.cancel()
        await asyncio.sleep(0)
        assert stream.get_extra_info("is_readable")
        with pytest.raises(asyncio.CancelledError):
            await acting
        gate.set()


async def test_a_connection_that_was_closed_here_has_not_ended_as_it_should():
    """Else a reply that goes on until the connection ends would pass for a whole one."""
    async with connected(silent) as stream:
        reading = asyncio.ensure_future(stream.read(10))
        await asyncio.sleep(0)
        await stream.aclose()
        with pytest.raises(httpcore.ReadError, match="closed on this side"):
            await reading
        with pytest.raises(httpcore.ReadError):
            await stream.read(10)


async def test_an_answer_that_comes_before_all_was_read_ends_the_writing():
    async def refuse(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.transport.pause_reading()
        writer.write(b"too large")
        await gate.wait()

    gate = asyncio.Event()
    async with connected(refuse) as stream:
        with pytest.raises(httpcore.WriteError, match="before all was sent"):
            await stream.write(bytes(50_000_000))
        assert await stream.read(100) == b"too large"
        gate.set()


async def test_after_an_interim_answer_the_rest_is_sent_all_the_same():
    async def hint(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"wait")
        await gate.wait()
        while len(arrived) < len(body):
            arrived.extend(await reader.read(65536))
        writer.write(b"thanks")

    gate, arrived, body = asyncio.Event(), bytearray(100), bytes(50_000_000)
    async with connected(hint) as stream:
        with suppress(httpcore.WriteError):
            await stream.write(body)
        assert await stream.read(100) == b"wait"
        gate.set()
        assert await stream.read(100) == b"thanks"


async def test_a_server_that_goes_before_all_was_read_ends_the_writing():
    async def go(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write_eof()
        await gate.wait()

    gate = asyncio.Event()
    async with connected(go) as stream:
        with pytest.raises(httpcore.WriteError):
            await stream.write(bytes(50_000_000))
        gate.set()


async def test_a_server_that_has_gone_is_not_asked_to_encrypt():
    async def go(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        return

    async with connected(go) as stream:
        while not stream.get_extra_info("is_readable"):
            await asyncio.sleep(0)
        with pytest.raises(httpcore.ConnectError, match="closed"):
            await stream.start_tls(ssl.create_default_context(), "host.test", 10)


async def test_what_was_said_before_the_encryption_is_never_taken_for_a_part_of_it():
    """A proxy could speak for the host behind it, with what it sends after having opened the way."""

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read(100)
        writer.write(b"opened" + b"HTTP/1.1 200 OK")
        await reader.read()

    async with connected(speak) as stream:
        await stream.write(b"open")
        assert await stream.read(6) == b"opened"
        with pytest.raises(httpcore.ConnectError, match="before the connection was encrypted"):
            await stream.start_tls(ssl.create_default_context(), "host.test", 10)


@pytest.mark.parametrize("name", [".host.test", "a" * 70 + ".test"])
async def test_a_name_that_no_certificate_can_have_is_a_failure_to_connect(name: str):
    async with connected(silent) as stream:
        with pytest.raises(httpcore.ConnectError, match="not one that a host can have"):
            await stream.start_tls(ssl.create_default_context(), name, 10)


async def test_a_proxy_has_a_while_to_answer_and_the_host_behind_it_as_long_as_it_likes():
    async with raw_server(silent) as port:
        through = await AsyncioBackend(proxy_s=0.01, layers=1).connect_tcp("127.0.0.1", port)
        with pytest.raises(httpcore.ConnectTimeout):
            await through.read(10)
        await through.aclose()
        direct = await AsyncioBackend(proxy_s=0.01).connect_tcp("127.0.0.1", port)
        reading = asyncio.ensure_future(direct.read(10))
        assert (await asyncio.wait([reading], timeout=0.03))[0] == set()
        await direct.aclose()
        with pytest.raises(httpcore.ReadError):
            await reading


async def test_all_connections_can_be_ended_at_once_and_those_that_are_still_to_come():
    async with raw_server(silent) as port:
        backend = AsyncioBackend()
        sock = (await backend.connect_tcp("127.0.0.1", port)).get_extra_info("socket")
        connecting = asyncio.ensure_future(backend.connect_tcp("localhost", port))
        await asyncio.sleep(0)
        backend.abort()
        await backend.wait_closed()
        assert sock.fileno() == -1
        with pytest.raises(httpcore.ConnectError, match="closed on this side"):
            await connecting
        await backend.wait_closed()
