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
from steersman.sessions.records import StoredMessage
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
    left_out = [] if args.files_only else _left_out(messages, to_message)
    if args.dry_run:
        return _print_preview(result, left_out, args)
    undo = in_folder("sessions undo-rewind", args.folder, result["rewindId"])
    if left_out and not args.json:
        note(f"The conversation goes on without its last {counted(len(left_out), 'message')}.")
    return _print_done(result, args, undo=undo if changed else None, retry="--force")


@exits
def undo_rewind(args: argparse.Namespace) -> int:
    """Take a rewind back; “latest” is the latest that was not taken back."""
    with SessionsFolder(args) as folder:
        rewind_id = _rewind_id(folder.store, args.id)
        before = folder.store.find_rewind(rewind_id)
        result = asyncio.run(folder.app.sessions.undo_rewind(rewind_id, force=args.force))
        after = folder.store.find_rewind(rewind_id)
        changed = bool(result["restored"]) or (before and before.messages) != (after and after.messages)
    undo = in_folder("sessions undo-rewind", args.folder, result["rewindId"])
    retry = in_folder("sessions undo-rewind --force", args.folder, rewind_id)
    return _print_done(result, args, undo=undo if changed else None, retry=retry)


def _rewind_id(store: SessionStore, wanted: str) -> str:
    """Return the id of the rewind that is meant.

    Raises:
        SessionNotFoundError: there is none.
    """
    standing = store.standing_rewind() if wanted == "latest" else None
    if standing is not None:
        return standing.id
    if wanted == "latest":
        raise SessionNotFoundError("There is no rewind in this folder that could be taken back.")
    if store.find_rewind(wanted) is None:
        hint = "`steersman sessions show latest` tells the rewind of a session; `latest` means the latest of all."
        raise SessionNotFoundError(f"There is no rewind {wanted!r} in this folder.", hint=hint)
    return wanted


def _before_last_prompt(messages: list[StoredMessage]) -> int:
    """Return the number of the message before the last prompt, -1 when that was the first."""
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index].message
        if isinstance(message, UserMessage) and message.origin == "person":
            return messages[index - 1].seq if index else -1
    return -1


def _left_out(messages: list[StoredMessage], to_message: int) -> list[StoredMessage]:
    """Return the messages that the conversation would no longer have."""
    last_kept = snap_down(messages, to_message)
    return [each for each in messages if each.seq > last_kept]


def _print_preview(result: Json, left_out: list[StoredMessage], args: argparse.Namespace) -> int:
    """Print what a rewind would do, each file with its change."""
    if args.json:
        print_json(result)
        return 1 if result["conflicts"] else 0
    style = Style.of(sys.stdout, os.environ)
    for file in result["files"]:
        if "conflict" not in file:
            counts = f"(+{file['added']} −{file['removed']})"
            say(f"would be {_VERBS[file['kind']]}  {_shown(file['uri'])} {counts}")
            say(style.diff(printable(file["diff"].rstrip("\n"))))
    for conflict in result["conflicts"]:
        say(f"conflict  {_shown(conflict['uri'])}: {conflict['reason']}")
    _print_rest(result, "No file would be put back.")
    if left_out:
        say(f"The conversation would go on without its last {counted(len(left_out), 'message')}.")
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
        say(f"conflict  {_shown(conflict['uri'])}: {conflict['reason']}")
    _print_rest(result, "No file had to be put back.")
    if result["conflicts"] and not args.force:
        note(f"put back all the same with: {retry}")
    if undo is not None:
        note(f"undo it with: {undo}")
    return 1 if result["conflicts"] else 0


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
