"""Databases of every past schema, of a later one, of another program, and damaged ones (DESIGN S6).

``fixtures/sessions/schema_N.sql`` is a dump of what a program with N migrations wrote. A new migration adds one; the
old ones never change.
"""

import sqlite3
import subprocess
import sys
import threading
from contextlib import closing
from pathlib import Path

import pytest

from steersman.agent.errors import StorageError
from steersman.agent.messages import AssistantMessage, ProviderData, ToolCall, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.sessions.migrate import APPLICATION_ID, list_migrations
from steersman.sessions.opening import DATABASE_NAME
from steersman.sessions.places import store_folder
from support.session_store import Stores, append_all

FIXTURES = Path(__file__).parent.parent / "fixtures" / "sessions"
PAST = sorted(FIXTURES.glob("schema_*.sql"), key=lambda path: int(path.stem.split("_")[1]))


def place(stores: Stores) -> Path:
    folder = store_folder(stores.state_dir, stores.folder)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def write_database(stores: Stores, script: str) -> Path:
    path = place(stores) / DATABASE_NAME
    with closing(sqlite3.connect(path)) as connection:
        connection.executescript(script)
    return path


def schema(path: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(path)) as connection:
        rows = connection.execute("SELECT name, sql FROM sqlite_master WHERE sql IS NOT NULL ORDER BY name").fetchall()
    return [(name, " ".join(sql.split())) for name, sql in rows]


def test_there_is_a_fixture_for_every_schema():
    assert [int(path.stem.split("_")[1]) for path in PAST] == [each.number for each in list_migrations()]


def test_migrations_are_numbered_without_gaps():
    assert [each.number for each in list_migrations()] == list(range(1, len(list_migrations()) + 1))


@pytest.mark.parametrize("fixture", PAST, ids=lambda path: path.stem)
def test_a_database_of_any_past_schema_is_brought_up_to_date(stores: Stores, fixture: Path, tmp_path: Path):
    path = write_database(stores, fixture.read_text("utf-8"))
    store = stores.open()
    assert store.notices == ()
    record = store.get("old1")
    assert (record.title, record.messages, record.cost) == ("Fix the parser", 5, 0.5)
    assert record.usage == Usage(96, 0, 0, 66)
    assert not store.get("old2").running
    assert [each.message for each in store.messages("old1")] == [
        UserMessage("Fix the parser"),
        AssistantMessage(
            "I look at it.",
            (
                ToolCall("c1", "read_file", '{"path":"src/parser.py"}'),
                ToolCall("c2", "run_command", '{"command":"make"}'),
            ),
            reasoning="hm",
            model="demo/rules",
            provider_data=ProviderData("demo", {"sig": "x"}),
        ),
        ToolMessage("c1", "def parse(): ...", seen={"/home/person/project/src/parser.py": "ab12"}),
        ToolMessage("c2", "interrupted: outcome unknown", is_error=True, outcome="interrupted"),
        AssistantMessage("Grüße, done.", model="demo/rules"),
    ]
    assert [hit.session.id for hit in store.search("parser")] == ["old1"]
    assert append_all(store, "old1", [UserMessage("on")]) == [5]
    store.close()
    fresh = Stores(tmp_path / "fresh", stores.folder)
    fresh.open().search("x")
    fresh.close()
    assert schema(path) == schema(place(fresh) / DATABASE_NAME)


def test_bringing_up_to_date_happens_once(stores: Stores):
    write_database(stores, PAST[0].read_text("utf-8"))
    stores.open().close()
    assert stores.open().list().total == 2


def test_a_newer_schema_is_refused_and_left_alone(stores: Stores):
    path = write_database(stores, f"{PAST[-1].read_text('utf-8')}; PRAGMA user_version = 999;")
    before = path.read_bytes()
    with pytest.raises(StorageError, match=r"newer Steersman \(schema 999") as failure:
        stores.open()
    assert "Update Steersman" in (failure.value.hint or "")
    assert path.read_bytes() == before
    assert [each.name for each in path.parent.glob("*.db*")] == [DATABASE_NAME]


def test_a_database_of_another_program_is_refused_and_left_alone(stores: Stores):
    path = write_database(stores, "CREATE TABLE bookmarks (url TEXT); INSERT INTO bookmarks VALUES ('x');")
    before = path.read_bytes()
    with pytest.raises(StorageError, match="another program"):
        stores.open()
    assert path.read_bytes() == before


DAMAGE = {
    "not a database": b"this is no database, only some text that is long enough to be looked at" * 20,
    "zeros": bytes(8192),
    "a cut header": b"SQLite format 3\0" + b"\xff" * 40,
}


@pytest.mark.parametrize("name", DAMAGE)
def test_a_file_that_is_no_database_is_kept_under_another_name(stores: Stores, name: str):
    path = place(stores) / DATABASE_NAME
    path.write_bytes(DAMAGE[name])
    store = stores.open()
    kept = list(path.parent.glob("sessions.damaged-*.db"))
    assert [each.read_bytes() for each in kept] == [DAMAGE[name]]
    assert str(kept[0]) in store.notices[0]
    append_all(store, store.create("go").id, [UserMessage("works")])
    assert stores.open().notices == ()


