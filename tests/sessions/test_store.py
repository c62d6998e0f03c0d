"""Sessions created, listed, read, renamed, forked and deleted."""

from collections.abc import Callable
from pathlib import Path

import pytest

from steersman.agent.errors import (
    InvalidRequestError,
    SessionBusyError,
    SessionNotFoundError,
)
from steersman.agent.messages import AssistantMessage, Message, ToolMessage, UserMessage
from steersman.agent.model import Usage
from steersman.sessions.records import SessionRecord
from steersman.sessions.store import SessionStore
from support.session_store import Stores, append_all, call, shape, turn


@pytest.fixture(params=["on disk", "in memory"])
def store(stores: Stores, request: pytest.FixtureRequest) -> SessionStore:
    return stores.open() if request.param == "on disk" else stores.in_memory()


def contents(store: SessionStore, session_id: str) -> list[Message]:
    return [each.message for each in store.messages(session_id)]


def ids(records: tuple[SessionRecord, ...]) -> list[str]:
    return [record.id for record in records]


CONVERSATION: list[Message] = [UserMessage("go"), *turn(1), AssistantMessage("done"), UserMessage("more"), *turn(2)]


def test_a_new_session_is_empty_and_named_by_its_prompt(store: SessionStore, stores: Stores):
    record = store.create("Fix the parser\nplease", "demo/rules")
    assert record == store.get(record.id)
    assert (record.title, record.model, record.messages) == ("Fix the parser", "demo/rules", 0)
    assert record.folder == str(stores.folder)
    assert record.created_at == record.updated_at
    assert not record.running
    assert store.messages(record.id) == []


def test_what_was_recorded_is_read_back(store: SessionStore):
    session = store.create("go")
    assert append_all(store, session.id, CONVERSATION) == [0, 1, 2, 3, 4, 5, 6]
    assert contents(store, session.id) == CONVERSATION
    assert store.get(session.id).messages == 7


def test_messages_are_paged_by_number(store: SessionStore):
    session = store.create("go")
    append_all(store, session.id, CONVERSATION)
    assert [each.seq for each in store.messages(session.id, after=1, limit=2)] == [2, 3]
    assert [each.seq for each in store.messages(session.id, after=4)] == [5, 6]
    assert store.messages(session.id, after=6) == []
    assert store.messages(session.id, limit=0) == []


def test_the_latest_activity_comes_first_whatever_the_clock_does(store: SessionStore, stores: Stores):
    first, second, third = (store.create(name) for name in ("one", "two", "three"))
    stores.clock.now -= 1_000_000
    append_all(store, first.id, [UserMessage("go")])
    stores.clock.now += 5_000_000
    append_all(store, second.id, [UserMessage("go")])
    stores.clock.now -= 9_000_000
    append_all(store, first.id, [AssistantMessage("done")])
    page = store.list()
    assert ids(page.sessions) == [first.id, second.id, third.id]
    assert page.total == 3
    latest = store.latest()
    assert latest is not None
    assert latest.id == first.id


def test_a_list_is_paged(store: SessionStore):
    made = [store.create(str(number)).id for number in range(5)]
    page = store.list(limit=2, offset=1)
    assert ids(page.sessions) == [made[3], made[2]]
    assert page.total == 5


@pytest.mark.parametrize("page", [{"limit": -1}, {"offset": -1}, {"limit": 2**63}, {"offset": 10**30}])
def test_a_negative_page_and_one_beyond_what_sqlite_counts_make_no_sense(store: SessionStore, page: dict[str, int]):
    with pytest.raises(InvalidRequestError):
        store.list(**page)


def test_an_empty_store_has_no_latest(store: SessionStore):
    assert store.latest() is None
    assert store.list().sessions == ()


def test_a_beginning_of_an_id_is_enough_when_it_is_the_only_one(store: SessionStore, stores: Stores):
    stores.new_id.prefix = "abc"
    one = store.create("one")
    stores.new_id.prefix = "abd"
    other = store.create("two")
    assert store.resolve("abc").id == one.id
    assert store.resolve(other.id).id == other.id
    with pytest.raises(SessionNotFoundError, match="Several"):
        store.resolve("ab")
    with pytest.raises(SessionNotFoundError):
        store.resolve("x")
    with pytest.raises(SessionNotFoundError):
        store.resolve("")


