"""Connecting a socket to one of a host's addresses (RFC 8305)."""

import asyncio
import errno
import gc
import socket
from collections.abc import Callable
from contextlib import suppress
from types import SimpleNamespace

import pytest

from steersman.models import dialing
from steersman.models.dialing import connected_socket, failure_words


def known_as(monkeypatch: pytest.MonkeyPatch, *addresses: tuple[str, int]) -> None:
    """Let every name have these addresses."""

    async def look_up(*_: object, **__: object) -> list[tuple[object, ...]]:
        family = {True: socket.AF_INET6, False: socket.AF_INET}
        return [(family[":" in host], socket.SOCK_STREAM, 6, "", (host, port)) for host, port in addresses]

    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", look_up)


def connecting_by(monkeypatch: pytest.MonkeyPatch, connect: Callable[[socket.socket, tuple], object]) -> None:
    monkeypatch.setattr(asyncio.get_running_loop(), "sock_connect", connect)


@pytest.fixture
def listening():
    """A port that takes connections, and one that does not."""
    with socket.create_server(("127.0.0.1", 0)) as server, socket.create_server(("127.0.0.1", 0)) as other:
        refusing = other.getsockname()[1]
        other.close()
        yield server.getsockname()[1], refusing


@pytest.fixture
def sockets(monkeypatch: pytest.MonkeyPatch):
    """Every socket that was made for connecting."""
    made: list[socket.socket] = []

    class Noted(socket.socket):
        def __init__(self, *args: object, **kwargs: object) -> None:
            super().__init__(*args, **kwargs)
            made.append(self)

    monkeypatch.setattr(dialing, "socket", SimpleNamespace(**vars(socket) | {"socket": Noted}))
    yield made
    for sock in made:
        sock.close()


async def test_an_address_is_connected_to_without_asking_for_it(listening, sockets, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(asyncio.get_running_loop(), "getaddrinfo", None)
    sock = await connected_socket("127.0.0.1", listening[0])
    assert sock.getpeername() == ("127.0.0.1", listening[0])


async def test_a_socket_is_of_the_kind_for_which_asyncio_turns_delays_off(listening, sockets):
    sock = await connected_socket("127.0.0.1", listening[0])
    transport, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, sock=sock)
    assert sock.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    transport.abort()
    await asyncio.sleep(0)


async def test_when_nobody_listens_at_the_first_address_the_second_is_used(
    listening, sockets, monkeypatch: pytest.MonkeyPatch
):
    """As where ``localhost`` is ::1 and 127.0.0.1, and the server knows only one of them."""
    known_as(monkeypatch, ("127.0.0.1", listening[1]), ("127.0.0.1", listening[0]))
    sock = await connected_socket("localhost", 1)
    assert sock.getpeername()[1] == listening[0]
    assert [made.fileno() == -1 for made in sockets] == [True, False]


async def test_an_address_that_says_nothing_holds_the_next_one_up_for_a_moment_only(
    listening, sockets, monkeypatch: pytest.MonkeyPatch
):
    known_as(monkeypatch, ("192.0.2.1", 1), ("127.0.0.1", listening[0]))
    monkeypatch.setattr(dialing, "_NEXT_ADDRESS_S", 0.01)
    connect = asyncio.get_running_loop().sock_connect

    async def silent_at_first(sock: socket.socket, target: tuple) -> None:
        await (asyncio.Event().wait() if target[0] == "192.0.2.1" else connect(sock, target))

    connecting_by(monkeypatch, silent_at_first)
    sock = await connected_socket("host.test", 1)
    assert sock.getpeername()[1] == listening[0]
    assert [made.fileno() == -1 for made in sockets] == [True, False]


