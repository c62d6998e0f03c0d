"""Several processes on one store, killed, stopped and continued: nothing that was acknowledged is lost, ever."""

import os
import random
import signal
import subprocess
import sys
from collections import Counter

import pytest

from steersman.agent.errors import SessionLockedError
from steersman.agent.messages import AssistantMessage, ToolCall, UserMessage
from steersman.agent.validity import check_history
from support.crew import Crew, Worker
from support.session_worker import snapshot


def kill_at_random(crew: Crew, kills: int, writers: int, seed: int) -> Counter[str]:
    """Kill writers one after the other at random points while others go on; return how calls were closed."""
    chance, store = random.Random(seed), crew.stores.open()
    outcomes: Counter[str] = Counter()
    at_work = [crew.start(f"w{number}", "run", "0") for number in range(writers)]
    for number in range(kills):
        worker = at_work.pop(0)
        for _ in range(chance.randrange(1, 60)):
            worker.next()
        worker.kill()
        mine = {told[1] for told in worker.told if told[0] == "ack"}
        crew.note(worker)
        crew.workers.remove(worker)
        for session_id in mine:
            outcomes.update(crew.check(session_id, store))
        if number + writers < kills:
            at_work.append(crew.start(f"w{number + writers}", "run", "0"))
    for worker in at_work:
        worker.kill()
        crew.note(worker)
    for record in store.list(limit=100_000).sessions:
        assert not record.running
        crew.check(record.id, store)
    assert set(crew.acknowledged) <= {record.id for record in store.list(limit=100_000).sessions}
    assert store.find_damage() == []
    return outcomes


def test_killed_at_random_points_nothing_acknowledged_is_lost(crew: Crew):
    outcomes = kill_at_random(crew, kills=12, writers=3, seed=8)
    assert outcomes["returned"] > 20


@pytest.mark.storm
@pytest.mark.timeout(1800)
def test_a_storm_of_a_thousand_kills(crew: Crew):
    outcomes = kill_at_random(crew, kills=1000, writers=4, seed=9)
    assert outcomes["interrupted"] > 20
    assert outcomes["aborted"] > 20


def test_eight_processes_at_once_lose_nothing_and_none_leaves_silently(crew: Crew):
    """Reports, situation 20."""
    store = crew.stores.open()
    shared = store.create("shared")
    alone = [crew.start(f"alone{number}", "run", "8") for number in range(5)]
    together = [crew.start(f"together{number}", "share", shared.id, "4") for number in range(3)]
    for worker in alone + together:
        worker.finish()
        crew.note(worker)
    assert store.get(shared.id).messages == 3 * 4 * 5
    assert sum(record.messages for record in store.list().sessions) == 5 * 8 * 5 + 3 * 4 * 5
    for record in store.list().sessions:
        crew.check(record.id, store)
    assert store.find_damage() == []


def test_killed_between_a_call_and_its_result_every_call_is_answered(crew: Crew):
    """Reports, situations 21 and 22: what had started is unknown, what had not did not run."""
    store = crew.stores.open()
    script = (
        "import sys, time, uuid\n"
        "from pathlib import Path\n"
        "from steersman.agent.messages import *\n"
        "from steersman.sessions.store import SessionStore\n"
        "store = SessionStore.open(Path(sys.argv[1]), Path(sys.argv[2]), clock=time.time, new_id=lambda: 's')\n"
        "handle = store.acquire(store.create('go').id, 'dies')\n"
        "calls = (ToolCall('c1', 'run_command', '{}'), ToolCall('c2', 'run_command', '{}'))\n"
        "handle.append(UserMessage('go'))\n"
        "handle.append(AssistantMessage('', calls))\n"
        "handle.mark_started(calls[0], durable=True)\n"
        "print('in the tool', flush=True)\n"
        "sys.stdin.read()\n"
    )
    arguments = [sys.executable, "-c", script, str(crew.stores.state_dir), str(crew.stores.folder)]
    process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    assert process.stdout.readline() == "in the tool\n"
    process.kill()
    process.communicate()
    with store.acquire("s", "next") as handle:
        history = [*handle.load(), UserMessage("what happened?")]
        assert [message.content for message in history[2:4]] == [
            "interrupted: outcome unknown",
            "aborted before execution",
        ]
        check_history(history)


def hold(crew: Crew, session_id: str, name: str) -> Worker:
    worker = crew.start(name, "hold", session_id)
    assert [worker.next(), worker.next()] == [["ready"], ["held"]]
    return worker


def test_a_session_in_use_names_its_holder_and_is_free_at_once_after_a_kill(crew: Crew):
    store = crew.stores.open()
    session = store.create("go")
    holder = hold(crew, session.id, "Neovim (pid 4711)")
    record = store.get(session.id)
    assert (record.running, record.holder) == (True, "Neovim (pid 4711)")
    with pytest.raises(SessionLockedError, match=r"Neovim \(pid 4711\)"):
        store.acquire(session.id, "VS Code")
    with pytest.raises(SessionLockedError):
        store.delete(session.id)
    holder.kill()
    assert not store.get(session.id).running
    store.acquire(session.id, "VS Code").close()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP there")
def test_a_holder_that_was_stopped_and_comes_back_writes_nothing_more(crew: Crew):
    """Stopped, somebody took over, continued: one ledger."""
    store = crew.stores.open()
    session = store.create("go")
    stopped = hold(crew, session.id, "Neovim (pid 1)")
    stopped.order("one")
    assert stopped.next()[:3] == ["ack", session.id, 0]
    stopped.process.send_signal(signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(stopped.process.pid, os.WUNTRACED)[1])
    with pytest.raises(SessionLockedError, match="Neovim"):
        store.acquire(session.id, "VS Code (pid 2)")
    with store.acquire(session.id, "VS Code (pid 2)", take_over=True) as heir:
        heir.append(UserMessage("two"))
        stopped.order("late")
        stopped.process.send_signal(signal.SIGCONT)
        kind, failure, message = stopped.next()
        assert (kind, failure) == ("failed", "session_locked")
        assert "VS Code (pid 2)" in message
        heir.append(UserMessage("three"))
    stopped.order("later still")
    assert stopped.next()[:2] == ["failed", "session_locked"]
    stopped.finish()
    assert [each.message.content for each in store.messages(session.id)] == ["one", "two", "three"]
    store.acquire(session.id, "free").close()


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGSTOP there")
def test_a_holder_that_was_only_stopped_goes_on(crew: Crew):
    store = crew.stores.open()
    session = store.create("go")
    holder = hold(crew, session.id, "Neovim")
    holder.process.send_signal(signal.SIGSTOP)
    assert os.WIFSTOPPED(os.waitpid(holder.process.pid, os.WUNTRACED)[1])
    with pytest.raises(SessionLockedError):
        store.acquire(session.id, "VS Code")
    holder.process.send_signal(signal.SIGCONT)
    holder.order("still mine")
    assert holder.next()[0] == "ack"
    holder.finish()
    assert store.get(session.id).messages == 1


def test_a_child_that_outlives_the_holder_does_not_keep_the_lock(crew: Crew):
    """A tool's process that was left behind must not lock the session for ever."""
    store = crew.stores.open()
    session = store.create("go")
    handle = store.acquire(session.id, "test", snapshot=snapshot)
    child = subprocess.Popen([sys.executable, "-c", "import sys; sys.stdin.read()"], stdin=subprocess.PIPE)
    handle._lock.release()
    with crew.stores.open().acquire(session.id, "next") as other:
        other.append(UserMessage("free"))
        other.append(AssistantMessage("", (ToolCall("c1", "x", "{}"),)))
    child.communicate()
    handle.close()
