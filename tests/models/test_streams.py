"""Every kind of stream that providers send, ends as it should: whole, in single bytes, with other line ends, cut off.

The bodies are in ``tests/fixtures/sse/<format>/``, what must become of them in ``expected.json`` beside them.
"""

import json
from pathlib import Path

import httpcore
import pytest

from support.replies import Kind, Reply, event_cuts, read_body, single_bytes, with_line_ends

FIXTURES = Path(__file__).parents[1] / "fixtures" / "sse"
KINDS: tuple[Kind, ...] = ("openai_chat", "openai_responses", "anthropic")
EXPECTED = {kind: json.loads((FIXTURES / kind / "expected.json").read_text(encoding="utf-8")) for kind in KINDS}
CASES = [(kind, name) for kind in KINDS for name in EXPECTED[kind]]

RESET = httpcore.ReadError("reset")

every_stream = pytest.mark.parametrize(("kind", "name"), CASES, ids=[f"{kind}-{name}" for kind, name in CASES])


def body_of(kind: Kind, name: str) -> bytes:
    return (FIXTURES / kind / f"{name}.sse").read_bytes()


def plain(reply: Reply, wanted: dict) -> dict:
    if "error" in wanted:
        return {"error": reply.failure}
    calls = [[call.id, call.name, call.arguments] for call in reply.calls]
    told = {"text": reply.text, "reasoning": reply.reasoning, "calls": calls, "finish": reply.finish}
    if "usage" in wanted:
        assert reply.usage is not None
        told["usage"] = [reply.usage.input_tokens, reply.usage.cached_input_tokens, reply.usage.output_tokens]
    return told


def test_every_recorded_stream_has_its_expectation():
    for kind in KINDS:
        assert {path.stem for path in (FIXTURES / kind).glob("*.sse")} == set(EXPECTED[kind])


@every_stream
async def test_a_stream_becomes_what_the_provider_meant(kind: Kind, name: str):
    wanted = EXPECTED[kind][name]
    assert plain(await read_body(kind, [body_of(kind, name)]), wanted) == wanted


@every_stream
async def test_single_bytes_change_nothing(kind: Kind, name: str):
    body = body_of(kind, name)
    assert await read_body(kind, single_bytes(body)) == await read_body(kind, [body])


@every_stream
@pytest.mark.parametrize("ending", [b"\r\n", b"\r"], ids=["crlf", "cr"])
async def test_other_line_ends_change_nothing(kind: Kind, name: str, ending: bytes):
    body = body_of(kind, name)
    again = with_line_ends(body, ending)
    whole = await read_body(kind, [body])
    assert await read_body(kind, [again]) == whole
    assert await read_body(kind, single_bytes(again)) == whole


@every_stream
async def test_a_stream_that_is_cut_invents_no_call(kind: Kind, name: str):
    """After any event: an error and no call, or the same text and calls."""
    body = body_of(kind, name)
    whole = await read_body(kind, [body])
    for cut in event_cuts(body):
        part = await read_body(kind, [cut])
        if part.failure is None:
            assert (part.text, part.calls) == (whole.text, whole.calls)
        else:
            assert part.calls == ()


@every_stream
async def test_a_lost_connection_invents_no_call(kind: Kind, name: str):
    """The same when the connection breaks instead of ending."""
    body = body_of(kind, name)
    whole = await read_body(kind, [body])
    for cut in event_cuts(body):
        part = await read_body(kind, [cut], then=RESET)
        if part.failure is None:
            assert (part.text, part.calls) == (whole.text, whole.calls)
        else:
            assert part.calls == ()
