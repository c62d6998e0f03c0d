"""``steersman sessions …``: the conversations of a folder, in clear tables or as JSON."""

from __future__ import annotations

import argparse
import asyncio
import re
from collections.abc import Sequence

from steersman.agent.errors import InvalidRequestError
from steersman.agent.lines import split_lines
from steersman.agent.messages import ToolMessage, UserMessage
from steersman.agent.trace import clip_line
from steersman.sessions.export.prompts import split_prompt
from steersman.sessions.records import SearchHit, SessionRecord, StoredMessage
from steersman.sessions.times import local_time
from steersman.terminal.output import counted, exits, in_folder, print_json, printable, table
from steersman.terminal.sessions_folder import SessionsFolder
from steersman.terminal.streams import note, say
from steersman.wire import hit_to_wire, message_to_wire, session_to_wire

_AGE = re.compile(r"([0-9]{1,9})\s*([smhdw])")
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}


@exits
def list(args: argparse.Namespace) -> int:  # noqa: A001 - the command's own word
    """List the sessions, newest first."""
    with SessionsFolder(args, only_reads=True) as folder:
        page = folder.store.list(None, args.limit)
        if args.json:
            print_json({"sessions": [session_to_wire(record) for record in page.sessions], "total": page.total})
        elif page.sessions:
            say(printable(_sessions_table(page.sessions)))
            if page.total > len(page.sessions):
                note(f"… and {page.total - len(page.sessions)} more; see --limit")
        else:
            folder.say_none()
    return 0


@exits
def show(args: argparse.Namespace) -> int:
    """Print a conversation."""
    with SessionsFolder(args, only_reads=True) as folder:
        record = folder.session(args.id)
        messages = folder.store.messages(record.id)
        if args.json:
            print_json({"session": session_to_wire(record), "messages": [message_to_wire(each) for each in messages]})
        else:
            say(printable(f"{record.title}\n{record.id} · {record.model} · {_when(record.updated_at)}"))
            standing = folder.store.standing_rewind(record.id)
            if standing is not None:
                undo = in_folder("sessions undo-rewind", args.folder, standing.id)
                say(f"rewound at {_when(standing.at)}; undo with: {undo}")
            for stored in messages:
                say(printable(_message_text(stored)))
    return 0


@exits
def search(args: argparse.Namespace) -> int:
    """Find words; each session once, with its best line."""
    with SessionsFolder(args, only_reads=True) as folder:
        hits = folder.store.search(" ".join(args.words), args.limit)
        if args.json:
            print_json({"hits": [hit_to_wire(hit) for hit in hits]})
        elif hits:
            say(printable(_hits_table(hits)))
        else:
            folder.say_none("Nothing found.")
    return 0 if hits else 1


@exits
def take_over(args: argparse.Namespace) -> int:
    """Take a session from another process; that one writes nothing more, whenever it wakes (DESIGN S4)."""
    with SessionsFolder(args) as folder:
        result = asyncio.run(folder.app.sessions.take_over(folder.session(args.id).id))
    if args.json:
        print_json(result)
        return 0
    named = f"{result['session']['id'][:8]} {result['session']['title']}"
    if result["takenFrom"]:
        say(printable(f"taken from {result['takenFrom']}, which writes nothing more there: {named}"))
    else:
        say(printable(f"nobody holds it: {named}"))
    note(f"go on with: {in_folder('run', args.folder, '--session', result['session']['id'][:8])} …")
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
        say(printable(_sessions_table(pruned.sessions)))
    done = "would be deleted" if args.dry_run else f"deleted, {pruned.freed_bytes / 1e6:.1f} MB freed"
    note(f"{counted(len(pruned.sessions), 'session')} {done}.")
    return 0


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
    return local_time(seconds).strftime("%Y-%m-%d %H:%M")


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
