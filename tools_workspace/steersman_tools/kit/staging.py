"""Changes to several files on disk: all of them, or none (DESIGN W6).

``prepare`` checks every change against what stands there and writes every new file beside its target; ``commit`` only
renames, and takes back what it did when one of the renames fails. Everything here blocks: call it in a thread.
"""

from __future__ import annotations

import contextlib
import os
import secrets
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from steersman.agent.changes import Change, ChangeSummary, count_changed_lines, text_digest
from steersman.agent.tool import ToolError
from steersman_tools.kit.anchored import read_regular, reason_of
from steersman_tools.kit.leftovers import Record, StoreMaker, note
from steersman_tools.kit.paths import Confinement
from steersman_tools.kit.steps import DeleteStep, MoveStep, Step, Token, WriteStep, temporary_name
from steersman_tools.kit.text import bytes_digest, decode, encode
from steersman_tools.kit.workspace import Applied, ApplyError, ChangedError, FileMissingError, NotTextError

_WRITABLE = 0o222


@dataclass(frozen=True, slots=True)
class Standing:
    """What stands at a path, or will once the steps before are done.

    Attributes:
        data: its bytes.
        status: the file's status, or None when a step before makes it.
        text: the text that the bytes hold, or None for a binary file.
        encoding: of the text.
        has_bom: of the text.
        is_first: no step before touches the path.
    """

    data: bytes
    status: os.stat_result | None
    text: str | None = None
    encoding: str = "utf-8"
    has_bom: bool = False
    is_first: bool = True

    def is_before(self, change: Change, digest: str) -> bool:
        """Whether it is what a change was worked out for: by its text, or by the digest of its text or of its bytes."""
        if self.text is None:
            return bytes_digest(self.data) == digest
        return self.text == change.before or text_digest(self.text) == digest or bytes_digest(self.data) == digest


def standing_of(data: bytes, status: os.stat_result, expected: str | None = None) -> Standing:
    """Return the bytes with their text, if they hold one; as a rule it is the ``expected`` one."""
    try:
        text, encoding, has_bom = decode(data, expected)
    except NotTextError:
        return Standing(data, status)
    return Standing(data, status, text, encoding, has_bom)


