"""The face: one client's parts put together (PROTOCOL §1).

What a part does is in its own module; this one only knows which parts there are and how they meet. Everything behind
the face (models, sessions, tools) is opened with the first command, so that an editor starts quickly. ``server`` runs
it over standard input and output.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import TYPE_CHECKING, Any, cast

from lsprotocol import types
from pygls.lsp.server import LanguageServer
from pygls.protocol import default_converter

from steersman.lsp.capabilities import initialize_result, read_facts
from steersman.lsp.commands.context import CommandCall
from steersman.lsp.commands.table import COMMANDS, call_command
from steersman.lsp.configuration import Configuration
from steersman.lsp.contracts import DocumentSync, JsonMapping, JsonObject
from steersman.lsp.dispatch import IncomingRequest
from steersman.lsp.editing import Editing
from steersman.lsp.folders import WorkspaceFolders
from steersman.lsp.options import FaceOptions, ShowAnswer, read_options
from steersman.lsp.protocol import SteersmanProtocol
from steersman.lsp.shown_documents import ShownDocuments

if TYPE_CHECKING:
    from steersman.lsp.answers import Answers
    from steersman.lsp.approvals import Approvals
    from steersman.lsp.host import Engine, Host
    from steersman.lsp.parts import Parts
    from steersman.lsp.run_request import RunRequests
    from steersman.lsp.run_view import RunViews

SHUTDOWN_S = 1.0
"""How long ``shutdown`` waits for the runs to be closed."""

CONFIGURATION_S = 2.0
"""How long a first command waits for the editor's configuration, which may tighten what it does."""


