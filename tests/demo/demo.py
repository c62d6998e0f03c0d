"""One minute of Steersman: a real server over standard input and output, a real LSP client, no network.

Run it with ``make demo``. It plays the editor and the person at the same time, and says what each of them sees.
"""

from __future__ import annotations

import asyncio
import os
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

from lsprotocol import types
from pygls.lsp.client import LanguageClient

ON_DISK = 'def greet(name):\n    return f"Hello, {name}!"\n'
IN_BUFFER = '# not saved yet: the agent must see this line\ndef greet(name):\n    return f"Hello, {name}!"\n'

TASK = (
    'Read greet.py; then replace "Hello" with "Good morning" in greet.py; '
    'then write "greet() says good morning." to NOTES.md; then delete old.txt'
)
COLOURS = {"agent": "36", "editor": "33", "person": "32", "title": "1", "note": "2"}


def say(who: str, text: str) -> None:
    """Print what somebody sees or does."""
    lines = text.splitlines() or [""]
    for index, line in enumerate(lines):
        label = f"{who:>7} │ " if index == 0 else "        │ "
        plain = label + line
        print(f"\x1b[{COLOURS[who]}m{plain}\x1b[0m" if sys.stdout.isatty() else plain, flush=True)


def title(text: str) -> None:
    """Print a heading."""
    print(f"\n\x1b[1m{text}\x1b[0m" if sys.stdout.isatty() else f"\n{text}\n{'─' * len(text)}", flush=True)


class Editor:
    """A small editor: one open buffer, a person with prepared answers, and everything it sees printed."""

    def __init__(self, folder: Path, state: Path) -> None:
        self.folder = folder
        self.state = state
        self.uri = (folder / "greet.py").as_uri()
        self.text = IN_BUFFER
        self.version = 1
        self.answers: list[str] = []
        self.on_event: Callable[[Any], None] = lambda _: None
        self.client = LanguageClient("demo", "1")
        self._register()

    def _register(self) -> None:
        client = self.client

        @client.feature(types.WINDOW_SHOW_MESSAGE_REQUEST)
        def question(params: types.ShowMessageRequestParams) -> types.MessageActionItem | None:
            titles = [action.title for action in params.actions or []]
            say("editor", f"QUESTION  {params.message}\n          [{']  ['.join(titles)}]")
            wanted = self.answers.pop(0) if self.answers else "Reject"
            say("person", f"clicks “{wanted}”")
            return types.MessageActionItem(wanted) if wanted in titles else None

        @client.feature(types.WORKSPACE_APPLY_EDIT)
        def apply(params: types.ApplyWorkspaceEditParams) -> types.ApplyWorkspaceEditResult:
            for change in params.edit.document_changes or []:
                if isinstance(change, types.TextDocumentEdit):
                    self._edit(change)
            return types.ApplyWorkspaceEditResult(applied=True)

        @client.feature(types.PROGRESS)
        def progress(params: types.ProgressParams) -> None:
            value = params.value
            kind = value["kind"] if isinstance(value, dict) else value.kind
            message = value.get("message") if isinstance(value, dict) else getattr(value, "message", None)
            say("editor", f"progress  {kind}: {message or ''}")

        @client.feature("steersman/event")
        def event(params: Any) -> None:
            self._trace(params.event)
            self.on_event(params.event)

        @client.feature(types.WINDOW_SHOW_MESSAGE)
        def message(params: types.ShowMessageParams) -> None:
            say("editor", f"message   {params.message}")

        @client.feature(types.WINDOW_SHOW_DOCUMENT)
        def show(params: types.ShowDocumentParams) -> types.ShowDocumentResult:
            say("editor", f"shows     {params.uri.rsplit('/', 1)[-1]}")
            return types.ShowDocumentResult(success=True)

        @client.feature(types.WINDOW_LOG_MESSAGE)
        def log(_params: types.LogMessageParams) -> None:
            """Keep the log out of the way."""

    def _edit(self, change: types.TextDocumentEdit) -> None:
        for edit in sorted(change.edits, key=lambda e: (e.range.start.line, e.range.start.character), reverse=True):
            lines = self.text.splitlines(keepends=True)
            before = "".join(lines[: edit.range.start.line]) + self._part(lines, edit.range.start, head=True)
            after = self._part(lines, edit.range.end, head=False) + "".join(lines[edit.range.end.line + 1 :])
            self.text = before + edit.new_text + after
        self.version += 1
        say("editor", "the buffer changes, still unsaved, one undo takes it back:\n" + self.text.rstrip())
        document = types.VersionedTextDocumentIdentifier(version=self.version, uri=self.uri)
        whole = types.TextDocumentContentChangeWholeDocument(text=self.text)
        self.client.text_document_did_change(types.DidChangeTextDocumentParams(document, [whole]))

    @staticmethod
    def _part(lines: list[str], position: types.Position, *, head: bool) -> str:
        line = lines[position.line] if position.line < len(lines) else ""
        return line[: position.character] if head else line[position.character :]

    def _trace(self, event: Any) -> None:
        line = {
            "tool_call": lambda: f"call      {event.tool}({event.arguments[:70]})",
            "tool_result": lambda: f"{'error' if event.isError else 'result':<9} {event.content.splitlines()[0][:100]}",
            "assistant_message": lambda: f"says      {event.content.strip()[:300]}" if event.content.strip() else "",
            "run_ended": lambda: f"stops     {event.stopReason}",
        }.get(event.type, lambda: "")()
        if line:
            say("agent", line)

    async def start(self) -> None:
        """Start the server outside the folder, and open the buffer."""
        os.environ["STEERSMAN_STATE_DIR"] = str(self.state)
        for name in ("STEERSMAN_MODEL", "STEERSMAN_MODE"):
            os.environ.pop(name, None)
        os.environ["STEERSMAN_CONFIG"] = str(self.state / "no-config.toml")
        await self.client.start_io(sys.executable, "-P", "-m", "steersman", "lsp")
        await self.client.initialize_async(
            types.InitializeParams(
                capabilities=types.ClientCapabilities(
                    workspace=types.WorkspaceClientCapabilities(
                        apply_edit=True, workspace_edit=types.WorkspaceEditClientCapabilities(document_changes=True)
                    ),
                    window=types.WindowClientCapabilities(
                        work_done_progress=True, show_document=types.ShowDocumentClientCapabilities(support=True)
                    ),
                ),
                process_id=os.getpid(),
                client_info=types.ClientInfo("demo", "1"),
                workspace_folders=[types.WorkspaceFolder(self.folder.as_uri(), self.folder.name)],
                initialization_options={"client": {"events": True}},
            )
        )
        self.client.initialized(types.InitializedParams())
        document = types.TextDocumentItem(self.uri, "python", self.version, self.text)
        self.client.text_document_did_open(types.DidOpenTextDocumentParams(document))

    def request(self, command: str, arguments: dict[str, Any], token: str | None = None) -> asyncio.Future[Any]:
        """Send a command."""
        params = types.ExecuteCommandParams(command, [arguments], work_done_token=token)
        return asyncio.ensure_future(self.client.workspace_execute_command_async(params))

    async def stop(self) -> None:
        """Shut the server down as an editor does."""
        await self.client.shutdown_async(None)
        self.client.exit(None)
        await self.client.stop()


