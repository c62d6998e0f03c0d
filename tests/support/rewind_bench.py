"""A session at work in a folder on a real disk, whose files and conversation go back."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from steersman.agent.changes import Change, text_digest
from steersman.agent.messages import AssistantMessage, ToolMessage, UserMessage
from steersman.rewind import RewindPreview, RewindResult, rewind, undo_rewind
from steersman.sessions.handle import SessionHandle
from steersman.sessions.store import SessionStore
from steersman_tools.kit.disk import DiskWorkspace
from steersman_tools.kit.workspace import Root
from support.session_store import CountingIds, Stores, call


@dataclass
class Bench:
    """A session at work in a folder."""

    store: SessionStore
    workspace: DiskWorkspace
    folder: Path
    session_id: str
    new_id: CountingIds

    def hold(self) -> SessionHandle:
        return self.store.acquire(self.session_id, "run", snapshot=self.workspace.snapshot)

    async def change(self, handle: SessionHandle, *changes: Change, number: int = 1) -> int:
        """Let a call make these changes; return the number of its result."""
        handle.append(AssistantMessage("", (call(number, "edit_file"),)))
        await handle.checkpoint(call(number), changes)
        handle.mark_started(call(number), durable=True)
        applied = await self.workspace.apply(changes, label="test")
        seen = {path: text_digest(text) for path, text in applied.after.items()}
        return handle.append(ToolMessage(f"c{number}", "done", changes=applied.changes, seen=seen))

    def path(self, name: str) -> str:
        return str(self.folder / name)

    def edit(self, name: str, before: str, after: str) -> Change:
        return Change(self.path(name), "edit", text_digest(before), before, after)

    def create(self, name: str, text: str) -> Change:
        return Change(self.path(name), "create", None, None, text)

    def delete(self, name: str, before: str) -> Change:
        return Change(self.path(name), "delete", text_digest(before), before, None)

    def move(self, old: str, new: str, text: str) -> Change:
        return Change(self.path(new), "move", text_digest(text), text, text, moved_from=self.path(old))

    @classmethod
    def over(cls, stores: Stores) -> Bench:
        """Begin a session in the stores' folder."""
        folder = stores.folder.resolve()
        store = stores.open()
        workspace = DiskWorkspace([Root("project", folder)])
        return cls(store, workspace, folder, store.create("go").id, CountingIds("w"))

    async def rewind(self, to_message: int, **how: bool) -> RewindResult:
        """Rewind, and be sure that it was done."""
        result = await self.try_rewind(to_message, None, **how)
        assert isinstance(result, RewindResult)
        return result

    async def preview(self, to_message: int, **how: bool) -> RewindPreview:
        """Ask what a rewind would do."""
        shown = await self.try_rewind(to_message, None, dry_run=True, **how)
        assert isinstance(shown, RewindPreview)
        return shown

    async def try_rewind(self, to_message: int, preview: str | None, **how: bool) -> RewindResult | RewindPreview:
        """Rewind as asked, doing what a preview's token stands for or nothing."""
        return await rewind(
            self.store, self.workspace, self.session_id, to_message,
            new_id=self.new_id, holder="rewind", preview=preview, **how,
        )  # fmt: skip

    async def undo(self, rewind_id: str, *, force: bool = False) -> RewindResult:
        result = await undo_rewind(
            self.store, self.workspace, rewind_id, new_id=self.new_id, holder="undo", force=force
        )
        assert isinstance(result, RewindResult)
        return result

    def files(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in sorted(self.folder.rglob("*")) if path.is_file()}

    def write(self, **files: str) -> None:
        for name, text in files.items():
            (self.folder / name).write_text(text)

    def said(self) -> list[str]:
        return [each.message.content for each in self.store.messages(self.session_id)]

    def names(self, result: RewindResult) -> tuple[list[str], list[str]]:
        return (
            sorted(Path(path).name for path in result.restored),
            sorted(Path(each.path).name for each in result.conflicts),
        )


async def two_edits(bench: Bench) -> None:
    """0 prompt, 1-2 a: one to two, 3 prompt, 4-5 a: two to three, and b created."""
    bench.write(a="one\n")
    with bench.hold() as handle:
        handle.append(UserMessage("first"))
        await bench.change(handle, bench.edit("a", "one\n", "two\n"))
        handle.append(UserMessage("second"))
        await bench.change(handle, bench.edit("a", "two\n", "three\n"), bench.create("b", "new\n"))
    assert bench.files() == {"a": "three\n", "b": "new\n"}
