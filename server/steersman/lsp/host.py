"""What the LSP face needs of the rest of Steersman: implemented by the composition root, faked in tests.

The face calls ``Host.open`` once, when the first command needs it (so that starting stays quick), and talks to the
``Engine`` from then on. What the engine needs of the editor comes to it in ``Editor``. All of it happens in the event
loop's thread; whatever takes longer than a small local query is awaited.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

from steersman.lsp.contracts import JsonMapping, JsonObject

if TYPE_CHECKING:
    from steersman.agent.cancel import CancelSignal
    from steersman.agent.events import Event
    from steersman.agent.tool import Plan, Tool
    from steersman.permissions.modes import Mode
    from steersman.permissions.question import Asker
    from steersman_tools.kit.workspace import Root, Workspace


@dataclass(frozen=True, slots=True)
class Editor:
    """What the face offers to the engine.

    Attributes:
        options: ``initializationOptions`` (user level, may loosen; DESIGN A6), unwrapped, with the wire's names;
            without ``client`` and ``showAnswer``, which are the face's own.
        folders: the workspace folders with unique names; may be empty.
        asker: puts a question to the person.
        open_workspace: makes the workspace of one run, the editor's documents laid over the disk. The first of
            the roots is the run's own.
        must_ask: says of a plan why it has to be asked in every mode in this editor (shown with the question), or
            None. For clients whose guard against stale edits is weak (DESIGN §8).
        epoch: counts up when the person changed a document (L11).
        fit_tools: gives a run's tools as this editor can serve them: wrapped, and with those that only it has.
        saver: makes what saves documents (display paths) before a command; None where the client cannot.
        name: names the editor to others that want a session it holds: "Neovim 0.11.4".
    """

    options: JsonMapping
    folders: tuple[Root, ...]
    asker: Asker
    open_workspace: Callable[[Sequence[Root]], Workspace]
    must_ask: Callable[[Plan], str | None]
    epoch: Callable[[], int]
    fit_tools: Callable[[Workspace, Sequence[Tool]], Sequence[Tool]]
    saver: Callable[[Workspace], Callable[[tuple[str, ...]], Awaitable[None]] | None]
    name: str


class ActiveRun(Protocol):
    """A run at work, or one that ended and is still remembered (``runs.Run``)."""

    @property
    def id(self) -> str:
        """The run's id."""
        ...

    @property
    def session_id(self) -> str:
        """Its session."""
        ...

    @property
    def started_at(self) -> float:
        """Seconds since the epoch."""
        ...

    @property
    def turn(self) -> int:
        """0 before the first turn."""
        ...

    @property
    def activity(self) -> str:
        """What it does now, in a few words for people: "reading src/app.py"."""
        ...

    @property
    def signal(self) -> CancelSignal:
        """Stops it."""
        ...

    async def recorded(self) -> None:
        """Return once the prompt is recorded durably. Raises the run's failure if it never was."""
        ...

    async def wait(self) -> Any:
        """Return the ``RunReport``; raises ``RunFailedError`` (the error and the report) for a run that failed."""
        ...

    def subscribe(self, listener: Callable[[Event], None]) -> Callable[[], None]:
        """Call the listener for each event from now on. Returns a function that unsubscribes."""
        ...


class Runs(Protocol):
    """All runs of this process (``runs.RunRegistry``)."""

    def start(self, request: Any, listener: Callable[[Event], None] | None = None) -> ActiveRun:
        """Start a ``runs.RunRequest``; the listener hears every event from the first on.

        Raises:
            SteersmanError: the request cannot be started (``session_busy``, ``session_not_found``, …).
        """
        ...

    def get(self, run_id: str) -> ActiveRun:
        """Return a run at work or one of the last that ended. Raises ``RunNotFoundError``."""
        ...

    def active(self) -> Sequence[ActiveRun]:
        """The runs at work, oldest first."""
        ...

    def cancel(self, *, run_id: str | None = None, session_id: str | None = None, force: bool = False) -> list[str]:
        """Cancel the runs named (all when nothing is); return their ids."""
        ...

    def steer(self, session_id: str, text: str) -> None:
        """Queue a text for the session's run. Raises ``NoActiveRunError``."""
        ...

    def set_mode(self, mode: Mode, *, session_id: str | None = None) -> list[str]:
        """Change the mode of the session's run, or of all at work; return their ids."""
        ...

    async def aclose(self) -> None:
        """Cancel every run and wait, up to a bound, until they are closed."""
        ...