class Staging:
    """The changes of one call on the way to disk.

    Args:
        confinement: the workspace folders.
        changes: in order; a later one may build on an earlier one.
        max_bytes: the size of the largest file that may be changed.
        token: gives the temporary files' names.
        leftovers: where those are noted, or None.
    """

    def __init__(
        self,
        confinement: Confinement,
        changes: Sequence[Change],
        *,
        max_bytes: int,
        token: Token = lambda: secrets.token_hex(6),
        leftovers: StoreMaker | None = None,
    ) -> None:
        self._confinement = confinement
        self._changes = tuple(changes)
        self._max_bytes = max_bytes
        self._token = token
        self._leftovers = leftovers
        self._record: Record | None = None
        self._state: dict[Path, Standing | None] = {}
        self._steps: list[Step] = []
        self._made: list[str] = []

    def prepare(self) -> None:
        """Check everything and write every new file beside its target.

        Raises:
            ChangedError: something is not what a change was worked out for.
            ToolError: a change is impossible. In both cases nothing was changed.
        """
        try:
            for change in self._changes:
                self._steps += self._plan(change)
            self._record = note(self._leftovers, [left for step in self._steps if (left := step.leftover())])
            for step in self._steps:
                self._make_ready(step)
        except BaseException:
            self.discard()
            raise

    def commit(self) -> None:
        """Make the changes.

        Raises:
            ChangedError: a file moved on since ``prepare``; nothing was changed.
            ApplyError: a change failed; the message says what stands now.
        """
        begun: list[Step] = []
        try:
            for step in self._steps:
                begun.append(step)
                step.do()
        except BaseException as error:  # noqa: BLE001 (whatever it was, what was done is taken back; it goes on)
            stuck = self._take_back(begun)
            self.discard()
            self._raise(error, begun[-1], stuck)
        for step in self._steps:
            with contextlib.suppress(OSError, ToolError):
                step.finish()
        self._forget()

    def discard(self) -> None:
        """Remove the temporary files, and the folders made for them."""
        for step in self._steps:
            with contextlib.suppress(OSError, ToolError):
                step.discard()
        for made in reversed(self._made):
            path = Path(made)
            with contextlib.suppress(OSError, ToolError), self._confinement.parent(path) as folder:
                folder.rmdir(path.name)
        self._made.clear()
        self._forget()

    def result(self) -> Applied:
        """Return what was done, after ``commit``."""
        after = {str(path): there.text for path, there in self._state.items() if there and there.text is not None}
        return Applied(tuple(_summary(change) for change in self._changes), after)

    def _forget(self) -> None:
        if self._record is not None:
            self._record.forget()
            self._record = None

    def _plan(self, change: Change) -> list[Step]:
        path = self._checked(change.path)
        if change.kind == "move":
            return self._plan_move(change, path)
        before = self._standing(path, change.before)
        self._check_before(before, change, path)
        if change.after is None:
            self._state[path] = None
            status = before.status if before and before.is_first else None
            return [DeleteStep(self._confinement, path, temp=temporary_name(self._token), status=status)]
        if before is not None and before.status is not None and not before.status.st_mode & _WRITABLE:
            raise ApplyError(f"{self._shown(path)} is read-only (its mode forbids writing); nothing was changed")
        return [self._plan_write(path, before, change.after)]

    def _plan_write(self, path: Path, before: Standing | None, after: str, origin: Path | None = None) -> WriteStep:
        encoding, has_bom = (
            (before.encoding, before.has_bom) if before and before.text is not None else ("utf-8", False)
        )
        try:
            data = encode(after, encoding, has_bom)
        except ToolError as error:
            raise ApplyError(f"cannot write {self._shown(path)}: {error}; nothing was changed") from None
        status = before.status if before else None
        self._state[path] = Standing(data, status, after, encoding, has_bom, is_first=False)
        return WriteStep(
            self._confinement,
            path,
            data,
            temp=temporary_name(self._token),
            old=before.data if before else None,
            status=status,
            origin=origin,
            is_first=before is not None and before.is_first and origin is None,
        )

    def _plan_move(self, change: Change, path: Path) -> list[Step]:
        if change.moved_from is None:
            raise ApplyError(f"cannot move to {self._shown(path)}: it is not said from where; nothing was changed")
        source = self._checked(change.moved_from)
        before = self._standing(source, change.before)
        self._check_before(before, change, source)
        if before is None or path == source:
            raise ApplyError(f"cannot move {self._shown(source)}: it is there already; nothing was changed")
        is_respelling = self._confinement.is_respelling(path, source)
        if not is_respelling and self._standing(path) is not None:
            raise ChangedError(f"cannot move to {self._shown(path)}: a file is there; nothing was changed")
        status = before.status if before.is_first else None
        step = MoveStep(self._confinement, source, path, status=status, is_respelling=is_respelling)
        self._state[source] = None
        self._state[path] = before
        if change.after is None or change.after == before.text:
            return [step]
        return [step, self._plan_write(path, before, change.after, origin=source)]

    def _check_before(self, before: Standing | None, change: Change, path: Path) -> None:
        shown = self._shown(path)
        if change.before_digest is None:
            if before is not None:
                raise ChangedError(f"{shown} exists by now; nothing was changed: read it before you change it")
            if change.kind != "create":
                raise FileMissingError(f"{shown} does not exist; nothing was changed")
        elif before is None:
            raise ChangedError(f"{shown} does not exist any more; nothing was changed")
        elif not before.is_before(change, change.before_digest):
            raise ChangedError(f"{shown} is not what it was when this change was worked out: read it again")

    def _standing(self, path: Path, expected: str | None = None) -> Standing | None:
        if path not in self._state:
            self._state[path] = self._read(path, expected)
        return self._state[path]

    def _read(self, path: Path, expected: str | None) -> Standing | None:
        try:
            with self._confinement.parent(path) as folder:
                data, status = read_regular(folder, path.name, self._shown(path), self._max_bytes)
            return standing_of(data, status, expected)
        except FileMissingError:
            return None

    def _checked(self, path: str) -> Path:
        location = self._confinement.at(Path(path))
        if location.path == location.root.path:
            raise ApplyError(f"{location.display} is a workspace folder, not a file; nothing was changed")
        return location.path

    def _make_ready(self, step: Step) -> None:
        try:
            step.make_ready(self._made)
        except OSError as error:
            raise ApplyError(f"{reason_of(error, f'write {self._shown(step.path)}')}; nothing was changed") from None

    def _take_back(self, begun: list[Step]) -> list[str]:
        """Undo in reverse; return the files that could not be put back."""
        stuck: list[str] = []
        for step in reversed(begun):
            try:
                step.take_back()
            except (OSError, ToolError):
                stuck.append(self._shown(step.path))
        return stuck

    def _raise(self, error: BaseException, failed: Step, stuck: list[str]) -> None:
        if stuck:
            raise ApplyError(f"partly applied: {', '.join(sorted(set(stuck)))} could not be put back") from error
        if isinstance(error, ChangedError):
            raise ChangedError(f"{error}; nothing was changed") from None
        if isinstance(error, ToolError):
            raise ApplyError(f"{error}; nothing was changed") from None
        if isinstance(error, OSError):
            reason = reason_of(error, f"change {self._shown(failed.path)}")
            raise ApplyError(f"{reason}; nothing was changed") from None
        raise error

    def _shown(self, path: Path) -> str:
        return self._confinement.display(path)


def _summary(change: Change) -> ChangeSummary:
    is_binary_move = change.kind == "move" and (change.before is None or change.after is None)
    added, removed = (0, 0) if is_binary_move else count_changed_lines(change)
    return ChangeSummary(change.path, change.kind, added, removed, moved_from=change.moved_from)
