"""A loopback endpoint in OpenAI's form that plays a script: for tests and measurements over real HTTP.

It answers at once, keeps every request with its times, and refuses an invalid history with 400 as a real provider
would, arguments that are no JSON object included (DESIGN M8)::

    async with ScriptedServer(*calls_then_text(3, "read_file", {"path": "a.py"}, "Done.")) as server:
        … run against server.base_url …
    server.check()
"""

from __future__ import annotations

import json
import time
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, Self, cast

from steersman.agent.messages import AssistantMessage, JsonValue, ToolCall
from steersman.agent.model import CallPiece, FinishReason, ModelRequest, ReasoningPiece, TextPiece, Usage
from steersman.mock_llm.answer import DONE, Answer
from steersman.mock_llm.http_server import Exchange, HttpServer
from steersman.mock_llm.wire import ApiError, ChatRequest, read_chat_request
from steersman.models.gates import EventGates
from steersman.models.scripted import AtGate, Item, ScriptedReply, call, reply

_JSON = "application/json"
_BATCH = 65_536


@dataclass(slots=True)
class Received:
    """One request.

    Attributes:
        body: its JSON.
        headers: in lower case.
        received_at: when it was there, in the server's clock.
        answered_at: when the last byte of its answer was handed to the system; None until then.
    """

    body: dict[str, Any]
    headers: dict[str, str]
    received_at: float
    answered_at: float | None = None


def calls_then_text(
    count: int, name: str, arguments: Mapping[str, JsonValue], text: str, usage: Usage | None = None
) -> list[ScriptedReply]:
    """Return a script of ``count`` replies with one call each, and then a text."""
    return [*(reply(call(name, arguments), usage=usage) for _ in range(count)), reply(text, usage=usage)]


def many_deltas(count: int, text: str = "word ") -> ScriptedReply:
    """Return a reply of ``count`` deltas."""
    return reply(*[text] * count)


class ScriptedServer:
    """The endpoint; an async context manager.

    Attributes:
        received: every request to ``/chat/completions``, refused ones too.
        faults: what was wrong with requests.
        closed_early: answers that were not brought to their end.
        gates: where ``AtGate`` waits.
    """

    def __init__(self, *replies: ScriptedReply, clock: Callable[[], float] = time.perf_counter) -> None:
        self.received: list[Received] = []
        self.faults: list[str] = []
        self.closed_early = 0
        self.gates = EventGates()
        self._replies: Iterator[ScriptedReply] = iter(replies)
        self._clock = clock
        self._http = HttpServer(self._handle)

    @property
    def base_url(self) -> str:
        """The address that a client is given."""
        return f"http://127.0.0.1:{self._http.port}/v1"

    @property
    def gaps(self) -> list[float]:
        """Seconds between the end of each answer and the next request: what the loop itself costs, and its tools."""
        return [
            later.received_at - earlier.answered_at
            for earlier, later in zip(self.received, self.received[1:], strict=False)
            if earlier.answered_at is not None
        ]

    def check(self) -> None:
        """Check that every request was valid and every reply was used."""
        assert not self.faults, "; ".join(self.faults)
        left = next(self._replies, None)
        assert left is None, f"a reply was never asked for: {left}"

    async def __aenter__(self) -> Self:
        await self._http.start()
        return self

    async def __aexit__(self, *_: object) -> None:
        await self._http.close()

    async def _handle(self, exchange: Exchange) -> None:
        arrived = self._clock()
        request = exchange.request
        if request.path != "/v1/chat/completions":
            await exchange.respond(404, ApiError(404, f"Unknown address: {request.path}").body(), content_type=_JSON)
            return
        received = Received(_body(request.body), request.headers, arrived)
        self.received.append(received)
        whole = False
        try:
            await self._answer(exchange)
            received.answered_at = self._clock()
            whole = True
        except ApiError as error:
            self.faults.append(f"request {len(self.received)}: {error.message}")
            await exchange.respond(error.status, error.body(), content_type=_JSON)
        finally:
            self.closed_early += not whole

    async def _answer(self, exchange: Exchange) -> None:
        chat, request = read_chat_request(exchange.request.body)
        _check_arguments(request)
        script = next(self._replies, None)
        if script is None:
            raise ApiError(400, "the script has no reply for this request")
        script = _with_ids(script, request)
        answer = Answer(f"chatcmpl-scripted-{len(self.received)}", 0, chat.model)
        if not chat.stream:
            await _answer_whole(exchange, answer, script)
            return
        await exchange.begin(200, content_type="text/event-stream")
        async for data in self._stream(answer, script, chat):
            if data is None:
                exchange.abort()
                raise ConnectionAbortedError
            await exchange.send(data)
        await exchange.end()

    async def _stream(self, answer: Answer, script: ScriptedReply, chat: ChatRequest) -> AsyncIterator[bytes | None]:
        """Yield the stream in large pieces, broken at gates only; None where it is cut off."""
        batch = bytearray(answer.chunk({"role": "assistant", "content": ""}))
        calls = 0
        for item in script.items:
            if isinstance(item, AtGate):
                yield bytes(batch)
                batch.clear()
                await self.gates.go_through(item.name)
            elif isinstance(item, BaseException):
                yield bytes(batch)
                yield None
                return
            else:
                batch += _item(answer, item, calls)
                calls += isinstance(item, CallPiece)
            if len(batch) > _BATCH:
                yield bytes(batch)
                batch.clear()
        if script.ends:
            batch += answer.chunk({}, _finish(script))
            if chat.reports_usage and script.usage is not None:
                batch += answer.usage_chunk(script.usage)
            batch += DONE
        yield bytes(batch)


