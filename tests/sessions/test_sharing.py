"""Several users of one store: threads, and machines on a file system that cannot lock."""

import errno
import threading

import pytest

from steersman.agent.errors import SessionBusyError, SessionLockedError
from steersman.agent.messages import UserMessage
from steersman.sessions import holding, oslock
from steersman.sessions.lease import LeaseLocker
from steersman.sessions.locks import FallbackLocker, OsLocker
from steersman.sessions.store import SessionStore
from support.session_store import Stores, append_all, turn


def test_one_thread_searches_while_another_records(stores: Stores):
    store = stores.open()
    session = store.create("go")
    begun, failures = threading.Barrier(3), list[BaseException]()

    def look() -> None:
        begun.wait()
        try:
            for _ in range(15):
                store.search("found")
                store.list()
                store.messages(session.id)
        except BaseException as error:  # noqa: BLE001 - told by the assertion below
            failures.append(error)

    threads = [threading.Thread(target=look) for _ in range(2)]
    for thread in threads:
        thread.start()
    with store.acquire(session.id, "run") as handle:
        begun.wait()
        handle.append(UserMessage("go"))
        for number in range(60):
            for message in turn(number):
                handle.append(message)
    for thread in threads:
        thread.join()
    assert failures == []
    assert store.get(session.id).messages == 121


def test_of_threads_that_want_one_session_one_gets_it(stores: Stores):
    store = stores.open()
    session = store.create("go")
    begun, outcomes = threading.Barrier(6), list[str]()
    done = threading.Barrier(6)

    def take() -> None:
        begun.wait()
        try:
            handle = store.acquire(session.id, "thread")
        except SessionBusyError:
            outcomes.append("busy")
            done.wait()
        else:
            outcomes.append("held")
            done.wait()
            handle.close()

    threads = [threading.Thread(target=take) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["busy"] * 5 + ["held"]
    store.acquire(session.id, "free").close()


class Monotonic:
    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


class TestWithoutLocks:
    """The file system refuses every lock; leases stand in, by a clock that a test moves."""

    @pytest.fixture(autouse=True)
    def no_locks(self, monkeypatch: pytest.MonkeyPatch) -> None:
        def refuse(_: int) -> None:
            raise OSError(errno.ENOLCK, "no locks available")

        monkeypatch.setattr(oslock, "_lock", refuse)
        monkeypatch.setattr(holding, "_TRIES", 1)

    @pytest.fixture
    def clock(self) -> Monotonic:
        return Monotonic()

    @pytest.fixture
    def both(self, stores: Stores, clock: Monotonic) -> tuple[SessionStore, SessionStore]:
        def opened() -> SessionStore:
            return stores.open(locker=FallbackLocker(OsLocker(), LeaseLocker(clock, lease_s=15, beat_s=10_000)))

        return opened(), opened()

    def test_a_session_has_one_writer(self, both: tuple[SessionStore, SessionStore]):
        one, other = both
        session = one.create("go")
        with one.acquire(session.id, "Neovim") as handle:
            handle.append(UserMessage("go"))
            with pytest.raises((SessionLockedError, SessionBusyError), match="Neovim"):
                other.acquire(session.id, "VS Code")
        other.acquire(session.id, "VS Code").close()

    @pytest.mark.parametrize("jump", [-1e9, 0.0, 1e9])
    def test_a_holder_that_slept_for_the_whole_lease_writes_nothing_more(
        self, both: tuple[SessionStore, SessionStore], clock: Monotonic, stores: Stores, jump: float
    ):
        """However the wall clock jumps meanwhile."""
        one, other = both
        session = one.create("go")
        asleep = one.acquire(session.id, "asleep")
        asleep.append(UserMessage("one"))
        with pytest.raises(SessionBusyError):
            other.acquire(session.id, "heir")
        stores.clock.now += jump
        clock.now += 14
        with pytest.raises(SessionBusyError):
            other.acquire(session.id, "heir")
        clock.now += 1
        with other.acquire(session.id, "heir") as heir:
            heir.append(UserMessage("two"))
            with pytest.raises(SessionLockedError, match="heir"):
                asleep.append(UserMessage("late"))
            asleep.close()
            heir.append(UserMessage("three"))
        assert [each.message.content for each in other.messages(session.id)] == ["one", "two", "three"]

    def test_a_holder_that_hangs_can_be_taken_over_at_once(self, both: tuple[SessionStore, SessionStore]):
        one, other = both
        session = one.create("go")
        hangs = one.acquire(session.id, "hangs")
        with other.acquire(session.id, "heir", take_over=True) as heir:
            heir.append(UserMessage("mine"))
            with pytest.raises(SessionLockedError, match="heir"):
                hangs.append(UserMessage("late"))
            hangs.close()
            heir.append(UserMessage("still mine"))
        other.acquire(session.id, "free").close()


def test_the_wall_clock_jumping_either_way_changes_no_order(stores: Stores):
    store = stores.open()
    session = store.create("go")
    for number, jump in enumerate([0, 1e9, -2e9, 5e8]):
        stores.clock.now += jump
        append_all(store, session.id, [UserMessage(str(number))])
    assert [each.message.content for each in store.messages(session.id)] == ["0", "1", "2", "3"]
