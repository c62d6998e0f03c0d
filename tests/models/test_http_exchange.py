"""One request and its response: headers, credentials, compressed bodies (RFC 9110)."""

import gzip
import zlib
from collections.abc import Callable, Iterable

import httpcore
import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.models.http_address import InvalidAddressError
from steersman.models.http_exchange import DamagedBodyError, HttpResponse, HttpSender
from support.replies import PlayedBody, PlayedRequests


async def sent(url: str, headers: dict[str, str], body: bytes = b"") -> httpcore.Request:
    requests: list[httpcore.Request] = []

    def answer(request: httpcore.Request) -> httpcore.Response:
        requests.append(request)
        return httpcore.Response(200, content=b"")

    async with HttpSender(url, 1.0, PlayedRequests(answer)) as sender:
        await (await sender.send("POST", url, headers, body)).aclose()
    return requests[0]


def response(headers: list[tuple[str, str]], pieces: Iterable[bytes] = (), status: int = 200) -> HttpResponse:
    return HttpResponse(httpcore.Response(status, headers=headers, content=PlayedBody(pieces)))


async def read(encoding: str, pieces: Iterable[bytes]) -> bytes:
    return b"".join([piece async for piece in response([("Content-Encoding", encoding)], pieces).body()])


async def test_a_request_names_its_host_and_the_length_of_its_body():
    request = await sent("http://host.test:81/v1", {"accept": "text/event-stream"}, b"12345")
    assert request.method == b"POST"
    assert request.headers == [
        (b"host", b"host.test:81"),
        (b"user-agent", b"steersman"),
        (b"accept", b"text/event-stream"),
        (b"content-length", b"5"),
    ]


async def test_a_user_name_in_the_address_is_what_authorizes():
    request = await sent("http://me:pw@host.test/v1", {"authorization": "Bearer other"})
    authorizing = [value for name, value in request.headers if name == b"authorization"]
    assert authorizing == [b"Basic bWU6cHc="]


async def test_a_header_may_hold_any_text_but_its_name_may_not():
    request = await sent("http://host.test/v1", {"X-Title": "Ünder way"})
    assert (b"x-title", "Ünder way".encode()) in request.headers
    with pytest.raises(InvalidAddressError, match="cannot be sent"):
        await sent("http://host.test/v1", {"x-tïtle": "a"})


def test_headers_are_found_by_lower_case_name_and_joined():
    got = response([("X-Many", "1"), ("Retry-After", "3"), ("x-many", "2")])
    assert got.headers == {"x-many": "1, 2", "retry-after": "3"}


@pytest.mark.parametrize(
    ("status", "success", "redirect"), [(200, True, False), (204, True, False), (301, False, True), (404, False, False)]
)
def test_a_status_says_what_became_of_it(status: int, success: bool, redirect: bool):
    got = response([], status=status)
    assert (got.is_success, got.is_redirect) == (success, redirect)


def raw_deflate(data: bytes) -> bytes:
    deflater = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    return deflater.compress(data) + deflater.flush()


PACKED: list[tuple[str, Callable[[bytes], bytes]]] = [
    ("gzip", gzip.compress),
    ("x-gzip", gzip.compress),
    ("deflate", zlib.compress),
    ("deflate", raw_deflate),
    ("identity", bytes),
    ("", bytes),
]


@pytest.mark.parametrize(("encoding", "pack"), PACKED, ids=["gzip", "x-gzip", "zlib", "raw", "identity", "none"])
@given(data=st.binary(max_size=300), size=st.integers(1, 40))
async def test_a_body_is_the_same_however_it_was_packed_and_cut(encoding, pack, data: bytes, size: int):
    packed = pack(data)
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    assert await read(encoding, pieces) == data


async def test_a_small_piece_that_holds_very_much_is_given_out_in_parts():
    """What bounds a whole reply gets to see it grow."""
    packed = gzip.compress(bytes(50_000_000))
    parts = [len(part) async for part in response([("content-encoding", "gzip")], [packed]).body()]
    assert sum(parts) == 50_000_000
    assert max(parts) <= 1024 * 1024


@pytest.mark.parametrize(
    ("encoding", "body", "said"),
    [("gzip", b"no gzip at all", "header"), ("br", b"\x0b", "compressed as br"), ("gzip, br", b"", "gzip, br")],
)
async def test_a_body_that_cannot_be_decoded_says_so(encoding: str, body: bytes, said: str):
    with pytest.raises(DamagedBodyError, match=said):
        await read(encoding, [body])