def test_an_exact_id_wins_over_longer_ones(store: SessionStore):
    for _ in range(12):
        store.create("s1 to s12")
    assert store.resolve("s1").id == "s1"


@pytest.mark.parametrize(
    "ask",
    [
        lambda store: store.get("nope"),
        lambda store: store.messages("nope"),
        lambda store: store.rename("nope", "x"),
        lambda store: store.delete("nope"),
        lambda store: store.fork("nope"),
        lambda store: store.acquire("nope", "test"),
        lambda store: store.get("../../etc/passwd"),
        lambda store: store.acquire("a' OR '1'='1", "test"),
        lambda store: store.get("\udc80"),
    ],
)
def test_an_unknown_session_is_named_in_the_answer(store: SessionStore, ask: Callable[[SessionStore], object]):
    store.create("there is one")
    with pytest.raises(SessionNotFoundError) as failure:
        ask(store)
    assert failure.value.hint


def test_a_session_is_renamed(store: SessionStore):
    session = store.create("go")
    assert store.rename(session.id, "  The\nnew name ").title == "The new name"
    with pytest.raises(InvalidRequestError):
        store.rename(session.id, " \n ")
    assert store.get(session.id).title == "The new name"


def test_renaming_is_allowed_during_a_run(store: SessionStore):
    session = store.create("go")
    with store.acquire(session.id, "test") as handle:
        assert store.rename(session.id, "renamed").title == "renamed"
        handle.append(UserMessage("still works"))


def test_a_deleted_session_is_gone_with_everything(store: SessionStore):
    session, other = store.create("go"), store.create("stay")
    append_all(store, session.id, CONVERSATION)
    append_all(store, other.id, [UserMessage("here")])
    store.delete(session.id)
    assert ids(store.list().sessions) == [other.id]
    with pytest.raises(SessionNotFoundError):
        store.messages(session.id)
    assert contents(store, other.id) == [UserMessage("here")]


def test_a_session_at_work_is_not_deleted(store: SessionStore):
    session = store.create("go")
    with store.acquire(session.id, "test"), pytest.raises(SessionBusyError):
        store.delete(session.id)
    assert store.get(session.id).id == session.id


def test_a_session_is_running_while_it_is_held(store: SessionStore):
    session = store.create("go")
    with store.acquire(session.id, "Neovim (pid 1)"):
        record = store.get(session.id)
        assert (record.running, record.holder) == (True, "Neovim (pid 1)")
    assert not store.get(session.id).running


def test_usage_and_cost_add_up(store: SessionStore):
    session = store.create("go")
    with store.acquire(session.id, "test") as handle:
        handle.add_usage(Usage(10, 2, 1, 5, 3), 0.25, run_id="r1", turn=1)
        handle.add_usage(Usage(20, 0, 0, 6, 0, estimated=True), None, run_id="r1", turn=2)
    record = store.get(session.id)
    assert record.usage == Usage(30, 2, 1, 11, 3, estimated=True)
    assert record.cost == 0.25
    assert [(each.turn, each.usage.input_tokens, each.cost) for each in store.responses(session.id)] == [
        (1, 10, 0.25),
        (2, 20, None),
    ]


def test_tokens_that_were_noted_are_there_with_the_message_they_belong_to_and_at_the_latest_at_the_end(
    store: SessionStore,
):
    session = store.create("go")
    with store.acquire(session.id, "test") as handle:
        handle.append(UserMessage("go"))
        handle.record_usage(Usage(10), 0.25, run_id="r1", turn=1)
        assert store.get(session.id).usage == Usage()
        handle.append(AssistantMessage("done"))
        assert store.get(session.id).usage == Usage(10)
        handle.append(UserMessage("more"))
        handle.record_usage(Usage(5), 0.25, run_id="r1", turn=2)
    record = store.get(session.id)
    assert (record.usage, record.cost) == (Usage(15), 0.5)
    assert [each.turn for each in store.responses(session.id)] == [1, 2]


def test_tokens_that_no_model_can_have_used_are_cut_and_still_add_up(store: SessionStore):
    session = store.create("go")
    with store.acquire(session.id, "test") as handle:
        for turn in (1, 2):
            handle.add_usage(Usage(10**30, 0, 0, 2**63), None, run_id="r1", turn=turn)
    assert store.get(session.id).usage == Usage(2 * 10**12, 0, 0, 2 * 10**12)


