"""The ledger of one session: what is committed, how calls are closed, who may write."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings

from steersman.agent.errors import InternalError, SessionLockedError, SessionNotFoundError
from steersman.agent.ledger import Ledger
from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage
from steersman.agent.validity import check_history
from steersman.sessions.handle import SessionHandle
from steersman.sessions.records import Timing
from steersman.sessions.rows import from_row, to_row
from steersman.sessions.store import SessionStore
from support.session_store import CountingIds, Stores, TickingClock, any_history, append_all, call, shape, turn


@pytest.fixture
def store(stores: Stores) -> SessionStore:
    return stores.open()


@pytest.fixture
def session_id(store: SessionStore) -> str:
    return store.create("go").id


OPEN: list[Message] = [UserMessage("go"), AssistantMessage("", (call(1), call(2), call(3)))]


def crash_after(store: SessionStore, session_id: str, messages: list[Message], *started: int) -> None:
    """Record messages and start markers, and leave it at that."""
    with store.acquire(session_id, "crashed") as handle:
        for message in messages:
            handle.append(message)
        for number in started:
            handle.mark_started(call(number), durable=number % 2 == 0)


def outcomes(messages: list[Message]) -> list[str]:
    return [message.outcome for message in messages if isinstance(message, ToolMessage)]


def test_it_is_the_ledger_of_the_loop(store: SessionStore, session_id: str):
    handle: Ledger = store.acquire(session_id, "test")
    assert isinstance(handle, SessionHandle)
    handle.close()


def test_what_was_appended_is_there_at_once_for_others(store: SessionStore, session_id: str, stores: Stores):
    other = stores.open()
    with store.acquire(session_id, "test") as handle:
        for number, message in enumerate([UserMessage("go"), *turn(1)]):
            assert handle.append(message) == number
            assert other.get(session_id).messages == number + 1


def test_loading_twice_gives_the_same(store: SessionStore, session_id: str):
    with store.acquire(session_id, "test") as handle:
        handle.append(UserMessage("go"))
        assert handle.load() == handle.load() == [UserMessage("go")]


def test_loading_in_mid_run_closes_nothing(store: SessionStore, session_id: str):
    """The open call is this run's own, and at work."""
    with store.acquire(session_id, "test") as handle:
        for message in OPEN:
            handle.append(message)
        assert handle.load() == OPEN
        handle.append(ToolMessage("c1", "done"))


