"""An editor for end-to-end tests: pytest-lsp's client with buffers of its own, over a real server process.

Buffers take edits as an editor does, with positions read by a codec of this module's own, so that a fault of the
server's positions cannot hide behind the same fault here.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncGenerator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

from lsprotocol import types
from pytest_lsp import LanguageClient, client_capabilities, make_test_lsp_client

from steersman.models.gates import FileGates
from support.lsp_process import SERVER_COMMAND, server_environment, write_script

PROFILES = {"neovim": "Neovim", "visual_studio_code": "Visual Studio Code", "emacs": "Emacs (eglot)"}
"""pytest-lsp's capability profiles, and the names by which the clients introduce themselves."""

ENCODINGS = ("utf-8", "utf-16", "utf-32")
_BYTES_A_UNIT = {"utf-8": ("utf-8", 1), "utf-16": ("utf-16-le", 2), "utf-32": ("utf-32-le", 4)}


@dataclass
class Buffer:
    """An open document."""

    version: int
    text: str


class Editor:
    """One editor with its server.

    Attributes:
        client: pytest-lsp's client.
        folder: the workspace folder.
        gates: the scripted model's gates.
        answers: titles to answer questions with, in order; the last one stays.
        questions: the questions asked so far.
    """

    def __init__(self, client: LanguageClient, folder: Path, gates: FileGates, encoding: str) -> None:
        self.client = client
        self.folder = folder
        self.gates = gates
        self.answers: list[str | asyncio.Future[Any]] = ["Allow once"]
        self.questions: list[types.ShowMessageRequestParams] = []
        self.is_asked = asyncio.Event()
        self._encoding = encoding
        self._buffers: dict[str, Buffer] = {}

        async def on_question(params: Any) -> Any:  # a coroutine function, by which pygls knows that it may wait
            return await self._on_question(params)

        client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)(on_question)
        client.feature(types.WORKSPACE_APPLY_EDIT)(self._handler(self._on_edit))
        client.feature("steersman/saveDocuments")(self._handler(self._on_save))
        client.feature(types.CLIENT_REGISTER_CAPABILITY)(self._handler(lambda _: None))

    @staticmethod
    def _handler(method: Callable[[Any], Any]) -> Callable[[Any], Any]:
        """Return a plain function: pygls sets attributes on its handlers."""

        def handle(params: Any) -> Any:
            return method(params)

        return handle

    def uri(self, name: str) -> str:
        """Return the URI of a file of the folder."""
        return (self.folder / name).as_uri()

    def text(self, name: str) -> str:
        """Return the text of an open document."""
        return self._buffers[self.uri(name)].text

    def open(self, name: str, text: str, *, version: int = 0) -> str:
        """Open a document with this text, whatever is on disk; return its URI."""
        uri = self.uri(name)
        self._buffers[uri] = Buffer(version, text)
        item = types.TextDocumentItem(uri, "python", version, text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(item))
        return uri

    async def command(self, command: str, argument: dict[str, Any] | None = None, token: str | None = None) -> Any:
        """Do a command; return its result as plain data."""
        if token is not None:
            self.client.progress_reports[token] = []
        arguments = [] if argument is None else [argument]
        params = types.ExecuteCommandParams(command, arguments, work_done_token=token)
        return plain(await self.client.workspace_execute_command_async(params))

    def start(self, command: str, argument: dict[str, Any], *, request_id: str, token: str | None = None) -> Any:
        """Send a command whose request can be cancelled by its id; return the future of its result."""
        if token is not None:
            self.client.progress_reports[token] = []
        params = types.ExecuteCommandParams(command, [argument], work_done_token=token)
        future = self.client.protocol.send_request(types.WORKSPACE_EXECUTE_COMMAND, params, msg_id=request_id)
        return asyncio.ensure_future(_plain_later(asyncio.wrap_future(future)))

    def progress(self, token: str) -> list[str]:
        """Return the kinds of progress seen for a token."""
        reports = cast("list[Any]", self.client.progress_reports.get(token, []))
        return [value.kind for value in reports]

    async def reached(self, gate: str) -> None:
        """Return when the model stands before the gate."""
        while not self.gates.is_reached(gate):
            await asyncio.sleep(0.01)

    async def _on_question(self, params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
        self.questions.append(params)
        self.is_asked.set()
        answer = self.answers.pop(0) if len(self.answers) > 1 else self.answers[0]
        title = await answer if isinstance(answer, asyncio.Future) else answer
        return next((action for action in params.actions or [] if action.title == title), None)

    def _on_edit(self, params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
        assert params.edit.document_changes is not None
        (change,) = params.edit.document_changes
        assert isinstance(change, types.TextDocumentEdit)
        uri = change.text_document.uri
        buffer = self._buffers[uri]
        if change.text_document.version not in (None, buffer.version):
            return types.ApplyWorkspaceEditResult(applied=False, failure_reason="stale")
        edits = [edit for edit in change.edits if isinstance(edit, types.TextEdit)]
        buffer.text = apply_edits(buffer.text, edits, self._encoding)
        buffer.version += 1
        asyncio.get_running_loop().call_soon(self._tell, uri)
        return types.ApplyWorkspaceEditResult(applied=True)

    def _on_save(self, params: Any) -> Any:
        for uri in params.uris:
            (self.folder / uri.rpartition("/")[2]).write_text(self._buffers[uri].text, encoding="utf-8", newline="")
            document = types.TextDocumentIdentifier(uri)
            self.client.text_document_did_save(types.DidSaveTextDocumentParams(document))
        return {"saved": list(params.uris)}

    def _tell(self, uri: str) -> None:
        buffer = self._buffers[uri]
        document = types.VersionedTextDocumentIdentifier(version=buffer.version, uri=uri)
        change = types.TextDocumentContentChangeWholeDocument(buffer.text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [change]))


def plain(value: Any) -> Any:
    """Return pygls' named tuples as dictionaries and lists."""
    if hasattr(value, "_asdict"):
        return {name: plain(each) for name, each in value._asdict().items()}
    if isinstance(value, list | tuple):
        return [plain(each) for each in cast("Sequence[Any]", value)]
    return value


async def _plain_later(future: asyncio.Future[Any]) -> Any:
    return plain(await future)


def offset_of(text: str, position: types.Position, encoding: str) -> int:
    """Return the offset of a position, by the letter of the LSP."""
    lines = re.split(r"(?<=\n)|(?<=\r)(?!\n)", text)
    codec, size = _BYTES_A_UNIT[encoding]
    before = "".join(lines[: position.line])
    line = lines[position.line] if position.line < len(lines) else ""
    head = line.encode(codec)[: position.character * size].decode(codec)
    return len(before) + len(head)


def apply_edits(text: str, edits: Sequence[types.TextEdit], encoding: str) -> str:
    """Return the text with edits that all speak of it as it is."""
    places = [
        (offset_of(text, edit.range.start, encoding), offset_of(text, edit.range.end, encoding), edit.new_text)
        for edit in edits
    ]
    for start, end, new in sorted(places, reverse=True):
        text = text[:start] + new + text[end:]
    return text


@asynccontextmanager
async def editor(
    tmp_path: Path, replies: Sequence[Any], *, profile: str = "neovim", encoding: str = "utf-16", **options: Any
) -> AsyncGenerator[Editor]:
    """Start a server under an editor with this profile; shut it down at last."""
    folder = tmp_path / "work"
    folder.mkdir(exist_ok=True)
    model, gates = write_script(tmp_path, replies)
    client = make_test_lsp_client()
    await client.start_io(*SERVER_COMMAND, env=server_environment(tmp_path, model))  # pyright: ignore[reportUnknownMemberType]
    capabilities = client_capabilities(profile)
    capabilities.general = types.GeneralClientCapabilities(position_encodings=[encoding])
    made = Editor(client, folder, gates, encoding)
    try:
        await client.initialize_session(
            types.InitializeParams(
                capabilities=capabilities,
                client_info=types.ClientInfo(PROFILES[profile]),
                workspace_folders=[types.WorkspaceFolder(folder.as_uri(), "work")],
                initialization_options=options or None,
            )
        )
        yield made
        await client.shutdown_session()
    finally:
        server = client._server  # pyright: ignore[reportPrivateUsage]
        if server is not None and server.returncode is None:  # the test failed: do not wait for a polite end
            server.kill()
        await client.stop()
