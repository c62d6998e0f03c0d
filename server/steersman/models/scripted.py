"""The scripted model: the test double that ships with the product, so that nobody has to patch anything.

It plays replies that were written beforehand, stands still at named gates, fails where it is told to, keeps every
request, and *fails the test whose request holds an invalid history*::

    client = ScriptedClient(
        reply("Let me ", AtGate("in-stream"), "look.", call("read_file", {"path": "a.py"})),
        reply(UnavailableError("The provider is overloaded.")),
        reply("All done.", usage=Usage(input_tokens=90, output_tokens=4)),
    )
    run = asyncio.create_task(run_agent(client=client, …))
    await client.gates["in-stream"].wait_reached()  # "Let me " was streamed, and nothing more will be
    client.gates["in-stream"].open()
    …
    assert client.requests[1].messages[-1] == ToolMessage(…)
    client.check()  # no invalid request, no reply left over

``script_file`` reads the same from a file, for tests that need another process.
"""

from __future__ import annotations

import json
from collections.abc import AsyncGenerator, Callable, Iterable, Iterator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from typing import Generic, TypeAlias, TypeVar

from steersman.agent.errors import StreamBrokenError
from steersman.agent.messages import AssistantMessage, JsonValue, Message, ProviderData, ToolCall
from steersman.agent.model import (
    CallPiece,
    Finish,
    FinishReason,
    ModelEvent,
    ModelRequest,
    ReasoningPiece,
    TextPiece,
    Usage,
    Waiting,
)
from steersman.agent.validity import InvalidHistoryError, check_history
from steersman.models.gates import EventGates, Gates


@dataclass(frozen=True, slots=True)
class AtGate:
    """Stand still here until the gate of this name is open."""

    name: str


Item: TypeAlias = str | TextPiece | ReasoningPiece | CallPiece | Waiting | AtGate | BaseException
"""What a reply is made of: text, any piece of a stream, a gate, or an exception that is raised at this point."""


@dataclass(frozen=True, slots=True)
class ScriptedReply:
    """One response.

    Attributes:
        items: what comes, in order.
        finish: the end mark's reason; None: ``tool_calls`` when there is a call, else ``stop``.
        usage: what the end mark reports.
        provider_data: what the end mark carries.
        ends: False: the stream just stops, without the end mark that every provider must send.
    """

    items: tuple[Item, ...]
    finish: FinishReason | None = None
    usage: Usage | None = None
    provider_data: ProviderData | None = None
    ends: bool = True


Answering: TypeAlias = ScriptedReply | Callable[[ModelRequest], ScriptedReply]
"""A reply, or what makes one from the request."""


def reply(
    *items: Item,
    finish: FinishReason | None = None,
    usage: Usage | None = None,
    provider_data: ProviderData | None = None,
    ends: bool = True,
) -> ScriptedReply:
    """Write a reply; see ``ScriptedReply``."""
    return ScriptedReply(items, finish, usage, provider_data, ends)


def call(name: str, arguments: Mapping[str, JsonValue] | str = "{}", *, call_id: str = "") -> CallPiece:
    """Write a tool call.

    Args:
        name: the tool's name, known or not.
        arguments: an object, or the JSON text as the model wrote it, valid or not.
        call_id: "": one is made that is not in the history yet.
    """
    text = arguments if isinstance(arguments, str) else json.dumps(dict(arguments), ensure_ascii=False)
    return CallPiece(ToolCall(call_id, name, text))


def cut() -> StreamBrokenError:
    """Write a stream that breaks off here, as a real client reports it."""
    return StreamBrokenError("The scripted stream was cut here.")


class ScriptExhaustedError(AssertionError):
    """The model was asked more often than the script has replies."""


GatesT = TypeVar("GatesT", bound=Gates)


class ScriptedModel(Generic[GatesT]):
    """A ``ModelClient`` that plays a script. Tests in one process use ``ScriptedClient``, which brings the gates.

    Attributes:
        gates: where ``AtGate`` waits.
        requests: every request that began to stream, in order.
        faults: what was wrong with requests, in words; empty in every sound test.
        closed_early: how many streams were closed, cancelled or failed before their end.
    """

    def __init__(self, replies: Iterable[Answering], gates: GatesT, *, model: str = "scripted/model") -> None:
        self.gates = gates
        self.requests: list[ModelRequest] = []
        self.faults: list[str] = []
        self.closed_early = 0
        self._model = model
        self._replies: Iterator[Answering] = iter(replies)

    @property
    def model(self) -> str:
        """The full name."""
        return self._model

    async def stream(self, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        """Play the next reply.

        Raises:
            InvalidHistoryError: the request's history is one that no provider would take.
            ScriptExhaustedError: there is no reply left.
            BaseException: what the script says.
        """
        self.requests.append(request)
        whole = False
        try:
            self._check(request.messages)
            async with aclosing(self._play(self._next(request), request)) as events:
                async for event in events:
                    yield event
            whole = True
        finally:
            self.closed_early += not whole

    def check(self) -> None:
        """Check at a test's end that every request was valid and every reply was used.

        Raises:
            AssertionError: a request was invalid, or a reply is left over.
        """
        if self.faults:
            raise AssertionError("; ".join(self.faults))
        left = next(self._replies, None)
        if left is not None:
            raise AssertionError(f"a reply was never asked for: {left}")

    def _check(self, messages: tuple[Message, ...]) -> None:
        try:
            _check_question(messages)
        except InvalidHistoryError as error:
            self.faults.append(f"request {len(self.requests)}: {error}")
            raise

    def _next(self, request: ModelRequest) -> ScriptedReply:
        answering = next(self._replies, None)
        if answering is None:
            self.faults.append(f"request {len(self.requests)}: the script has no reply for it")
            raise ScriptExhaustedError(self.faults[-1])
        return answering if isinstance(answering, ScriptedReply) else answering(request)

    async def _play(self, script: ScriptedReply, request: ModelRequest) -> AsyncGenerator[ModelEvent, None]:
        calls = sum(len(message.tool_calls) for message in request.messages if isinstance(message, AssistantMessage))
        has_calls = False
        for item in script.items:
            match item:
                case str():
                    yield TextPiece(item)
                case AtGate(name):
                    await self.gates.go_through(name)
                case CallPiece(wanted):
                    has_calls = True
                    calls += 1
                    yield CallPiece(replace(wanted, id=wanted.id or f"call_{calls}"))
                case BaseException():
                    raise item
                case _:
                    yield item
        if script.ends:
            reason = script.finish or ("tool_calls" if has_calls else "stop")
            yield Finish(reason, script.usage, script.provider_data)


class ScriptedClient(ScriptedModel[EventGates]):
    """The scripted model for a test in one process; takes replies, or iterables of them (endless ones too)."""

    def __init__(self, *replies: Answering | Iterable[Answering], model: str = "scripted/model") -> None:
        super().__init__(_flatten(replies), EventGates(), model=model)


def _check_question(messages: tuple[Message, ...]) -> None:
    """Check a history that shall be answered: valid, and not ended by the model itself."""
    check_history(messages)
    if isinstance(messages[-1], AssistantMessage):
        raise InvalidHistoryError(len(messages) - 1, "the last message is the model's own; nothing was asked")


def _flatten(replies: Iterable[Answering | Iterable[Answering]]) -> Iterator[Answering]:
    for item in replies:
        if isinstance(item, Iterable):
            yield from item
        else:
            yield item