class SteersmanServer(LanguageServer):
    """One client's server. Made inside a running event loop; connected by ``protocol.connect``.

    Args:
        host: the composition root.
        leave: called with the exit code when the client says ``exit``.
        watch: called with the client's process id, if it gives one.
    """

    def __init__(self, host: Host, *, leave: Callable[[int], None], watch: Callable[[int], None]) -> None:
        super().__init__(  # pyright: ignore[reportUnknownMemberType] - pygls leaves its own *args bare
            "steersman", host.version, protocol_cls=SteersmanProtocol, converter_factory=default_converter
        )
        self.connection = client = cast("SteersmanProtocol", self.protocol)
        self.host = host
        self._leave = leave
        self._watch = watch
        self._engine: Engine | None = None
        self._made: Parts | None = None
        self._configuring: asyncio.Future[None] | None = None
        self._options = FaceOptions()
        self._editing = Editing(client)
        self._shown = ShownDocuments(client, host.state_dir / "shown")
        self._configuration = Configuration(client, self._on_configuration)
        self.folders = WorkspaceFolders(self._editing.texts.path_of)
        self._offer_features()

    # What commands use (commands.context.Services)

    def engine(self) -> Engine:
        """Return everything behind the face, opened when first asked for. Raises ``SteersmanError``."""
        if self._engine is None:
            from steersman.lsp.host import Editor  # noqa: PLC0415 - not needed by an idle editor

            editing, facts = self._editing, self.connection.facts
            editor = Editor(
                options=self._options.rest,
                folders=self.folders.roots,
                asker=editing.remembering(self.approvals),
                open_workspace=editing.open_workspace,
                must_ask=editing.must_ask,
                epoch=lambda: editing.documents.epoch,
                fit_tools=editing.fit_tools,
                saver=editing.saver,
                name=f"{facts.name or 'an editor'} {facts.version}".strip(),
            )
            self._engine = self.host.open(editor)
            self._engine.tighten(self._configuration.now.rest)
        return self._engine

    @property
    def approvals(self) -> Approvals:
        """The open questions."""
        return self._parts().approvals

    @property
    def views(self) -> RunViews:
        """Shows runs to the client."""
        return self._parts().views

    @property
    def answers(self) -> Answers:
        """Shows answers to the client."""
        return self._parts().answers

    @property
    def requests(self) -> RunRequests:
        """Makes runs' requests of parameters."""
        return self._parts().requests

    @property
    def warnings(self) -> list[str]:
        """What a person should know of the options and the configuration."""
        return [*self._options.warnings, *self._configuration.now.warnings]

    def keep(self, work: Awaitable[Any]) -> None:
        """Own a piece of work that nobody waits for."""
        self.connection.keep(work)

    async def aclose(self) -> None:
        """The client is gone, or we go: close the runs and the stores."""
        self.connection.connection_lost()
        if self._engine is not None:
            await self._engine.aclose()

    # What the protocol hands over (protocol.Face)

    @property
    def document_sync(self) -> DocumentSync:
        """Takes in the open documents."""
        return self._editing.sync

    def on_initialize(self, params: JsonMapping) -> JsonObject:
        """Take in what the client is."""
        self._options = read_options(params.get("initializationOptions"), source="initializationOptions")
        process_id = params.get("processId")
        if isinstance(process_id, int):
            self._watch(process_id)
        facts = read_facts(params, self._options.client)
        self.connection.facts = facts
        self._editing.configure(facts)
        self.folders.read(params)
        return initialize_result(params, self.host.version)

    def on_initialized(self) -> None:
        """Ask for the configuration."""
        self._configuring = asyncio.ensure_future(self._configuration.begin())
        self.keep(self._configuring)

    async def on_shutdown(self) -> None:
        """Close the runs; what they answer goes out before the answer to ``shutdown``."""
        if self._engine is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(SHUTDOWN_S):
                    await self._engine.runs.aclose()

    def on_exit(self, code: int) -> None:
        """Leave."""
        self._leave(code)

    def on_folders_changed(self, event: types.WorkspaceFoldersChangeEvent) -> None:
        """Folders came or went."""
        added = [(folder.uri, folder.name) for folder in event.added]
        self.folders.change(added=added, removed=[folder.uri for folder in event.removed])
        if self._engine is not None:
            self._engine.set_folders(self.folders.roots)

    def on_configuration_changed(self, settings: object) -> None:
        """The configuration changed."""
        self.keep(self._configuration.changed(settings))

    def on_progress_cancelled(self, token: object) -> None:
        """The person stopped a run."""
        self.views.tokens.stop(token)

    def on_command(
        self, request: IncomingRequest, command: str, arguments: object, token: int | str | None
    ) -> Coroutine[Any, Any, JsonObject]:
        """Do a command."""
        known = COMMANDS.get(command)
        if known is not None and known.stops_itself:
            request.on_cancel(lambda: None)  # until the run is there, and then reaches it
        return self._call(CommandCall(self, request, token), command, arguments)

    # Of its own

    def report_server_error(self, error: Exception, source: Any) -> None:
        """Nothing: pygls would show the person a message; ours are logged where they arise."""

    def _parts(self) -> Parts:
        if self._made is None:
            from steersman.lsp.parts import Parts  # noqa: PLC0415 - not needed by an idle editor

            self._made = Parts(
                self.connection,
                keep=self.keep,
                shown=self._shown,
                texts=self._editing.texts,
                folders=self.folders,
                transcript=self._transcript,
                show_answer=self._show_answer,
            )
        return self._made

    async def _call(self, call: CommandCall, command: str, arguments: object) -> JsonObject:
        if self._configuring is not None and not self._configuring.done():
            await asyncio.wait({self._configuring}, timeout=CONFIGURATION_S)
        return await call_command(call, command, arguments)

    def _offer_features(self) -> None:
        @self.feature(types.TEXT_DOCUMENT_CODE_ACTION)
        def code_actions(params: types.CodeActionParams) -> list[types.Command | types.CodeAction]:  # pyright: ignore[reportUnusedFunction]
            return self._parts().actions.actions(params)

        @self.feature(types.TEXT_DOCUMENT_CODE_LENS)
        def code_lenses(params: types.CodeLensParams) -> list[types.CodeLens]:  # pyright: ignore[reportUnusedFunction]
            return self._parts().actions.lenses(params)

        @self.feature(types.WORKSPACE_TEXT_DOCUMENT_CONTENT)
        def text_of(params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:  # pyright: ignore[reportUnusedFunction]
            return self._text_of(params)

    def _text_of(self, params: types.TextDocumentContentParams) -> types.TextDocumentContentResult:
        text = self._shown.text(params.uri)
        return types.TextDocumentContentResult(text if text is not None else "(This text is no longer kept.)\n")

    def _on_configuration(self, options: FaceOptions) -> None:
        if self._engine is not None:
            self._engine.tighten(options.rest)

    def _show_answer(self) -> ShowAnswer:
        return self._configuration.now.show_answer or self._options.show_answer or "auto"

    async def _transcript(self, session_id: str) -> str:
        return await self.engine().sessions.export(session_id, format="markdown")
