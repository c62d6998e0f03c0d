"""Scripts in files, and gates between processes."""

import asyncio
import subprocess
import sys

import pytest

from steersman.agent.errors import InvalidRequestError, StreamBrokenError, UnavailableError
from steersman.agent.messages import UserMessage
from steersman.agent.model import CallPiece, Finish, ModelRequest, ReasoningPiece, TextPiece, Usage, Waiting
from steersman.models.gates import FileGates
from steersman.models.script_file import load_script, parse_script
from steersman.models.scripted import AtGate, call, reply
from support.polling import wait_until

REQUEST = ModelRequest("", (UserMessage("Do it."),))


async def collect(client):
    return [event async for event in client.stream(REQUEST)]


def test_each_line_is_a_reply():
    script = """
        # a comment
        ["Let me look.", {"call": "read_file", "arguments": {"path": "a.py"}, "id": "c1"}]

        {"items": [{"reasoning": "why"}, {"gate": "g"}], "finish": "length", "usage": {"input": 9, "output": 4}}
        [{"wait": "busy", "seconds": 2, "attempt": 1}, {"call": "add", "arguments": "{\\"a\\":"}, {"end": false}]
    """
    assert parse_script(script) == [
        reply("Let me look.", call("read_file", {"path": "a.py"}, call_id="c1")),
        reply(ReasoningPiece("why"), AtGate("g"), finish="length", usage=Usage(9, output_tokens=4)),
        reply(Waiting("busy", 2, 1), call("add", '{"a":'), ends=False),
    ]


def test_failures_are_the_errors_of_a_provider():
    down, broken = parse_script('[{"fail": "provider_unavailable", "message": "Overloaded."}]\n["a", {"cut": true}]')
    assert isinstance(down.items[0], UnavailableError)
    assert str(down.items[0]) == "Overloaded."
    assert isinstance(broken.items[1], StreamBrokenError)


@pytest.mark.parametrize(
    "line",
    [
        "{",
        "3",
        '"text"',
        '{"text": "x"}',
        '{"items": 3}',
        '[{"call": 3}]',
        '[{"call": "add", "arguments": []}]',
        '[{"fail": "no_such_kind"}]',
        '[{"wait": "x", "seconds": true}]',
        '{"items": [], "finish": "soon"}',
        '{"items": [], "usage": {"total": 3}}',
        "[null]",
    ],
)
def test_a_line_that_is_no_reply_is_named(line):
    with pytest.raises(InvalidRequestError, match="Line 2 of the script is no reply"):
        parse_script(f'["fine"]\n{line}')


async def test_a_script_is_loaded_from_a_file(tmp_path):
    path = tmp_path / "script.jsonl"
    path.write_text('["a", {"gate": "here"}, "é"]\n', encoding="utf-8")
    client = load_script(path)
    FileGates(tmp_path / "script.jsonl.gates").open("here")
    assert await collect(client) == [TextPiece("a"), TextPiece("é"), Finish("stop")]
    assert client.model == f"scripted/{path}"


def test_a_file_that_is_not_there_is_an_error_that_names_it(tmp_path):
    with pytest.raises(InvalidRequestError, match=r"nothing\.jsonl cannot be read"):
        load_script(tmp_path / "nothing.jsonl")


async def test_a_file_gate_tells_that_it_is_reached_and_waits_to_be_opened(tmp_path):
    mine, theirs = FileGates(tmp_path / "gates"), FileGates(tmp_path / "gates")
    waiting = asyncio.create_task(mine.go_through("in-stream"))
    while not theirs.is_reached("in-stream"):
        await asyncio.sleep(0)
    assert not waiting.done()
    theirs.open("in-stream")
    await waiting


@pytest.mark.parametrize("name", ["", "../x", "a/b", "a.b"])
async def test_a_gate_cannot_lie_outside_its_folder(tmp_path, name):
    with pytest.raises(ValueError, match="a gate's name"):
        await FileGates(tmp_path).go_through(name)


IN_ANOTHER_PROCESS = """
import asyncio, sys
from pathlib import Path
from steersman.agent.messages import UserMessage
from steersman.agent.model import ModelRequest
from steersman.models.script_file import load_script

async def main():
    client = load_script(Path(sys.argv[1]))
    async for event in client.stream(ModelRequest("", (UserMessage("x"),))):
        print(event, flush=True)

asyncio.run(main())
"""


def test_another_process_can_be_killed_at_a_gate(tmp_path):
    script = tmp_path / "script.jsonl"
    script.write_text('["before ", {"gate": "here"}, "after"]\n', encoding="utf-8")
    gates = FileGates(tmp_path / "script.jsonl.gates")
    with subprocess.Popen(
        [sys.executable, "-P", "-c", IN_ANOTHER_PROCESS, str(script)], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        first = process.stdout.readline()
        wait_until(lambda: gates.is_reached("here") or process.poll() is not None, "the gate")
        assert process.poll() is None
        process.kill()
        rest = process.stdout.read()
    assert (first.strip(), rest) == ("TextPiece(text='before ')", "")


async def test_a_call_of_a_script_is_whole():
    (script,) = parse_script('[{"call": "read_file"}]')
    assert script.items == (CallPiece(call("read_file").call),)
