"""A process that writes sessions as fast as it can and tells each commit, until it is killed or told to stop.

Started as ``python -P -m support.session_worker STATE FOLDER NAME ORDERS…``; each line of its output is one JSON list.
Orders: ``run N`` goes on with its own session for N turns (0: for ever); ``share ID N`` does so in a session that
others want too, taking turns; ``hold ID`` takes a session and appends one message a line of its input.
"""

from __future__ import annotations

import asyncio
import hashlib
import itertools
import json
import sys
import time
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

from steersman.agent.changes import Change, ChangeSummary
from steersman.agent.errors import SessionError, SessionLockedError
from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from steersman.sessions.handle import SessionHandle
from steersman.sessions.store import SessionStore
from steersman_tools.kit.workspace import Snapshot


def digest(message: Message) -> str:
    """Return what tells a message apart from all others."""
    return hashlib.sha256(repr(message).encode()).hexdigest()[:12]


def tell(*words: object) -> None:
    """Write one line and see to it that it left the process."""
    sys.stdout.write(json.dumps(words) + "\n")
    sys.stdout.flush()


async def snapshot(path: str) -> Snapshot:
    """Give something to keep."""
    return Snapshot(path, path.encode() * 50, 0o644, None)


def turn_messages(name: str, number: int) -> Iterator[tuple[str, Message | ToolCall]]:
    """Yield the steps of one turn: a prompt, an answer with two calls, their markers and results, a last word."""
    yield "append", UserMessage(f"{name} {number} " + "x" * (number % 700))
    calls = tuple(ToolCall(f"c{index}", "edit_file", json.dumps({"path": f"{name}{index}"})) for index in (1, 2))
    yield "append", AssistantMessage("", calls, model="demo/rules")
    for call in calls:
        yield "checkpoint", call
        yield "mark", call
        change = ChangeSummary(f"/w/{call.id}", "edit", 1, 1)
        yield "append", ToolMessage(call.id, f"{name} {number} done", changes=(change,))
    yield "append", AssistantMessage(f"{number} finished", model="demo/rules")


def write_turn(handle: SessionHandle, name: str, number: int) -> None:
    """Write a turn, telling each commit once it is one."""
    for step, what in turn_messages(name, number):
        if isinstance(what, ToolCall):
            if step == "checkpoint":
                change = Change(f"/w/{name}{what.id}", "edit", "x", "old", f"{number}")
                asyncio.run(handle.checkpoint(what, (change,)))
            else:
                handle.mark_started(what, durable=False)
                tell("mark", handle.session_id, what.id)
        else:
            tell("ack", handle.session_id, handle.append(what), digest(what))


def run(store: SessionStore, name: str, turns: int) -> None:
    """Go on with sessions of its own, a new one now and then."""
    session = store.create(name)
    for number in itertools.count(1):
        if number % 5 == 0:
            session = store.create(f"{name} {number}")
        with store.acquire(session.id, name, snapshot=snapshot) as handle:
            for message in handle.load()[-1:]:
                tell("loaded", handle.session_id, digest(message))
            write_turn(handle, name, number)
        if number % 3 == 0:
            tell("listed", store.list(limit=5).total)
        if number == turns:
            return


def share(store: SessionStore, name: str, session_id: str, turns: int) -> None:
    """Write turns into one session that others write too; being refused is the ordinary case."""
    done = refused = 0
    while done < turns:
        try:
            with store.acquire(session_id, name, snapshot=snapshot) as handle:
                handle.load()
                write_turn(handle, name, done)
                done += 1
        except SessionLockedError as error:
            refused += 1
            if name in error.message:
                raise
    tell("shared", done, refused)


def hold(store: SessionStore, name: str, session_id: str) -> None:
    """Take a session; append a message for each line of input; tell what became of it."""
    with store.acquire(session_id, name) as handle:
        handle.load()
        tell("held")
        for line in sys.stdin:
            message = UserMessage(line.strip())
            try:
                tell("ack", session_id, handle.append(message), digest(message))
            except SessionError as error:
                tell("failed", error.kind, error.message)
        tell("ended")


def main() -> None:
    """Do what the command line says."""
    state, folder, name, order, *rest = sys.argv[1:]
    store = SessionStore.open(Path(state), Path(folder), clock=time.time, new_id=lambda: uuid.uuid4().hex)
    tell("ready")
    orders: dict[str, Callable[[], None]] = {
        "run": lambda: run(store, name, int(rest[0])),
        "share": lambda: share(store, name, rest[0], int(rest[1])),
        "hold": lambda: hold(store, name, rest[0]),
    }
    orders[order]()
    store.close()


if __name__ == "__main__":
    main()