class SessionLibrary(Protocol):
    """The sessions of all workspace folders. Every method returns the command's result as PROTOCOL §2 has it.

    Raises ``SessionNotFoundError``, ``SessionBusyError``, ``StorageError``, ``InvalidRequestError``.
    """

    async def list(self, *, folder: Path | None, query: str | None, limit: int, offset: int) -> JsonObject:
        """``{sessions, total}``, newest first; of all folders when ``folder`` is None."""
        ...

    async def search(self, *, folder: Path | None, query: str, limit: int) -> JsonObject:
        """``{hits}``, the best first; of all folders when ``folder`` is None."""
        ...

    async def get(self, session_id: str, *, after: int | None, limit: int | None) -> JsonObject:
        """``{session, messages}``; only messages with a sequence number above ``after``."""
        ...

    async def rename(self, session_id: str, title: str) -> JsonObject:
        """``{session}``."""
        ...

    async def delete(self, session_id: str) -> JsonObject:
        """``{deleted: true}``."""
        ...

    async def fork(self, session_id: str, *, at_message: int | None) -> JsonObject:
        """``{session}``, the new one."""
        ...

    async def export(
        self,
        session_id: str,
        *,
        format: str,  # noqa: A002 -- the wire's own word
        mask_secrets: bool = True,
        with_files: bool = False,
    ) -> str:
        """Return the session as ``json``, ``markdown`` or ``html`` text."""
        ...

    async def take_over(self, session_id: str) -> JsonObject:
        """``{session, takenFrom}``."""
        ...

    async def rewind(
        self,
        session_id: str,
        *,
        to_message: int,
        files: bool,
        conversation: bool,
        force: bool,
        dry_run: bool = False,
        preview: str | None = None,
    ) -> JsonObject:
        """RewindResult (PROTOCOL §2): with ``rewindId``, or with ``files`` and ``preview`` where nothing was done."""
        ...

    async def undo_rewind(self, rewind_id: str, *, force: bool = False) -> JsonObject:
        """``{restored, conflicts}``."""
        ...


class RememberedPermissions(Protocol):
    """What "always allow" left behind, kept per folder (A5)."""

    def list(self, folder: Path | None) -> list[JsonObject]:
        """The rules of the folder, or of all workspace folders."""
        ...

    def reset(self, folder: Path | None) -> int:
        """Forget them; return how many there were."""
        ...


class Engine(Protocol):
    """Steersman behind one editor."""

    @property
    def runs(self) -> Runs:
        """All runs."""
        ...

    @property
    def sessions(self) -> SessionLibrary:
        """All sessions of the workspace folders."""
        ...

    @property
    def permissions(self) -> RememberedPermissions:
        """Remembered permissions."""
        ...

    @property
    def model(self) -> str:
        """``provider/model`` that a run uses when it names none."""
        ...

    @property
    def mode(self) -> str:
        """The mode that a run has when it names none."""
        ...

    @property
    def max_turns(self) -> int:
        """The turns that a run has when it names none."""
        ...

    @property
    def warnings(self) -> Sequence[str]:
        """What a person should know of the configuration and the stores: unknown fields, ignored settings, …."""
        ...

    async def models(self) -> Sequence[Mapping[str, Any]]:
        """The models there are, as PROTOCOL §2 has them."""
        ...

    def set_folders(self, folders: Sequence[Root]) -> None:
        """The workspace folders changed. Runs at work keep theirs."""
        ...

    def tighten(self, configuration: JsonMapping) -> None:
        """Take over the editor's configuration, which counts as the workspace's: it may only tighten (A6).

        Called again with the whole of it whenever it changes; what was tightened by an earlier one and is not there
        any more is loosened again up to the user's own settings.
        """
        ...

    async def aclose(self) -> None:
        """Close the runs, then the stores. Called once, at the end."""
        ...


class Host(Protocol):
    """The composition root, as the face sees it."""

    @property
    def version(self) -> str:
        """Steersman's version."""
        ...

    @property
    def state_dir(self) -> Path:
        """Where logs, proposed changes and transcripts go; it need not exist yet."""
        ...

    def open(self, editor: Editor) -> Engine:
        """Make everything behind the face. Called once, late.

        Raises:
            SteersmanError: nothing can run (no state folder, …); asked again at the next command.
        """
        ...
