"""Commands about runs: start them, wait for them, stop them, steer them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from steersman.lsp.commands.context import Command, CommandCall
from steersman.lsp.contracts import JsonObject
from steersman.lsp.failures import RequestFailedError

if TYPE_CHECKING:
    from steersman.lsp.host import ActiveRun
    from steersman.lsp.params import CancelParams, RunParams, SteerParams, WaitParams
    from steersman.lsp.run_view import RunView
    from steersman.runs.report import RunFailedError, RunReport


async def run(call: CommandCall, params: RunParams) -> JsonObject:
    """``steersman.run``: the run's result; cancelling the request stops the run, which still answers."""
    active, view = _start(call, params)
    report = await _finish(active, view)
    call.face.keep(call.face.answers.show(report))
    return _report_to_wire(report)


async def start(call: CommandCall, params: RunParams) -> JsonObject:
    """``steersman.start``: the ids, as soon as the prompt is recorded; the run goes on by itself."""
    from steersman.runs.report import RunFailedError  # noqa: PLC0415 - kept out of the start

    active, view = _start(call, params)
    try:
        await active.recorded()
    except RunFailedError as failed:
        view.fail(failed)
        raise _request_failed(failed) from failed
    call.face.keep(_follow(call, active, view))
    return {"sessionId": active.session_id, "runId": active.id}


async def wait(call: CommandCall, params: WaitParams) -> JsonObject:
    """``steersman.wait``: the run's result; cancelling it ends only the waiting."""
    from steersman.runs.report import RunFailedError  # noqa: PLC0415 - kept out of the start

    active = call.face.engine().runs.get(params.run_id)
    try:
        return _report_to_wire(await active.wait())
    except RunFailedError as failed:
        raise _request_failed(failed) from failed


async def cancel(call: CommandCall, params: CancelParams) -> JsonObject:
    """``steersman.cancel``: the ids of the runs that were cancelled."""
    runs = call.face.engine().runs
    return {"cancelled": runs.cancel(run_id=params.run_id, session_id=params.session_id, force=params.force)}


async def steer(call: CommandCall, params: SteerParams) -> JsonObject:
    """``steersman.steer``: a text for the run at work in the session."""
    call.face.engine().runs.steer(params.session_id, params.text)
    return {"queued": True}


def _start(call: CommandCall, params: RunParams) -> tuple[ActiveRun, RunView]:
    from steersman.lsp.run_view import RunView  # noqa: PLC0415 - kept out of the start

    face = call.face
    view = RunView(face.views, call.token, params.prompt)
    active = face.engine().runs.start(face.requests.make(params), view.listen)
    view.attach(active)
    call.request.on_cancel(active.signal.set)
    return active, view


async def _finish(active: ActiveRun, view: RunView) -> RunReport:
    """Wait for the run and close its view; what is said to the client of its end is said before its response."""
    from steersman.runs.report import RunFailedError  # noqa: PLC0415 - kept out of the start

    try:
        report = await active.wait()
    except RunFailedError as failed:
        view.fail(failed)
        raise _request_failed(failed) from failed
    view.end(report)
    return report


async def _follow(call: CommandCall, active: ActiveRun, view: RunView) -> None:
    """Show a detached run to its end."""
    from steersman.runs.report import RunFailedError  # noqa: PLC0415 - kept out of the start

    try:
        report = await active.wait()
    except RunFailedError as failed:
        view.fail(failed)
        call.face.answers.show_failure(failed.error)
        return
    view.end(report)
    await call.face.answers.show(report)


def _request_failed(failed: RunFailedError) -> RequestFailedError:
    from steersman.wire import error_to_wire  # noqa: PLC0415 - kept out of the start

    return RequestFailedError(failed.error.message, error_to_wire(failed.error, failed.report))


def _report_to_wire(report: Any) -> JsonObject:
    from steersman.wire import report_to_wire  # noqa: PLC0415 - kept out of the start

    return report_to_wire(report)


COMMANDS = (
    Command("steersman.run", "RunParams", run, stops_itself=True),
    Command("steersman.start", "RunParams", start, stops_itself=True),
    Command("steersman.wait", "WaitParams", wait),
    Command("steersman.cancel", "CancelParams", cancel),
    Command("steersman.steer", "SteerParams", steer),
)
