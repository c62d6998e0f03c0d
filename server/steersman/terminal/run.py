"""``steersman run``: the same core without an editor. Trace on standard error, answer on standard output."""

from __future__ import annotations

import argparse
import asyncio
import os
import signal
import sys
import time
from collections.abc import AsyncGenerator, Callable, Generator
from contextlib import asynccontextmanager, contextmanager, suppress
from functools import partial
from types import FrameType
from typing import Any

from steersman.agent.errors import InvalidRequestError, SessionNotFoundError, SteersmanError
from steersman.agent.events import Event, Warned
from steersman.agent.result import EXIT_CODES
from steersman.app import HeadlessApp, headless_settings
from steersman.ending_signals import ended_by_interrupt, ending_signals
from steersman.permissions.modes import Mode
from steersman.permissions.question import Asker
from steersman.runs import Run, RunFailedError, RunLimits, RunReport, RunRequest
from steersman.sessions.store import SessionStore
from steersman.terminal.logs import logging_to_file
from steersman.terminal.naming import latest_session, named_session
from steersman.terminal.output import exits, in_folder, print_error, print_json, print_warning, printable
from steersman.terminal.refusals import Refusals
from steersman.terminal.streams import READER_LEFT, Commentary, OutputLostError, note, read_all, say
from steersman.terminal.style import Style, can_move, columns

_SHORT_ID = 8
_END_OF_INPUT = "Ctrl-Z and Enter" if sys.platform == "win32" else "Ctrl-D"
_CONVERT = "Convert it first, for example with `iconv -t UTF-8`."


@exits
def run(args: argparse.Namespace) -> int:
    """Do one task. Returns the exit code of DESIGN L8."""
    with ended_by_interrupt():  # until there is a run to cancel
        return _do(args)


def _do(args: argparse.Namespace) -> int:
    prompt = _prompt(args.prompt)
    asker = None if args.prompt == "-" else _asker()
    goes_on = args.session is not None or args.continue_latest  # what cannot be read is an error then, not forgotten
    app = HeadlessApp(args.folder, headless_settings(args.model), asker=asker, allow_memory=not goes_on)
    for warning in app.app.warnings:
        print_warning(warning)
    request = RunRequest(
        prompt,
        session_id=_session_id(app, args),
        take_over=args.take_over,
        mode=Mode.AUTO if args.yes else Mode(args.mode) if args.mode else None,
        max_turns=args.max_turns,
        limits=RunLimits(args.max_tokens, args.max_cost, args.deadline),
        model=args.model,
    )
    return asyncio.run(_run(app, request, args.output, args.folder))


async def _run(app: HeadlessApp, request: RunRequest, output: str, folder: str) -> int:
    """Run it, with Ctrl-C as cancel; a second one forces."""
    with logging_to_file(app.app.state_folder):
        return await _watch(app, request, output, folder)


async def _watch(app: HeadlessApp, request: RunRequest, output: str, folder: str) -> int:
    async with app:
        run = app.runs.start(request)
        refused, commentary = Refusals(), Commentary(sys.stderr)
        run.subscribe(refused)  # nothing has happened yet: a run begins at the next await
        shower = _shower(run, output, commentary)
        watched = _Watched(run, shower, commentary)
        run.subscribe(watched)
        with _cancel_on_interrupt(run):
            try:
                async with _moving(shower):
                    report = await run.wait()
            except RunFailedError as failed:
                refused.tell()
                code = _tell_failure(failed, output)
                if output == "text" and _was_recorded(app, failed.report):
                    note(f"[go on with: {_go_on(folder, failed.report)}]")
                return code
        try:
            code = watched.code(_tell(report, output))
        except OutputLostError as lost:
            lost.remedy = _where_it_is(app, folder, report)
            raise
        watched.tell_notes(report, as_json=output == "json")
        refused.tell()
        if app.app.is_unconfigured and request.session_id is None:
            note(printable(await app.app.first_notice()))
        if output == "text" and _is_kept(app):
            note(f"[go on with: {_go_on(folder, report)}]")
        return code


class _Watched:
    """Shows a run's events. Once nobody can get them any more the run is cancelled, as SIGPIPE would end a program."""

    def __init__(self, run: Run, show: Callable[[Event], None], commentary: Commentary) -> None:
        self._run = run
        self._show = show
        self._commentary = commentary
        self._lost: OutputLostError | None = None
        self._warned: set[str] = set()

    def __call__(self, event: Event) -> None:
        """Show it, if it still can be shown."""
        if isinstance(event.body, Warned):
            self._warned.add(event.body.message)
        if self._lost is None:
            try:
                self._show(event)
            except OutputLostError as lost:
                self._lost = lost
        if self._lost is not None or self._commentary.reader_left:
            self._run.signal.set()

    def tell_notes(self, report: RunReport, *, as_json: bool) -> None:
        """Say what a person should know and no event has shown; ``as_json``: none was shown."""
        for text in report.notes:
            if as_json or text not in self._warned:
                print_warning(text)

    def code(self, code: int) -> int:
        """Return the run's exit code, or another where it was not watched to its end; raise ``OutputLostError``."""
        if self._lost is not None:
            raise self._lost
        return READER_LEFT if self._commentary.reader_left else code


def _prompt(given: str) -> str:
    """Return the task: what was given, or with ``-`` what stands on standard input."""
    try:
        prompt = _typed() if given == "-" else given
        prompt.encode("utf-8")
    except UnicodeError as error:
        where = "on standard input " if given == "-" else ""
        raise InvalidRequestError(f"The prompt {where}is not UTF-8: {_bytes_at(error)}.", hint=_CONVERT) from None
    if not prompt.strip():
        raise InvalidRequestError("The prompt is empty; say what shall be done.")
    return prompt


