"""Compressed bodies, as servers and proxies send them though nobody asked (RFC 9110 §8.4)."""

import gzip
import zlib
from collections.abc import AsyncGenerator, Callable, Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.content_coding import DamagedBodyError, decoded


async def played(pieces: Iterable[bytes]) -> AsyncGenerator[bytes, None]:
    for piece in pieces:
        yield piece


async def read(codings: str, *pieces: bytes) -> bytes:
    return b"".join([piece async for piece in decoded(played(pieces), codings)])


def raw_deflate(data: bytes) -> bytes:
    deflater = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflater.compress(data) + deflater.flush()


def cut(data: bytes, size: int) -> list[bytes]:
    return [data[at : at + size] for at in range(0, len(data), size)]


PACKED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("GZIP ", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("identity", bytes),
    ("", bytes),
    ("gzip, gzip", lambda data: gzip.compress(gzip.compress(data))),
    ("identity, deflate, gzip", lambda data: gzip.compress(zlib.compress(data))),
]


@pytest.mark.parametrize(
    ("codings", "pack"), PACKED, ids=[f"{name}-{number}" for number, (name, _) in enumerate(PACKED)]
)
@given(data=st.binary(max_size=300), size=st.integers(1, 40))
async def test_a_body_is_the_same_however_it_was_packed_and_cut(codings, pack, data: bytes, size: int):
    assert await read(codings, *cut(pack(data), size)) == data


@given(st.lists(st.binary(max_size=40), min_size=1, max_size=5), st.integers(1, 40))
async def test_a_body_may_be_packed_in_parts_one_after_the_other(parts: list[bytes], size: int):
    """As from servers that compress each event on its own; the last may be filled up with zeros."""
    packed = b"".join(map(gzip.compress, parts)) + bytes(3)
    assert await read("gzip", *cut(packed, size)) == b"".join(parts)


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, raw_deflate], ids=["gzip", "zlib", "raw"])
@pytest.mark.parametrize("size", [1024 * 1024, 50_000_000])
async def test_a_small_piece_that_holds_very_much_is_given_out_in_parts(pack, size: int):
    """What bounds a whole reply gets to see it grow."""
    name = "gzip" if pack is gzip.compress else "deflate"
    parts = [len(part) async for part in decoded(played([pack(bytes(size))]), name)]
    assert sum(parts) == size
    assert max(parts) <= 1024 * 1024


@pytest.mark.parametrize("pack", [gzip.compress, zlib.compress, raw_deflate], ids=["gzip", "zlib", "raw"])
async def test_a_body_that_ends_too_early_says_so_after_what_it_held(pack):
    packed, got = pack(b"whole " * 100), bytearray()

    async def read_to_its_end() -> None:
        async for piece in decoded(played(cut(packed[:-1], 5)), "gzip" if pack is gzip.compress else "deflate"):
            got.extend(piece)

    with pytest.raises(DamagedBodyError, match="too early"):
        await read_to_its_end()
    assert b"whole" in got


@pytest.mark.parametrize(
    ("codings", "body", "said"),
    [
        ("gzip", b"no gzip at all", "header"),
        ("gzip", gzip.compress(b"a") + b"rubbish", "header"),
        ("gzip", gzip.compress(b"a")[:-8] + b"\1" * 8, "check"),
        ("br", b"\x0b", "compressed as br"),
        ("gzip, br", b"\x0b", "compressed as br"),
    ],
    ids=["no gzip", "rubbish behind it", "another check sum", "another coding", "another coding within"],
)
async def test_a_body_that_cannot_be_decoded_says_so(codings: str, body: bytes, said: str):
    with pytest.raises(DamagedBodyError, match=said):
        await read(codings, body)


async def test_a_body_without_a_byte_is_none_in_any_coding():
    assert await read("gzip") == b""


async def test_closing_closes_the_pieces_too():
    closed = False

    async def endless() -> AsyncGenerator[bytes, None]:
        nonlocal closed
        try:
            while True:
                yield gzip.compress(b"a")
        finally:
            closed = True

    body = decoded(endless(), "gzip")
    assert await anext(body) == b"a"
    await body.aclose()
    assert closed
