"""The scripted endpoint speaks three formats that the product's own clients read, and keeps the times."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from benchmarks.model import Model, scripted_model
from steersman.agent.model import ToolSpec
from steersman.models.endpoint import Endpoint
from steersman.models.http_client import HttpModelClient
from support.replies import KEY, REQUEST, Kind, Reply, collect, wire_for

WITH_TOOLS = replace(REQUEST, tools=(ToolSpec("read_file", "Read a file.", {"type": "object", "properties": {}}),))


@pytest.fixture(scope="module")
def model() -> Iterator[Model]:
    with scripted_model() as running:
        yield running


async def two_replies(model: Model, name: str, kind: Kind) -> tuple[Reply, Reply]:
    """Ask twice."""
    endpoint = Endpoint("p", f"{model.origin(name)}/v1", "m").with_key(KEY, "TEST_KEY")
    client = HttpModelClient(endpoint, wire_for(kind))
    try:
        return await collect(client.stream(WITH_TOOLS)), await collect(client.stream(WITH_TOOLS))
    finally:
        await client.aclose()


@pytest.mark.parametrize("kind", ["openai_chat", "openai_responses", "anthropic"])
async def test_a_call_and_then_a_text_are_read(model: Model, kind: Kind) -> None:
    name = model.open(calls=[("read_file", '{"path":"a.py"}')], pieces=["All ", "done."])
    first, then = await two_replies(model, name, kind)
    assert [(call.name, call.arguments) for call in first.calls] == [("read_file", '{"path":"a.py"}')]
    assert (first.finish, then.finish, then.text) == ("tool_calls", "stop", "All done.")
    taken = model.take(name)
    assert (len(taken.received), len(taken.gaps), taken.aside) == (2, 1, 0)
    assert all(gap > 0 for gap in taken.gaps)


async def test_a_request_without_tools_is_no_turn(model: Model) -> None:
    name = model.open(pieces=["Done."])
    client = HttpModelClient(Endpoint("p", f"{model.origin(name)}/v1", "m"), wire_for("openai_chat"))
    reply = await collect(client.stream(REQUEST))
    await client.aclose()
    assert reply.text == "Aside"
    assert (len(model.take(name).received), model.take(name).aside) == (0, 1)
