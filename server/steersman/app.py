"""The composition root: the only module that imports every edge and puts them together.

Heavy parts (a provider's HTTP client, the tools) are imported when a run first needs them, so that starting stays
quick (DESIGN §9).
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from steersman import __version__
from steersman.agent.clock import Clock, SystemClock
from steersman.agent.errors import InvalidRequestError
from steersman.agent.limits import Limits
from steersman.configuration import config_file, load_settings, make_roots, state_dir
from steersman.permissions.modes import Mode
from steersman.permissions.places import always_file
from steersman.runs import RunRegistry
from steersman.runs.parts import ModelChoice, ModeSource, RunDefaults
from steersman.runs.shelf import StoreShelf
from steersman.sessions.places import folder_key
from steersman.settings import (
    DEFAULT_MODEL,
    Settings,
    Tightening,
    at_most,
    tightening_of,
)
from steersman_tools.kit.workspace import NotesLeftovers, Root, Workspace

if TYPE_CHECKING:
    from steersman.agent.approval import ApprovalRequest, BeforeToolCall, Decision
    from steersman.agent.model import ModelClient, Usage
    from steersman.agent.tool import Plan, Tool
    from steersman.library import SessionLibrary
    from steersman.lsp.host import Editor
    from steersman.models.prices import ModelFacts
    from steersman.models.provider_config import ProviderConfig
    from steersman.permissions.approver import Approver
    from steersman.permissions.question import Asker
    from steersman.permitting import Permitting
    from steersman.remembered import RememberedPermissions
    from steersman.toolbox import Toolbox
    from steersman_tools.kit.leftovers import LeftoverStore
    from steersman_tools.kit.seen import SeenTexts

_DEMO_PAUSE_S = 0.015


def new_id() -> str:
    """Return an id nobody has: 32 hexadecimal digits."""
    return os.urandom(16).hex()


@dataclass(slots=True, kw_only=True)
class Surroundings:
    """What differs between an editor and a terminal.

    Attributes:
        roots: the workspace folders.
        asker: puts questions to the person; None: nobody is there, and what would ask is refused.
        open_workspace: makes a run's workspace.
        holder: names this process to others.
        must_ask: why a plan is asked in every mode here, or None.
        epoch: names the state of the person's documents.
        fit_tools: gives a run's tools as this place can serve them.
        saver: makes what saves documents (display paths) before a command, where this place can.
        pace: awaited by the rule-based model between its pieces; None: as fast as it can.
        tells_apart: whoever runs this says by other means that no model is configured; else the answer says it.
    """

    roots: tuple[Root, ...]
    asker: Asker | None
    open_workspace: Callable[[Sequence[Root]], Workspace]
    holder: str
    must_ask: Callable[[Plan], str | None] = lambda _: None
    epoch: Callable[[], object] = lambda: 0
    fit_tools: Callable[[Workspace, Sequence[Tool]], Sequence[Tool]] = lambda _, tools: tools
    saver: Callable[[Workspace], Callable[[tuple[str, ...]], Awaitable[None]] | None] = lambda _: None
    pace: Callable[[], Awaitable[None]] | None = None
    tells_apart: bool = False


class Application:
    """Everything behind one editor or one terminal: implements ``runs.RunParts`` and ``lsp.host.Engine``."""

    def __init__(
        self,
        settings: Settings,
        surroundings: Surroundings,
        environ: Mapping[str, str],
        *,
        clock: Clock | None = None,
        allow_memory: bool = True,
    ) -> None:
        self.settings = settings
        self.surroundings = surroundings
        self._environ = environ
        self._clock = clock or SystemClock()
        self._tightening = Tightening()
        self._clients: dict[str, ModelClient] = {}
        self._state_dir = state_dir(environ)
        self._permits: Permitting | None = None
        self._tools: Toolbox | None = None
        self._looked_up: dict[str, ModelFacts] = {}
        self.stores = StoreShelf(
            self._state_dir,
            clock=self._clock.now,
            new_id=new_id,
            durability=settings.durability,
            allow_memory=allow_memory,
        )
        self.runs = RunRegistry(self)
        self._library: SessionLibrary | None = None

    # what runs need (runs.RunParts)

    @property
    def clock(self) -> Clock:
        """The time."""
        return self._clock

    @property
    def holder(self) -> str:
        """Names this process to others that want a session it holds."""
        return self.surroundings.holder

    def new_id(self) -> str:
        """Return an id nobody has."""
        return new_id()

    def roots(self) -> tuple[Root, ...]:
        """The workspace folders."""
        return self.surroundings.roots

    def defaults(self) -> RunDefaults:
        """What is configured now, as the workspace tightens it."""
        settings, tight = self.settings, self._tightening
        limits = Limits(
            max_tokens=_whole(at_most(settings.max_tokens, tight.max_tokens)),
            max_cost=at_most(settings.max_cost, tight.max_cost),
            deadline_s=at_most(settings.deadline_s, tight.deadline_s),
            max_output_tokens=settings.max_output_tokens,
            stream_retries=1,
        )
        turns = _whole(at_most(settings.max_turns, tight.max_turns)) or settings.max_turns
        return RunDefaults(settings.model, settings.mode, turns, limits)

    def tightest_mode(self, mode: Mode) -> Mode:
        """Return the mode as the workspace's own configuration tightens it."""
        return self._tightening.mode_of(mode)

    def choose_model(self, model: str, limits: Limits) -> ModelChoice:
        """Make the model ready, with its prices and its window; a provider is asked for them when the run begins."""
        if model.startswith("scripted/"):
            return ModelChoice(self._client(model), limits)
        if model == DEFAULT_MODEL:
            return ModelChoice(self._client(model), replace(limits, cost_of=_free), self.settings.context_max_chars)
        from steersman.models.prices import known_facts  # noqa: PLC0415 - only when a run starts

        facts = self._looked_up.get(model) or known_facts(model, self.providers(), self._environ)
        if model in self._looked_up or (facts.price is not None and facts.context_window):
            return self._choice(facts, limits)
        choice = replace(self._choice(facts, replace(limits, max_cost=None)), limits=limits)
        return replace(choice, look_up=partial(self._look_up, model, limits))

    async def _look_up(self, model: str, limits: Limits) -> ModelChoice:
        from steersman.models.catalog import look_up_model  # noqa: PLC0415 - only for a model that nobody knows

        self._looked_up[model] = await look_up_model(model, self.providers(), self._environ)
        return self._choice(self._looked_up[model], limits)

    def _choice(self, facts: ModelFacts, limits: Limits) -> ModelChoice:
        from steersman.models.prices import cost_usd  # noqa: PLC0415 - only when a run starts

        price = facts.price
        if limits.max_cost is not None and price is None:
            raise InvalidRequestError(
                f"No price is known for {facts.model}, so maxCost cannot be kept.",
                hint="Set its price under providers in config.toml, or limit tokens instead.",
            )

        def cost_of(usage: Usage) -> float | None:
            return None if price is None else cost_usd(usage, price)

        budget = self.settings.context_max_chars or _window_chars(facts.context_window, limits.max_output_tokens)
        return ModelChoice(self._client(facts.model), replace(limits, cost_of=cost_of), budget)

    def open_workspace(self, roots: Sequence[Root]) -> Workspace:
        """Make the workspace of one run."""
        workspace = self.surroundings.open_workspace(roots)
        if isinstance(workspace, NotesLeftovers):
            workspace.note_in(self._leftovers)
        return workspace

    def tools(self, workspace: Workspace, seen: SeenTexts, mode: ModeSource) -> Sequence[Tool]:
        """Make the tools of one run."""
        built_in = self._toolbox().make_tools(workspace, seen, read_only=lambda: mode() is Mode.PLAN)
        return self.surroundings.fit_tools(workspace, built_in)

    def epoch(self) -> object:
        """Names the state of the person's documents."""
        return self.surroundings.epoch()

    def approver(
        self, run_id: str, session_id: str, workspace: Workspace, mode: ModeSource, warn: Callable[[str], None]
    ) -> BeforeToolCall:
        """Make the hook that approves a run's calls; what it needs is loaded at the first of them."""
        del run_id
        made: list[Approver] = []

        async def approve(request: ApprovalRequest, /) -> Decision:
            if not made:
                made.append(self._permitting().approver(session_id, workspace, mode, warn))
            return await made[0](request)

        return approve

    def _permitting(self) -> Permitting:
        """Return what decides on calls, made when it is first needed."""
        if self._permits is None:
            from steersman.permitting import Permitting  # noqa: PLC0415 - brings the shell's grammar

            config = config_file(self._environ)
            self._permits = Permitting(self.surroundings, self.settings.permissions, self._state_dir, config)
        return self._permits

    # what an editor needs besides (lsp.host.Engine)

    @property
    def sessions(self) -> SessionLibrary:
        """All sessions of the workspace folders."""
        if self._library is None:
            from steersman.library import SessionLibrary  # noqa: PLC0415 - only when somebody looks

            self._library = SessionLibrary(
                self.stores,
                self.runs,
                roots=self.roots,
                open_workspace=self.open_workspace,
                new_id=new_id,
                holder=self.holder,
            )
        return self._library

    @property
    def permissions(self) -> RememberedPermissions:
        """What "always allow" and "for this session" left behind."""
        from steersman.remembered import RememberedPermissions  # noqa: PLC0415 - likewise

        return RememberedPermissions(self._permitting())

    @property
    def model(self) -> str:
        """``provider/model`` that a run uses when it names none."""
        return self.settings.model

    @property
    def mode(self) -> str:
        """The mode that a run has when it names none."""
        return self.tightest_mode(self.settings.mode).value

    @property
    def max_turns(self) -> int:
        """The turns that a run has when it names none."""
        return self.defaults().max_turns

    @property
    def state_folder(self) -> Path:
        """Where sessions, logs and remembered permissions live."""
        return self._state_dir

    @property
    def warnings(self) -> Sequence[str]:
        """What a person should know of the configuration and the stores."""
        stores = [note for root in self.roots() for note in self.stores.notices(root.path)]
        return [*self.settings.warnings, *self._permission_warnings(), *self._tightening.warnings, *stores]

    def _permission_warnings(self) -> Sequence[str]:
        """Return what is wrong with permissions; where there are none to be wrong, nothing is loaded."""
        kept = (always_file(self._state_dir, folder_key(root.path)) for root in self.roots())
        if self.settings.permissions or any(map(_may_be_there, kept)):
            return self._permitting().warnings()
        return ()

    async def models(self) -> Sequence[Mapping[str, Any]]:
        """Return the models there are, as PROTOCOL §2 has them."""
        from steersman.models.catalog import list_models  # noqa: PLC0415 - only when asked for

        listings = await list_models(self.providers(), self._environ)
        return [model_to_wire(facts) for listing in listings for facts in listing.models]

    def providers(self) -> Mapping[str, ProviderConfig]:
        """Return the configured providers; raises ``InvalidRequestError`` for one that makes no sense."""
        from steersman.models.provider_reading import read_providers  # noqa: PLC0415 - only when a model is needed

        return read_providers(self.settings.providers)

    def set_folders(self, folders: Sequence[Root]) -> None:
        """The workspace folders changed; runs at work keep theirs."""
        self.surroundings.roots = tuple(folders)

    def tighten(self, configuration: Mapping[str, Any]) -> None:
        """Take over the workspace's own configuration: it may only tighten (A6)."""
        self._tightening = tightening_of(configuration)

    async def aclose(self) -> None:
        """Close the runs, then the stores and the connections."""
        await self.runs.aclose()
        self.stores.close()
        for client in self._clients.values():
            close = getattr(client, "aclose", None)
            if close is not None:
                await close()

    def _leftovers(self) -> LeftoverStore:
        from steersman.sessions.oslock import try_lock  # noqa: PLC0415 - only when something is changed
        from steersman_tools.kit.leftovers import LeftoverStore  # noqa: PLC0415 - likewise

        return LeftoverStore(self._state_dir / "leftovers", try_lock)

    def _toolbox(self) -> Toolbox:
        if self._tools is None:
            from steersman.toolbox import CommandSettings, Toolbox  # noqa: PLC0415 - only when a run starts

            configs = self.providers().values() if self.settings.providers else ()
            named = [config.api_key_env for config in configs if config.api_key_env]
            own = (self._state_dir, config_file(self._environ))
            network = self.settings.sandbox_network
            leftovers = self._state_dir / "leftovers"
            self._tools = Toolbox(CommandSettings(self._environ, named, network, own, leftovers))
        return self._tools

    def _client(self, model: str) -> ModelClient:
        """Return the model's client, made once, so that its connections are used again."""
        if model not in self._clients:
            self._clients[model] = self._make_client(model)
        return self._clients[model]

    @property
    def is_unconfigured(self) -> bool:
        """Whether nobody chose a model."""
        return self.settings.model_source == "built-in"

    async def first_notice(self) -> str:
        """Return what a person should be told once where nobody chose a model."""
        from steersman.models.offer import first_notice  # noqa: PLC0415 - only with the rules' first answer

        return await first_notice(self._environ)

    def _make_client(self, model: str) -> ModelClient:
        if model.startswith("scripted/"):
            from steersman.models.script_file import load_script  # noqa: PLC0415 - only for tests of other processes

            return load_script(Path(model.removeprefix("scripted/")))
        if model == DEFAULT_MODEL:
            from steersman.models.demo import DemoClient  # noqa: PLC0415 - only when used

            in_answer = self.is_unconfigured and not self.surroundings.tells_apart
            notice = self.first_notice if in_answer else ""
            return DemoClient(pause=self.surroundings.pace, notice=notice)
        from steersman.models.clients import make_client  # noqa: PLC0415 - only when a run starts

        return make_client(model, self.providers(), self._environ)


