"""A look through a whole store finds every kind of damage, mends the index alone, and deletes nothing."""

import sqlite3
from contextlib import closing

import pytest

from steersman.agent.changes import Change, text_digest
from steersman.agent.messages import AssistantMessage, UserMessage
from steersman.sessions.opening import DATABASE_NAME
from steersman.sessions.places import store_folder
from steersman.sessions.store import SessionStore
from support.session_store import Stores, append_all, call
from support.session_worker import snapshot


@pytest.fixture
def path(stores: Stores):
    return store_folder(stores.state_dir, stores.folder) / DATABASE_NAME


@pytest.fixture
def store(stores: Stores) -> SessionStore:
    store = stores.open()
    for text in ("first words", "second words"):
        append_all(store, store.create(text).id, [UserMessage(text), AssistantMessage("answer")])
    return store


def spoil(path, *statements):
    with closing(sqlite3.connect(path)) as connection:
        for statement in statements:
            connection.execute(statement)
        connection.commit()


def test_a_sound_store_is_sound(store: SessionStore):
    found = store.check_up()
    assert found.is_sound
    assert (found.sessions, found.unreadable, found.set_aside) == (("s2", "s1"), (), ())


def test_a_store_in_memory_has_no_path_and_is_sound(stores: Stores):
    found = stores.in_memory().check_up()
    assert (found.is_sound, found.path) == (True, "")


def test_a_session_with_a_message_that_cannot_be_read_is_named(store: SessionStore, path):
    spoil(path, "UPDATE message SET extra = '[' WHERE session = 1 AND seq = 1")
    found = store.check_up()
    assert (found.is_sound, found.sessions, found.unreadable) == (False, ("s2",), ("s1",))


async def test_a_kept_content_that_is_not_what_its_name_says_is_counted(store: SessionStore, stores: Stores, path):
    file = stores.folder / "a.txt"
    file.write_text("before\n")
    with store.acquire("s1", "test", snapshot=snapshot) as handle:
        handle.append(UserMessage("change it"))
        handle.append(AssistantMessage("", (call(1),)))
        change = Change(str(file), "edit", text_digest("before\n"), "before\n", "after\n", display="a.txt")
        await handle.checkpoint(call(1), (change,))
    assert store.check_up().lost_contents == 0
    spoil(path, "UPDATE blob SET data = x'00'")
    found = store.check_up()
    assert (found.is_sound, found.lost_contents, found.unreadable) == (False, 1, ())


def test_a_row_that_belongs_to_nothing_is_told(store: SessionStore, path):
    spoil(path, "INSERT INTO message (session, seq, role, created_at, content) VALUES (99, 0, 'user', 0, 'lost')")
    found = store.check_up()
    assert found.problems == ("a row of message belongs to nothing",)


def test_pages_that_were_overwritten_are_told_and_never_raise(stores: Stores, path):
    """Each page in turn, as after a fault of the disk or a copy in the middle of a write."""
    store = stores.open()
    for number in range(4):
        append_all(store, store.create("go").id, [UserMessage(f"{number} {'x' * 3000}")])
    store.search("x")
    store.close()
    for companion in ("-wal", "-shm"):
        path.with_name(path.name + companion).unlink(missing_ok=True)
    sound = path.read_bytes()
    size = 4096
    noticed = 0
    for page in range(1, len(sound) // size):
        path.write_bytes(sound[: page * size] + b"\xa5" * size + sound[(page + 1) * size :])
        broken = stores.open()
        try:
            noticed += not broken.check_up().is_sound or bool(broken.notices)
        finally:
            broken.close()
        for companion in ("-wal", "-shm"):
            path.with_name(path.name + companion).unlink(missing_ok=True)
    assert noticed > len(sound) // size // 2


def test_a_wrong_search_index_is_mended_and_is_no_damage(store: SessionStore, path):
    assert store.search("first")
    spoil(path, "INSERT INTO message_index (rowid, content, words) VALUES (9999, 'ghost', '')")
    found = store.check_up()
    assert (found.is_sound, found.index_mended) == (True, True)
    assert [hit.session.id for hit in store.search("second")] == ["s2"]
    assert not store.check_up().index_mended
