"""What changes would overwrite is kept, what they left is noted, and the plan to take them back is right."""

from dataclasses import dataclass, field

import pytest
from hypothesis import given
from hypothesis import strategies as st

from steersman.agent.changes import Change, ChangeSummary, text_digest
from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage
from steersman.sessions.blobs import make_blob
from steersman.sessions.checkpoints import (
    ABSENT,
    Restore,
    Touch,
    bytes_state,
    plan_restores,
    planned_states,
    probable_state,
    text_state,
)
from steersman.sessions.handle import SessionHandle
from steersman.sessions.store import SessionStore
from steersman_tools.kit.workspace import Snapshot
from support.session_store import Stores, call


@dataclass
class World:
    """What stands at each path, as snapshots."""

    files: dict[str, bytes | None] = field(default_factory=dict[str, bytes | None])
    buffers: dict[str, str] = field(default_factory=dict[str, str])

    async def snapshot(self, path: str) -> Snapshot:
        data = self.files.get(path)
        return Snapshot(path, data, None if data is None else 0o644, self.buffers.get(path))


@pytest.fixture
def world() -> World:
    return World({"/w/a": b"old", "/w/b": b"\xff\x00"})


@pytest.fixture
def store(stores: Stores) -> SessionStore:
    return stores.open()


@pytest.fixture
def handle(store: SessionStore, world: World):
    with store.acquire(store.create("go").id, "test", snapshot=world.snapshot) as held:
        held.append(UserMessage("go"))
        yield held


def edit(path: str, after: str = "new") -> Change:
    return Change(path, "edit", "x", "old", after)


async def checkpoint(handle: SessionHandle, *changes: Change, number: int = 1) -> None:
    """Let the model call, and take the checkpoint of the call."""
    handle.append(AssistantMessage("", (call(number, "edit_file"),)))
    await handle.checkpoint(call(number), changes)


def plan(handle: SessionHandle, last_kept: int = 0) -> list[Restore]:
    return list(handle.plan_rewind(last_kept).restores)


def result(*paths: str, seen: dict[str, str] | None = None, **fields: object) -> ToolMessage:
    summaries = tuple(ChangeSummary(path, "edit", 1, 1) for path in paths)
    return ToolMessage("c1", "done", changes=summaries, seen=seen or {}, **fields)  # pyright: ignore[reportArgumentType]


def test_each_kind_of_change_has_the_states_it_leaves():
    changes = (
        edit("/w/a"),
        Change("/w/new", "create", None, None, "text"),
        Change("/w/gone", "delete", "x", "old", None),
        Change("/w/to", "move", "x", "old", "old", moved_from="/w/from"),
        Change("/w/bin2", "move", "beef", None, None, moved_from="/w/bin"),
    )
    assert planned_states(changes) == {
        "/w/a": text_state("new"),
        "/w/new": text_state("text"),
        "/w/gone": ABSENT,
        "/w/from": ABSENT,
        "/w/to": text_state("old"),
        "/w/bin": ABSENT,
        "/w/bin2": "bytes:beef",
    }


def test_the_last_change_of_a_path_counts():
    """A patch may move a file and then edit it."""
    changes = (Change("/w/b", "move", "x", "t", "t", moved_from="/w/a"), edit("/w/b", "more"))
    assert planned_states(changes) == {"/w/a": ABSENT, "/w/b": text_state("more")}


@pytest.mark.parametrize(
    ("snapshot", "state"),
    [
        (Snapshot("/a", None, None, None), ABSENT),
        (Snapshot("/a", b"text", 0o644, None), text_state("text")),
        (Snapshot("/a", b"\xef\xbb\xbftext", 0o644, None), text_state("text")),
        (Snapshot("/a", b"\xff", 0o644, None), bytes_state(b"\xff")),
        (Snapshot("/a", b"disk", 0o644, "buffer"), text_state("buffer")),
        (Snapshot("/a", None, None, "never saved"), text_state("never saved")),
    ],
)
def test_the_state_of_what_was_snapped(snapshot: Snapshot, state: str):
    assert probable_state(snapshot) == state