class HeadlessApp:
    """An application for one folder on the command line, over the disk alone."""

    def __init__(
        self,
        folder: str | Path,
        settings: Settings,
        *,
        environ: Mapping[str, str] | None = None,
        asker: Asker | None = None,
        allow_memory: bool = True,
    ) -> None:
        path = Path(folder)
        if not path.is_dir():
            raise InvalidRequestError(f"{folder} is not a folder.", hint="Name an existing folder with -C.")
        try:
            roots = make_roots([path])
        except OSError:  # "." is a folder even where that was deleted
            raise InvalidRequestError(
                f"The folder {folder} does not exist any more.", hint="Name an existing folder with -C."
            ) from None
        surroundings = Surroundings(
            roots=roots,
            asker=asker,
            open_workspace=_open_disk,
            holder=f"steersman run (pid {os.getpid()})",
            tells_apart=True,
        )
        self.app = Application(settings, surroundings, environ or os.environ, allow_memory=allow_memory)

    @property
    def runs(self) -> RunRegistry:
        """The runs."""
        return self.app.runs

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.app.aclose()


class LspApp:
    """The composition root as the LSP face sees it (``lsp.host.Host``)."""

    def __init__(self, environ: Mapping[str, str] | None = None) -> None:
        self._environ = dict(environ if environ is not None else os.environ)

    @property
    def version(self) -> str:
        """Steersman's version."""
        return __version__

    @property
    def state_dir(self) -> Path:
        """Where logs, proposed changes and transcripts go; it need not exist yet."""
        return state_dir(self._environ)

    def open(self, editor: Editor) -> Application:
        """Make everything behind the face."""
        surroundings = Surroundings(
            roots=tuple(editor.folders),
            asker=editor.asker,
            open_workspace=editor.open_workspace,
            holder=f"{editor.name} (pid {os.getpid()})",
            must_ask=editor.must_ask,
            epoch=editor.epoch,
            fit_tools=editor.fit_tools,
            saver=editor.saver,
            pace=_demo_pace,
        )
        return Application(load_settings(self._environ, editor=editor.options), surroundings, self._environ)


