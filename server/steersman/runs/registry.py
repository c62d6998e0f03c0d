"""All runs of this process: started, found, cancelled, steered; at most one active run a session."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path

from steersman.agent.errors import (
    InvalidRequestError,
    NoActiveRunError,
    RunNotFoundError,
    SessionBusyError,
    SessionError,
)
from steersman.agent.events import Event
from steersman.agent.limits import Limits
from steersman.permissions.modes import Mode
from steersman.runs.parts import RunParts
from steersman.runs.request import RunLimits, RunRequest
from steersman.runs.run import Run, RunSetup
from steersman.sessions.records import SessionRecord
from steersman.sessions.store import SessionStore
from steersman_tools.kit.workspace import Root

_REMEMBERED = 50


class RunRegistry:
    """See the module's docstring. Use it in one event loop."""

    def __init__(self, parts: RunParts) -> None:
        self._parts = parts
        self._runs: OrderedDict[str, Run] = OrderedDict()
        self._closed = False

    def start(self, request: RunRequest, listener: Callable[[Event], None] | None = None) -> Run:
        """Check the request, hold its session and start it. The listener hears every event from the first on.

        Raises:
            InvalidRequestError: a blank prompt, a folder outside the workspace, a limit that makes no sense.
            SessionNotFoundError, SessionBusyError, SessionLockedError, StorageError: the session.
            ModelError: the model cannot be used as configured; says what to set.
        """
        self._check(request)
        parts = self._parts
        defaults = parts.defaults()
        store, record, folder = self._find_session(request)
        roots = self._roots_for(folder if record is None else _folder_of(record, folder), request)
        if record is not None:
            self._check_free(record.id)
        name = request.model or (record.model if record is not None and record.model else defaults.model)
        choice = parts.choose_model(name, _limits(request.limits, defaults.limits))
        workspace = parts.open_workspace(roots)
        is_new = record is None
        if record is None:
            record = store.create(request.prompt, choice.client.model, roots[0].path)
        handle = store.acquire(record.id, parts.holder, snapshot=workspace.snapshot, take_over=request.take_over)
        setup = RunSetup(
            run_id=parts.new_id(),
            request=request,
            roots=roots,
            model=choice,
            mode=request.mode or defaults.mode,
            max_turns=request.max_turns or defaults.max_turns,
            handle=handle,
            workspace=workspace,
            notes=(*parts.stores.notices(folder), *choice.notes),
            forget=partial(_forget, store, record.id) if is_new else _keep,
        )
        run = Run(setup, parts, listener)
        self._remember(run)
        return run

    def get(self, run_id: str) -> Run:
        """Return a run at work or one of the last that ended; raise ``RunNotFoundError``."""
        try:
            return self._runs[run_id]
        except KeyError:
            raise RunNotFoundError(
                f"There is no run {run_id}.", hint="Only the last runs are remembered; look into its session instead."
            ) from None

    def active(self) -> list[Run]:
        """Return the runs at work, oldest first."""
        return [run for run in self._runs.values() if run.is_active]

    def active_in(self, session_id: str) -> Run | None:
        """Return the session's run at work, or None."""
        return next((run for run in self.active() if run.session_id == session_id), None)

    def cancel(self, *, run_id: str | None = None, session_id: str | None = None, force: bool = False) -> list[str]:
        """Cancel the run or the session's run, or all when neither is named; return the ids of those cancelled."""
        cancelled: list[str] = []
        for run in self.active():
            if run_id in (None, run.id) and session_id in (None, run.session_id):
                run.signal.set(force=force)
                cancelled.append(run.id)
        return cancelled

    def steer(self, session_id: str, text: str) -> None:
        """Queue a text for the session's run; raise ``NoActiveRunError`` when there is none that takes it."""
        if not text.strip():
            raise InvalidRequestError("The text is empty; say what the run shall take into account.")
        run = self.active_in(session_id)
        if run is None or not run.steer(text):
            raise NoActiveRunError(
                f"No run is at work in session {session_id}.", hint="Start a run with this text instead."
            )

    def set_mode(self, mode: Mode, *, session_id: str | None = None) -> list[str]:
        """Change the mode of the session's run, or of all runs at work; the next call of each obeys."""
        changed = [run for run in self.active() if session_id in (None, run.session_id)]
        for run in changed:
            run.set_mode(mode)
        return [run.id for run in changed]

    async def aclose(self, timeout_s: float = 1.0) -> None:
        """Take no more runs, cancel those at work, and wait until they are closed, at most ``timeout_s`` seconds."""
        self._closed = True
        active = self.active()
        self.cancel()
        if active:
            waiting = [asyncio.ensure_future(run.released()) for run in active]
            _, late = await asyncio.wait(waiting, timeout=timeout_s)
            for task in late:
                task.cancel()

    def _check(self, request: RunRequest) -> None:
        if self._closed:
            raise InvalidRequestError("Steersman is shutting down and takes no more runs.")
        if not request.prompt.strip():
            raise InvalidRequestError("The prompt is empty; say what shall be done.")
        if request.max_turns is not None and request.max_turns < 1:
            raise InvalidRequestError(f"maxTurns must be at least 1, not {request.max_turns}.")
        if request.session_id is not None and request.continue_latest:
            raise InvalidRequestError("Name a session or ask to continue the latest one, not both.")
        if request.take_over and request.session_id is None and not request.continue_latest:
            raise InvalidRequestError("There is nothing to take over: name a session, or continue the latest one.")

    def _check_free(self, session_id: str) -> None:
        if self.active_in(session_id) is not None:
            raise SessionBusyError(
                f"A run is already at work in session {session_id}.",
                hint="Wait for it, steer it, or cancel it first.",
            )

    def _find_session(self, request: RunRequest) -> tuple[SessionStore, SessionRecord | None, Path | None]:
        """Return the store, the session to go on with (None: a new one) and the folder."""
        folder = self._folder_for(request)
        if request.session_id is not None:
            store, record = self._look_up(request.session_id, folder)
            return store, record, folder
        store = self._parts.stores.of(folder)
        return store, (store.latest() if request.continue_latest else None), folder

    def _look_up(self, session_id: str, folder: Path | None) -> tuple[SessionStore, SessionRecord]:
        roots = [root.path for root in self._parts.roots()]
        folders: list[Path | None] = [folder, *(path for path in roots if path != folder)] if roots else [None]
        return self._parts.stores.find(session_id, folders)

    def _folder_for(self, request: RunRequest) -> Path | None:
        """Return the workspace folder the request names or implies; None without any folder."""
        roots = self._parts.roots()
        if request.folder is not None:
            if any(root.path == request.folder for root in roots):
                return request.folder
            names = ", ".join(str(root.path) for root in roots) or "none is open"
            raise InvalidRequestError(
                f"{request.folder} is not a workspace folder (those are: {names}).",
                hint="Open the folder in the editor, or leave the folder out.",
            )
        focus = request.focus
        if focus is not None:
            holding = [root for root in roots if focus.is_relative_to(root.path)]
            if holding:
                return max(holding, key=lambda root: len(root.path.parts)).path
        return roots[0].path if roots else None

    def _roots_for(self, folder: Path | None, request: RunRequest) -> tuple[Root, ...]:
        """Return the roots with the run's own first."""
        roots = self._parts.roots()
        if not roots:
            if request.focus is not None:  # a single file without a workspace: its folder is all there is
                return (Root(request.focus.parent.name or "folder", request.focus.parent),)
            raise InvalidRequestError(
                "No folder is open, so there is nothing to work on.", hint="Open a folder or a file first."
            )
        own = [root for root in roots if root.path == folder] or [roots[0]]
        return (own[0], *(root for root in roots if root is not own[0]))

    def _remember(self, run: Run) -> None:
        """Keep the run; of those that have ended keep the report alone, and forget the oldest."""
        for each in self._runs.values():
            if not each.is_active:
                each.shrink()
        self._runs[run.id] = run
        ended = [run_id for run_id, each in self._runs.items() if not each.is_active]
        for run_id in ended[: max(len(ended) - _REMEMBERED, 0)]:
            del self._runs[run_id]


def _forget(store: SessionStore, session_id: str) -> None:
    """Delete a session in which nothing was recorded."""
    with suppress(SessionError):  # it is empty: one that stays does no harm
        store.delete(session_id)


def _keep() -> None:
    """Leave a session that was there before as it is."""


def _folder_of(record: SessionRecord, fallback: Path | None) -> Path | None:
    return Path(record.folder) if record.folder else fallback


def _limits(wanted: RunLimits, configured: Limits) -> Limits:
    """Lay the request's limits over the configured ones."""
    return replace(
        configured,
        max_tokens=wanted.max_tokens if wanted.max_tokens is not None else configured.max_tokens,
        max_cost=wanted.max_cost if wanted.max_cost is not None else configured.max_cost,
        deadline_s=wanted.deadline_s if wanted.deadline_s is not None else configured.deadline_s,
    )
