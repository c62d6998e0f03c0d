"""One tool call, from the model's wish to its recorded result (DESIGN L3a, L5, L6, L7).

The life of a call::

    taken up ─ lookup ─ validate ─ prepare ─ ask ─ (prepare again, ask again) ─ checkpoint ─ marker ─ run ─ result
        │         │         │          │       │                                   │                    │
     aborted    error     error   error/repeat refused / aborted                aborted          failed / interrupted
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from steersman.agent.approval import ApprovalRequest, Approved, BeforeToolCall, Option, Refused
from steersman.agent.arguments import parse_arguments, unknown_tool
from steersman.agent.cancel import CancelSignal
from steersman.agent.changes import same_effect
from steersman.agent.clock import Clock
from steersman.agent.closing import close_call
from steersman.agent.emitting import Emitter
from steersman.agent.errors import SessionError
from steersman.agent.events import ApprovalDecided, ApprovalRequested, ToolOutput, ToolStarted, Warned
from steersman.agent.ledger import Ledger
from steersman.agent.limits import Deadline
from steersman.agent.messages import ToolCall, ToolMessage
from steersman.agent.tool import Plan, Tool, ToolError, ToolResult, has_effects
from steersman.agent.waiting import StoppedError, until_stopped

if TYPE_CHECKING:
    from pydantic import BaseModel

IGNORED_SIGNAL_AFTER_S = 10.0
"""How long a tool may go on after the signal before the progress names it."""

_MAX_ROUNDS = 3


@dataclass(frozen=True, slots=True)
class Closed:
    """How a call ended.

    Attributes:
        message: its result, to be recorded.
        repeat: the repeat guard refused it.
        error: what a tool or hook raised; goes up to the caller once the ledger is closed.
        kind: PROTOCOL §5's kind of ``error``.
        started: the monotonic time at which its tool began, in seconds; None when it never did. What came before, above
            all a person's thinking, is none of the call's duration.
    """

    message: ToolMessage
    repeat: bool = False
    error: BaseException | None = None
    kind: str | None = None
    started: float | None = None


@dataclass(slots=True)
class CallRunner:
    """Runs the calls of one run, one at a time.

    Attributes:
        tools: the tools there are.
        hook: asked before each call; None allows everything.
        ledger: told of checkpoints and starts; None keeps nothing.
        signal: the run's own signal (cancel and deadline).
        forcing: the caller's signal, for ``force``.
        stragglers: tools that were forced closed while still running; whoever owns the run waits for them.
    """

    run_id: str
    tools: Sequence[Tool]
    hook: BeforeToolCall | None
    ledger: Ledger | None
    signal: CancelSignal
    forcing: CancelSignal
    deadline: Deadline
    clock: Clock
    emit: Emitter
    stragglers: set[asyncio.Task[ToolResult]]

    async def run_call(self, call: ToolCall) -> Closed:
        """Take the call as far as it goes; never raises for what the model, a person or a tool did."""
        if self.signal.is_set:
            return Closed(close_call(call, "aborted"))
        try:
            tool, args = self._look_up(call)
            plan = await until_stopped(tool.prepare(args), self.signal)
            if isinstance(plan, ToolResult):
                return Closed(_message(call, plan), repeat=plan.repeat)
            approved = await self._approve(call, tool, args, plan)
            if isinstance(approved, Closed):
                return approved
            if self.ledger is not None and approved.changes:
                await self.ledger.checkpoint(call, approved.changes)
        except StoppedError:
            return Closed(close_call(call, "aborted"))
        except ToolError as error:
            return Closed(ToolMessage(call.id, str(error), is_error=True))
        except asyncio.CancelledError:  # the event loop is being closed: that is a cancel like any other
            self.signal.set()
            return Closed(close_call(call, "aborted"))
        except SessionError as error:
            return Closed(close_call(call, "aborted"), error=error, kind=error.kind)
        except Exception as error:  # noqa: BLE001 - L6: close the ledger first; the loop raises it again
            kind = getattr(error, "kind", None)
            return Closed(
                close_call(call, "failed"), error=error, kind=kind if isinstance(kind, str) else "tool_crashed"
            )
        if self.signal.is_set:
            return Closed(close_call(call, "aborted"))
        return await self._start(call, tool, approved)

    def _look_up(self, call: ToolCall) -> tuple[Tool, BaseModel]:
        """Find the tool and check the arguments."""
        tool = next((tool for tool in self.tools if tool.name == call.name), None)
        if tool is None:
            raise unknown_tool(call.name, self.tools)
        return tool, parse_arguments(call, tool)

    async def _approve(self, call: ToolCall, tool: Tool, args: BaseModel, plan: Plan) -> Plan | Closed:
        """Ask until what was approved is what would be done now, three times at most (A4)."""
        if self.hook is None:
            return plan
        for round_number in range(1, _MAX_ROUNDS + 1):
            refused = await self._ask(
                ApprovalRequest(self.run_id, self.emit.turn, call, tool, plan, round_number, _deaf)
            )
            if refused is not None:
                return refused
            if not plan.changes:
                return plan
            again = await until_stopped(tool.prepare(args), self.signal)
            if isinstance(again, ToolResult):
                return Closed(_message(call, again), repeat=again.repeat)
            if same_effect(plan.changes, again.changes):
                return again
            plan = again
        raise ToolError("The file kept changing while this was being approved; nothing was done. Read it again first.")

    async def _ask(self, request: ApprovalRequest) -> Closed | None:
        """Ask the hook once. None means approved."""
        hook, call, plan = self.hook, request.call, request.plan
        assert hook is not None
        announced = False

        def announce(options: tuple[Option, ...]) -> None:
            nonlocal announced
            if not announced:
                announced = True
                self.deadline.pause()
                self.emit(ApprovalRequested(call.id, call.name, plan.title, plan.changes, plan.command, options))

        asking = replace(request, announce=announce)
        decided: Approved | Refused | None = None
        try:
            decided = await until_stopped(_call_hook(hook, asking), self.signal)
        except StoppedError:
            return Closed(close_call(call, "aborted"))
        except Exception as error:  # noqa: BLE001 - L6: a hook that raises closes the call, then goes up
            return Closed(close_call(call, "failed"), error=error, kind="approval_failed")
        finally:
            if announced:
                self.deadline.resume()
                self.emit(_decision_event(call, decided))
        if isinstance(decided, Refused):
            return Closed(ToolMessage(call.id, f"Refused: {decided.reason}", is_error=True))
        return None

    async def _start(self, call: ToolCall, tool: Tool, plan: Plan) -> Closed:
        """Write the marker and start the tool in its own task, with no await in between; then wait for it."""
        if self.ledger is not None:
            try:
                self.ledger.mark_started(call, durable=has_effects(plan.effects))
            except SessionError as error:
                return Closed(close_call(call, "aborted"), error=error, kind=error.kind)
        self.emit(ToolStarted(call.id, call.name, plan.title))
        started = self.clock.monotonic()
        listening = True

        def output(text: str) -> None:
            if listening:
                self.emit(ToolOutput(call.id, text))

        task = asyncio.ensure_future(tool.run(plan, self.signal, output))
        ended = await self._wait_for_tool(task, call)
        listening = False
        if not ended:
            self.stragglers.add(task)
            task.add_done_callback(self._forget_straggler)
            return Closed(close_call(call, "interrupted"), started=started)
        return replace(self._result_of(task, call), started=started)

    def _forget_straggler(self, task: asyncio.Task[ToolResult]) -> None:
        self.stragglers.discard(task)
        if not task.cancelled():
            task.exception()  # it was told as unknown already

    async def _wait_for_tool(self, task: asyncio.Task[ToolResult], call: ToolCall) -> bool:
        """Wait until the tool has ended; False when it is to be waited for no longer (``force``)."""
        warned_cancel = self._warn_when_ignored(task, call)
        forced = asyncio.ensure_future(self.forcing.wait_forced())
        try:
            while not task.done() and not forced.done():
                try:
                    await asyncio.wait({task, forced}, return_when=asyncio.FIRST_COMPLETED)
                except asyncio.CancelledError:  # the run's own task was cancelled: that is a cancel like any other
                    self.signal.set()
        finally:
            warned_cancel()
            forced.cancel()
        return task.done()

    def _warn_when_ignored(self, task: asyncio.Task[ToolResult], call: ToolCall) -> Callable[[], None]:
        """Name a tool that goes on for ten seconds after the signal. Returns what calls that off."""
        timers: list[Callable[[], None]] = []

        def warn() -> None:
            if not task.done():
                self.emit(Warned("tool_ignores_cancel", f"{call.name} has not stopped yet; still waiting for it."))

        unsubscribe = self.signal.on_set(lambda: timers.append(self.clock.call_later(IGNORED_SIGNAL_AFTER_S, warn)))

        def call_off() -> None:
            unsubscribe()
            for timer in timers:
                timer()

        return call_off

    def _result_of(self, task: asyncio.Task[ToolResult], call: ToolCall) -> Closed:
        """Translate how the tool's task ended."""
        if task.cancelled():
            error: BaseException | None = None if self.signal.is_set else asyncio.CancelledError()
        else:
            error = task.exception()
            if error is None:
                result = task.result()
                for warning in result.warnings:
                    self.emit(Warned("tool", warning))
                return Closed(_message(call, result), repeat=result.repeat)
            if isinstance(error, ToolError):
                return Closed(ToolMessage(call.id, str(error), is_error=True))
        if self.signal.is_set:
            return Closed(close_call(call, "interrupted"))
        if isinstance(error, asyncio.CancelledError):  # cancelled from outside, as when the event loop is closed
            self.signal.set()
            return Closed(close_call(call, "interrupted"))
        return Closed(close_call(call, "failed"), error=error, kind="tool_crashed")


def _deaf(options: tuple[Option, ...]) -> None:
    """Stand in for ``announce`` until the question is really put."""


async def _call_hook(hook: BeforeToolCall, request: ApprovalRequest) -> Approved | Refused:
    return await hook(request)


def _decision_event(call: ToolCall, decided: Approved | Refused | None) -> ApprovalDecided:
    match decided:
        case Approved(by, option):
            return ApprovalDecided(call.id, option, by)
        case Refused(reason, by):
            return ApprovalDecided(call.id, "reject", by, reason)
        case None:
            return ApprovalDecided(call.id, "withdrawn", "policy")


def _message(call: ToolCall, result: ToolResult) -> ToolMessage:
    return ToolMessage(call.id, result.content, result.is_error, "returned", result.seen, result.changes)
