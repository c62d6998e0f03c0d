"""Goes back to a point of a conversation: files, conversation, or both; and takes that back again (DESIGN S7).

The store says what stood where; the workspace puts it back, buffers through the editor and files on the disk. A file
that is not as our last change left it is a conflict: reported and left alone unless forced. Nothing is ever deleted
from the session. What commands did cannot be taken back; the answer says which tools that concerns.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from steersman.agent.changes import Change, ChangeKind, text_digest
from steersman.agent.errors import InvalidRequestError
from steersman.agent.messages import UserMessage
from steersman.agent.tool import ToolError
from steersman.sessions.checkpoints import ABSENT, Restore, bytes_state, probable_state
from steersman.sessions.handle import SessionHandle
from steersman.sessions.rewinds import RewindPlan
from steersman.sessions.store import SessionStore
from steersman_tools.kit.rewinding import text_after, text_of
from steersman_tools.kit.workspace import FileMissingError, PathRefusedError, SeesBuffers, Snapshot, Workspace

CHANGED_REASON = "changed since this conversation last wrote it; left as it is"
UNSAVED_EDIT_REASON = (
    "it was changed in an editor and not saved there, so there is nothing to put back on the disk; "
    "an editor that still has it open may still hold the change: rewind there, or undo it there"
)
UNSAVED_THEN_REASON = (
    "what would come back stood unsaved in an editor, which cannot be seen from here; left as it is: rewind there, "
    "or force it to have that text written to the disk"
)


@dataclass(frozen=True, slots=True)
class Conflict:
    """A file that was left alone, and why.

    Attributes:
        path: canonical and absolute.
        reason: why, for people.
        never_saved: the disk is as wanted already, but an editor that nobody can see from here may still hold our
            change. To force it makes no difference.
    """

    path: str
    reason: str
    never_saved: bool = False


@dataclass(frozen=True, slots=True)
class RewindResult:
    """What a rewind did.

    Attributes:
        session_id: the session.
        rewind_id: takes it back (``undo_rewind``).
        last_kept: the number of the message it went back to, -1 for before all.
        restored: canonical paths of the files that were put back.
        conflicts: the files that were left alone.
        uncovered: names of tools whose effects behind that point cannot be taken back (commands).
    """

    session_id: str
    rewind_id: str
    last_kept: int
    restored: tuple[str, ...]
    conflicts: tuple[Conflict, ...]
    uncovered: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PreviewedFile:
    """What a rewind would make of one file.

    Attributes:
        change: from what stands there now (a buffer's text where it is open) to what would.
        conflict: why it would be left alone, None: it would not. The change is then what ``force`` would do.
    """

    change: Change
    conflict: str | None


@dataclass(frozen=True, slots=True)
class RewindPreview:
    """What a rewind would do, had it been made now; nothing was.

    Attributes:
        session_id: the session.
        last_kept: the number of the message it would go back to, -1 for before all.
        files: the files it would put back or leave alone, as far as they can be looked at.
        conflicts: every file it would leave alone.
        uncovered: as in ``RewindResult``.
        token: stands for all of that; a rewind that is told it does that and nothing else (DESIGN A4).
        messages: of an undo, how many messages the conversation would have; None: as many as now.
    """

    session_id: str
    last_kept: int
    files: tuple[PreviewedFile, ...]
    conflicts: tuple[Conflict, ...]
    uncovered: tuple[str, ...]
    token: str
    messages: int | None = None

    @property
    def restored(self) -> tuple[str, ...]:
        """Canonical paths of the files that would be put back."""
        return tuple(each.change.path for each in self.files if each.conflict is None)


@dataclass(frozen=True, slots=True)
class _Step:
    """One file that will be put back: what is wanted, and what stands there now."""

    wanted: Snapshot
    now: Snapshot


@dataclass(frozen=True, slots=True)
class _Look:
    """How the files are: to be put back, a conflict (and what was seen of it), or as wanted already (neither)."""

    steps: list[_Step]
    conflicts: list[Conflict]
    disputed: list[tuple[_Step, str]]


async def rewind(
    store: SessionStore,
    workspace: Workspace,
    session_id: str,
    to_message: int,
    *,
    new_id: Callable[[], str],
    holder: str,
    files: bool = True,
    conversation: bool = True,
    force: bool = False,
    dry_run: bool = False,
    preview: str | None = None,
) -> RewindResult | RewindPreview:
    """Go back to a message: it is the last that stays, snapped down so that calls keep their results.

    Args:
        store: the session's store.
        workspace: with the session's folder among its roots.
        session_id: the session.
        to_message: a number of its conversation, or -1 for before all.
        new_id: makes the rewind's id.
        holder: who does it, for others that find the session held.
        files: put files back.
        conversation: let the conversation go on from there. With files alone the model is told in the conversation.
        force: overwrite files that were changed since, too.
        dry_run: do nothing, return what would be done.
        preview: the token of a dry run that the person has seen; should it not be what would happen any more, nothing
            is done either, and what would is returned.

    Raises:
        InvalidRequestError: no such message, or neither files nor conversation.
        SessionNotFoundError: no such session.
        SessionBusyError: a run of this process is at work on it.
        SessionLockedError: another process holds it.
        StorageError: the store failed; files restored until then are restored.
    """
    if not files and not conversation:
        raise InvalidRequestError("A rewind takes back files, the conversation, or both; not neither.")
    with store.acquire(session_id, holder) as handle:
        plan = handle.plan_rewind(to_message, conversation=conversation)
        if not files:
            plan = replace(plan, restores=(), uncovered=())
        look = await _look(workspace, plan.restores, force=force)
        if dry_run or preview is not None:
            shown = _preview(workspace, handle.session_id, plan, look, force=force)
            if dry_run or shown.token != preview:
                return shown
        told = "took back changes that were made later to these files"
        return await _carry_out(handle, workspace, plan, look, new_id(), force=force, told=told)


async def undo_rewind(
    store: SessionStore,
    workspace: Workspace,
    rewind_id: str,
    *,
    new_id: Callable[[], str],
    holder: str,
    force: bool = False,
    dry_run: bool = False,
) -> RewindResult | RewindPreview:
    """Take a rewind back: files as they were before it, and the conversation it left.

    A file that is no longer as the rewind left it is a conflict, and left alone unless forced; also later, when the
    rest was taken back already. The result's ``rewind_id`` takes this back in turn. ``dry_run``: as for ``rewind``.

    Raises:
        InvalidRequestError: no such rewind, or it was taken back already.
        SessionBusyError, SessionLockedError, StorageError: as for ``rewind``.
    """
    session = store.find_rewind(rewind_id)
    if session is None:
        raise InvalidRequestError(f"There is no rewind {rewind_id!r} in this workspace.")
    with store.acquire(session.id, holder) as handle:
        plan = handle.plan_undo(rewind_id, force=force)
        look = await _look(workspace, plan.restores, force=force)
        if dry_run:
            return _preview(workspace, handle.session_id, plan, look, force=force)
        told = "brought back the changes to these files that had been taken back"
        return await _carry_out(handle, workspace, plan, look, new_id(), force=force, told=told)


async def _carry_out(
    handle: SessionHandle,
    workspace: Workspace,
    plan: RewindPlan,
    look: _Look,
    rewind_id: str,
    *,
    force: bool,
    told: str,
) -> RewindResult:
    steps, conflicts = look.steps, [*look.conflicts]
    await handle.begin_rewind(rewind_id, plan, [(step.now, step.wanted) for step in steps])
    left: dict[str, str] = {}
    try:
        for step in steps:
            problem = await _restore(workspace, step, force=force)
            if problem is None:
                left[step.wanted.path] = await _state_after(workspace, step.wanted)
            else:
                conflicts.append(Conflict(step.wanted.path, problem))
    except BaseException:
        handle.finish_rewind(rewind_id, replace(plan, conversation=None), left)
        raise
    handle.finish_rewind(rewind_id, plan, left)
    if left and plan.conversation is None:
        handle.append(UserMessage(_note(workspace, tuple(left), told), origin="host"))
    return RewindResult(handle.session_id, rewind_id, plan.last_kept, tuple(left), tuple(conflicts), plan.uncovered)


async def _look(workspace: Workspace, restores: Sequence[Restore], *, force: bool) -> _Look:
    look = _Look([], [], [])
    for restore in restores:
        path = restore.wanted.path
        try:
            now = await workspace.snapshot(path)
            state = await _state(workspace, now)
        except ToolError as error:
            look.conflicts.append(Conflict(path, str(error)))
            continue
        step = _Step(restore.wanted, now)
        is_blind = now.buffer is None and not isinstance(workspace, SeesBuffers)
        if now.data == restore.wanted.data and probable_state(restore.wanted) in {state, probable_state(now)}:
            if is_blind and restore.unsaved and state not in restore.expected:
                look.conflicts.append(Conflict(path, UNSAVED_EDIT_REASON, never_saved=True))
            continue
        is_unsaved = is_blind and now.data == restore.wanted.data  # and so the text that is wanted was a buffer's
        if force or (state in restore.expected and not is_unsaved):
            look.steps.append(step)
        else:
            reason = UNSAVED_THEN_REASON if is_unsaved else CHANGED_REASON
            look.conflicts.append(Conflict(path, reason))
            look.disputed.append((step, reason))
    return look


def _preview(workspace: Workspace, session_id: str, plan: RewindPlan, look: _Look, *, force: bool) -> RewindPreview:
    files = (
        *(PreviewedFile(_change(workspace, step, force=force), None) for step in look.steps),
        *(PreviewedFile(_change(workspace, step, force=True), reason) for step, reason in look.disputed),
    )
    wanted = [probable_state(step.wanted) for step in (*look.steps, *(step for step, _ in look.disputed))]
    token = _token((plan.last_kept, plan.conversation, plan.uncovered, look.conflicts, files, wanted))
    conflicts = tuple(look.conflicts)
    return RewindPreview(session_id, plan.last_kept, files, conflicts, plan.uncovered, token, plan.messages)


def _change(workspace: Workspace, step: _Step, *, force: bool) -> Change:
    """Return what putting a file back changes. Texts are None for nothing and for what is no text."""
    wanted, now = step.wanted, step.now
    before, after = text_of(now), text_after(wanted, now, force=force)
    kind: ChangeKind = "edit"
    if now.data is None and now.buffer is None:
        kind = "create"
    elif wanted.data is None and wanted.buffer is None:
        kind = "delete"
    digest = text_digest(before) if before is not None else probable_state(now)
    return Change(now.path, kind, digest, before, after, display=workspace.locate(now.path).display)


def _token(shown: object) -> str:
    """Return a short text that stands for what a person was shown: frozen dataclasses of texts and numbers."""
    return hashlib.sha256(repr(shown).encode("utf-8", "backslashreplace")).hexdigest()[:32]


async def _restore(workspace: Workspace, step: _Step, *, force: bool) -> str | None:
    """Put one file back; return why not. What stands there now is handed on, so that nothing slips in between."""
    try:
        return await workspace.restore(step.wanted, None if force else step.now)
    except ToolError as error:
        return str(error)


async def _state(workspace: Workspace, now: Snapshot) -> str:
    """Return the state of what stands at a path, by the text that tools see."""
    try:
        return f"text:{(await workspace.read(workspace.locate(now.path))).digest}"
    except FileMissingError:
        return ABSENT
    except PathRefusedError:
        raise
    except ToolError:
        return ABSENT if now.data is None else bytes_state(now.data)


async def _state_after(workspace: Workspace, wanted: Snapshot) -> str:
    """Return the state a restore left; what was wanted, where it cannot be read back."""
    try:
        return await _state(workspace, await workspace.snapshot(wanted.path))
    except ToolError:
        return probable_state(wanted)


def _note(workspace: Workspace, paths: Sequence[str], told: str) -> str:
    names = [workspace.locate(path).display for path in paths]
    return f"Note from Steersman: the person {told}: {', '.join(names)}. Read a file again before you change it."
