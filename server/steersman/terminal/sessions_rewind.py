"""``steersman sessions rewind`` and ``undo-rewind``: back to a message, looked at first if one likes (DESIGN S7)."""

from __future__ import annotations

import argparse
import asyncio
import os
import sys
from pathlib import Path
from urllib.parse import urlsplit
from urllib.request import url2pathname

from steersman.agent.errors import InvalidRequestError, SessionNotFoundError
from steersman.agent.messages import UserMessage
from steersman.sessions.records import SessionRecord, StoredMessage
from steersman.sessions.segments import snap_down
from steersman.sessions.store import SessionStore
from steersman.terminal.output import counted, exits, in_folder, print_json, printable
from steersman.terminal.sessions_folder import SessionsFolder
from steersman.terminal.streams import note, say
from steersman.terminal.style import Style
from steersman.wire import Json

_VERBS = {"edit": "restored", "create": "restored", "delete": "removed"}


@exits
def rewind(args: argparse.Namespace) -> int:
    """Put files and conversation back to a message, or tell what that would do."""
    if args.files_only and args.conversation_only:
        raise InvalidRequestError("--files-only and --conversation-only together leave nothing to do.")
    with SessionsFolder(args) as folder:
        record = folder.session(args.id)
        messages = folder.store.messages(record.id)
        to_message = args.to if args.to is not None else _before_last_prompt(messages)
        result = asyncio.run(
            folder.app.sessions.rewind(
                record.id,
                to_message=to_message,
                files=not args.conversation_only,
                conversation=not args.files_only,
                force=args.force,
                dry_run=args.dry_run,
            )
        )
        changed = bool(result["restored"]) or folder.store.get(record.id).messages != record.messages
    left_out = 0 if args.files_only else _count_left_out(messages, to_message)
    if args.dry_run:
        return _print_preview(result, _shorter(left_out, "would go"), args)
    undo = in_folder("sessions undo-rewind", args.folder, result["rewindId"])
    if left_out and not args.json:
        note(_shorter(left_out, "goes"))
    return _print_done(result, args, undo=undo if changed else None, retry="--force")


@exits
def undo_rewind(args: argparse.Namespace) -> int:
    """Take a rewind or an undo back; “latest” is what was done last in the folder, whichever of the two that is."""
    with SessionsFolder(args) as folder:
        rewind_id, before = _named_rewind(folder.store, args.id)
        result = asyncio.run(folder.app.sessions.undo_rewind(rewind_id, force=args.force, dry_run=args.dry_run))
        after = folder.store.get(before.id)
    if not args.json:
        note(printable(f"session {before.id[:8]} {before.title}"))
    if args.dry_run:
        return _print_preview(result, _have_again(result.get("messages", before.messages) - before.messages), args)
    more = after.messages - before.messages if not args.json else 0
    if more > 0:
        note(f"The conversation has its {counted(more, 'message')} again.")
    elif more < 0:
        note(_shorter(-more, "goes"))
    changed = bool(result["restored"]) or before.messages != after.messages
    undo = in_folder("sessions undo-rewind", args.folder, result["rewindId"])
    retry = in_folder("sessions undo-rewind --force", args.folder, rewind_id)
    return _print_done(result, args, undo=undo if changed else None, retry=retry)


def _named_rewind(store: SessionStore, wanted: str) -> tuple[str, SessionRecord]:
    """Return the id of the rewind that is meant, and its session.

    Raises:
        SessionNotFoundError: there is none.
    """
    rewind_id = store.latest_rewind() if wanted == "latest" else wanted
    if rewind_id is None:
        raise SessionNotFoundError(
            "There is nothing to take back: no rewind in this folder, or the latest one went with its session.",
            hint="`steersman sessions show ID` tells the rewind of a session, which its id takes back.",
        )
    session = store.find_rewind(rewind_id)
    if session is None:
        hint = "`steersman sessions show latest` tells the rewind of a session; `latest` means the latest of all."
        raise SessionNotFoundError(f"There is no rewind {wanted!r} in this folder.", hint=hint)
    return rewind_id, session


def _before_last_prompt(messages: list[StoredMessage]) -> int:
    """Return the number of the message before the last prompt, -1 when that was the first."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index].message
        if isinstance(message, UserMessage) and message.origin == "person":
            return messages[index - 1].seq if index else -1
    return -1


def _count_left_out(messages: list[StoredMessage], to_message: int) -> int:
    """Return how many messages the conversation would no longer have."""
    last_kept = snap_down(messages, to_message)
    return sum(each.seq > last_kept for each in messages)


def _shorter(left_out: int, verb: str) -> str:
    """Return what becomes of a conversation that loses messages; "" for none."""
    return f"The conversation {verb} on without its last {counted(left_out, 'message')}." if left_out else ""


def _have_again(more: int) -> str:
    """Return what an undo would make of a conversation; ``more``: messages than now, or fewer."""
    return (
        f"The conversation would have its {counted(more, 'message')} again."
        if more > 0
        else _shorter(-more, "would go")
    )


def _print_preview(result: Json, conversation: str, args: argparse.Namespace) -> int:
    """Print what a rewind would do, each file with its change; ``conversation``: what that would become, or ""."""
    if args.json:
        print_json(result)
        return 1 if result["conflicts"] else 0
    style = Style.of(sys.stdout, os.environ)
    for file in result["files"]:
        if "conflict" not in file:
            counts = f"(+{file['added']} −{file['removed']})"
            say(f"would be {_VERBS[file['kind']]}  {_shown(file['uri'])} {counts}")
            say(style.diff(printable(file["diff"].rstrip("\n"))))
    disputed = {file["uri"]: file for file in result["files"] if "conflict" in file}
    for conflict in result["conflicts"]:
        _say_left_alone(conflict)
        if conflict["uri"] in disputed:
            say("with --force it would become:")
            say(style.diff(printable(disputed[conflict["uri"]]["diff"].rstrip("\n"))))
    _print_rest(result, "No file would be put back.")
    if conversation:
        say(conversation)
    note("Nothing was done; leave out --dry-run to do it.")
    return 1 if result["conflicts"] else 0


def _print_done(result: Json, args: argparse.Namespace, *, undo: str | None, retry: str) -> int:
    """Print what was done; ``undo``: takes that back, if it did anything; ``retry``: what overwrites files."""
    if args.json:
        print_json(result)
        return 1 if result["conflicts"] else 0
    for uri in result["restored"]:
        say(f"{'restored' if _path(uri).exists() else 'removed'}  {_shown(uri)}")
    for conflict in result["conflicts"]:
        _say_left_alone(conflict)
    _print_rest(result, "No file had to be put back.")
    if not args.force and any("neverSaved" not in conflict for conflict in result["conflicts"]):
        note(f"put back all the same with: {retry}")
    if undo is not None:
        note(f"undo it with: {undo}")
    return 1 if result["conflicts"] else 0


def _say_left_alone(conflict: Json) -> None:
    what = "unsaved " if conflict.get("neverSaved") else "conflict"
    say(f"{what}  {_shown(conflict['uri'])}: {conflict['reason']}")


def _print_rest(result: Json, nothing: str) -> None:
    if not result["restored"] and not result["conflicts"]:
        say(nothing)
    for tool in result.get("uncovered", []):
        say(f"not covered: what {printable(tool)} did cannot be taken back")


def _path(uri: str) -> Path:
    return Path(url2pathname(urlsplit(uri).path))


def _shown(uri: str) -> str:
    """Return a file's URI as a path, from here if it lies below."""
    path, here = _path(uri), Path.cwd()
    return printable(str(path.relative_to(here) if path.is_relative_to(here) else path))