async def demo(root: Path) -> None:
    """Play it."""
    folder, state = root / "greeter", root / "state"
    folder.mkdir()
    (folder / "greet.py").write_text(ON_DISK)
    (folder / "old.txt").write_text("precious\n")
    title("1  A task, with an unsaved buffer open in the editor")
    say("note", f"greet.py on disk:\n{ON_DISK.rstrip()}")
    say("note", f"greet.py in the editor, not saved:\n{IN_BUFFER.rstrip()}")
    editor = Editor(folder, state)
    await editor.start()
    say("person", f"steersman.run: {TASK}")
    editor.answers = ["Allow once", "Allow once", "Reject"]
    result = await editor.request("steersman.run", {"prompt": TASK}, "task-1")
    say("note", f"stopReason: {result['stopReason']}; changes: {_changes(result)}")
    say("note", f"the disk still has the old greet.py: {(folder / 'greet.py').read_text() == ON_DISK}")
    say(
        "note",
        f"NOTES.md: {(folder / 'NOTES.md').read_text().strip()!r}; old.txt survives: {(folder / 'old.txt').exists()}",
    )

    title("2  A second task, stopped in mid-stream")
    await _stopped_run(editor)

    title("3  The server is gone; a new one goes on with the first conversation")
    await editor.stop()
    again = Editor(folder, state)
    again.text, again.version = editor.text, editor.version
    await again.start()
    say("person", f"steersman.run in session {result['sessionId'][:8]}…: What did you do?")
    later = await again.request(
        "steersman.run", {"prompt": "What did you do?", "sessionId": result["sessionId"]}, "task-3"
    )
    sessions = await again.request("steersman.sessions.list", {})
    say("note", f"answer: {later['answer']}")
    say(
        "note",
        f"{sessions['total']} sessions are kept: "
        + "; ".join(f"“{each['title'][:40]}”" for each in sessions["sessions"]),
    )
    await again.stop()


async def _stopped_run(editor: Editor) -> None:
    streaming = asyncio.Event()
    editor.on_event = lambda event: streaming.set() if event.type == "text_delta" else None
    say("person", "steersman.run: Explain at length how greetings differ between countries")
    prompt = "Explain at length how greetings differ between countries"
    pending = editor.request("steersman.run", {"prompt": prompt}, "task-2")
    await streaming.wait()
    say("person", "presses Stop (window/workDoneProgress/cancel)")
    editor.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams("task-2"))
    result = await pending
    say("note", f"stopReason: {result['stopReason']}; nothing of the half answer is recorded")
    editor.on_event = lambda _: None


def _changes(result: dict[str, Any]) -> str:
    return ", ".join(
        f"{change['kind']} {change['uri'].rsplit('/', 1)[-1]} (+{change['added']} −{change['removed']})"
        + ("" if change["saved"] else ", not saved")
        for change in result["changes"]
    )


def main() -> int:
    """Run the demo in a folder of its own."""
    with tempfile.TemporaryDirectory(prefix="steersman-demo-") as root:
        asyncio.run(asyncio.wait_for(demo(Path(root).resolve()), 120))
    title("That was it: nothing asked twice, nothing lost, nothing done unasked.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