class TestClosing:
    """DESIGN S3: a call without a result is closed by what is known of it."""

    def test_started_calls_are_unknown_and_the_others_did_not_run(self, store: SessionStore, session_id: str):
        crash_after(store, session_id, OPEN, 1, 2)
        with store.acquire(session_id, "test") as handle:
            loaded = handle.load()
        assert outcomes(loaded) == ["interrupted", "interrupted", "aborted"]
        assert [message.content for message in loaded[2:]] == [
            "interrupted: outcome unknown",
            "interrupted: outcome unknown",
            "aborted before execution",
        ]

    def test_results_that_are_there_stay(self, store: SessionStore, session_id: str):
        crash_after(store, session_id, [*OPEN, ToolMessage("c1", "done")], 2)
        with store.acquire(session_id, "test") as handle:
            assert outcomes(handle.load()) == ["returned", "interrupted", "aborted"]

    def test_loading_writes_nothing(self, store: SessionStore, session_id: str, stores: Stores):
        crash_after(store, session_id, OPEN, 1)
        before = store.get(session_id)
        with store.acquire(session_id, "test") as handle:
            handle.load()
            handle.load()
        assert store.get(session_id) == before

    def test_the_closings_go_out_with_the_first_message(self, store: SessionStore, session_id: str):
        crash_after(store, session_id, OPEN, 1)
        with store.acquire(session_id, "test") as handle:
            loaded = handle.load()
            assert handle.append(UserMessage("again")) == len(loaded)
            assert handle.load() == [*loaded, UserMessage("again")]
        stored = [each.message for each in store.messages(session_id)]
        assert stored == [*loaded, UserMessage("again")]
        check_history(stored)

    def test_they_go_out_without_loading_too(self, store: SessionStore, session_id: str):
        crash_after(store, session_id, OPEN, 1)
        with store.acquire(session_id, "test") as handle:
            assert handle.append(UserMessage("again")) == 5
        assert shape([each.message for each in store.messages(session_id)]) == "uatttu"

    def test_whoever_looks_sees_every_call_closed(self, store: SessionStore, session_id: str):
        crash_after(store, session_id, OPEN, 1)
        shown = store.messages(session_id)
        assert [each.seq for each in shown] == [0, 1, 2, 3, 4]
        assert [each.seq for each in store.messages(session_id, after=2, limit=1)] == [3]
        with store.acquire(session_id, "test") as handle:
            assert [each.message for each in shown] == handle.load()

    def test_calls_of_a_run_at_work_are_shown_open(self, store: SessionStore, session_id: str):
        with store.acquire(session_id, "test") as handle:
            for message in OPEN:
                handle.append(message)
            assert shape([each.message for each in store.messages(session_id)]) == "ua"

    def test_markers_of_earlier_calls_with_the_same_id_mean_nothing(self, store: SessionStore, session_id: str):
        """Some providers count ids from one in every message."""
        earlier: list[Message] = [UserMessage("go"), AssistantMessage("", (call(1),))]
        with store.acquire(session_id, "test") as handle:
            for message in earlier:
                handle.append(message)
            handle.mark_started(call(1), durable=False)
            handle.append(ToolMessage("c1", "done"))
            handle.append(AssistantMessage("", (call(1),)))
        with store.acquire(session_id, "test") as handle:
            assert outcomes(handle.load()) == ["returned", "aborted"]

    def test_a_marker_written_twice_is_one(self, store: SessionStore, session_id: str):
        crash_after(store, session_id, OPEN, 1, 1)
        with store.acquire(session_id, "test") as handle:
            assert outcomes(handle.load())[0] == "interrupted"


class TestOrder:
    """The store refuses what would make the history invalid, should the loop ever try."""

    def test_a_result_without_a_call(self, store: SessionStore, session_id: str):
        with store.acquire(session_id, "test") as handle:
            handle.append(UserMessage("go"))
            with pytest.raises(InternalError):
                handle.append(ToolMessage("c1", "result"))

    def test_two_results_of_one_call(self, store: SessionStore, session_id: str):
        with store.acquire(session_id, "test") as handle:
            for message in [*OPEN, ToolMessage("c1", "one")]:
                handle.append(message)
            with pytest.raises(InternalError):
                handle.append(ToolMessage("c1", "two"))

    def test_another_message_while_calls_are_open(self, store: SessionStore, session_id: str):
        with store.acquire(session_id, "test") as handle:
            for message in OPEN:
                handle.append(message)
            with pytest.raises(InternalError, match="c1, c2, c3"):
                handle.append(UserMessage("too early"))
            assert handle.append(ToolMessage("c1", "fine")) == 2


@given(any_history())
@settings(max_examples=60)
def test_any_history_is_loaded_as_it_was_recorded(history: list[Message]):
    store = SessionStore.in_memory(Path("/w"), clock=TickingClock(), new_id=CountingIds())
    session = store.create("go")
    append_all(store, session.id, history)
    rows = [to_row(message) for message in history]
    expected = [from_row(row.role, row.content, row.call_id, row.extra) for row in rows]
    with store.acquire(session.id, "test") as handle:
        assert handle.load() == expected
    assert [each.seq for each in store.messages(session.id)] == list(range(len(history)))
    store.close()


