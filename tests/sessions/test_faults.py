"""The disk is full, broken or busy at any statement: what was acknowledged stays, the rest is as if never tried."""

import asyncio
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from steersman.agent.changes import Change, ChangeSummary
from steersman.agent.errors import StorageError, StoreUnavailableError
from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.agent.validity import check_history
from steersman.sessions.handle import SessionHandle
from steersman.sessions.opening import DATABASE_NAME
from steersman.sessions.places import store_folder
from steersman.sessions.records import Timing
from steersman.sessions.store import SessionStore
from steersman_tools.kit.workspace import Snapshot
from support.faulty_sqlite import Fault
from support.session_store import Stores, append_all, call


async def snapshot(path: str) -> Snapshot:
    return Snapshot(path, b"before", 0o644, None)


MESSAGES: list[Message] = [
    UserMessage("go"),
    AssistantMessage("", (call(1, "edit_file"),), model="demo/rules"),
    ToolMessage("c1", "done", changes=(ChangeSummary("/w/a", "edit", 1, 1),)),
    AssistantMessage("finished"),
]


@dataclass
class Course:
    """A course of everything a run asks of its session; remembers what was acknowledged."""

    session_id: str
    acknowledged: list[Message] = field(default_factory=list[Message])
    marked: bool = False
    kept: bool = False
    tokens: int = 0

    def append(self, handle: SessionHandle, message: Message) -> None:
        handle.append(message)
        self.acknowledged.append(message)

    def run(self, store: SessionStore) -> None:
        with store.acquire(self.session_id, "run", snapshot=snapshot) as handle:
            handle.load()
            self.append(handle, MESSAGES[0])
            self.append(handle, MESSAGES[1])
            asyncio.run(handle.checkpoint(call(1), (Change("/w/a", "edit", "x", "before", "after"),)))
            self.kept = True
            handle.mark_started(call(1), durable=True)
            self.marked = True
            handle.record_timing(Timing("r", 1, "tool", 1, 2, "c1"))
            self.append(handle, MESSAGES[2])
            handle.add_usage(Usage(7), 0.5)
            self.tokens += 7
            self.append(handle, MESSAGES[3])


def count_statements(stores: Stores) -> int:
    """Return how many statements the course has."""
    fault = Fault()
    store = stores.open(connect=fault.connect)
    course = Course(store.create("go").id)
    before = fault.count
    course.run(store)
    return fault.count - before


def check(stores: Stores, course: Course) -> None:
    """Look at the store with a healthy connection, as the next process does."""
    with stores.open() as store:
        assert store.find_damage() == []
        record = store.get(course.session_id)
        assert record.usage.input_tokens == course.tokens
        stored = [each.message for each in store.messages(course.session_id)]
        check_history(stored or [UserMessage("nothing yet")])
        assert stored[: len(course.acknowledged)] == course.acknowledged
        closings = stored[len(course.acknowledged) :]
        if len(course.acknowledged) == 2:
            assert [each.outcome for each in closings if isinstance(each, ToolMessage)] == [
                "interrupted" if course.marked else "aborted"
            ]
        else:
            assert closings == []
        with store.acquire(course.session_id, "next") as handle:
            assert handle.load() == stored
            handle.append(UserMessage("again"))
            assert bool(handle.plan_rewind(-1).restores) == (course.kept and (course.marked or len(closings) == 0))


@pytest.mark.parametrize(
    "code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR, sqlite3.SQLITE_BUSY, sqlite3.SQLITE_READONLY]
)
@pytest.mark.parametrize("lasts", [False, True], ids=["once", "for good"])
def test_a_failure_at_any_statement_loses_nothing_that_was_acknowledged(stores: Stores, code: int, lasts: bool):
    total = count_statements(stores)
    assert total > 20
    for at in range(total):
        fault = Fault(code=code, lasts=lasts)
        store = stores.open(connect=fault.connect)
        course = Course(store.create("go").id)
        fault.at = fault.count + at
        with suppress(StorageError):
            course.run(store)
            assert len(course.acknowledged) == len(MESSAGES), "only letting go may fail unseen"
        store.close()
        check(stores, course)