def test_a_database_with_a_destroyed_schema_is_kept_under_another_name(stores: Stores):
    store = stores.open()
    append_all(store, store.create("go").id, [UserMessage("hello")])
    store.close()
    path = place(stores) / DATABASE_NAME
    data = bytearray(path.read_bytes())
    data[100:400] = b"\xee" * 300
    path.write_bytes(data)
    assert "damaged" in stores.open().notices[0]
    assert [each.read_bytes() for each in path.parent.glob("sessions.damaged-*.db")] == [bytes(data)]


def test_several_damaged_ones_are_all_kept(stores: Stores):
    path = place(stores) / DATABASE_NAME
    for number in range(3):
        path.write_bytes(f"damaged {number}".encode() * 100)
        stores.clock.now = 1_700_000_000.0
        stores.open().close()
    kept = sorted(each.read_bytes()[:9] for each in path.parent.glob("sessions.damaged-*.db"))
    assert kept == [b"damaged 0", b"damaged 1", b"damaged 2"]


def test_damage_that_shows_later_is_told_and_nothing_is_deleted(stores: Stores):
    """The schema is sound, a page of messages is not."""
    store = stores.open()
    session = store.create("go")
    append_all(store, session.id, [UserMessage("x" * 3000) for _ in range(40)])
    store.close()
    path = place(stores) / DATABASE_NAME
    data = bytearray(path.read_bytes())
    for page in range(0, len(data), 4096):
        if b"x" * 500 in data[page : page + 4096]:
            data[page : page + 4096] = b"\xee" * 4096
    path.write_bytes(data)
    again = stores.open()
    with pytest.raises(StorageError, match="damaged"):
        again.messages(session.id)
    again.close()
    assert path.stat().st_size == len(data)


def test_a_message_that_cannot_be_read_is_told_as_damage(stores: Stores):
    store = stores.open()
    session = store.create("go")
    append_all(store, session.id, [UserMessage("hello", "host")])
    with closing(sqlite3.connect(place(stores) / DATABASE_NAME)) as connection:
        connection.execute("UPDATE message SET extra = '{\"origin\": '")
        connection.commit()
    with pytest.raises(StorageError, match="damaged"):
        store.messages(session.id)


def test_an_empty_file_is_a_new_database(stores: Stores):
    (place(stores) / DATABASE_NAME).touch()
    assert stores.open().list().total == 0


def test_a_copy_of_a_store_works_elsewhere(stores: Stores, tmp_path: Path):
    """Copied without its write-ahead log, in use or not: a consistent earlier state."""
    store = stores.open()
    append_all(store, store.create("go").id, [UserMessage("hello")])
    store.close()
    stores.open()
    copy = Stores(tmp_path / "copy", stores.folder)
    (place(copy) / DATABASE_NAME).write_bytes((place(stores) / DATABASE_NAME).read_bytes())
    assert copy.open().list().total == 1
    copy.close()


def test_the_file_is_marked_as_ours(stores: Stores):
    stores.open().close()
    with closing(sqlite3.connect(place(stores) / DATABASE_NAME)) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION_ID,)
        assert connection.execute("PRAGMA auto_vacuum").fetchone() == (2,)


@pytest.mark.parametrize("start", ["nothing", "schema 1", "damaged"])
def test_threads_that_open_it_at_once_all_get_it(stores: Stores, start: str):
    if start == "schema 1":
        write_database(stores, PAST[0].read_text("utf-8"))
    elif start == "damaged":
        (place(stores) / DATABASE_NAME).write_bytes(b"damaged" * 1000)
    ready, failures = threading.Barrier(6), list[BaseException]()

    def work() -> None:
        ready.wait()
        try:
            stores.open().create("hello")
        except BaseException as error:  # noqa: BLE001 - told by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert stores.open().list().total == (8 if start == "schema 1" else 6)


OPEN = """
import sys, time, uuid
from pathlib import Path
from steersman.sessions.store import SessionStore
sys.stdin.readline()
store = SessionStore.open(Path(sys.argv[1]), Path(sys.argv[2]), clock=time.time, new_id=lambda: uuid.uuid4().hex)
store.create("hello")
print(store.list().total > 0)
"""


def test_processes_that_open_it_at_once_all_get_it(stores: Stores):
    arguments = [sys.executable, "-c", OPEN, str(stores.state_dir), str(stores.folder)]
    processes = [
        subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        for _ in range(5)
    ]
    for process in processes:
        assert process.stdin is not None
        process.stdin.write("go\n")
        process.stdin.flush()
    outcomes = [process.communicate() for process in processes]
    assert outcomes == [("True\n", "")] * 5
    assert stores.open().list().total == 5
