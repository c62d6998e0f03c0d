"""All of a call's changes, or none, where some of the files are open in the editor (DESIGN W2, W6).

Everything is checked and every new file written beside its target first; then open documents are edited one by one,
each confirmed; then the editor moves and deletes; then the disk's renames. On failure the steps done are taken back,
and what the editor made impossible to take back is named. The caller holds the locks of all paths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from steersman.agent.changes import Change, ChangeSummary, count_changed_lines, text_digest
from steersman.agent.tool import ToolError
from steersman.lsp.buffer_text import changed_buffer, changes_line_ends_only, presented, replaced_buffer
from steersman.lsp.documents import OpenDocument
from steersman.lsp.merge import plain, rebase
from steersman.lsp.open_files import OpenFile, OpenFiles
from steersman.lsp.steps import DeleteOpenFile, EditBuffer, MoveOpenFile, Step
from steersman_tools.kit.disk import DiskWorkspace, StagedChanges
from steersman_tools.kit.workspace import Applied, ApplyError, ChangedError, Location

_CANNOT_EDIT = "this editor cannot be asked to change open documents (no workspace/applyEdit), so {name} is not changed"
_HIDES_TYPING = (
    "Steersman is about to change {names} in the editor. Please do not type there until it is done: this editor does "
    "not tell what was typed in the last moment."
)


class Transaction:
    """One call's changes on their way."""

    def __init__(self, files: OpenFiles, disk: DiskWorkspace, changes: Sequence[Change], label: str) -> None:
        self._files = files
        self._disk = disk
        self._changes = tuple(changes)
        self._label = label
        self._edits: list[EditBuffer] = []
        self._operations: list[Step] = []
        self._on_disk: list[Change] = []
        self._planned: dict[Path, str] = {}
        self._touched: dict[Path, Location] = {}
        self._notes: list[str] = []

    async def run(self) -> Applied:
        """Make all changes or none; see ``Workspace.apply``."""
        for change in self._changes:
            await self._plan(change)
        await self._ask()
        if self._on_disk and not self._edits and not self._operations:
            return await self._told(await self._disk.make(self._on_disk))  # nothing to be confirmed in between
        staged = await self._disk.stage(self._on_disk) if self._on_disk else None
        done: list[Step] = []
        try:
            for step in (*self._edits, *self._operations):
                await step.do()
                done.append(step)
            applied = await staged.commit() if staged is not None else Applied((), {})
        except ToolError as error:
            await self._take_back(done, error, staged)
            raise
        for edit in self._edits:
            if edit.brings_up_to_date:
                self._files.truth.saved(edit.document)
        await self._files.save([edit.document for edit in self._edits])
        return await self._told(applied)

    # --- planning -----------------------------------------------------------------------------------------------

    async def _plan(self, change: Change) -> None:
        location = self._disk.confinement.at(Path(change.path))
        source = self._disk.confinement.at(Path(change.moved_from)) if change.moved_from else location
        found = await self._files.look(source, self._disk)
        if change.kind == "move" and self._files.at(location.path):
            raise ChangedError(f"cannot move to {location.display}: it is open in the editor; nothing was changed")
        if found is None:
            self._on_disk.append(change)
            return
        change, present = self._checked(change, found)
        if change.kind == "delete":
            self._plan_removal(change, found, None)
            return
        after = change.after if change.after is not None else present
        if change.kind == "move" and not self._files.can("rename"):
            self._plan_removal(change, found, location)
            return
        if after != present or change.kind != "move":
            self._plan_edit(found, present, after, change.kind)
        if change.kind == "move":
            operation = MoveOpenFile(self._files, self._disk, source, location, found.documents[0], self._label)
            self._operations.append(operation)
            self._touched[location.path] = location
            self._planned[location.path] = after

    def _checked(self, change: Change, found: OpenFile) -> tuple[Change, str]:
        """The change as it is to be made on the present text, and that text."""
        name = found.location.display
        if found.state == "conflict":
            raise ApplyError(
                f"{name} has unsaved changes in the editor and was changed on disk too; nothing was changed. "
                "Ask the person to save or reload it."
            )
        present = self._planned.get(found.location.path, found.text)
        if change.before_digest == text_digest(present):
            return change, present
        if change.before_digest is None and not present and found.is_missing:
            return change, present
        if change.before is None or change.after is None:
            raise ChangedError(f"{name} is not what it was any more; nothing was changed: read it again")
        carried = rebase(change.before, change.after, present)
        if carried is None:
            raise ChangedError(
                f"{name} was changed in the editor at the same place; nothing was changed: read it again"
            )
        return replace(change, before=present, before_digest=text_digest(present), after=carried), present

    def _plan_edit(self, found: OpenFile, before: str, after: str, kind: str) -> None:
        name = found.location.display
        if not self._files.client.facts.apply_edit:
            raise ApplyError(_CANNOT_EDIT.format(name=name))
        if changes_line_ends_only(before, after):
            raise ApplyError(
                f"only line ends of {name} would change, and those of an open document are the editor's; "
                "nothing was changed. Ask the person to change them there, or to close it."
            )
        if found.location.path in self._planned:
            raise ApplyError(f"{name} is open in the editor and is changed twice in one call; change it once")
        for document in found.documents:
            if plain(document.text) == plain(before):
                target = changed_buffer(document.text, before, after)
            else:  # it lags behind the disk, or ends with a line ending of the editor's own
                target = replaced_buffer(document.text, after)
            edit = EditBuffer(self._files, self._disk, found.location, document, target, self._label)
            edit.brings_up_to_date = found.state == "stale"
            self._edits.append(edit)
        self._planned[found.location.path] = after
        if kind != "move":
            self._touched[found.location.path] = found.location

    def _plan_removal(self, change: Change, found: OpenFile, target: Location | None) -> None:
        """Delete an open file, or move it where the editor cannot: its buffer may stay behind."""
        name = found.location.display
        if found.is_missing:
            raise ApplyError(f"{name} is only in the editor so far, not on disk; nothing was changed")
        if target is None and self._files.can("delete"):
            self._operations.append(
                DeleteOpenFile(self._files, self._disk, found.location, found.documents[0], self._label)
            )
            return
        text = found.disk.text if found.disk is not None else None
        if text is None:
            raise ApplyError(f"{name} is open in the editor and no text on disk; nothing was changed")
        after = change.after if target is not None else None
        self._on_disk.append(replace(change, before=text, before_digest=text_digest(text), after=after))
        self._notes.append(
            f"{name} is still open in the editor, which cannot {'move' if target else 'delete'} open files itself; "
            f"the person should close it{' without saving' if target or found.state == 'dirty' else ''}."
        )

    async def _ask(self) -> None:
        """Where the editor hides typing, an edit needs a question answered for it, in every mode (§8)."""
        if not self._edits or not self._files.client.quirks.hides_typing or self._files.answered.take(self._changes):
            return
        names = ", ".join(dict.fromkeys(edit.name for edit in self._edits))
        if not await self._files.client.confirm(_HIDES_TYPING.format(names=names)):
            raise ApplyError(f"the person did not let {names} be changed in the editor now; nothing was changed")

    # --- ending -------------------------------------------------------------------------------------------------

    async def _take_back(self, done: list[Step], error: ToolError, staged: StagedChanges | None) -> None:
        """Undo what was done before a step failed. Raises when something stays."""
        stays = [step.name for step in reversed(done) if not await step.take_back()]
        if staged is not None:
            await staged.discard()
        if stays:
            names = ", ".join(dict.fromkeys(stays))
            raise ApplyError(f"partly applied: {error} The changes of {names} could not be taken back.") from error
        if done:
            raise type(error)(f"{error} The changes made before it were taken back.") from error

    async def _told(self, applied: Applied) -> Applied:
        of_disk = {(summary.path, summary.kind): summary for summary in applied.changes}
        after = dict(applied.after)
        unsaved: dict[str, bool] = {}
        for path, location in self._touched.items():
            documents = self._files.at(path)
            if documents:
                after[str(path)] = await self._text_after(documents[0], location)
                unsaved[str(path)] = any(self._files.truth.state(document) != "clean" for document in documents)
            else:
                after[str(path)] = text = (await self._disk.read(location)).text
                if path in self._planned and plain(text) != plain(self._planned[path]):
                    self._notes.append(f"{location.display} does not hold what it should now: read it again.")
        summaries = [
            of_disk.get((change.path, change.kind)) or _summary(change, saved=not unsaved.get(change.path, False))
            for change in self._changes
        ]
        names = [self._touched[Path(path)].display for path, is_unsaved in unsaved.items() if is_unsaved]
        notes = [note for edit in self._edits for note in edit.notes]
        notes += [f"{name} is open in the editor and not saved." for name in names]
        return Applied(tuple(summaries), after, (*applied.notes, *notes, *self._notes))

    def _are_alike(self, one: str, other: str) -> bool:
        one, other = plain(one), plain(other)
        if self._files.client.quirks.owns_final_newline:
            return one.removesuffix("\n") == other.removesuffix("\n")
        return one == other

    async def _text_after(self, document: OpenDocument, location: Location) -> str:
        """The present text as tools see it: exactly what was planned, unless something was typed meanwhile."""
        planned = self._planned.get(location.path)
        if planned is not None and self._are_alike(planned, document.text):
            return planned
        try:
            disk = (await self._disk.read(location)).text
        except ToolError:
            disk = None
        return presented(document.text, disk)


def _summary(change: Change, *, saved: bool) -> ChangeSummary:
    added, removed = count_changed_lines(change)
    return ChangeSummary(change.path, change.kind, added, removed, saved, change.moved_from)