def _body(data: bytes) -> dict[str, Any]:
    try:
        value: Any = json.loads(data)
    except ValueError:
        return {}
    return cast("dict[str, Any]", value) if isinstance(value, dict) else {}


def _check_arguments(request: ModelRequest) -> None:
    """Refuse what the strictest servers refuse: arguments in the history that are no JSON object."""
    for message in request.messages:
        for made in message.tool_calls if isinstance(message, AssistantMessage) else ():
            try:
                fits = isinstance(json.loads(made.arguments), dict)
            except ValueError:
                fits = False
            if not fits:
                raise ApiError(400, f"the arguments of {made.id} are no JSON object: {made.arguments!r}")


def _with_ids(script: ScriptedReply, request: ModelRequest) -> ScriptedReply:
    """Give calls without an id one that the history does not have."""
    count = sum(len(message.tool_calls) for message in request.messages if isinstance(message, AssistantMessage))
    items: list[Item] = []
    for item in script.items:
        if isinstance(item, CallPiece):
            count += 1
            items.append(CallPiece(replace(item.call, id=item.call.id or f"call_{count}")))
        else:
            items.append(item)
    return replace(script, items=tuple(items))


def _item(answer: Answer, item: Item, index: int) -> bytes:
    match item:
        case str() | TextPiece():
            return answer.chunk({"content": item if isinstance(item, str) else item.text})
        case ReasoningPiece(text):
            return answer.chunk({"reasoning_content": text})
        case CallPiece(made):
            function = {"name": made.name, "arguments": made.arguments}
            return answer.chunk(
                {"tool_calls": [{"index": index, "id": made.id, "type": "function", "function": function}]}
            )
        case _:
            raise ValueError(f"no endpoint sends {item!r}")


def _finish(script: ScriptedReply) -> FinishReason:
    return script.finish or ("tool_calls" if _calls(script.items) else "stop")


def _calls(items: Iterable[Item]) -> tuple[ToolCall, ...]:
    return tuple(item.call for item in items if isinstance(item, CallPiece))


async def _answer_whole(exchange: Exchange, answer: Answer, script: ScriptedReply) -> None:
    texts = (item if isinstance(item, str) else item.text for item in script.items if isinstance(item, str | TextPiece))
    body = answer.whole("".join(texts), _calls(script.items), _finish(script), script.usage or Usage())
    await exchange.respond(200, body, content_type=_JSON)