def test_what_failed_once_can_be_tried_again(stores: Stores):
    """The same handle goes on with the same number, once there is space again."""
    fault = Fault()
    store = stores.open(connect=fault.connect)
    session = store.create("go")
    with store.acquire(session.id, "run") as handle:
        for number in range(12):
            fault.at = fault.count + number % 4
            with pytest.raises(StorageError):
                handle.append(UserMessage(f"lost {number}"))
            fault.at = None
            assert handle.append(UserMessage(f"kept {number}")) == number
    assert [each.message.content for each in store.messages(session.id)] == [f"kept {number}" for number in range(12)]


def test_closings_and_the_message_come_together_or_not_at_all(stores: Stores):
    plain = stores.open()
    session = plain.create("go")
    append_all(plain, session.id, [UserMessage("go"), AssistantMessage("", (call(1), call(2)))])
    for at in range(6):
        fault = Fault()
        store = stores.open(connect=fault.connect)
        with store.acquire(session.id, "run") as handle:
            handle.load()
            fault.at = fault.count + at
            try:
                handle.append(UserMessage("again"))
            except StorageError:
                assert plain.get(session.id).messages == 2
            else:
                assert plain.get(session.id).messages == 5
                break
    else:
        pytest.fail("it never succeeded")


@pytest.mark.parametrize(
    "ask",
    [
        lambda store, session_id: store.create("other"),
        lambda store, session_id: store.rename(session_id, "other"),
        lambda store, session_id: store.fork(session_id),
        lambda store, session_id: store.delete(session_id),
        lambda store, session_id: store.acquire(session_id, "run"),
        lambda store, session_id: store.prune(older_than_s=0),
        lambda store, session_id: store.search("go"),
    ],
)
def test_any_other_request_fails_whole(stores: Stores, ask: Callable[[SessionStore, str], object]):
    healthy = stores.open()
    session = healthy.create("go")
    append_all(healthy, session.id, MESSAGES)
    for at in range(4):
        fault = Fault(lasts=True)
        store = stores.open(connect=fault.connect)
        fault.at = fault.count + at
        try:
            ask(store, session.id)
        except StorageError:
            assert [record.id for record in healthy.list().sessions] == [session.id]
            assert [each.message for each in healthy.messages(session.id)] == MESSAGES
            assert healthy.get(session.id).title == "go"
        else:
            break
        healthy.acquire(session.id, "free?").close()
        store.close()


def test_a_disk_that_is_really_full_ends_nothing_but_the_write(stores: Stores):
    """SQLite itself runs out of pages, in the middle of a statement."""
    store = stores.open()
    session = store.create("go")
    with store._database.maintaining() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]
        connection.execute(f"PRAGMA max_page_count = {pages + 40}")
    kept = 0
    with store.acquire(session.id, "run") as handle:

        def fill() -> None:
            nonlocal kept
            while True:
                handle.append(UserMessage("x" * 5000))
                kept += 1

        with pytest.raises(StoreUnavailableError, match="disk is full"):
            fill()
        assert kept > 5
        with store._database.maintaining() as connection:
            connection.execute(f"PRAGMA max_page_count = {pages + 4000}")
        assert handle.append(UserMessage("space again")) == kept
    assert len(store.messages(session.id)) == kept + 1
    assert store.find_damage() == []


