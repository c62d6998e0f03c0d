"""A loopback endpoint for measurements: a process of its own that answers at once and reads nothing of what it is sent.

``ScriptedServer`` parses and checks every request, in the process that is measured, and so costs more the longer the
conversation is. This one costs the same each time and on another core; it checks nothing::

    with PreparedServer(*calls_then_text(200, "read_file", {"path": "a.py"}, "Done.")) as server:
        … run against server.base_url …
    server.gaps  # seconds between the end of each answer and the next request's first byte
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Self

from steersman.agent.model import CallPiece, ReasoningPiece, TextPiece
from steersman.mock_llm.answer import DONE, Answer
from steersman.models.scripted import Item, ScriptedReply

_PROGRAM = Path(__file__).with_name("prepared_answers.py")
_TIMEOUT_S = 30.0


class PreparedServer:
    """The endpoint; a context manager.

    Attributes:
        gaps: seconds from each answer's last piece to the first byte of the next request; once it is closed.
        body_sizes: bytes of each request's body; once it is closed.
    """

    def __init__(self, *replies: ScriptedReply) -> None:
        self._answers = [_stream(reply, number) for number, reply in enumerate(replies)]
        self._process: subprocess.Popen[str] | None = None
        self._port = 0
        self.gaps: list[float] = []
        self.body_sizes: list[int] = []

    @property
    def base_url(self) -> str:
        """The address that a client is given."""
        return f"http://127.0.0.1:{self._port}/v1"

    def __enter__(self) -> Self:
        self._process = subprocess.Popen(
            [sys.executable, "-I", str(_PROGRAM)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            encoding="utf-8",
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        print(json.dumps({"answers": self._answers}), file=self._process.stdin, flush=True)
        self._port = int(self._process.stdout.readline())
        return self

    def __exit__(self, *_: object) -> None:
        assert self._process is not None
        with self._process as process:
            try:
                told, _error = process.communicate(timeout=_TIMEOUT_S)
            except BaseException:
                process.kill()
                raise
        noted = json.loads(told)
        exchanges = noted["exchanges"]
        self.body_sizes = noted["bytes"]
        self.gaps = [later[0] - earlier[2] for earlier, later in pairwise(exchanges)]


def _stream(reply: ScriptedReply, number: int) -> str:
    """Return a reply's event stream; a call without an id gets one of its own."""
    answer = Answer(f"chatcmpl-prepared-{number}", 0, "prepared")
    events = [answer.chunk({"role": "assistant", "content": ""}), *_items(answer, reply, number)]
    calls = any(isinstance(item, CallPiece) for item in reply.items)
    events.append(answer.chunk({}, reply.finish or ("tool_calls" if calls else "stop")))
    if reply.usage is not None:
        events.append(answer.usage_chunk(reply.usage))
    return b"".join([*events, DONE]).decode()


def _items(answer: Answer, reply: ScriptedReply, number: int) -> Iterator[bytes]:
    calls = 0
    for item in reply.items:
        if isinstance(item, CallPiece):
            made = item.call
            function = {"name": made.name, "arguments": made.arguments}
            call_id = made.id or f"call_{number}_{calls}"
            entry = {"index": calls, "id": call_id, "type": "function", "function": function}
            yield answer.chunk({"tool_calls": [entry]})
            calls += 1
        else:
            yield answer.chunk(_delta(item))


def _delta(item: Item) -> dict[str, str]:
    match item:
        case str():
            return {"content": item}
        case TextPiece(text):
            return {"content": text}
        case ReasoningPiece(text):
            return {"reasoning_content": text}
        case _:
            raise ValueError(f"no prepared answer holds {item!r}")
