"""A workspace in memory: real paths' rules left out, real encodings and digests kept.

For tests of tools that need no disk. What it holds are bytes, so that a test can say that every byte outside an edit
is still there; what is refused is refused in the words of ``ToolError`` like everywhere.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path, PurePosixPath

from steersman.agent.changes import Change, ChangeSummary, count_changed_lines, text_digest
from steersman.agent.tool import ToolError
from steersman_tools.kit.text import bytes_digest, decode, encode
from steersman_tools.kit.workspace import (
    Applied,
    ChangedError,
    Document,
    FileMissingError,
    Location,
    NotTextError,
    PathRefusedError,
    Root,
    Snapshot,
)

ROOT = "/workspace"


class MemoryWorkspace:
    """Files in a dictionary, by path relative to the one root.

    Attributes:
        files: what is "on disk".
        labels: the label of every successful ``apply``.
        unsaved: what ``prepare_for_command`` answers.
        settled: how often ``settle_after_command`` was called.
        notes: what every ``apply`` remarks.
        typed: called with a path and a text as it is applied; returns what stands there then (a person who types).
        conflicts: relative path -> why it is in conflict.
        links: relative path of a link -> where it leads.
        folds: the file system takes names that differ in case for one.
    """

    def __init__(self, files: Mapping[str, str | bytes] | None = None) -> None:
        self.files: dict[str, bytes] = {}
        for name, content in (files or {}).items():
            self.files[name] = content.encode() if isinstance(content, str) else content
        self.labels: list[str] = []
        self.unsaved: tuple[str, ...] = ()
        self.settled = 0
        self.notes: tuple[str, ...] = ()
        self.typed: Callable[[str, str], str] = lambda _, text: text
        self.conflicts: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self.folds = False

    @property
    def roots(self) -> tuple[Root, ...]:
        """The one root."""
        return (Root("workspace", Path(ROOT)),)

    def texts(self) -> dict[str, str]:
        """Every file's text, for comparing whole trees."""
        return {name: decode(data).text for name, data in self.files.items()}

    def locate(self, path: str) -> Location:
        """Resolve ``..`` and what leads out, by text alone."""
        absolute = posixpath.normpath(posixpath.join(ROOT, path))
        if posixpath.commonpath([absolute, ROOT]) != ROOT:
            raise PathRefusedError(f"path “{path}” leads out of the workspace")
        display = str(PurePosixPath(absolute).relative_to(ROOT))
        link = Path(absolute) if display in self.links else None
        display = self.links.get(display, display)
        written = display
        if self.folds:
            display = next((name for name in self.files if name.casefold() == display.casefold()), display)
        respelled = Path(ROOT, written) if written != display else None
        return Location(Path(ROOT, display), self.roots[0], display, link, respelled)

    async def read(self, location: Location) -> Document:
        """Decode what the file holds."""
        name = location.display
        if name not in self.files:
            if self._is_folder(name):
                raise ToolError(f"{name} is a folder")
            raise FileMissingError(f"{name} does not exist")
        try:
            text, encoding, has_bom = decode(self.files[name])
        except NotTextError as error:
            raise NotTextError(f"{name} cannot be read as text: {error}") from None
        state = "conflict" if name in self.conflicts else "closed"
        note = self.conflicts.get(name)
        return Document(location, text, text_digest(text), state, encoding, has_bom, note)

    async def apply(self, changes: Sequence[Change], *, label: str) -> Applied:
        """Check every change against what stands there, then make all of them."""
        files = dict(self.files)
        after: dict[str, str] = {}
        for change in changes:
            self._apply_one(files, change, after)
        self.files = files
        self.labels.append(label)
        return Applied(tuple(_summary(change) for change in changes), after, self.notes)

    async def open_texts(self) -> dict[str, str]:
        """Nothing is open."""
        return {}

    async def exists(self, location: Location) -> bool:
        """Whether a file or folder is there."""
        return location.display in self.files or self._is_folder(location.display)

    async def snapshot(self, path: str) -> Snapshot:
        """The bytes."""
        data = self.files.get(_name(path))
        return Snapshot(path, data, None if data is None else 0o644, None)

    async def restore(self, wanted: Snapshot, expected: Snapshot | None) -> str | None:
        """Put the bytes back."""
        name = _name(wanted.path)
        if expected is not None and self.files.get(name) != expected.data:
            return "it was changed since"
        if wanted.data is None:
            self.files.pop(name, None)
        else:
            self.files[name] = wanted.data
        return None

    async def prepare_for_command(self) -> tuple[str, ...]:
        """What the test says is unsaved."""
        return self.unsaved

    async def settle_after_command(self) -> None:
        """Count."""
        self.settled += 1

    def _is_folder(self, name: str) -> bool:
        return name == "." or any(other.startswith(f"{name}/") for other in self.files)

    def _apply_one(self, files: dict[str, bytes], change: Change, after: dict[str, str]) -> None:
        name = _name(change.path)
        source = _name(change.moved_from or change.path)
        present = files.get(source)
        digests = () if present is None else _digests(present)
        if (change.before_digest is None) != (present is None) or (
            present is not None and change.before_digest not in digests
        ):
            raise ChangedError(f"{source} is not what it was when this change was worked out; nothing was changed")
        if change.kind == "move" and name in files:
            raise ChangedError(f"{name} is there by now; nothing was changed")
        if change.kind == "delete":
            del files[name]
            return
        if change.kind == "move":
            files[name] = files.pop(source)
        if change.after is None:
            return
        _, encoding, has_bom = decode(present) if present is not None else ("", "utf-8", False)
        text = self.typed(name, change.after)
        files[name] = encode(text, encoding, has_bom)
        after[change.path] = text


def _name(path: str) -> str:
    return str(PurePosixPath(path).relative_to(ROOT))


def _digests(data: bytes) -> tuple[str, ...]:
    try:
        return text_digest(decode(data).text), bytes_digest(data)
    except NotTextError:
        return (bytes_digest(data),)


def _summary(change: Change) -> ChangeSummary:
    is_binary = change.before is None and change.after is None
    added, removed = (0, 0) if is_binary else count_changed_lines(change)
    return ChangeSummary(change.path, change.kind, added, removed, moved_from=change.moved_from)
