"""``steersman sessions …``: the conversations of a folder, in clear tables or as JSON."""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Awaitable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TypeVar
from urllib.parse import urlsplit
from urllib.request import url2pathname

from steersman.agent.errors import InvalidRequestError, SessionNotFoundError
from steersman.agent.lines import split_lines
from steersman.agent.messages import ToolMessage, UserMessage
from steersman.agent.trace import clip_line
from steersman.sessions.export.prompts import split_prompt
from steersman.sessions.records import SearchHit, SessionRecord, StoredMessage
from steersman.sessions.store import SessionStore
from steersman.terminal.output import counted, exits, print_json, printable, table
from steersman.terminal.sessions_folder import SessionsFolder
from steersman.terminal.streams import note, say
from steersman.wire import Json, hit_to_wire, message_to_wire, session_to_wire

T = TypeVar("T")
_AGE = re.compile(r"([0-9]{1,9})\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


@exits
def list(args: argparse.Namespace) -> int:  # noqa: A001 - the command's own word
    """List the sessions, newest first."""
    with SessionsFolder(args) as folder:
        page = folder.store.list(None, args.limit)
        if args.json:
            print_json({"sessions": [session_to_wire(record) for record in page.sessions], "total": page.total})
        elif page.sessions:
            say(_sessions_table(page.sessions))
            if page.total > len(page.sessions):
                note(f"… and {page.total - len(page.sessions)} more; see --limit")
        else:
            note("There is no session in this folder yet.")
    return 0


@exits
def show(args: argparse.Namespace) -> int:
    """Print a conversation."""
    with SessionsFolder(args) as folder:
        record = folder.session(args.id)
        messages = folder.store.messages(record.id)
        if args.json:
            print_json({"session": session_to_wire(record), "messages": [message_to_wire(each) for each in messages]})
        else:
            say(f"{record.title}\n{record.id} · {record.model} · {_when(record.updated_at)}")
            standing = folder.store.standing_rewind(record.id)
            if standing is not None:
                say(f"rewound at {_when(standing.at)}; undo with: steersman sessions undo-rewind {standing.id}")
            for stored in messages:
                say(printable(_message_text(stored)))
    return 0


@exits
def search(args: argparse.Namespace) -> int:
    """Find words; each session once, with its best line."""
    with SessionsFolder(args) as folder:
        hits = folder.store.search(" ".join(args.words), args.limit)
        if args.json:
            print_json({"hits": [hit_to_wire(hit) for hit in hits]})
        elif hits:
            say(_hits_table(hits))
        else:
            note("Nothing found.")
    return 0 if hits else 1


@exits
def take_over(args: argparse.Namespace) -> int:
    """Take a session from another process; that one writes nothing more, whenever it wakes (DESIGN S4)."""
    with SessionsFolder(args) as folder:
        result = _await(folder.app.sessions.take_over(folder.session(args.id).id))
    if args.json:
        print_json(result)
        return 0
    named = f"{result['session']['id'][:8]} {result['session']['title']}"
    if result["takenFrom"]:
        say(printable(f"taken from {result['takenFrom']}, which writes nothing more there: {named}"))
    else:
        say(printable(f"nobody holds it: {named}"))
    note(f"go on with: steersman run --session {result['session']['id'][:8]} …")
    return 0


@exits
def fork(args: argparse.Namespace) -> int:
    """Copy a session up to a message."""
    with SessionsFolder(args) as folder:
        record = folder.store.fork(folder.session(args.id).id, args.at)
        _print_session(record, "forked as", as_json=args.json)
    return 0


@exits
def rename(args: argparse.Namespace) -> int:
    """Give a session another title."""
    with SessionsFolder(args) as folder:
        record = folder.store.rename(folder.session(args.id).id, args.title)
        _print_session(record, "renamed", as_json=args.json)
    return 0


@exits
def delete(args: argparse.Namespace) -> int:
    """Delete a session with its checkpoints."""
    with SessionsFolder(args) as folder:
        record = folder.session(args.id)
        folder.store.delete(record.id)
        print_json({"deleted": True}) if args.json else say(f"deleted {record.id[:8]} {record.title}")
    return 0


@exits
def rewind(args: argparse.Namespace) -> int:
    """Put files and conversation back to a message."""
    if args.files_only and args.conversation_only:
        raise InvalidRequestError("--files-only and --conversation-only together leave nothing to do.")
    with SessionsFolder(args) as folder:
        record = folder.session(args.id)
        before = record.messages
        to_message = args.to if args.to is not None else _before_last_prompt(folder.store, record)
        result = _await(
            folder.app.sessions.rewind(
                record.id,
                to_message=to_message,
                files=not args.conversation_only,
                conversation=not args.files_only,
                force=args.force,
            )
        )
        changed = bool(result["restored"]) or folder.store.get(record.id).messages != before
    return _print_rewind(result, changed=changed, can_force=not args.force, as_json=args.json)


@exits
def undo_rewind(args: argparse.Namespace) -> int:
    """Take a rewind back; “latest” is the latest that was not taken back."""
    with SessionsFolder(args) as folder:
        rewind_id = _rewind_id(folder.store, args.id)
        before = folder.store.find_rewind(rewind_id)
        result = _await(folder.app.sessions.undo_rewind(rewind_id))
        after = folder.store.find_rewind(rewind_id)
        changed = bool(result["restored"]) or (before and before.messages) != (after and after.messages)
    return _print_rewind(result, changed=changed, can_force=False, as_json=args.json)


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


@exits
def prune(args: argparse.Namespace) -> int:
    """Delete sessions without activity for long."""
    matched = _AGE.fullmatch(args.older_than.strip())
    if matched is None:
        raise InvalidRequestError(f"{args.older_than!r} is not an age.", hint="Write it like 90d, 12h or 30m.")
    age_s = int(matched[1]) * _SECONDS[matched[2]]
    with SessionsFolder(args) as folder:
        pruned = folder.store.prune(older_than_s=age_s, keep=args.keep, dry_run=args.dry_run)
    if args.json:
        sessions = [session_to_wire(record) for record in pruned.sessions]
        print_json({"sessions": sessions, "freedBytes": pruned.freed_bytes, "dryRun": args.dry_run})
        return 0
    if pruned.sessions:
        say(_sessions_table(pruned.sessions))
    done = "would be deleted" if args.dry_run else f"deleted, {pruned.freed_bytes / 1e6:.1f} MB freed"
    note(f"{counted(len(pruned.sessions), 'session')} {done}.")
    return 0


def _await(work: Awaitable[T]) -> T:
    async def run() -> T:
        return await work

    return asyncio.run(run())


def _before_last_prompt(store: SessionStore, record: SessionRecord) -> int:
    """Return the number of the message before the last prompt, -1 when that was the first."""
    messages = store.messages(record.id)
    for index in range(len(messages) - 1, -1, -1):
        message = messages[index].message
        if isinstance(message, UserMessage) and message.origin == "person":
            return messages[index - 1].seq if index else -1
    return -1


def _print_rewind(result: Json, *, changed: bool, can_force: bool, as_json: bool) -> int:
    """Print what was done; ``changed``: there is something that could be undone."""
    if as_json:
        print_json(result)
        return 1 if result["conflicts"] else 0
    for uri in result["restored"]:
        say(f"{'restored' if _path(uri).exists() else 'removed'}  {_shown(uri)}")
    for conflict in result["conflicts"]:
        say(f"conflict  {_shown(conflict['uri'])}: {conflict['reason']}")
    if not result["restored"] and not result["conflicts"]:
        say("No file had to be put back.")
    for tool in result.get("uncovered", []):
        say(f"not covered: what {tool} did cannot be taken back")
    if result["conflicts"] and can_force:
        note("put back all the same with: --force")
    if changed:
        note(f"undo it with: steersman sessions undo-rewind {result['rewindId']}")
    return 1 if result["conflicts"] else 0


def _path(uri: str) -> Path:
    return Path(url2pathname(urlsplit(uri).path))


def _shown(uri: str) -> str:
    """Return a file's URI as a path, from here if it lies below."""
    path, here = _path(uri), Path.cwd()
    return printable(str(path.relative_to(here) if path.is_relative_to(here) else path))


def _print_session(record: SessionRecord, verb: str, *, as_json: bool) -> None:
    print_json({"session": session_to_wire(record)}) if as_json else say(f"{verb} {record.id[:8]} {record.title}")


def _sessions_table(records: tuple[SessionRecord, ...]) -> str:
    rows = [
        [
            record.id[:8],
            _when(record.updated_at),
            str(record.messages),
            record.model,
            _money(record.cost),
            clip_line(record.title, 60) + _notes(record),
        ]
        for record in records
    ]
    return table(rows, ["id", "last used", "messages", "model", "cost", "title"], right=(2, 4))


def _hits_table(hits: Sequence[SearchHit]) -> str:
    rows = [
        [hit.session.id[:8], _when(hit.session.updated_at), clip_line(hit.session.title, 30), hit.role, hit.line]
        for hit in hits
    ]
    return table(rows, ["id", "last used", "title", "where", "line"])


def _money(cost: float | None) -> str:
    if cost is None:
        return "–"
    return f"${cost:.4f}" if 0 < cost < 1 else f"${cost:.2f}"


def _notes(record: SessionRecord) -> str:
    fork = f"  (fork of {record.parent_id[:8]})" if record.parent_id else ""
    return fork + (f"  (at work: {record.holder})" if record.running else "")


def _when(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).astimezone().strftime("%Y-%m-%d %H:%M")


def _message_text(stored: StoredMessage) -> str:
    message = stored.message
    if isinstance(message, UserMessage):
        prompt, context = split_prompt(message.content)
        origin = "" if message.origin == "person" else f" ({message.origin})"
        folded = f"\n    (with {counted(len(split_lines(context)), 'line')} from the editor; --json shows them)"
        return f"\n[{stored.seq}] you{origin}\n{prompt}{folded if context else ''}"
    if isinstance(message, ToolMessage):
        return f"[{stored.seq}] {'error' if message.is_error else 'result'}  {clip_line(message.content, 200)}"
    calls = [f"    → {call.name}({clip_line(call.arguments, 100)})" for call in message.tool_calls]
    said = [message.content.rstrip()] if message.content.strip() else []
    return "\n".join([f"\n[{stored.seq}] {message.model or 'model'}", *said, *calls])