def headless_settings(model: str | None = None, environ: Mapping[str, str] | None = None) -> Settings:
    """Return the settings for the command line; a broken config file is an error there."""
    command_line = {"model": model} if model else None
    return load_settings(environ if environ is not None else os.environ, command_line=command_line, strict=True)


def model_to_wire(facts: ModelFacts) -> dict[str, Any]:
    """Return a model as PROTOCOL §2 has it; prices in US dollars for a million tokens."""
    wire: dict[str, Any] = {"id": facts.model}
    if facts.context_window is not None:
        wire["contextWindow"] = facts.context_window
    if facts.price is not None:
        wire["inputPrice"] = facts.price.input
        wire["outputPrice"] = facts.price.output
    return wire


async def _demo_pace() -> None:
    """Let the rule-based model stream about as fast as a quick real one, so that it can be watched and stopped."""
    await asyncio.sleep(_DEMO_PAUSE_S)


def _open_disk(roots: Sequence[Root]) -> Workspace:
    from steersman_tools.kit.disk import DiskWorkspace  # noqa: PLC0415 - only when a run starts

    return DiskWorkspace(roots)


def _may_be_there(path: Path) -> bool:
    try:
        path.lstat()
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError:
        pass  # whoever reads it will say what is wrong
    return True


def _free(_usage: Usage) -> float:
    return 0.0


def _whole(value: float | None) -> int | None:
    return None if value is None else int(value)


def _window_chars(window: int | None, max_output: int | None) -> int | None:
    """Return a budget in characters for a window in tokens: three a token, with room for the reply and the tools."""
    if window is None:
        return None
    reserve = min(max_output or 8_192, window // 4) + 4_096
    return max((window - reserve) * 3, window)
