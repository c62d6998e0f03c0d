"""Any split of any valid stream gives the same events; any damaged stream gives an error or events, and nothing else."""

import json
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from support.replies import Kind, read_body

FIXTURES = Path(__file__).parents[1] / "fixtures" / "sse"
KINDS: tuple[Kind, ...] = ("openai_chat", "openai_responses", "anthropic")
BODIES = {kind: [path.read_bytes() for path in sorted((FIXTURES / kind).glob("*.sse"))] for kind in KINDS}

STEADY = settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow], derandomize=True)


def pieces_of(body: bytes, cuts: list[int]) -> list[bytes]:
    places = sorted({cut % (len(body) + 1) for cut in cuts})
    return [body[start:end] for start, end in zip([0, *places], [*places, len(body)], strict=True)]


@pytest.mark.parametrize("kind", KINDS)
@STEADY
@given(number=st.integers(0, 1000), cuts=st.lists(st.integers(0, 20_000), max_size=12))
async def test_any_split_of_a_stream_gives_the_same_events(kind: Kind, number: int, cuts: list[int]):
    body = BODIES[kind][number % len(BODIES[kind])]
    assert await read_body(kind, pieces_of(body, cuts)) == await read_body(kind, [body])


SNIPPETS = st.sampled_from(
    [
        b"\n\n",
        b"\r",
        b"data:",
        b"data: [DONE]\n\n",
        b"\xff",
        b'"',
        b"{",
        b"}",
        b"[]",
        b"null",
        b"\\ud83d",
        b"0",
        b"1e999",
    ]
)


@pytest.mark.parametrize("kind", KINDS)
@STEADY
@given(
    number=st.integers(0, 1000),
    at=st.integers(0, 20_000),
    removed=st.integers(0, 40),
    put=SNIPPETS | st.binary(max_size=6),
)
async def test_a_damaged_stream_gives_an_error_or_events(kind: Kind, number: int, at: int, removed: int, put: bytes):
    """``read_body`` lets through nothing but a ``ModelError``, and there is no waiting in it that could hang."""
    body = BODIES[kind][number % len(BODIES[kind])]
    place = at % (len(body) + 1)
    reply = await read_body(kind, [body[:place] + put + body[place + removed :]])
    assert (reply.failure is None) == (reply.finish is not None)
    for text in (reply.text, reply.reasoning, *(call.arguments for call in reply.calls)):
        text.encode()  # no lone surrogate came through


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-5, 5) | st.text(max_size=3),
    lambda inner: (
        st.lists(inner, max_size=2)
        | st.dictionaries(
            st.sampled_from(
                [
                    "choices",
                    "delta",
                    "content",
                    "tool_calls",
                    "function",
                    "arguments",
                    "name",
                    "id",
                    "index",
                    "usage",
                    "finish_reason",
                    "error",
                    "type",
                    "message",
                    "content_block",
                    "text",
                    "thinking",
                    "response",
                    "output",
                    "item",
                    "item_id",
                    "output_index",
                    "reasoning_details",
                    "status",
                ]
            ),
            inner,
            max_size=4,
        )
    ),
    max_leaves=12,
)


@pytest.mark.parametrize("kind", KINDS)
@STEADY
@given(events=st.lists(VALUES, max_size=4))
async def test_json_of_any_shape_gives_an_error_or_events(kind: Kind, events: list):

    body = "".join(f"data: {json.dumps(event)}\n\n" for event in events).encode()
    reply = await read_body(kind, [body])
    assert (reply.failure is None) == (reply.finish is not None)


TYPES = {
    "openai_chat": [""],
    "anthropic": [
        "message_start",
        "content_block_start",
        "content_block_delta",
        "content_block_stop",
        "message_delta",
        "message_stop",
    ],
    "openai_responses": [
        "response.output_item.added",
        "response.output_item.done",
        "response.output_text.delta",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.completed",
    ],
}


@pytest.mark.parametrize("kind", KINDS)
@STEADY
@given(data=st.data())
async def test_events_of_a_known_type_and_any_content_give_an_error_or_events(kind: Kind, data: st.DataObject):

    events = data.draw(st.lists(st.tuples(st.sampled_from(TYPES[kind]), VALUES), max_size=5))
    body = "".join(
        f"data: {json.dumps({**(fields if isinstance(fields, dict) else {}), 'type': name})}\n\n"
        for name, fields in events
    )
    reply = await read_body(kind, [body.encode()])
    assert (reply.failure is None) == (reply.finish is not None)
