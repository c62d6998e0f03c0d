"""One run, from its request to its report."""

from __future__ import annotations

import asyncio
import logging
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

from steersman.agent.cancel import CancelSignal
from steersman.agent.errors import (
    ApprovalFailedError,
    InternalError,
    SessionError,
    SteersmanError,
    ToolCrashedError,
)
from steersman.agent.events import Event, UserMessageAdded, Warned
from steersman.agent.inbox import Inbox
from steersman.agent.instructions import build_system_prompt
from steersman.agent.loop import run_agent
from steersman.agent.repeats import guard_repeats
from steersman.agent.result import RunResult
from steersman.agent.tool import ToolResult
from steersman.permissions.modes import Mode
from steersman.runs.activity import activity_after
from steersman.runs.ledger import RunLedger, Timeline
from steersman.runs.notes import read_repository_notes
from steersman.runs.parts import ModelChoice, RunParts
from steersman.runs.report import ReportBuilder, RunFailedError, RunReport
from steersman.runs.request import RunRequest
from steersman.sessions.store import SessionHandle
from steersman_tools.kit.workspace import Root, Workspace

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class RunSetup:
    """Everything a run was checked for before it started.

    ``forget`` removes the session again when it was made for this run and nothing was ever recorded in it.
    """

    run_id: str
    request: RunRequest
    roots: tuple[Root, ...]
    model: ModelChoice
    mode: Mode
    max_turns: int
    handle: SessionHandle
    workspace: Workspace
    notes: tuple[str, ...] = ()
    forget: Callable[[], None] = lambda: None


