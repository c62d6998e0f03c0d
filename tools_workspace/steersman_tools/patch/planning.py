"""From what a patch says to exact changes of files, worked out on the present texts (DESIGN L3a, W6).

The patch's steps are played through in memory, one after the other, so that a patch may touch a file twice; only the
difference between before and after becomes changes. Nothing is written in here.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from typing import assert_never

from steersman.agent.changes import Change, text_digest
from steersman.agent.tool import ToolError
from steersman_tools.kit.changing import (
    Present,
    check_writable,
    edit_of,
    missing_file,
    read_present,
    refuse_link,
    worked_out,
)
from steersman_tools.kit.endings import adopt_endings
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.places import Tolerance
from steersman_tools.kit.workspace import FileMissingError, Location, Workspace
from steersman_tools.patch.hunks import apply_hunks
from steersman_tools.patch.model import AddFile, DeleteFile, FilePatch, Hunk, PatchError, UpdateFile


@dataclass(slots=True, eq=False)
class _Played:
    """One path while the patch is played through.

    Attributes:
        location: where it is.
        first: what stands there before the patch, or None.
        exists: whether something stands there now.
        text: what stands there now; None for a binary file.
        origin: the path that a move brought it from, or None.
        is_written: the patch holds the whole text.
        respelled: the path as it is to be spelled, where only its case changes.
    """

    location: Location
    first: Present | None
    exists: bool
    text: str | None
    origin: _Played | None = None
    is_written: bool = False
    respelled: Path | None = None


@dataclass(slots=True)
class PlannedPatch:
    """What a patch comes to.

    Attributes:
        changes: exactly what would be changed.
        written: canonical paths whose whole new text stands in the patch.
        notes: lines for the model.
    """

    changes: tuple[Change, ...]
    written: frozenset[str]
    notes: tuple[str, ...]


async def plan_patch(
    workspace: Workspace, readings: Sequence[Sequence[FilePatch]], lister: Lister | None = None
) -> PlannedPatch:
    """Return what a patch comes to, by the first of its readings that fits.

    Raises:
        ToolError: one step is impossible or does not fit; the message names its file. Nothing was changed.
    """
    for reading in readings[:-1]:
        with suppress(PatchError):
            return await PatchPlanner(workspace, lister).plan(reading)
    return await PatchPlanner(workspace, lister).plan(readings[-1])


@dataclass(slots=True)
class PatchPlanner:
    """Plays one patch through."""

    workspace: Workspace
    lister: Lister | None = None
    _files: dict[Path, _Played] = field(default_factory=dict[Path, "_Played"])
    _notes: list[str] = field(default_factory=list[str])

    async def plan(self, patches: Sequence[FilePatch]) -> PlannedPatch:
        """Return what the patch comes to.

        Raises:
            ToolError: one step is impossible or does not fit; the message names its file. Nothing was changed.
        """
        for patch in patches:
            try:
                await self._play(patch)
            except ToolError as error:
                words = str(error).rstrip(".")
                raise type(error)(f"{_describe(patch)}: {words}.\nNothing of the patch was applied.") from None
        changes = self._changes()
        if not changes:
            raise PatchError("The patch changes nothing: every file already reads so.")
        written = frozenset(str(path) for path, played in self._files.items() if played.is_written)
        return PlannedPatch(changes, written, tuple(self._notes))

    async def _play(self, patch: FilePatch) -> None:
        match patch:
            case AddFile():
                await self._add(patch)
            case DeleteFile():
                await self._delete(patch)
            case UpdateFile():
                await self._update(patch)
            case _:
                assert_never(patch)

    async def _add(self, patch: AddFile) -> None:
        played = await self._at(patch.path)
        content = patch.content
        if played.exists:
            if played.text is None or (played.text and not patch.may_overwrite):
                raise PatchError(f"{played.location.display} exists already; update it, or delete it first")
            content = await worked_out(played.text, adopt_endings, played.text, content)
        played.exists, played.text, played.is_written = True, content, True

    async def _delete(self, patch: DeleteFile) -> None:
        played = await self._existing(patch.path, patch.other_path)
        refuse_link(played.location)
        if patch.hunks and await self._with_hunks(played, patch.hunks):
            raise PatchError(f"{played.location.display} holds more than what the patch removes")
        played.exists, played.text, played.origin, played.is_written = False, None, None, False

    async def _update(self, patch: UpdateFile) -> None:
        source = await self._existing(patch.path, patch.other_path)
        text = await self._with_hunks(source, patch.hunks) if patch.hunks else source.text
        if patch.new_path is None:
            source.text = text
            return
        target = await self._at(patch.new_path)
        if target is source:
            source.text, source.respelled = text, self.workspace.locate(patch.new_path).respelled
            return
        refuse_link(source.location)
        if target.exists and not patch.may_overwrite:
            raise PatchError(f"{target.location.display} exists already, and a move overwrites nothing")
        if text is None and (target.exists or patch.is_copy):
            raise PatchError(f"{source.location.display} is no text, and cannot be copied or overwrite a file here")
        target.exists, target.text, target.is_written = True, text, source.is_written
        if not patch.is_copy:
            target.origin = source.origin or source
            source.exists, source.text, source.origin, source.is_written = False, None, None, False

    async def _with_hunks(self, played: _Played, hunks: Sequence[Hunk]) -> str:
        name = played.location.display
        if played.text is None:
            raise PatchError(f"{name} is no text, and cannot be patched")
        text, tolerance = await worked_out(played.text, apply_hunks, played.text, hunks, name)
        if tolerance is not Tolerance.EXACT:
            self._notes.append(f"{name} fitted {tolerance.words}; lines of context are as they were.")
        return text

    async def _existing(self, path: str, other_path: str | None) -> _Played:
        played = await self._at(path)
        if not played.exists and other_path is not None:
            other = await self._at(other_path)
            played = other if other.exists else played
        if not played.exists:
            raise await missing_file(self.workspace, played.location, self.lister)
        return played

    async def _at(self, path: str) -> _Played:
        location = self.workspace.locate(path)
        if location.path not in self._files:
            try:
                first = await read_present(self.workspace, location)
            except FileMissingError:
                first = None
            text = first.text if first else None
            self._files[location.path] = _Played(location, first, first is not None, text)
        return self._files[location.path]

    def _changes(self) -> tuple[Change, ...]:
        moves = {id(played.origin): played for played in self._files.values() if self._is_move(played)}
        moved = {id(played) for played in moves.values()}
        changes: list[Change] = []
        for played in self._files.values():
            if played.exists and played.first is None:
                changes.append(
                    _move(played, played.origin, played.location.path) if id(played) in moved else _creation(played)
                )
            elif played.exists and played.first is not None and played.respelled is not None:
                changes.append(_move(played, played, played.respelled))
            elif played.exists:
                changes += _edit(played)
            elif played.first is not None and id(played) not in moves:
                changes.append(_deletion(played, played.first))
        return tuple(changes)

    def _is_move(self, played: _Played) -> bool:
        """A move is one only from a place that is left empty to one that was empty; else it is told as what it does."""
        origin = played.origin
        return (
            played.exists
            and played.first is None
            and origin is not None
            and origin.first is not None
            and not origin.exists
        )


def _describe(patch: FilePatch) -> str:
    match patch:
        case AddFile():
            return f"Adding {patch.path}"
        case DeleteFile():
            return f"Deleting {patch.path}"
        case UpdateFile():
            return f"Updating {patch.path}" + (f" as {patch.new_path}" if patch.new_path else "")


def _creation(played: _Played) -> Change:
    if played.text is None:
        raise PatchError(f"{played.location.display} is no text, and cannot be moved over another file or twice")
    check_writable(played.text, None, played.location.display)
    return Change(str(played.location.path), "create", None, None, played.text, display=played.location.display)


def _move(played: _Played, origin: _Played | None, path: Path) -> Change:
    assert origin is not None
    assert origin.first is not None
    display = str(PurePosixPath(played.location.display).with_name(path.name))
    if played.text is not None:
        check_writable(played.text, origin.first.document, display)
    return Change(
        path=str(path),
        kind="move",
        before_digest=origin.first.digest,
        before=origin.first.text,
        after=played.text,
        moved_from=str(origin.location.path),
        display=display,
    )


def _edit(played: _Played) -> list[Change]:
    first = played.first
    assert first is not None
    if first.document is None or played.text is None or text_digest(played.text) == first.digest:
        return []
    check_writable(played.text, first.document, played.location.display)
    return [edit_of(first.document, played.text)]


def _deletion(played: _Played, first: Present) -> Change:
    return Change(str(played.location.path), "delete", first.digest, first.text, None, display=played.location.display)