class TestHolding:
    """DESIGN S4: one writer a session."""

    def test_the_session_is_free_again_after_close(self, store: SessionStore, session_id: str):
        store.acquire(session_id, "one").close()
        with store.acquire(session_id, "two") as handle:
            handle.close()
        store.acquire(session_id, "three").close()

    def test_after_close_nothing_is_written(self, store: SessionStore, session_id: str):
        handle = store.acquire(session_id, "test")
        handle.append(UserMessage("go"))
        handle.close()
        with pytest.raises(InternalError):
            handle.append(AssistantMessage("late"))
        assert store.get(session_id).messages == 1

    def test_a_holder_that_lost_the_session_writes_nothing_more(self, stores: Stores):
        """What a suspended process meets when it wakes: somebody took over."""
        one, other = stores.open(), stores.open()
        session = one.create("go")
        stuck = one.acquire(session.id, "Neovim (pid 1)")
        stuck.append(UserMessage("go"))
        stuck.append(AssistantMessage("", (call(1),)))
        with other.acquire(session.id, "VS Code (pid 2)", take_over=True) as heir:
            heir.append(UserMessage("mine now"))
            for attempt in (
                lambda: stuck.append(ToolMessage("c1", "late")),
                lambda: stuck.mark_started(call(1), durable=True),
                lambda: stuck.add_usage(other.get(session.id).usage, 1.0),
            ):
                with pytest.raises(SessionLockedError, match="VS Code"):
                    attempt()
            stuck.record_timing(Timing("r", 1, "tool", 0, 1))
            stuck.close()
            heir.append(AssistantMessage("going on"))
            assert other.get(session.id).running
        assert shape([each.message for each in other.messages(session.id)]) == "uatua"
        assert other.get(session.id).cost is None
        assert other.timings(session.id) == []

    def test_one_that_lost_it_fails_for_good(self, stores: Stores):
        one, other = stores.open(), stores.open()
        session = one.create("go")
        stuck = one.acquire(session.id, "stuck")
        other.acquire(session.id, "heir", take_over=True).close()
        for _ in range(2):
            with pytest.raises(SessionLockedError):
                stuck.append(UserMessage("late"))
        stuck.close()
        with one.acquire(session.id, "again") as handle:
            handle.append(UserMessage("fresh"))

    def test_taking_over_what_is_free_is_holding_it(self, store: SessionStore, session_id: str):
        with store.acquire(session_id, "test", take_over=True) as handle:
            assert handle.append(UserMessage("go")) == 0

    def test_a_holder_whose_session_was_deleted_is_told(self, stores: Stores):
        """And it never meets a newer session in its place."""
        one, other = stores.open(), stores.open()
        session = one.create("go")
        stuck = one.acquire(session.id, "stuck")
        other.acquire(session.id, "heir", take_over=True).close()
        other.delete(session.id)
        newer = other.create("newer")
        with other.acquire(newer.id, "x"):
            pass
        with pytest.raises(SessionNotFoundError):
            stuck.append(UserMessage("late"))
        assert other.get(newer.id).messages == 0
        stuck.close()

    def test_the_lock_leaves_no_file_behind(self, store: SessionStore, session_id: str, stores: Stores):
        with store.acquire(session_id, "test"):
            assert list(stores.state_dir.rglob("*.lock"))
        assert not list(stores.state_dir.rglob("*.lock"))

    def test_a_name_left_behind_by_a_crash_does_not_mean_running(self, stores: Stores):
        """The row still names the holder, but nobody has the lock."""
        store = stores.open()
        session = store.create("go")
        handle = store.acquire(session.id, f"Neovim (pid {os.getpid()})")
        handle._lock.release()
        assert not stores.open().get(session.id).running
        stores.open().acquire(session.id, "next").close()
        handle.close()


class TestTimings:
    def test_they_are_written_with_the_next_message_or_the_end(self, store: SessionStore, session_id: str):
        first, second = Timing("r1", 1, "model", 1.0, 2.0), Timing("r1", 1, "tool", 2.0, 3.5, "c1", "read a.py")
        with store.acquire(session_id, "test") as handle:
            handle.record_timing(first)
            assert store.timings(session_id) == []
            handle.append(UserMessage("go"))
            assert store.timings(session_id) == [first]
            handle.record_timing(second)
        assert store.timings(session_id) == [first, second]

    def test_a_span_never_ends_before_it_began(self, store: SessionStore, session_id: str):
        """The wall clock was set back in the middle of it."""
        with store.acquire(session_id, "test") as handle:
            handle.record_timing(Timing("r1", 1, "tool", 10.0, 3.0))
        assert store.timings(session_id) == [Timing("r1", 1, "tool", 10.0, 10.0)]