class Run:
    """A run at work, or one that has ended. Made by ``RunRegistry.start``; everything happens in its event loop."""

    def __init__(self, setup: RunSetup, parts: RunParts, listener: Callable[[Event], None] | None) -> None:
        self._setup = setup
        self._parts = parts
        self._listeners: list[Callable[[Event], None]] = [listener] if listener is not None else []
        self._builder = ReportBuilder(setup.run_id, setup.handle.session_id, setup.notes)
        self._timeline = Timeline(setup.handle)
        self._recorded: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._stragglers: set[asyncio.Task[ToolResult]] = set()
        self._mode = setup.mode
        self._inbox = Inbox()
        self.signal = CancelSignal()
        self._is_free = False
        self.turn = 0
        self.activity = "starting"
        self.started_at = parts.clock.now()
        self._work: asyncio.Future[RunReport] = asyncio.ensure_future(self._drive())
        self._released = asyncio.ensure_future(self._release())

    @property
    def id(self) -> str:
        """The run's id."""
        return self._setup.run_id

    @property
    def session_id(self) -> str:
        """The session it writes."""
        return self._setup.handle.session_id

    @property
    def folder(self) -> Path:
        """The workspace folder it works in."""
        return self._setup.roots[0].path

    @property
    def max_turns(self) -> int:
        """How many turns it may take."""
        return self._setup.max_turns

    @property
    def mode(self) -> Mode:
        """The permission mode as of now; the workspace may have tightened it."""
        return self._parts.tightest_mode(self._mode)

    @property
    def is_active(self) -> bool:
        """Whether it still works or a tool of its still runs: its session is busy."""
        return not self._is_free

    def set_mode(self, mode: Mode) -> None:
        """Change the mode; the next call obeys."""
        self._mode = mode

    def steer(self, text: str) -> bool:
        """Queue a text; False when the run has ended."""
        return self._inbox.put(text)

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call the listener for each event from now on; it must be quick. Returns what unsubscribes it."""
        self._listeners.append(listener)

        def unsubscribe() -> None:
            if listener in self._listeners:
                self._listeners.remove(listener)

        return unsubscribe

    async def recorded(self) -> None:
        """Return once the prompt is durably recorded, or the run ended before; raises the run's failure then."""
        await asyncio.wait({self._recorded, self._work}, return_when=asyncio.FIRST_COMPLETED)
        if not self._recorded.done():
            await self.wait()

    async def wait(self) -> RunReport:
        """Return the report, any number of times; cancelling the waiting does not cancel the run.

        Raises:
            RunFailedError: the run failed.
        """
        return await asyncio.shield(self._work)

    def shrink(self) -> None:
        """Let go of the conversation and of whoever listened, once the run is over: what is left is its report.

        ``wait`` still returns it or raises, with nothing of the history but the answer.
        """
        if not self._released.done():
            return
        self._listeners.clear()
        error = self._work.exception() if not self._work.cancelled() else None
        if error is not None:
            _drop_frames(error)
        elif not self._work.cancelled():
            report = self._work.result()
            self._work = self._work.get_loop().create_future()
            self._work.set_result(replace(report, result=None if report.result is None else report.result.brief()))

    async def released(self) -> None:
        """Return once the session is free again (after ``wait``, unless a forced tool still runs)."""
        await asyncio.shield(self._released)

    async def _drive(self) -> RunReport:
        try:
            result = await self._run_agent()
        except SteersmanError as error:
            raise RunFailedError(error, self._report_of_failure()) from error
        except asyncio.CancelledError:
            raise
        except Exception as error:
            _log.exception("run %s failed", self.id)
            raise RunFailedError(self._translate(error), self._report_of_failure()) from error
        finally:
            if not self._stragglers:
                self._free()
        return replace(self._builder.build(), result=result)

    def _report_of_failure(self) -> RunReport:
        self._builder.add_undelivered(self._inbox.close())  # where the loop had not begun
        return self._builder.build()

    async def _run_agent(self) -> RunResult:
        setup, parts = self._setup, self._parts
        model = setup.model if setup.model.look_up is None else await setup.model.look_up()
        ledger = RunLedger(setup.handle)
        ledger.load()
        tools = guard_repeats(parts.tools(setup.workspace, ledger.seen, self._current_mode), epoch=parts.epoch)
        return await run_agent(
            client=model.client,
            system=await self._system_prompt(),
            tools=tools,
            user=setup.request.user_text(),
            max_turns=setup.max_turns,
            signal=self.signal,
            before_tool_call=parts.approver(self.id, self.session_id, setup.workspace, self._current_mode, self._warn),
            session=ledger,
            context_max_chars=model.context_max_chars,
            limits=model.limits,
            on_event=self._on_event,
            inbox=self._inbox,
            clock=parts.clock,
            run_id=self.id,
            mode=self.mode.value,
            folder=str(self.folder),
            stragglers=self._stragglers,
            warnings=[Warned("note", note) for note in setup.notes],
        )

    async def _system_prompt(self) -> str:
        setup = self._setup
        notes = await read_repository_notes(setup.workspace, setup.request.focus)
        names = [root.name for root in setup.roots]
        return build_system_prompt(
            folder=names[0], roots=names[1:], mode=self.mode.value, platform=sys.platform, notes=notes
        )

    def _on_event(self, event: Event) -> None:
        self.turn = event.turn
        self.activity = activity_after(event, self.activity)
        self._builder.add(event)
        try:
            self._timeline.add(event)
        except SessionError as error:  # the timeline is a by-product; the ledger itself ends the run when it must
            _log.warning("a timing was not kept: %s", error.message)
        for listener in list(self._listeners):
            try:
                listener(event)
            except Exception:  # noqa: BLE001 - one listener must not silence the others (L9)
                _log.warning("an event listener failed", exc_info=True)
        if isinstance(event.body, UserMessageAdded) and not self._recorded.done():
            self._recorded.set_result(None)

    def _current_mode(self) -> Mode:
        return self.mode

    def _warn(self, message: str) -> None:
        """Keep a line for the report, and for the log."""
        _log.warning("%s", message)
        self._builder.add_note(message)

    def _translate(self, error: Exception) -> SteersmanError:
        """Name a foreign exception for the person; its text may hold secrets and stays in the log."""
        what = type(error).__name__
        hint = "Details are in the log."
        if self._builder.error_kind == "approval_failed":
            return ApprovalFailedError(f"Asking for approval failed ({what}); nothing was executed.", hint=hint)
        if self._builder.error_kind == "tool_crashed":
            return ToolCrashedError(f"A tool crashed ({what}); the run has ended.", hint=hint)
        return InternalError(f"The run failed ({what}).", hint=hint)

    async def _release(self) -> None:
        """Free the session once the run and every tool of it have ended."""
        await asyncio.wait({self._work})
        if self._stragglers:
            await asyncio.wait(tuple(self._stragglers))
        if not self._work.cancelled():
            self._work.exception()  # told by ``wait``, to whoever asks
        self._free()

    def _free(self) -> None:
        if not self._is_free:
            self._is_free = True
            self._setup.handle.close()
            if not self._recorded.done():
                self._setup.forget()


def _drop_frames(error: BaseException | None) -> None:
    """Let go of the frames of an exception and of what led to it: they hold whatever was at hand there."""
    while error is not None and error.__traceback__ is not None:
        error.__traceback__ = None
        error = error.__cause__ or error.__context__