async def test_what_stood_there_comes_back_byte_by_byte(handle: SessionHandle, world: World):
    world.buffers["/w/a"] = "unsaved \ud83d text"
    await checkpoint(handle, edit("/w/a"), edit("/w/b"), edit("/w/new"))
    assert [restore.wanted for restore in plan(handle)] == [
        Snapshot("/w/new", None, None, None),
        Snapshot("/w/b", b"\xff\x00", 0o644, None),
        Snapshot("/w/a", b"old", 0o644, "unsaved \ud83d text"),
    ]


async def test_a_large_file_is_kept_too(handle: SessionHandle, world: World):
    world.files["/w/a"] = bytes(range(256)) * 8000
    await checkpoint(handle, edit("/w/a"))
    assert plan(handle)[0].wanted.data == world.files["/w/a"]


async def test_a_path_that_is_not_utf_8_is_kept(handle: SessionHandle, world: World):
    path = "/w/caf\udce9"
    world.files[path] = b"x"
    await checkpoint(handle, edit(path))
    assert plan(handle)[0].wanted == Snapshot(path, b"x", 0o644, None)


async def test_without_a_snapshot_nothing_is_kept(store: SessionStore):
    with store.acquire(store.create("go").id, "test") as handle:
        handle.append(UserMessage("go"))
        await checkpoint(handle, edit("/w/a"))
        assert plan(handle) == []


async def test_the_same_content_is_kept_once(handle: SessionHandle, world: World, store: SessionStore):
    world.files["/w/b"] = b"old"
    await checkpoint(handle, edit("/w/a"), edit("/w/b"))
    assert store.size().checkpoint_bytes == len(make_blob(b"old").data)


async def test_what_the_change_left_is_what_was_seen_afterwards(handle: SessionHandle):
    """What the person typed meanwhile is in it: the digest of the result, not of the plan."""
    await checkpoint(handle, edit("/w/a"))
    handle.append(result("/w/a", seen={"/w/a": text_digest("new, and typed")}))
    assert plan(handle)[0].expected == {text_state("new, and typed")}


async def test_without_a_digest_it_is_what_was_planned(handle: SessionHandle):
    await checkpoint(handle, edit("/w/a"))
    handle.append(result("/w/a", seen={"/w/a": ""}))
    assert plan(handle)[0].expected == {text_state("new")}


async def test_a_moved_file_is_absent_where_it_was(handle: SessionHandle, world: World):
    await checkpoint(handle, Change("/w/c", "move", "x", "old", "old", moved_from="/w/a"))
    moved = ChangeSummary("/w/c", "move", 0, 0, moved_from="/w/a")
    handle.append(ToolMessage("c1", "moved", changes=(moved,), seen={"/w/c": text_digest("old")}))
    assert {each.wanted.path: each.expected for each in plan(handle)} == {
        "/w/a": {ABSENT},
        "/w/c": {text_state("old")},
    }


@pytest.mark.parametrize(
    ("message", "restored"),
    [
        (result(), False),
        (result(is_error=True, outcome="aborted"), False),
        (result(is_error=True, outcome="skipped"), False),
        (result(is_error=True), True),
        (result(is_error=True, outcome="failed"), True),
        (result(is_error=True, outcome="interrupted"), True),
        (result("/w/a", is_error=True), True),
    ],
    ids=["changed nothing", "aborted", "skipped", "error", "crashed", "interrupted", "partly applied"],
)
async def test_a_call_that_may_have_changed_something_is_taken_back(
    handle: SessionHandle, message: ToolMessage, restored: bool
):
    await checkpoint(handle, edit("/w/a"))
    handle.append(message)
    assert bool(plan(handle)) == restored


