"""The session store beside plain SQLite doing the same.

Plain SQLite means: the same pragmas, one table of the same texts, no ledger, no locks, no objects.
"""

from __future__ import annotations

import asyncio
import itertools
import json
import sqlite3
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from benchmarks.rows import Row, Suite, Target, at_most
from benchmarks.timing import Pair, in_turn
from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from steersman.sessions.store import SessionStore

_ROUNDS = 7
_WORDS = [
    "alpha",
    "beta",
    "gamma",
    "delta",
    "epsilon",
    "zeta",
    "eta",
    "theta",
    "iota",
    "kappa",
    "lambda",
    "mu",
    "nu",
    "xi",
    "omicron",
    "pi",
    "rho",
    "sigma",
    "tau",
]


def messages(amount: int) -> list[Message]:
    """Return a conversation of prompts, calls, results and answers of ordinary size."""
    made: list[Message] = []
    for number in itertools.count():
        words = " ".join(_WORDS[(number * step) % len(_WORDS)] for step in range(1, 40))
        call = ToolCall(f"c{number}", "read_file", json.dumps({"path": f"src/module{number}.py"}))
        made += [
            UserMessage(f"Question {number}: {words}"),
            AssistantMessage(f"I look: {words}", (call,), model="demo/rules"),
            ToolMessage(call.id, f"{words}\n" * 8, seen={f"/w/src/module{number}.py": "ab" * 32}),
            AssistantMessage(f"Answer {number}: {words}", model="demo/rules"),
        ]
        if len(made) >= amount:
            return made[:amount]
    raise AssertionError