FILE_LIMIT = """
import resource, signal, sys, time, uuid
from pathlib import Path
from steersman.agent.errors import StorageError
from steersman.agent.messages import UserMessage
from steersman.sessions.store import SessionStore
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
store = SessionStore.open(Path(sys.argv[1]), Path(sys.argv[2]), clock=time.time, new_id=lambda: uuid.uuid4().hex)
session = store.create("go")
with store.acquire(session.id, "run") as handle:
    resource.setrlimit(resource.RLIMIT_FSIZE, (600_000, 600_000))
    kept = 0
    try:
        while kept < 1000:
            handle.append(UserMessage("x" * 5000))
            kept += 1
    except StorageError as error:
        print(kept, error.kind, error.message)
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no file size limits there")
def test_a_file_system_that_refuses_to_write_more_loses_nothing(stores: Stores):
    """The system itself refuses the write, at an odd number of bytes."""
    arguments = [sys.executable, "-c", FILE_LIMIT, str(stores.state_dir), str(stores.folder)]
    done = subprocess.run(arguments, capture_output=True, text=True, check=True)
    kept, kind, *words = done.stdout.split()
    assert (kind, done.stderr) == ("storage", "")
    assert str(stores.state_dir) in " ".join(words)
    store = stores.open()
    assert store.find_damage() == []
    (record,) = store.list().sessions
    assert record.messages == int(kept) > 5


class TestStart:
    """What the caller needs to choose memory instead: an error of its own kind, only for reasons outside the store."""

    def test_a_state_folder_that_cannot_be_made(self, tmp_path: Path, stores: Stores):
        (tmp_path / "file").write_text("x")
        stores.state_dir = tmp_path / "file" / "state"
        with pytest.raises(StorageError):
            stores.open()

    @pytest.mark.parametrize(
        "code", [sqlite3.SQLITE_FULL, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_IOERR]
    )
    def test_a_store_that_cannot_be_created(self, stores: Stores, code: int):
        fault = Fault(at=0, code=code, lasts=True)
        with pytest.raises(StoreUnavailableError):
            stores.open(connect=fault.connect)
        assert stores.open().list().total == 0

    @pytest.mark.parametrize("at", range(0, 24, 3))
    def test_a_store_half_created_is_completed_by_the_next(self, stores: Stores, at: int):
        fault = Fault(at=at, lasts=True)
        with pytest.raises(StoreUnavailableError):
            stores.open(connect=fault.connect)
        store = stores.open()
        append_all(store, store.create("go").id, MESSAGES)
        assert store.find_damage() == []

    def test_a_database_nobody_may_write(self, stores: Stores, monkeypatch: pytest.MonkeyPatch):
        """Tests run as root, whom no permission stops: the refusal comes from SQLite's own read-only mode."""
        stores.open().close()
        path = store_folder(stores.state_dir, stores.folder) / DATABASE_NAME

        def read_only(database: str, **options: object) -> sqlite3.Connection:
            return sqlite3.connect(f"file:{path}?mode=ro", uri=True, **options)  # pyright: ignore[reportArgumentType, reportCallIssue]

        store = stores.open(connect=read_only)
        assert store.list().total == 0
        with pytest.raises(StoreUnavailableError, match="read-only"):
            store.create("go")

    def test_a_busy_database_is_not_a_reason_for_memory(self, stores: Stores):
        stores.open().close()
        fault = Fault(at=0, code=sqlite3.SQLITE_BUSY)
        store = stores.open(connect=fault.connect)
        with pytest.raises(StorageError) as failure:
            store.create("go")
        assert not isinstance(failure.value, StoreUnavailableError)

    def test_a_file_system_without_a_write_ahead_log_works_and_says_so(self, stores: Stores):
        class Rollback(sqlite3.Connection):
            def execute(self, sql: str, *values: object) -> sqlite3.Cursor:
                if sql == "PRAGMA journal_mode = WAL":
                    sql = "PRAGMA journal_mode"
                return super().execute(sql, *values)

        def connect(*arguments: object, **options: object) -> sqlite3.Connection:
            return sqlite3.connect(*arguments, factory=Rollback, **options)  # pyright: ignore[reportArgumentType, reportCallIssue]

        store = stores.open(connect=connect)
        assert "write-ahead" in store.notices[0]
        session = store.create("go")
        append_all(store, session.id, MESSAGES)
        with store._database.maintaining() as connection:
            assert connection.execute("PRAGMA synchronous").fetchone() == (2,)
        assert [each.message for each in store.messages(session.id)] == MESSAGES


def test_two_stores_that_write_at_once_wait_for_each_other(stores: Stores):
    one, other = stores.open(busy_timeout_s=0.05), stores.open(busy_timeout_s=0.05)
    session = one.create("go")
    with other.acquire(session.id, "run") as handle:
        with one._database.writing(), pytest.raises(StorageError, match="busy"):
            handle.append(UserMessage("too soon"))
        assert handle.append(UserMessage("now")) == 0
