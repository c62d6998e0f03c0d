"""When the server leaves, and that it really does."""

import asyncio
import os
import signal
import subprocess
import sys
import threading

import pytest

from steersman.ending_signals import ending_signals
from steersman.lsp.leaving import Leaving, end_for_sure, leave_on_signals, watch_parent
from steersman.lsp.parent import is_alive


async def test_the_first_reason_counts() -> None:
    leaving = Leaving()
    leaving.leave("first", code=0)
    leaving.leave("second", code=7)
    await leaving.wait()
    assert (leaving.reason, leaving.code) == ("first", 0)


@pytest.mark.parametrize("questions", range(1, 7))
async def test_a_parent_that_goes_is_noticed_between_whichever_two_questions(
    monkeypatch: pytest.MonkeyPatch, questions: int
) -> None:
    monkeypatch.setattr("steersman.lsp.leaving.PARENT_POLL_S", 0)
    leaving, answers = Leaving(), iter([True] * questions)
    await watch_parent(7, leaving, alive=lambda _pid: next(answers, False))
    assert leaving.reason == "the client's process is gone"


async def test_a_parent_that_cannot_be_seen_from_the_start_is_not_watched() -> None:
    """An editor outside the container names a process id that means nothing here."""
    leaving = Leaving()
    await watch_parent(7, leaving, alive=lambda _pid: False)
    assert leaving.reason == ""


@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no signals to itself")
@pytest.mark.parametrize("number", ending_signals())
async def test_a_signal_asks_to_leave_with_its_code(number: signal.Signals) -> None:
    leaving = Leaving()
    with leave_on_signals(leaving):
        os.kill(os.getpid(), number)
        await leaving.wait()
    assert (leaving.reason, leaving.code) == (number.name, 128 + number)


def test_the_watchdog_ends_the_process() -> None:
    ended: list[int] = []
    done = threading.Event()

    def end(code: int) -> None:
        ended.append(code)
        done.set()

    end_for_sure(3, after_s=0, end=end)
    assert done.wait(10)
    assert ended == [3]


async def test_this_process_is_alive_and_one_that_ended_is_not() -> None:
    assert is_alive(os.getpid())
    assert not is_alive(0)
    assert not is_alive(2**40)
    child = subprocess.Popen([sys.executable, "-c", ""])
    await asyncio.to_thread(child.wait)
    assert not is_alive(child.pid)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="only Linux tells a zombie from a living process")
async def test_a_process_that_only_waits_to_be_noticed_is_gone() -> None:
    reader, writer = os.pipe()
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=writer)
    os.close(writer)
    try:
        assert await asyncio.to_thread(os.read, reader, 1) == b""  # its standard output closes as it ends
        while is_alive(child.pid):
            await asyncio.sleep(0)
    finally:
        os.close(reader)
        child.wait()
