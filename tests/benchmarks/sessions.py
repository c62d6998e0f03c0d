"""The session store beside plain SQLite doing the same (DESIGN §9, issue "Conversations that survive"). Prints a table.

Plain SQLite means: the same pragmas, one table of the same texts, no ledger, no locks, no objects.
"""

from __future__ import annotations

import itertools
import json
import sqlite3
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from steersman.agent.messages import AssistantMessage, Message, ToolCall, ToolMessage, UserMessage
from steersman.sessions.store import SessionStore

_ROUNDS = 5
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
        self.connection.execute("CREATE TABLE session (key INTEGER PRIMARY KEY, title TEXT, updated REAL)")
        self.connection.execute(
            "CREATE TABLE message (id INTEGER PRIMARY KEY, session INTEGER, seq INTEGER, body TEXT)"
        )
        self.connection.execute("CREATE UNIQUE INDEX place ON message (session, seq)")
        self.connection.execute("CREATE VIRTUAL TABLE words USING fts5 (body, content='message', content_rowid='id')")

    def append(self, session: int, seq: int, body: str) -> None:
        """Commit one message."""
        self.connection.execute("BEGIN IMMEDIATE")
        self.connection.execute("INSERT INTO message (session, seq, body) VALUES (?, ?, ?)", (session, seq, body))
        self.connection.execute("UPDATE session SET updated = ? WHERE key = ?", (time.time(), session))
        self.connection.execute("COMMIT")

    def index(self) -> None:
        """Index all words."""
        self.connection.execute("INSERT INTO words (rowid, body) SELECT id, body FROM message")


def body_of(message: Message) -> str:
    """Return the message as one JSON text."""
    return json.dumps({"role": message.role, "content": message.content, "more": repr(message)[:200]})


def best(call: Callable[[], object], rounds: int = _ROUNDS) -> float:
    """Return the best time in seconds."""
    times: list[float] = []
    for _ in range(rounds):
        start = time.perf_counter()
        call()
        times.append(time.perf_counter() - start)
    return min(times)


def open_store(place: Path) -> SessionStore:
    """Open a store in an empty folder."""
    ids = itertools.count()
    return SessionStore.open(place / "state", place, clock=time.time, new_id=lambda: f"s{next(ids)}")


def bench_append_and_load(place: Path) -> list[tuple[str, float, float]]:
    """Append 10,000 messages one by one, and load them."""
    conversation = messages(10_000)
    bodies = [body_of(message) for message in conversation]
    store, plain = open_store(place), Plain(place / "plain.db")
    session = store.create("bench")
    plain.connection.execute("INSERT INTO session VALUES (1, 'bench', 0)")
    with store.acquire(session.id, "bench") as handle:
        start = time.perf_counter()
        for message in conversation:
            handle.append(message)
        ours = (time.perf_counter() - start) / len(conversation)
    start = time.perf_counter()
    for seq, body in enumerate(bodies):
        plain.append(1, seq, body)
    theirs = (time.perf_counter() - start) / len(bodies)

    def load() -> None:
        with store.acquire(session.id, "bench") as handle:
            assert len(handle.load()) == len(conversation)

    def plain_load() -> None:
        rows = plain.connection.execute("SELECT body FROM message WHERE session = 1 ORDER BY seq")
        assert len([json.loads(row[0]) for row in rows]) == len(conversation)

    rows = [("append one message", ours, theirs), ("load 10,000 messages", best(load), best(plain_load))]
    store.close()
    return rows


def bench_list(place: Path) -> list[tuple[str, float, float]]:
    """List 1,000 sessions."""
    store, plain = open_store(place), Plain(place / "plain.db")
    for number in range(1000):
        store.create(f"session {number}")
        plain.connection.execute("INSERT INTO session (title, updated) VALUES (?, 0)", (f"session {number}",))

    def plain_list() -> None:
        plain.connection.execute("SELECT * FROM session ORDER BY key DESC LIMIT 1000").fetchall()

    row = ("list 1,000 sessions", best(lambda: store.list(limit=1000)), best(plain_list))
    store.close()
    return [row]


def bench_search(place: Path) -> list[tuple[str, float, float]]:
    """Search 100,000 messages: the first time, which indexes them, and again."""
    conversation = messages(1000)
    store, plain = open_store(place), Plain(place / "plain.db")
    for number in range(100):
        session = store.create(f"session {number}")
        with store.acquire(session.id, "bench") as handle:
            for seq, message in enumerate(conversation):
                handle.append(message)
                plain.append(number, seq, message.content)
    rows = [("index 100,000 messages", best(lambda: store.search("nothing"), 1), best(plain.index, 1))]
    for words, query in (("a rare word", "module77"), ("two common words", "alpha omicron")):
        match = " AND ".join(f'"{word}"*' for word in query.split())

        def plain_search(match: str = match) -> None:
            plain.connection.execute(
                "SELECT rowid, rank FROM words WHERE words MATCH ? ORDER BY rank LIMIT 20", (match,)
            ).fetchall()

        rows.append((f"search them for {words}", best(lambda query=query: store.search(query)), best(plain_search)))
    store.close()
    return rows


def main() -> None:
    """Print the table."""
    print(f"{'':36}{'ours':>12}{'plain SQLite':>14}{'ratio':>8}")
    for bench in (bench_append_and_load, bench_list, bench_search):
        with tempfile.TemporaryDirectory() as folder:
            for name, ours, theirs in bench(Path(folder)):
                print(f"{name:36}{ours * 1000:>9.3f} ms{theirs * 1000:>11.3f} ms{ours / theirs:>8.1f}")


if __name__ == "__main__":
    main()