async def test_of_two_that_connect_in_the_same_turn_one_is_closed(sockets, monkeypatch: pytest.MonkeyPatch):
    known_as(monkeypatch, ("192.0.2.1", 1), ("192.0.2.2", 1))
    monkeypatch.setattr(dialing, "_NEXT_ADDRESS_S", 0.01)
    gate = asyncio.Event()

    async def together(sock: socket.socket, target: tuple) -> None:
        if target[0] == "192.0.2.2":
            asyncio.get_running_loop().call_soon(gate.set)
        await gate.wait()

    connecting_by(monkeypatch, together)
    chosen = await connected_socket("host.test", 1)
    assert [made.fileno() == -1 for made in sockets] == [made is not chosen for made in sockets]
    assert len(sockets) == 2


async def test_families_take_turns(monkeypatch: pytest.MonkeyPatch):
    known_as(monkeypatch, ("::1", 1), ("::2", 1), ("::3", 1), ("192.0.2.1", 1))
    tried: list[str] = []

    async def refuse(sock: socket.socket, target: tuple) -> None:
        tried.append(target[0])
        raise ConnectionRefusedError(errno.ECONNREFUSED, "no")

    connecting_by(monkeypatch, refuse)
    with suppress(OSError):
        await connected_socket("host.test", 1)
    assert tried == ["::1", "192.0.2.1", "::2", "::3"]


async def test_several_failures_are_all_told_each_of_them_once(sockets, monkeypatch: pytest.MonkeyPatch):
    known_as(monkeypatch, *[(f"192.0.2.{last}", 1) for last in range(3)])
    numbers = iter([errno.ECONNREFUSED, errno.EHOSTUNREACH, errno.ECONNREFUSED])

    async def refuse(sock: socket.socket, target: tuple) -> None:
        raise OSError(next(numbers), "Connect call failed", target)

    connecting_by(monkeypatch, refuse)
    with pytest.raises(OSError, match=r"^connection refused, no route to host$"):
        await connected_socket("host.test", 1)
    assert all(made.fileno() == -1 for made in sockets)


@pytest.mark.parametrize("turns", range(12))
@pytest.mark.parametrize("addresses", [1, 2])
async def test_whenever_it_is_cancelled_no_socket_stays_open(
    listening, sockets, monkeypatch: pytest.MonkeyPatch, turns: int, addresses: int
):
    known_as(monkeypatch, *[("127.0.0.1", listening[0])] * addresses)
    before = asyncio.all_tasks()
    connecting = asyncio.ensure_future(connected_socket("host.test", 1))
    for _ in range(turns):
        await asyncio.sleep(0)
    connecting.cancel()
    with suppress(asyncio.CancelledError):
        (await connecting).close()
    assert all(made.fileno() == -1 for made in sockets)
    assert asyncio.all_tasks() == before
    gc.collect()


@pytest.mark.parametrize("host", ["a..b", ".test", "a" * 64 + ".test"])
async def test_a_name_that_no_host_can_have_is_a_value_error(host: str):
    with pytest.raises(ValueError):
        await connected_socket(host, 1)


async def test_options_and_the_local_address_reach_the_socket(listening, sockets):
    sock = await connected_socket(
        "127.0.0.1", listening[0], local="127.0.0.1", options=[(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)]
    )
    assert sock.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
    assert sock.getsockname()[0] == "127.0.0.1"


async def test_an_option_that_the_system_does_not_know_leaves_no_socket_open(listening, sockets):
    with pytest.raises(OSError):
        await connected_socket("127.0.0.1", listening[0], options=[(12345, 1, 1)])
    assert [made.fileno() for made in sockets] == [-1]


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (ConnectionRefusedError(errno.ECONNREFUSED, "Connect call failed ('127.0.0.1', 1)"), "connection refused"),
        (socket.gaierror(socket.EAI_NONAME, "Name unknown"), "its name cannot be found (Name unknown)"),
        (OSError("as it is"), "as it is"),
        (ConnectionResetError(), ""),
    ],
)
def test_a_failure_is_told_in_the_systems_words(error: OSError, words: str):
    assert failure_words(error) == words