def _typed() -> str:
    """Return the prompt from standard input."""
    if sys.stdin.isatty():
        note(f"Type what shall be done; {_END_OF_INPUT} on a line of its own ends it.")
    try:
        return read_all()
    except OSError as error:
        raise InvalidRequestError(f"Standard input cannot be read: {error.strerror or error}.") from error


def _bytes_at(error: UnicodeError) -> str:
    """Say what cannot be read and where; a command line's odd bytes come as lone surrogates (PEP 383)."""
    if isinstance(error, UnicodeDecodeError):
        return f"byte {error.object[error.start]:#04x} at {error.start}"
    assert isinstance(error, UnicodeEncodeError)
    return f"byte {ord(error.object[error.start]) & 0xFF:#04x} at character {error.start}"


@asynccontextmanager
async def _moving(shower: Callable[[Event], None]) -> AsyncGenerator[None]:
    """Keep what shows the run moving, where it can; afterwards the terminal is free for the answer."""
    from steersman.terminal.live import LiveTrace  # noqa: PLC0415 - loaded by ``_shower`` where it is needed at all

    if not isinstance(shower, LiveTrace):
        yield
        return
    task = asyncio.create_task(shower.keep_moving())
    try:
        yield
    finally:
        task.cancel()
        shower.clear()


def _go_on(folder: str, report: RunReport) -> str:
    """Return the command that goes on with the session; the beginning of its id is enough."""
    return in_folder("run", folder, "--session", report.session_id[:_SHORT_ID], '"…"')


def _where_it_is(app: HeadlessApp, folder: str, report: RunReport) -> str:
    """Return what became of the run, and where that can be read which could not be printed."""
    cancelled = "The run was cancelled. " if report.result and report.result.stop_reason == "aborted" else ""
    store = _store(app)
    with suppress(SessionNotFoundError):  # it was cancelled before anything happened
        session = store.get(report.session_id)
        if _is_kept(app):
            return f"{cancelled}Look at it with: {in_folder('sessions show', folder, session.id[:_SHORT_ID])}"
    return cancelled


def _was_recorded(app: HeadlessApp, report: RunReport) -> bool:
    """Say whether a run that failed left a conversation to go on with."""
    with suppress(SteersmanError):  # what cannot be read now is no reason to hide why the run failed
        return _is_kept(app) and _store(app).get(report.session_id).messages > 0
    return False


def _is_kept(app: HeadlessApp) -> bool:
    return _store(app).persistent


def _store(app: HeadlessApp) -> SessionStore:
    return app.app.stores.of(app.app.roots()[0].path)


def _asker() -> Asker | None:
    """Return who asks the person, where one can both read and type."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    from steersman.terminal.asker import TerminalAsker  # noqa: PLC0415 - brings the rendering of questions

    return TerminalAsker()


def _session_id(app: HeadlessApp, args: argparse.Namespace) -> str | None:
    """Return the session to go on with; None: a new one."""
    if args.continue_latest:
        return latest_session(app.app).id
    if args.session is not None:
        return named_session(app.app, args.session).id
    return None


def _shower(run: Run, output: str, commentary: Commentary) -> Callable[[Event], None]:
    if output == "text":
        return _trace(commentary)
    if output == "stream-json":
        from steersman.wire import EventWire  # noqa: PLC0415 - only for programs

        wire = EventWire(run.id, run.session_id)
        return lambda event: print_json(wire(event))
    return lambda _: None


def _trace(commentary: Commentary) -> Callable[[Event], None]:
    """Return what prints the trace on standard error, with a moving line where that is a terminal."""
    from steersman.terminal.live import LiveTrace, Trace  # noqa: PLC0415 - not for programs

    style = Style.of(sys.stderr, os.environ)
    if not can_move(sys.stderr, os.environ):
        return Trace(commentary, style)
    return LiveTrace(commentary, style, clock=time.monotonic, columns=partial(columns, sys.stderr))


def _tell(report: RunReport, output: str) -> int:
    assert report.result is not None
    if output != "text":
        from steersman.wire import report_to_wire  # noqa: PLC0415 - only for programs

        print_json(report_to_wire(report))
    else:
        answer = report.result.answer
        say(printable(answer) if sys.stdout.isatty() else answer, flush=True)
        _tell_undelivered(report)
    return EXIT_CODES[report.result.stop_reason]


def _tell_undelivered(report: RunReport) -> None:
    for text in report.undelivered:
        note(f"not delivered: {text}")


def _tell_failure(failed: RunFailedError, output: str) -> int:
    print_error(failed.error)
    if output != "text":
        from steersman.wire import error_to_wire, report_to_wire  # noqa: PLC0415 - only for programs

        wire = report_to_wire(failed.report)
        wire["error"] = {"message": failed.error.message, **error_to_wire(failed.error)}
        print_json(wire)
    else:
        _tell_undelivered(failed.report)
    return 64 if isinstance(failed.error, InvalidRequestError) else 1


@contextmanager
def _cancel_on_interrupt(run: Run) -> Generator[None]:
    """What asks to end cancels the run (Ctrl-C above all); asked twice, it waits for no tool that ignores it."""
    loop = asyncio.get_running_loop()

    def interrupt() -> None:
        run.signal.set(force=run.signal.is_set)

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        loop.call_soon_threadsafe(interrupt)

    previous: dict[signal.Signals, Any] = {}
    for number in ending_signals():
        with suppress(ValueError, OSError):  # not in the main thread: whoever embeds us has its own way to stop
            previous[number] = signal.signal(number, on_signal)
    try:
        yield
    finally:
        for number, handler in previous.items():
            signal.signal(number, handler)
