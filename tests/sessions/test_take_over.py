"""A holder that hangs or was suspended loses its session to whoever takes it over: one ledger, whatever happens (S4)."""

import os
import random
import signal
import sys
from contextlib import suppress
from itertools import count

import pytest

from steersman.agent.errors import SessionError, SessionLockedError, StorageError
from steersman.agent.messages import AssistantMessage, ToolMessage, UserMessage
from steersman.sessions.store import SessionStore
from support.crew import Crew, Worker
from support.faulty_sqlite import Fault
from support.session_store import Stores, call


def stop(worker: Worker) -> None:
    worker.process.send_signal(signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(worker.process.pid, os.WUNTRACED)[1])


def wake(worker: Worker) -> None:
    worker.process.send_signal(signal.SIGCONT)


def suspend_at_random(crew: Crew, wanted: int, seed: int) -> None:
    """Stop a writer at random points, write in its stead so many times, and let it go on each time."""
    chance, store = random.Random(seed), crew.stores.open(busy_timeout_s=0.2)
    session = store.create("shared")
    worker = crew.start("sleeper", "share", session.id, "1000000")
    written: dict[int, str] = {}
    taken = 0
    for number in count():
        if taken == wanted:
            break
        for _ in range(chance.randrange(1, 40)):
            worker.next()
        stop(worker)
        try:
            heir = store.acquire(session.id, "heir", take_over=True)
        except StorageError:  # stopped in the middle of a commit: nobody can write before it wakes
            wake(worker)
            continue
        taken += 1
        with heir:
            heir.load()
            first = heir.append(UserMessage(f"{number} while it sleeps"))
            written[first] = f"{number} while it sleeps"
            wake(worker)
            for step in range(1, 6):
                assert heir.append(UserMessage(f"{number} {step}")) == first + step
                written[first + step] = f"{number} {step}"
    worker.kill()
    crew.note(worker)
    crew.check(session.id, store)
    stored = {each.seq: each.message.content for each in store.messages(session.id)}
    assert {seq: stored[seq] for seq in written} == written
    assert store.check_up().is_sound


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP there")
def test_stopped_at_random_points_there_is_one_ledger(crew: Crew):
    suspend_at_random(crew, wanted=7, seed=3)


@pytest.mark.storm
@pytest.mark.timeout(1800)
@pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP there")
def test_a_storm_of_three_hundred_suspensions(crew: Crew):
    suspend_at_random(crew, wanted=200, seed=4)


def writes(handle: object, text: str) -> bool:
    """Say whether the holder could still write."""
    try:
        handle.append(UserMessage(text))  # pyright: ignore[reportAttributeAccessIssue]
    except SessionLockedError:
        return False
    return True


def test_a_failure_at_any_statement_of_taking_over_leaves_one_holder_at_most(stores: Stores):
    plain = stores.open()
    for at in range(12):
        session = plain.create("go")
        holder = plain.acquire(session.id, "holder")
        holder.append(UserMessage("one"))
        fault = Fault()
        other = stores.open(connect=fault.connect)
        fault.at = fault.count + at
        try:
            heir = other.acquire(session.id, "heir", take_over=True)
        except StorageError:
            writes(holder, "two")
        else:
            fault.at = None
            assert writes(heir, "two")
            assert not writes(holder, "late")
            heir.close()
        holder.close()
        fault.at = None
        with plain.acquire(session.id, "next", take_over=True) as handle:
            handle.append(UserMessage("last"))
        contents = [each.message.content for each in plain.messages(session.id)]
        assert contents in (["one", "last"], ["one", "two", "last"])
        other.close()


def test_what_the_old_holder_left_open_is_closed_by_the_heir(stores: Stores):
    store, other = stores.open(), stores.open()
    session = store.create("go")
    holder = store.acquire(session.id, "holder")
    for message in (UserMessage("go"), AssistantMessage("", (call(1), call(2)))):
        holder.append(message)
    holder.mark_started(call(1), durable=True)
    with other.acquire(session.id, "heir", take_over=True) as heir:
        heir.load()
        heir.append(UserMessage("and now?"))
        with pytest.raises(SessionLockedError):
            holder.append(ToolMessage("c1", "it ran after all"))
        with pytest.raises(SessionLockedError):
            holder.mark_started(call(2), durable=True)
    outcomes = [each.message.outcome for each in other.messages(session.id) if isinstance(each.message, ToolMessage)]
    assert outcomes == ["interrupted", "aborted"]


def test_of_two_that_take_over_at_once_one_writes(stores: Stores):
    first, second = stores.open(), stores.open()
    session = first.create("go")
    held = stores.open().acquire(session.id, "hangs")
    one = first.acquire(session.id, "one", take_over=True)
    two = second.acquire(session.id, "two", take_over=True)
    assert [writes(handle, "x") for handle in (held, one, two)] == [False, False, True]
    for handle in (held, one):
        handle.close()
    assert second.get(session.id).holder == "two"
    two.close()
    free_again(first, session.id)


def free_again(store: SessionStore, session_id: str) -> None:
    assert not store.get(session_id).running
    with suppress(SessionError):
        store.delete(session_id)
    assert store.list().total == 0
