"""A workspace folder with a fake editor over it, for tests of the overlay."""

from __future__ import annotations

import asyncio
from pathlib import Path

from steersman.agent.changes import Change
from steersman.lsp.answered import AnsweredChanges
from steersman.lsp.disk_truth import DiskTruth
from steersman.lsp.documents import DocumentListeners, Documents
from steersman.lsp.file_uris import canonical_path
from steersman.lsp.open_files import OpenFiles
from steersman.lsp.overlay import EditorWorkspace
from steersman_tools.kit.workspace import Applied, Document, Root
from support.fake_editor import VSCODE, FakeEditor, Habits

TEXT = "one\ntwo\nthree\nfour\n"


class EditorScene:
    """Everything that one editor and one run have. Make it inside a running event loop."""

    def __init__(self, folder: Path, habits: Habits) -> None:
        self.folder = folder
        self.documents = Documents(canonical_path)
        self.truth = DiskTruth(now_ns=lambda: 0, ignores_final_newline=lambda: habits.forces_final_newline)
        self.documents.listen(
            DocumentListeners(opened=self.truth.opened, saved=self.truth.saved, closed=self.truth.closed)
        )
        self.editor = FakeEditor(self.documents, habits)
        self.answered = AnsweredChanges()
        self.files = OpenFiles(self.documents, self.editor, self.truth, self.answered)
        self.workspace = EditorWorkspace(self.files, [Root("ws", folder)])

    def uri(self, name: str) -> str:
        """The URI the editor opens a file by."""
        return (self.folder / name).as_uri()

    def path(self, name: str) -> str:
        """The canonical path of a file."""
        return str(self.workspace.locate(name).path)

    def write(self, name: str, text: str | bytes) -> None:
        """Write a file behind the editor's back."""
        target = self.folder / name
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text if isinstance(text, bytes) else text.encode())

    def on_disk(self, name: str) -> str:
        """What the disk holds."""
        return (self.folder / name).read_bytes().decode()

    def buffer(self, name: str) -> str:
        """What the editor shows."""
        return self.editor.buffers[self.uri(name)].text

    async def open(self, name: str, text: str | None = None) -> None:
        """Open a file in the editor; ``text``: what the buffer holds, when not what the disk does."""
        self.editor.open(self.uri(name), self.on_disk(name) if text is None else text)
        await self.moment()

    async def type(self, name: str, offset: int, text: str) -> None:
        """Type into a buffer, and let the server hear of it."""
        self.editor.type(self.uri(name), offset, text)
        self.editor.flush(self.uri(name))
        await self.moment()

    async def moment(self) -> None:
        """Let everything that is on its way arrive."""
        await asyncio.sleep(0.7)

    async def read(self, name: str) -> Document:
        """Read as a tool does."""
        return await self.workspace.read(self.workspace.locate(name))

    async def change(self, name: str, old: str, new: str) -> Change:
        """Work out an edit as a tool does."""
        document = await self.read(name)
        assert old in document.text
        after = document.text.replace(old, new, 1)
        return Change(self.path(name), "edit", document.digest, document.text, after, display=name)

    def creation(self, name: str, text: str) -> Change:
        """Work out a new file."""
        return Change(self.path(name), "create", None, None, text, display=name)

    async def removal(self, name: str) -> Change:
        """Work out a delete as a tool does."""
        document = await self.read(name)
        return Change(self.path(name), "delete", document.digest, document.text, None, display=name)

    async def move(self, name: str, new_name: str, after: str | None = None) -> Change:
        """Work out a move as a tool does."""
        document = await self.read(name)
        after = document.text if after is None else after
        target, source = self.path(new_name), self.path(name)
        return Change(target, "move", document.digest, document.text, after, source, display=new_name)

    async def apply(self, *changes: Change) -> Applied:
        """Make changes as a tool does."""
        return await self.workspace.apply(changes, label="Steersman: a change")

    async def edit(self, name: str, old: str, new: str) -> Applied:
        """Work out an edit and make it."""
        return await self.apply(await self.change(name, old, new))


async def opened_scene(
    folder: Path, habits: Habits = VSCODE, *, opened: tuple[str, ...] = ("a.txt",), **files: str | bytes
) -> EditorScene:
    """Return a scene with text files (by default ``a.txt`` with ``TEXT``), of which some are open."""
    scene = EditorScene(folder, habits)
    for name, text in (files or {"a": TEXT}).items():
        scene.write(f"{name}.txt", text)
    for name in opened:
        await scene.open(name)
    return scene