def test_a_number_that_sqlite_cannot_hold_is_no_fault_of_ours(store: SessionStore):
    session = store.create("go")
    with pytest.raises(InvalidRequestError):
        store.messages(session.id, after=10**30)


def test_a_cost_that_nobody_knows_is_none(store: SessionStore):
    session = store.create("go")
    with store.acquire(session.id, "test") as handle:
        handle.add_usage(Usage(10), None)
    assert store.get(session.id).cost is None


def test_the_model_is_the_one_that_answered_last(store: SessionStore):
    session = store.create("go", "openai/a")
    append_all(store, session.id, [UserMessage("go"), AssistantMessage("x", model="anthropic/b"), UserMessage("on")])
    assert store.get(session.id).model == "anthropic/b"


class TestFork:
    def test_the_copy_goes_on_by_itself(self, store: SessionStore):
        session = store.create("go", "demo/rules")
        append_all(store, session.id, CONVERSATION)
        fork = store.fork(session.id)
        assert (fork.parent_id, fork.title, fork.messages) == (session.id, "go", 7)
        assert append_all(store, fork.id, [AssistantMessage("elsewhere")]) == [7]
        assert contents(store, fork.id) == [*CONVERSATION, AssistantMessage("elsewhere")]
        assert contents(store, session.id) == CONVERSATION

    def test_it_outlives_its_parent(self, store: SessionStore):
        session = store.create("go")
        append_all(store, session.id, CONVERSATION)
        fork = store.fork(session.id)
        store.delete(session.id)
        assert contents(store, fork.id) == CONVERSATION

    @pytest.mark.parametrize(
        ("at", "expected"), [(0, "u"), (1, "u"), (2, "uat"), (3, "uata"), (5, "uatau"), (6, "uatauat"), (-1, "")]
    )
    def test_it_takes_whole_groups(self, store: SessionStore, at: int, expected: str):
        session = store.create("go")
        append_all(store, session.id, CONVERSATION)
        fork = store.fork(session.id, at)
        assert shape(contents(store, fork.id)) == expected
        assert fork.messages == len(expected)

    def test_no_such_message_is_an_error_and_leaves_nothing(self, store: SessionStore):
        session = store.create("go")
        append_all(store, session.id, CONVERSATION)
        with pytest.raises(InvalidRequestError, match="no message 7"):
            store.fork(session.id, 7)
        assert store.list().total == 1

    def test_of_a_session_at_work_it_takes_what_is_complete(self, store: SessionStore):
        session = store.create("go")
        with store.acquire(session.id, "test") as handle:
            for message in (*CONVERSATION, AssistantMessage("", (call(3),))):
                handle.append(message)
            handle.mark_started(call(3), durable=True)
            assert contents(store, store.fork(session.id).id) == CONVERSATION

    def test_of_a_crashed_session_it_takes_the_open_call_and_what_is_known_of_it(self, store: SessionStore):
        session = store.create("go")
        with store.acquire(session.id, "test") as handle:
            for message in (UserMessage("go"), AssistantMessage("", (call(1), call(2)))):
                handle.append(message)
            handle.mark_started(call(1), durable=True)
        fork = store.fork(session.id)
        results = [each for each in contents(store, fork.id) if isinstance(each, ToolMessage)]
        assert [each.outcome for each in results] == ["interrupted", "aborted"]

    def test_an_empty_session_forks_to_an_empty_one(self, store: SessionStore):
        assert store.fork(store.create("go").id).messages == 0


def test_sessions_without_a_folder_have_their_own_store(stores: Stores, tmp_path: Path):
    in_folder = stores.open()
    in_folder.create("in the folder")
    common = SessionStore.open(stores.state_dir, None, clock=stores.clock, new_id=stores.new_id)
    assert common.list().total == 0
    assert common.create("nowhere").folder == ""
    common.close()


def test_a_store_opened_again_has_everything(stores: Stores):
    store = stores.open()
    session = store.create("go")
    append_all(store, session.id, CONVERSATION)
    store.close()
    assert contents(stores.open(), session.id) == CONVERSATION


def test_two_stores_on_one_folder_see_each_other(stores: Stores):
    one, other = stores.open(), stores.open()
    session = one.create("go")
    append_all(other, session.id, CONVERSATION)
    assert contents(one, session.id) == CONVERSATION
    with one.acquire(session.id, "Neovim"):
        assert other.get(session.id).running
        with pytest.raises(SessionBusyError, match="Neovim"):
            other.acquire(session.id, "VS Code")
