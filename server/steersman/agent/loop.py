"""The loop: the model proposes, the host acts (DESIGN L1 to L8).

Everything it needs is passed in; it does no I/O, reads no clock and makes no id of its own.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from steersman.agent.approval import BeforeToolCall
from steersman.agent.calls import CallRunner, Closed
from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import ChangeSummary
from steersman.agent.clock import Clock, SystemClock
from steersman.agent.closing import close_call
from steersman.agent.context import ContextWindow, View
from steersman.agent.emitting import Emitter
from steersman.agent.errors import ContextOverflowError, InvalidRequestError, StreamBrokenError
from steersman.agent.events import (
    AssistantMessageCommitted,
    ContextTrimmed,
    Event,
    RunEnded,
    RunStarted,
    StreamDiscarded,
    ToolCallBegan,
    ToolResultCommitted,
    TurnEnded,
    TurnStarted,
    UsageReported,
    UserMessageAdded,
    Warned,
)
from steersman.agent.inbox import Inbox
from steersman.agent.ledger import Ledger
from steersman.agent.limits import Deadline, Limits
from steersman.agent.messages import AssistantMessage, Message, Origin, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Conversation, ModelClient, ModelRequest, ToolSpec, Usage
from steersman.agent.result import RunResult, StopReason
from steersman.agent.stream import Response, collect_response, tools_chars, with_fit_names
from steersman.agent.tool import Tool, ToolResult, parameters_schema
from steersman.agent.waiting import StoppedError, until_stopped

CONTINUE_TEXT = "Your last reply was cut off by the output limit. Go on exactly where it stopped."
CUT_CALL_TEXT = (
    "Not executed: the reply was cut off by the output limit, so this call may be incomplete. "
    "Send it again, in smaller pieces."
)

_MAX_CONTINUATIONS = 2
_MAX_REPEAT_TURNS = 3
_OVERFLOW_SHARE = 0.6
_MAX_OVERFLOWS = 2


async def run_agent(
    *,
    client: ModelClient,
    system: str,
    tools: Sequence[Tool],
    user: str,
    max_turns: int,
    signal: CancelSignal | None = None,
    before_tool_call: BeforeToolCall | None = None,
    session: Ledger | None = None,
    context_max_chars: int | None = None,
    limits: Limits | None = None,
    on_event: Callable[[Event], None] | None = None,
    inbox: Inbox | None = None,
    clock: Clock | None = None,
    run_id: str = "run",
    mode: str = "",
    folder: str = "",
    stragglers: set[asyncio.Task[ToolResult]] | None = None,
    warnings: Sequence[Warned] = (),
) -> RunResult:
    """Run the loop until the model answers without a call, or something stops it.

    Args:
        client: the model.
        system: the system prompt; never part of the history.
        tools: what the model may call; names are unique.
        user: the person's prompt; not blank.
        max_turns: model responses of this run, at least 1.
        signal: stops the run; None: it cannot be cancelled.
        before_tool_call: approves each call; None: every call is allowed.
        session: the ledger to load from and commit to; None: nothing is kept.
        context_max_chars: budget of what is sent, see ``trim_context``; None: no trimming.
        limits: tokens, cost, seconds; None: no limits.
        on_event: told everything; must be quick; what it raises is ignored.
        inbox: texts that join in mid-run.
        clock: the time; None: the machine's.
        run_id: names the run in its events.
        mode: the permission mode's name, told in ``run_started``.
        folder: the run's folder, told in ``run_started``.
        stragglers: receives tools that were forced closed and still run; wait for them before the session is free.
        warnings: what a person should be told at the start of the run.

    Returns:
        The whole history and how the run stopped.

    Raises:
        InvalidRequestError: blank prompt, ``max_turns`` below 1, or two tools of one name.
        ModelError: the model failed.
        SessionError: the ledger failed.
        Exception: what a tool or the hook raised, unchanged; every call has its result by then.
        asyncio.CancelledError: the caller's task was cancelled: acts as ``signal``, and goes up at the end.
    """
    _check(user, tools, max_turns)
    outer = signal or CancelSignal()
    own = CancelSignal()
    unsubscribe = outer.on_set(lambda: own.set(outer.reason or "cancelled"))
    clock = clock or SystemClock()
    limits = limits or Limits()
    emit = Emitter(on_event, clock, run_id)
    deadline = Deadline(limits.deadline_s, clock, lambda: own.set("timeout"))
    runner = CallRunner(
        run_id, tools, before_tool_call, session, own, outer, deadline, clock, emit,
        set() if stragglers is None else stragglers,
    )  # fmt: skip
    run = _Run(
        client=client, system=system, tools=_specs(tools), max_turns=max_turns, signal=own, session=session,
        context_max_chars=context_max_chars, limits=limits, emit=emit, clock=clock, runner=runner,
        inbox=Inbox() if inbox is None else inbox,
    )  # fmt: skip
    emit(RunStarted(user, client.model, mode, folder))
    for warning in warnings:
        emit(warning)
    work = asyncio.ensure_future(run.drive(user, deadline))
    try:
        return await _see_through(work, own)
    finally:
        unsubscribe()
        deadline.close()


async def _see_through(work: asyncio.Task[RunResult], signal: CancelSignal) -> RunResult:
    """Wait for the run's task; the caller's cancellation becomes the signal and goes up once the ledger is closed."""
    cancelled = False
    while not work.done():
        try:
            await asyncio.wait({work})
        except asyncio.CancelledError:
            cancelled = True
            signal.set()
    if cancelled:
        work.exception() if not work.cancelled() else None
        raise asyncio.CancelledError
    return work.result()


def _check(user: str, tools: Sequence[Tool], max_turns: int) -> None:
    if not user.strip():
        raise InvalidRequestError("The prompt is empty; say what shall be done.")
    if max_turns < 1:
        raise InvalidRequestError(f"A run needs at least one turn, not {max_turns}.")
    names = [tool.name for tool in tools]
    doubled = {name for name in names if names.count(name) > 1}
    if doubled:
        raise InvalidRequestError(f"Two tools are named {', '.join(sorted(doubled))}.")


def _specs(tools: Sequence[Tool]) -> tuple[ToolSpec, ...]:
    return tuple(ToolSpec(tool.name, tool.description, parameters_schema(tool)) for tool in tools)


@dataclass(slots=True, kw_only=True)
class _Run:
    """The state of one run."""

    client: ModelClient
    system: str
    tools: tuple[ToolSpec, ...]
    max_turns: int
    signal: CancelSignal
    session: Ledger | None
    context_max_chars: int | None
    limits: Limits
    emit: Emitter
    inbox: Inbox
    clock: Clock
    runner: CallRunner

    conversation: Conversation = field(default_factory=Conversation)
    window: ContextWindow = field(init=False)
    fixed_chars: int = field(init=False)
    messages: list[Message] = field(default_factory=list[Message])
    first_new: int = 0
    turns: int = 0
    usage: Usage = field(default_factory=Usage)
    changes: list[ChangeSummary] = field(default_factory=list[ChangeSummary])
    continuations: int = 0
    repeat_turns: int = 0
    left_out: int = 0
    failure_kind: str | None = None

    def __post_init__(self) -> None:
        self.fixed_chars = len(self.system) + tools_chars(self.tools)

    async def drive(self, user: str, deadline: Deadline) -> RunResult:
        """Run to the end and emit it, whatever the end is."""
        try:
            if self.session is not None:
                self.messages = [with_fit_names(message) for message in self.session.load()]
            self.window = ContextWindow(self.messages)
            self.first_new = len(self.messages)
            if self.signal.is_set:
                reason = self._stopped()
            else:
                self._record_user(user, "person")
                deadline.resume()
                reason = await self._turns()
        except asyncio.CancelledError:  # the event loop itself is being closed
            self.signal.set()
            return self._end(StopReason.ABORTED)
        except BaseException as error:
            told = tuple(self.inbox.close())
            kind = self.failure_kind or getattr(error, "kind", "internal")
            message = getattr(error, "message", None) or f"The run failed: {type(error).__name__}."
            self.emit(RunEnded(None, kind, message, self.turns, self.usage, self._cost(), tuple(self.changes), told))
            raise
        return self._end(reason)

    def _end(self, reason: StopReason) -> RunResult:
        result = RunResult(
            tuple(self.messages),
            reason,
            self.turns,
            self.usage,
            tuple(self.inbox.close()),
            self.first_new,
            self._cost(),
        )
        changes = tuple(self.changes)
        self.emit(
            RunEnded(
                result,
                turns=self.turns,
                usage=self.usage,
                cost=result.cost,
                changes=changes,
                undelivered=result.undelivered,
            )
        )
        return result

    async def _turns(self) -> StopReason:
        while True:
            if self.signal.is_set:
                return self._stopped()
            self.emit.turn = self.turns + 1
            self.emit(TurnStarted(self.max_turns))
            try:
                reason = await self._turn()
            except StoppedError:
                reason = self._stopped()
            finally:
                self.emit(TurnEnded())
            if reason is not None:
                return reason

    async def _turn(self) -> StopReason | None:
        """One request, its commit and its calls. None: go on."""
        response, sent_chars = await self._ask_model()
        message = response.message(self.client.model)
        usage = response.usage(sent_chars)
        if self.signal.is_set:
            self._discard(response, "cancelled")
            raise StoppedError
        self.usage += usage
        self.emit(UsageReported(usage, self.limits.estimate_cost(usage)))  # a ledger may write both at once
        seq = self._record(message)
        self.turns += 1
        self.emit(AssistantMessageCommitted(seq, message.content, message.tool_calls, message.truncated))
        repeats = await self._run_calls(message)
        if self.signal.is_set:
            return self._stopped()
        return self._after(message, all_repeats=bool(repeats) and all(repeats))

    def _after(self, message: AssistantMessage, *, all_repeats: bool) -> StopReason | None:
        """Decide how it goes on after a turn whose calls are closed."""
        self.repeat_turns = self.repeat_turns + 1 if all_repeats else 0
        self.continuations = self.continuations + 1 if message.truncated else 0
        waiting = len(self.inbox) > 0
        if not message.tool_calls and not message.truncated and not waiting:
            return StopReason.COMPLETE
        if self.limits.is_spent(self.usage):
            return StopReason.BUDGET
        if self.continuations > _MAX_CONTINUATIONS:
            return StopReason.TRUNCATED
        if self.repeat_turns >= _MAX_REPEAT_TURNS:
            return StopReason.NO_PROGRESS
        if self.turns >= self.max_turns:
            return StopReason.MAX_TURNS
        if waiting:
            for text in self.inbox.take_all():
                self._record_user(text, "steered")
        elif message.truncated and not message.tool_calls:
            self._record_user(CONTINUE_TEXT, "host")
        return None

    async def _ask_model(self) -> tuple[Response, int]:
        """Send the history until a whole response is there; overflow and broken streams are tried again (L12, M4).

        Returns the response and how many characters were sent for it.
        """
        overflow: ContextOverflowError | None = None
        overflows = broken = 0
        while True:
            view = self._view(overflow)
            request = ModelRequest(
                self.system, view.messages, self.tools, self.limits.max_output_tokens, self.conversation
            )
            response = Response()
            try:
                await until_stopped(collect_response(self.client, request, response, self.emit), self.signal)
            except StoppedError:
                self._discard(response, "cancelled")
                raise
            except ContextOverflowError as error:
                if response.began or overflows >= _MAX_OVERFLOWS:
                    self._discard(response, error.message)
                    raise
                overflows += 1
                overflow = error
                self.context_max_chars = int(view.chars * _OVERFLOW_SHARE)
            except StreamBrokenError as error:
                self._discard(response, error.message)
                if not response.began or broken >= self.limits.stream_retries:
                    raise
                broken += 1
            except BaseException:
                self._discard(response, "the request failed")
                raise
            else:
                return response, view.chars + self.fixed_chars

    def _view(self, overflow: ContextOverflowError | None) -> View:
        """Return what is sent of the history; a provider that called it too long said more than that it cannot help."""
        try:
            view = self.window.view(self.context_max_chars)
        except ContextOverflowError:
            if overflow is not None:
                raise overflow from None
            raise
        left_out = len(self.messages) - len(view.messages)
        if view.chars < self.window.chars and left_out != self.left_out:
            self.left_out = left_out
            self.emit(ContextTrimmed(max(left_out, 0), view.chars))
        return view

    def _discard(self, response: Response, reason: str) -> None:
        if response.began:
            self.emit(StreamDiscarded(reason))

    async def _run_calls(self, message: AssistantMessage) -> list[bool]:
        """Run the calls in order and record a result for each. Returns which were refused as repeats."""
        repeats: list[bool] = []
        for index, call in enumerate(message.tool_calls):
            self.emit(ToolCallBegan(call))
            if message.truncated:
                closed = Closed(ToolMessage(call.id, CUT_CALL_TEXT, is_error=True))
            else:
                closed = await self.runner.run_call(call)
            self._record_result(call, closed.message, closed.started)
            repeats.append(closed.repeat)
            if closed.error is not None:
                self.failure_kind = closed.kind
                for skipped in message.tool_calls[index + 1 :]:
                    self.emit(ToolCallBegan(skipped))
                    self._record_result(skipped, close_call(skipped, "skipped"))
                raise closed.error
        return repeats

    def _record_result(self, call: ToolCall, message: ToolMessage, started: float | None = None) -> None:
        self.changes.extend(message.changes)
        duration_ms = round((self.clock.monotonic() - started) * 1000) if started is not None else 0
        try:
            self._record(message)
        finally:
            self.emit(
                ToolResultCommitted(
                    call.id, call.name, message.content, message.is_error, message.outcome, duration_ms, message.changes
                )
            )

    def _record_user(self, text: str, origin: Origin) -> None:
        seq = self._record(UserMessage(text, origin))
        self.emit(UserMessageAdded(len(self.messages) - 1 if seq is None else seq, text, origin != "person"))

    def _record(self, message: Message) -> int | None:
        """Durable first, then in memory (L2)."""
        seq = self.session.append(message) if self.session is not None else None
        self.messages.append(message)
        return seq

    def _stopped(self) -> StopReason:
        return StopReason.TIMEOUT if self.signal.reason == "timeout" else StopReason.ABORTED

    def _cost(self) -> float | None:
        return self.limits.estimate_cost(self.usage)