class Plain:
    """SQLite as it is."""

    def __init__(self, path: Path) -> None:
        self.connection = sqlite3.connect(path, isolation_level=None)
        self.connection.execute("PRAGMA journal_mode = WAL")
        self.connection.execute("PRAGMA synchronous = NORMAL")
        self.connection.execute(
            "CREATE TABLE session (key INTEGER PRIMARY KEY, id TEXT, title TEXT, folder TEXT, model TEXT, parent TEXT,"
            " created REAL, updated REAL, messages INTEGER, cost REAL, input INTEGER, cached INTEGER, written INTEGER,"
            " output INTEGER, reasoning INTEGER, estimated INTEGER, holder TEXT)"
        )
        self.connection.execute(
            "CREATE TABLE message (id INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, body TEXT)"
        )
        self.connection.execute("CREATE UNIQUE INDEX place ON message (session, seq)")
        self.connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content='message', content_rowid='id')")

    def begin(self, number: int) -> None:
        """Put a session in, with all that a list shows of one."""
        self.connection.execute(
            "INSERT INTO session VALUES (?, ?, ?, '/w', 'demo/rules', NULL, 0, 0, 0, NULL, 0, 0, 0, 0, 0, 0, NULL)",
            (number, f"s{number}", f"session {number}"),
        )

    def insert(self, session: int, seq: int, body: str) -> None:
        """Put one message in."""
        self.connection.execute("INSERT INTO message (session, seq, body) VALUES (?, ?, ?)", (session, seq, body))

    def append(self, session: int, seq: int, body: str) -> None:
        """Commit one message."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.insert(session, seq, body)
        self.connection.execute("UPDATE session SET updated = ? WHERE key = ?", (time.time(), session))
        self.connection.execute("COMMIT")

    def index(self) -> None:
        """Index all words."""
        self.connection.execute("INSERT INTO words (rowid, body) SELECT id, body FROM message")


def body_of(message: Message) -> str:
    """Return the message as one JSON text."""
    return json.dumps({"role": message.role, "content": message.content, "more": repr(message)[:200]})


def said_in(message: Message) -> str:
    """Return what a search finds of the message: its text, and the arguments of its calls."""
    calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
    return " ".join([message.content, *(call.arguments for call in calls)])


def open_store(place: Path) -> SessionStore:
    """Open a store in an empty folder."""
    ids = itertools.count()
    return SessionStore.open(place / "state", place, clock=time.time, new_id=lambda: f"s{next(ids)}")


def beside(name: str, ours: Callable[[], object], floor: Callable[[], object], target: Target | None = None) -> Row:
    """Measure one row."""
    pair = asyncio.run(in_turn(ours, floor, _ROUNDS))
    return Row(name, pair.ours, pair.floor, target=target)


def append_and_load(place: Path) -> Iterator[Row]:
    """Append 10,000 messages one by one, and load them."""
    conversation = messages(10_000)
    bodies = [body_of(message) for message in conversation]
    store, plain = open_store(place), Plain(place / "plain.db")
    session = store.create("bench")
    plain.begin(1)
    with store.acquire(session.id, "bench") as handle:
        took = asyncio.run(_append(handle.append, plain, conversation, bodies))
    yield Row("append one message", took.ours, took.floor)

    def load() -> None:
        with store.acquire(session.id, "bench") as handle:
            assert len(handle.load()) == len(conversation)

    def plain_load() -> None:
        rows = plain.connection.execute("SELECT body FROM message WHERE session = 1 ORDER BY seq")
        assert len([json.loads(row[0]) for row in rows]) == len(conversation)

    yield beside("open a session of 10,000 messages", load, plain_load, at_most(0.1))
    store.close()


async def _append(
    ours: Callable[[Message], object], plain: Plain, conversation: list[Message], bodies: list[str], batch: int = 1000
) -> Pair:
    """Return what one message costs, batches of both in turn."""
    starts = iter(range(0, len(bodies), batch)), iter(range(0, len(bodies), batch))

    def append_ours() -> None:
        first = next(starts[0])
        for message in conversation[first : first + batch]:
            ours(message)

    def append_plain() -> None:
        first = next(starts[1])
        for seq in range(first, first + batch):
            plain.append(1, seq, bodies[seq])

    pair = await in_turn(append_ours, append_plain, len(bodies) // batch - 1)
    return Pair(pair.ours / batch, pair.floor / batch)


def listing(place: Path) -> Iterator[Row]:
    """List 1,000 sessions."""
    store, plain = open_store(place), Plain(place / "plain.db")
    for number in range(1000):
        store.create(f"session {number}")
        plain.begin(number)

    def plain_list() -> None:
        plain.connection.execute("SELECT * FROM session ORDER BY key DESC LIMIT 1000").fetchall()

    yield beside("list 1,000 sessions", lambda: store.list(limit=1000), plain_list)
    store.close()


def searching(place: Path) -> Iterator[Row]:
    """Search 100,000 messages in 100 sessions: the first time, which indexes them, and again."""
    conversation = messages(1000)
    store, plain = open_store(place), Plain(place / "plain.db")
    first = store.create("session 0")
    with store.acquire(first.id, "bench") as handle:
        for message in conversation:
            handle.append(message)
    plain.connection.execute("BEGIN")
    for number in range(100):
        if number:
            store.fork(first.id)
        for seq, message in enumerate(conversation):
            plain.insert(number, seq, said_in(message))
    plain.connection.execute("COMMIT")
    began = time.perf_counter()
    plain.index()
    between = time.perf_counter()
    store.search("nothing")
    yield Row("index 100,000 messages", time.perf_counter() - between, between - began)
    for words, query in (("a rare word", "module77"), ("two common words", "alpha omicron")):
        match = " AND ".join(f'"{word}"*' for word in query.split())

        def plain_search(match: str = match) -> None:
            plain.connection.execute(
                "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20", (match,)
            ).fetchall()

        yield beside(f"search them for {words}", lambda query=query: store.search(query), plain_search)
    store.close()


def rows() -> Iterator[Row]:
    """Measure all of it."""
    for bench in (append_and_load, listing, searching):
        with tempfile.TemporaryDirectory() as folder:
            yield from bench(Path(folder))


SUITE = Suite("sessions", "The session store", "plain SQLite doing the same", rows)
