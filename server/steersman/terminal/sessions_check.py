"""``steersman sessions check``: what is damaged in a folder's sessions, and what to do about it."""

from __future__ import annotations

import argparse
import shlex
from collections.abc import Iterator, Mapping, Sequence

from steersman.agent.errors import SteersmanError
from steersman.agent.trace import clip_line
from steersman.sessions.checkup import Checkup
from steersman.sessions.records import StoreSize
from steersman.sessions.store import SessionStore
from steersman.terminal.output import counted, exits, print_json, printable
from steersman.terminal.sessions_folder import SessionsFolder
from steersman.terminal.streams import say

_MAX_PROBLEMS = 10


@exits
def check(args: argparse.Namespace) -> int:
    """Look for damage. Exit code 1 when there is some."""
    with SessionsFolder(args) as folder:
        found = folder.store.check_up()
        titles = _titles(folder.store, found.unreadable)
        size = _size(folder.store)
    if args.json:
        print_json(
            {
                "path": found.path,
                "sound": found.is_sound,
                "sessions": found.sessions,
                "unreadable": found.unreadable,
                "problems": found.problems,
                "lostContents": found.lost_contents,
                "indexMended": found.index_mended,
                "setAside": [str(path) for path in found.set_aside],
            }
        )
    else:
        for line in _report(found, titles, size):
            say(printable(line))
    return 0 if found.is_sound else 1


def _report(found: Checkup, titles: Mapping[str, str], size: StoreSize | None) -> Iterator[str]:
    yield found.path
    if found.is_sound:
        held = f", {counted(size.messages, 'message')}, {size.disk_bytes / 1e6:.1f} MB" if size else ""
        yield f"{counted(len(found.sessions), 'session')}{held}: all of it can be read."
    yield from _damage(found, titles)
    if found.index_mended:
        yield "The search index was wrong; the next search builds it anew. No conversation is affected."
    if found.set_aside:
        yield ""
        yield "Set aside earlier, because it was damaged, and never deleted:"
        yield from (f"  {path}" for path in found.set_aside)
        yield recovery(str(found.set_aside[-1]))


def _damage(found: Checkup, titles: Mapping[str, str]) -> Iterator[str]:
    if found.problems:
        yield "The database is damaged:"
        yield from (f"  {clip_line(problem, 160)}" for problem in found.problems[:_MAX_PROBLEMS])
        if len(found.problems) > _MAX_PROBLEMS:
            yield f"  … and {len(found.problems) - _MAX_PROBLEMS} more"
    if found.unreadable:
        yield f"{counted(len(found.unreadable), 'session')} cannot be read to the end:"
        yield from (f"  {each[:8]}  {titles.get(each, '')}".rstrip() for each in found.unreadable)
    if found.lost_contents:
        kept = counted(found.lost_contents, "kept content") + (" is" if found.lost_contents == 1 else " are")
        yield f"{kept} damaged: a rewind cannot put those files back. Conversations are not affected."
    if found.problems or found.unreadable:
        yield ""
        yield "Nothing was deleted. What to do:"
        yield from _advice(found)


def _advice(found: Checkup) -> Iterator[str]:
    step = 1
    if found.sessions:
        yield f"  {step}. Save what can be read ({counted(len(found.sessions), 'session')}):"
        for each in found.sessions[:_MAX_PROBLEMS]:
            yield f"       steersman sessions export {each[:8]} --format json --output {each[:8]}.json"
        if len(found.sessions) > _MAX_PROBLEMS:
            yield "       … and so on; `steersman sessions list` names them all"
        step += 1
    yield f"  {step}. Close the editors that use Steersman here, and move the database away (with its -wal and -shm)."
    yield f"  {step + 1}. Go on: a new database is begun by itself. {recovery(found.path)}"


def recovery(path: str) -> str:
    """Return what to do with a damaged database."""
    return f"SQLite's own shell may get more out of it: sqlite3 {shlex.quote(path)} .recover"


def _titles(store: SessionStore, ids: Sequence[str]) -> dict[str, str]:
    """Return the titles that can be read."""
    titles: dict[str, str] = {}
    for session_id in ids:
        try:
            titles[session_id] = store.get(session_id).title
        except SteersmanError:
            continue
    return titles


def _size(store: SessionStore) -> StoreSize | None:
    """Return what the store takes, None where that cannot be read."""
    try:
        return store.size()
    except SteersmanError:
        return None
