"""Against a real endpoint, of anybody's choice::

    STEERSMAN_TEST_BASE_URL=http://127.0.0.1:8080/v1 STEERSMAN_TEST_MODEL=name pytest -m online

``STEERSMAN_TEST_KEY`` is its key, if it wants one; ``STEERSMAN_TEST_KIND`` another wire format than ``openai-chat``.
Small models do odd things: what is looked at is structure and files, never wording.
"""

import asyncio
import json
import os
import sys
from contextlib import aclosing
from pathlib import Path

import pytest

from steersman.agent.errors import ContextOverflowError
from steersman.agent.messages import AssistantMessage, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Finish, ModelRequest, TextPiece, ToolSpec
from steersman.models.catalog import look_up_model
from steersman.models.clients import make_client
from steersman.models.doctor import examine_providers
from steersman.models.provider_config import ProviderConfig
from steersman.models.provider_reading import read_providers
from support.replies import collect

pytestmark = [pytest.mark.online, pytest.mark.timeout(900)]

READ = ToolSpec(
    "read_file",
    "Read a file.",
    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
)


def wanted(name: str) -> str:
    value = os.environ.get(name, "")
    assert value, f"set {name} to run the tests marked online"
    return value


def configs() -> dict[str, ProviderConfig]:
    kind = os.environ.get("STEERSMAN_TEST_KIND", "openai-chat")
    key = {"api_key_env": "STEERSMAN_TEST_KEY"} if os.environ.get("STEERSMAN_TEST_KEY") else {}
    return read_providers({"test": {"kind": kind, "base_url": wanted("STEERSMAN_TEST_BASE_URL"), **key}})


def model() -> str:
    return f"test/{wanted('STEERSMAN_TEST_MODEL')}"


@pytest.fixture
async def client():
    made = make_client(model(), configs(), os.environ)
    yield made
    await made.aclose()  # type: ignore[attr-defined]


async def test_an_answer_is_streamed(client):
    request = ModelRequest("Be brief.", (UserMessage("Count from one to ten in words."),), (), 100)
    events = [event async for event in client.stream(request)]
    assert sum(isinstance(event, TextPiece) for event in events) > 3
    assert isinstance(events[-1], Finish)
    assert events[-1].usage is not None
    assert events[-1].usage.input_tokens > 0


async def test_a_tool_is_called(client):
    """In one of three tries: the weakest models do it most of the time."""
    request = ModelRequest(
        "Use the tools.", (UserMessage("Read the file notes.txt with the tool read_file."),), (READ,), 200
    )
    for _ in range(3):
        reply = await collect(client.stream(request))
        assert reply.failure is None
        if reply.calls:
            assert all(isinstance(json.loads(call.arguments), dict) for call in reply.calls)
            return
    pytest.fail("the model called no tool in three tries")


async def test_a_history_after_a_cut_off_call_is_taken(client):
    cut = AssistantMessage("", (ToolCall("x1", "read_file", '{"path": "no'),), truncated=True, model=model())
    result = ToolMessage("x1", "The reply was cut off; the call was not executed.", is_error=True)
    history = (UserMessage("Read notes.txt."), cut, result, UserMessage("Say: done.", "host"))
    reply = await collect(client.stream(ModelRequest("Be brief.", history, (READ,), 60)))
    assert reply.failure is None


async def test_closing_the_stream_frees_the_server(client):
    """A server with one slot could not answer the second request before it had finished the first."""
    long = ModelRequest("", (UserMessage("Tell a story of two thousand words."),), (), 4000)
    async with aclosing(client.stream(long)) as events:
        await anext(events)
    short = ModelRequest("", (UserMessage("Say hi."),), (), 5)
    reply = await asyncio.wait_for(collect(client.stream(short)), 60)
    assert reply.failure is None


async def test_an_overflow_is_named_with_its_numbers(client):
    window = (await look_up_model(model(), configs(), os.environ)).context_window or 200_000
    reply = await collect(client.stream(ModelRequest("", (UserMessage("word " * (window + 1000)),), (), 5)))
    assert isinstance(reply.error, ContextOverflowError)
    assert any(character.isdigit() for character in reply.error.message)


async def test_the_doctor_finds_nothing_wrong():
    report = await examine_providers(model(), configs(), os.environ, online=True)
    own = next(entry for entry in report.providers if entry.name == "test")
    assert (own.reachable, own.streaming) == ("yes", "yes")


async def test_a_whole_run_creates_a_file(tmp_path: Path):
    config = tmp_path / "config.toml"
    kind = os.environ.get("STEERSMAN_TEST_KIND", "openai-chat")
    lines = ["[providers.test]", f'kind = "{kind}"', f'base_url = "{wanted("STEERSMAN_TEST_BASE_URL")}"']
    if os.environ.get("STEERSMAN_TEST_KEY"):
        lines.append('api_key_env = "STEERSMAN_TEST_KEY"')
    config.write_text("\n".join(lines) + "\n", encoding="utf-8")
    folder = tmp_path / "work"
    folder.mkdir()
    environ = os.environ | {"STEERSMAN_CONFIG": str(config), "STEERSMAN_STATE_DIR": str(tmp_path / "state")}
    for _ in range(3):
        process = await asyncio.create_subprocess_exec(
            *[sys.executable, "-P", "-m", "steersman", "run", "Call write_file with path hello.txt and content hi."],
            *["-C", str(folder), "--model", model(), "--max-turns", "3", "--yes"],
            env=environ,
            stdin=asyncio.subprocess.DEVNULL,
        )
        assert await process.wait() in {0, 2, 4}
        if (folder / "hello.txt").exists():
            return
    pytest.fail("no file after three runs")
