"""One request and its response: headers, credentials, compressed bodies (RFC 9110)."""

import gzip
from collections.abc import Iterable

import httpcore
import pytest

from steersman.agent.errors import ModelError
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from steersman.models.http_exchange import HttpResponse, HttpSender, InvalidHeaderError
from steersman.models.openai_chat import OpenAIChat
from support.replies import REQUEST, PlayedBody, PlayedRequests, collect


async def sent(url: str, headers: dict[str, str], body: bytes = b"") -> httpcore.Request:
    requests: list[httpcore.Request] = []

    def answer(request: httpcore.Request) -> httpcore.Response:
        requests.append(request)
        return httpcore.Response(200, content=b"")

    async with HttpSender(url, 1.0, PlayedRequests(answer)) as sender:
        await (await sender.send("POST", url, headers, body)).aclose()
    return requests[0]


async def error_of(endpoint: Endpoint) -> ModelError:
    client = HttpModelClient(endpoint, OpenAIChat(provider="p", model="m"))
    reply = await collect(client.stream(REQUEST))
    await client.aclose()
    assert reply.error is not None
    return reply.error


def response(headers: list[tuple[str, str]], pieces: Iterable[bytes] = (), status: int = 200) -> HttpResponse:
    return HttpResponse(httpcore.Response(status, headers=headers, content=PlayedBody(pieces)))


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


@pytest.mark.parametrize(
    ("name", "value"),
    [("x-tïtle", "a"), ("x title", "a"), ("", "a"), ("x-a", "a\r\nx-b: b"), ("x-a", "\0"), ("x-a", "\ud800")],
)
async def test_a_header_that_cannot_be_sent_is_named(name: str, value: str):
    with pytest.raises(InvalidHeaderError, match=f"^{name}$"):
        await sent("http://host.test/v1", {name: value})
    error = await error_of(Endpoint("p", "http://host.test/v1", "m", headers={name: value}))
    assert error.kind == "provider_rejected"
    assert f"header {name} cannot be sent" in error.message
    assert "[providers.p]" in (error.hint or "")


async def test_space_around_a_value_is_no_part_of_it():
    assert (b"x-a", b"a b") in (await sent("http://host.test/v1", {"x-a": " a b\t"})).headers


@pytest.mark.parametrize("name", ["Host", "User-Agent", "Accept"])
async def test_a_configured_header_replaces_our_own(name: str):
    request = await sent("http://host.test/v1", {name: "theirs"})
    assert [value for header, value in request.headers if header == name.lower().encode()] == [b"theirs"]


@pytest.mark.parametrize("name", ["Content-Length", "Transfer-Encoding"])
async def test_how_the_body_is_sent_is_not_for_the_configuration_to_say(name: str):
    request = await sent("http://host.test/v1", {name: "7"}, b"12345")
    framing = [line for line in request.headers if line[0] in {b"content-length", b"transfer-encoding"}]
    assert framing == [(b"content-length", b"5")]


def test_headers_are_found_by_lower_case_name_and_joined():
    got = response([("X-Many", "1"), ("Retry-After", "3"), ("x-many", "2")])
    assert got.headers == {"x-many": "1, 2", "retry-after": "3"}


@pytest.mark.parametrize(
    ("status", "success", "redirect"), [(200, True, False), (204, True, False), (301, False, True), (404, False, False)]
)
def test_a_status_says_what_became_of_it(status: int, success: bool, redirect: bool):
    got = response([], status=status)
    assert (got.is_success, got.is_redirect) == (success, redirect)


async def test_a_body_is_read_as_it_was_before_it_was_packed():
    packed = gzip.compress(b"text")
    got = response([("Content-Encoding", "gzip")], [packed[:5], packed[5:]])
    assert b"".join([piece async for piece in got.body()]) == b"text"