async def test_of_a_call_that_died_both_states_are_expected(store: SessionStore, world: World):
    """The process was killed between marker and result: it is not known whether the file was written."""
    session = store.create("go")
    with store.acquire(session.id, "dies", snapshot=world.snapshot) as handle:
        handle.append(UserMessage("go"))
        await checkpoint(handle, edit("/w/a", "one"))
        handle.append(result("/w/a", seen={"/w/a": text_digest("one")}))
        await checkpoint(handle, edit("/w/a", "two"))
        handle.mark_started(call(1), durable=True)
    with store.acquire(session.id, "next") as handle:
        handle.append(UserMessage("again"))
        assert plan(handle)[0].expected == {text_state("one"), text_state("two")}


async def test_a_call_that_never_started_is_not_taken_back(store: SessionStore, world: World):
    session = store.create("go")
    with store.acquire(session.id, "dies", snapshot=world.snapshot) as handle:
        handle.append(UserMessage("go"))
        await checkpoint(handle, edit("/w/a"))
    with store.acquire(session.id, "next") as handle:
        handle.append(UserMessage("again"))
        assert plan(handle) == []


async def test_only_what_came_behind_the_point_is_taken_back(handle: SessionHandle, world: World):
    await checkpoint(handle, edit("/w/a", "one"))
    handle.append(result("/w/a"))
    world.files["/w/a"] = b"one"
    await checkpoint(handle, edit("/w/a", "two"))
    last = handle.append(result("/w/a"))
    assert plan(handle, 2)[0].wanted.data == b"one"
    assert plan(handle, 0)[0].wanted.data == b"old"
    assert plan(handle, last) == []


async def test_tools_with_effects_and_no_checkpoint_are_named(handle: SessionHandle):
    await checkpoint(handle, edit("/w/a"))
    handle.mark_started(call(1), durable=True)
    handle.append(result("/w/a"))
    calls = (call(2, "run_command"), call(3, "read_file"), call(4, "run_command"))
    messages: list[Message] = [AssistantMessage("", calls)]
    handle.append(messages[0])
    for each in calls:
        handle.mark_started(each, durable=each.name == "run_command")
        handle.append(ToolMessage(each.id, "done"))
    assert handle.plan_rewind(0).uncovered == ("run_command",)
    assert handle.plan_rewind(6).uncovered == ()


async def test_a_fork_can_take_back_what_its_past_changed(handle: SessionHandle, store: SessionStore, world: World):
    await checkpoint(handle, edit("/w/a", "one"))
    handle.append(result("/w/a"))
    world.files["/w/a"] = b"one"
    await checkpoint(handle, edit("/w/a", "two"))
    handle.append(result("/w/a"))
    fork = store.fork(handle.session_id, 2)
    with store.acquire(fork.id, "test") as forked:
        (restore,) = plan(forked)
        assert (restore.wanted.data, restore.expected) == (b"old", {text_state("one")})


def touches() -> st.SearchStrategy[list[Touch]]:
    digest = st.sampled_from(["d1", "d2", None])
    state = st.sampled_from(["text:1", "text:2", ABSENT])
    path = st.sampled_from(["/a", "/b", "/c"])
    return st.lists(st.builds(Touch, path, digest, st.none(), st.none(), state, st.booleans()), max_size=8)


@given(touches())
def test_any_touches_are_taken_back_to_what_stood_first(made: list[Touch]):
    planned = plan_restores(made)
    assert {touch.path for touch, _ in planned} == {touch.path for touch in made}
    for touch, expected in planned:
        mine = [each for each in made if each.path == touch.path]
        assert touch is mine[0]
        certain = max((index for index, each in enumerate(mine) if each.is_certain), default=0)
        assert expected == {each.after for each in mine[certain:]}
    firsts = [next(index for index, each in enumerate(made) if each.path == touch.path) for touch, _ in planned]
    assert firsts == sorted(firsts, reverse=True)
