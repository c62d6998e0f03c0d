"""What every tool that changes files does in the same way: read for it, check it, apply it, remember and report it.

Nothing in here decides whether something may be done, and nothing is changed except through ``Workspace.apply``.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ParamSpec, TypeVar

from steersman.agent.changes import Change, ChangeSummary, text_digest
from steersman.agent.tool import Plan, ToolError, ToolResult
from steersman_tools.kit.listing import Lister
from steersman_tools.kit.naming import did_you_mean, nearest_names
from steersman_tools.kit.seen import SeenTexts
from steersman_tools.kit.text import bytes_digest, check_encodable
from steersman_tools.kit.workspace import (
    Applied,
    Document,
    FileMissingError,
    Location,
    NotTextError,
    Workspace,
)

P = ParamSpec("P")
R = TypeVar("R")

_MAX_REPORTED = 40
_LONG_CHARS = 200_000


@dataclass(frozen=True, slots=True)
class Remarks:
    """What ``prepare`` leaves for ``run`` to say and to remember.

    Attributes:
        notes: lines for the model, such as how tolerantly its text was matched.
        known: canonical paths whose whole new text the model wrote itself, so that it counts as seen (W4).
    """

    notes: tuple[str, ...] = ()
    known: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Present:
    """What stands at a path now, as a change needs it.

    Attributes:
        digest: of the text, or of the bytes of a binary file.
        text: the text, or None when it is none.
        document: the document, or None when it is no text.
    """

    digest: str
    text: str | None
    document: Document | None


async def read_for_change(workspace: Workspace, location: Location) -> Document:
    """Return the document to be changed.

    Raises:
        ToolError: it cannot be read, or buffer and disk are in conflict (W1).
    """
    document = await workspace.read(location)
    if document.state == "conflict":
        why = document.note or "it was changed in the editor and on disk"
        raise ToolError(f"{location.display} cannot be edited now: {why}")
    return document


async def missing_file(workspace: Workspace, location: Location, lister: Lister | None) -> FileMissingError:
    """Return the error for a file that is not there, with the names that the model may have meant."""
    names = await nearest_names(location, workspace, lister) if lister else []
    return FileMissingError(f"{location.display} does not exist{did_you_mean(names)}")


async def worked_out(text: str, function: Callable[P, R], *args: P.args, **kwargs: P.kwargs) -> R:
    """Return what the function gives; for a long ``text`` in a thread, so that nothing else has to wait."""
    if len(text) < _LONG_CHARS:
        return function(*args, **kwargs)
    return await asyncio.to_thread(function, *args, **kwargs)


async def read_present(workspace: Workspace, location: Location, lister: Lister | None = None) -> Present:
    """Return what stands there, binary files too. ``lister``: finds the names that may have been meant.

    Raises:
        ToolError: nothing is there, it is a folder, or it is in conflict.
    """
    try:
        document = await read_for_change(workspace, location)
    except FileMissingError:
        raise await missing_file(workspace, location, lister) from None
    except NotTextError:
        data = (await workspace.snapshot(str(location.path))).data or b""
        return Present(bytes_digest(data), None, None)
    return Present(document.digest, document.text, document)


def refuse_link(location: Location) -> None:
    """Raise ``ToolError`` when the path names a link: deleting or moving would hit what it leads to."""
    if location.link is not None:
        raise ToolError(
            f"{location.link.name} is a symbolic link to {location.display}. "
            f"Name {location.display} itself, or use run_command for the link."
        )


def check_writable(text: str, document: Document | None, name: str) -> None:
    """Raise ``ToolError`` when the text cannot be written as the file is encoded, before anybody is asked.

    The encoding of an open document is the editor's business. A new file is UTF-8.
    """
    own = document is not None and document.state == "closed"
    encoding, has_bom = (document.encoding, document.has_bom) if document and own else ("utf-8", False)
    try:
        check_encodable(text, encoding, has_bom)
    except ToolError as error:
        raise type(error)(f"{name} cannot be written: {error}") from None


def edit_of(document: Document, after: str) -> Change:
    """Return the change of a document's text."""
    location = document.location
    return Change(
        path=str(location.path),
        kind="edit",
        before_digest=document.digest,
        before=document.text,
        after=after,
        display=location.display,
    )


def creation_of(location: Location, text: str) -> Change:
    """Return the change that makes a new file."""
    return Change(str(location.path), "create", None, None, text, display=location.display)


async def apply_plan(workspace: Workspace, seen: SeenTexts, plan: Plan) -> ToolResult:
    """Make the plan's changes, all or none, and tell and remember what stands there now (W4, W6).

    Raises:
        ToolError: from ``Workspace.apply``.
    """
    remarks = plan.payload if isinstance(plan.payload, Remarks) else Remarks()
    sources = {
        change.moved_from: workspace.locate(change.moved_from).display for change in plan.changes if change.moved_from
    }
    applied = await workspace.apply(plan.changes, label=plan.title)
    now_seen = _seen_after(seen, plan.changes, applied, remarks.known)
    for change in plan.changes:
        if change.kind == "delete":
            seen.forget(change.path)
        if change.moved_from is not None:
            seen.forget(change.moved_from)
    seen.update(now_seen)
    lines = [_report(change, summary, sources) for change, summary in zip(plan.changes, applied.changes, strict=True)]
    if len(lines) > _MAX_REPORTED:
        lines[_MAX_REPORTED:] = [f"And {len(lines) - _MAX_REPORTED} more files."]
    content = "\n".join([*lines, *remarks.notes, *applied.notes])
    return ToolResult(content, seen=now_seen, changes=applied.changes)


def _seen_after(
    seen: SeenTexts, changes: Iterable[Change], applied: Applied, known: frozenset[str]
) -> Mapping[str, str]:
    """Return the digests the model now knows; "" where it knows a part, or where somebody typed meanwhile."""
    result: dict[str, str] = {}
    for change in changes:
        stands = applied.after.get(change.path)
        if change.after is None or stands is None:
            continue
        source = change.moved_from or change.path
        whole = change.kind == "create" or change.path in known or seen.digest(source) == change.before_digest
        result[change.path] = text_digest(stands) if whole and stands == change.after else ""
    return result


def _report(change: Change, summary: ChangeSummary, sources: Mapping[str, str]) -> str:
    name = change.display or change.path
    counts = f"(+{summary.added} −{summary.removed})"
    if change.kind == "edit":
        return f"Edited {name} {counts}."
    if change.kind == "create":
        return f"Created {name} (+{summary.added})."
    if change.kind == "delete":
        return f"Deleted {name}."
    source = sources.get(change.moved_from or "", change.moved_from)
    return f"Moved {source} to {name}" + (f" {counts}." if summary.added or summary.removed else ".")
