"""Old sessions are pruned with all that belongs to them; the rest is left alone."""

from dataclasses import dataclass, field
from pathlib import Path

import pytest

from steersman.agent.changes import Change
from steersman.agent.errors import InvalidRequestError
from steersman.agent.messages import AssistantMessage, UserMessage
from steersman.sessions.store import SessionStore
from steersman_tools.kit.workspace import Snapshot
from support.session_store import Stores, append_all, call

DAY_S = 86_400.0


@pytest.fixture
def store(stores: Stores) -> SessionStore:
    return stores.open()


def aged(store: SessionStore, stores: Stores, *ages_in_days: float) -> list[str]:
    """Make a session for each age; the clock stands at "now" afterwards."""
    now, made = stores.clock.now, list[str]()
    for age in ages_in_days:
        stores.clock.now = now - age * DAY_S
        session = store.create("go")
        append_all(store, session.id, [UserMessage("hello")])
        made.append(session.id)
    stores.clock.now = now
    return made


def left(store: SessionStore) -> set[str]:
    return {record.id for record in store.list().sessions}


def test_only_old_sessions_go(store: SessionStore, stores: Stores):
    old, young = aged(store, stores, 100, 10)
    pruned = store.prune(older_than_s=90 * DAY_S)
    assert [record.id for record in pruned.sessions] == [old]
    assert left(store) == {young}


def test_the_latest_are_kept_however_old(store: SessionStore, stores: Stores):
    made = aged(store, stores, 400, 300, 200, 100)
    store.prune(older_than_s=90 * DAY_S, keep=3)
    assert left(store) == set(made[1:])


def test_a_dry_run_only_tells(store: SessionStore, stores: Stores):
    old, _ = aged(store, stores, 100, 10)
    pruned = store.prune(older_than_s=90 * DAY_S, dry_run=True)
    assert [record.id for record in pruned.sessions] == [old]
    assert pruned.freed_bytes == 0
    assert len(left(store)) == 2


@pytest.mark.parametrize("dry_run", [True, False])
def test_a_session_at_work_stays(store: SessionStore, stores: Stores, dry_run: bool):
    held, old = aged(store, stores, 200, 100)
    with stores.open().acquire(held, "elsewhere"):
        pruned = store.prune(older_than_s=90 * DAY_S, dry_run=dry_run)
    assert pruned.kept_running == (held,)
    assert [record.id for record in pruned.sessions] == [old]
    assert held in left(store)


@pytest.mark.parametrize("asked", [{"older_than_s": -1.0}, {"older_than_s": 1.0, "keep": -1}])
def test_negative_numbers_make_no_sense(store: SessionStore, asked: dict[str, float]):
    with pytest.raises(InvalidRequestError):
        store.prune(**asked)  # pyright: ignore[reportArgumentType]


@dataclass
class Files:
    """What stands at each path, for checkpoints."""

    contents: dict[str, bytes] = field(default_factory=dict[str, bytes])

    async def snapshot(self, path: str) -> Snapshot:
        return Snapshot(path, self.contents[path], 0o644, None)


async def checkpointed(store: SessionStore, files: Files, path: str) -> str:
    session = store.create("go")
    with store.acquire(session.id, "test", snapshot=files.snapshot) as handle:
        handle.append(UserMessage("go"))
        handle.append(AssistantMessage("", (call(1, "edit_file"),)))
        await handle.checkpoint(call(1), (Change(path, "edit", "x", "old", "new"),))
    return session.id


async def test_checkpoints_go_with_their_last_session(store: SessionStore, stores: Stores):
    files = Files({"/a": b"shared " * 1000, "/b": b"own " * 1000})
    stores.clock.now -= 100 * DAY_S
    await checkpointed(store, files, "/a")
    await checkpointed(store, files, "/b")
    stores.clock.now += 100 * DAY_S
    stays = await checkpointed(store, files, "/a")
    before = store.size().checkpoint_bytes
    store.prune(older_than_s=90 * DAY_S)
    assert left(store) == {stays}
    assert 0 < store.size().checkpoint_bytes < before
    with store.acquire(stays, "test") as handle:
        assert handle.plan_rewind(-1).restores[0].wanted.data == files.contents["/a"]
    assert store.find_damage() == []


def test_the_space_is_given_back(store: SessionStore, stores: Stores):
    now = stores.clock.now
    stores.clock.now -= 100 * DAY_S
    session = store.create("go")
    append_all(store, session.id, [UserMessage(f"{number} " * 20_000) for number in range(30)])
    store.search("x")
    stores.clock.now = now
    before = store.size().disk_bytes
    pruned = store.prune(older_than_s=90 * DAY_S)
    assert store.size().disk_bytes < before / 4
    assert store.size().disk_bytes == before - pruned.freed_bytes


def test_nothing_of_a_deleted_conversation_stays_in_the_file(store: SessionStore, stores: Stores):
    session = store.create("go")
    append_all(store, session.id, [UserMessage("unforgettable-word " * 50)])
    store.search("word")
    store.delete(session.id)
    for path in stores.state_dir.rglob("sessions.db*"):
        assert b"unforgettable" not in path.read_bytes()


def test_the_size_counts_everything(store: SessionStore):
    session = store.create("go")
    append_all(store, session.id, [UserMessage("a"), AssistantMessage("b")])
    size = store.size()
    assert (size.sessions, size.messages, size.checkpoint_bytes) == (1, 2, 0)
    assert size.disk_bytes >= Path(size.path).stat().st_size


def test_in_memory_nothing_is_on_the_disk(stores: Stores):
    store = stores.in_memory()
    aged(store, stores, 100)
    assert (store.size().path, store.size().disk_bytes) == ("", 0)
    assert len(store.prune(older_than_s=90 * DAY_S).sessions) == 1


def test_a_sound_store_has_no_damage(store: SessionStore):
    append_all(store, store.create("go").id, [UserMessage("a")])
    assert store.find_damage() == []
