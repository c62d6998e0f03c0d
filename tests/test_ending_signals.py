"""Which signals ask to end."""

import os
import signal
import subprocess
import sys
import threading

import pytest

from steersman.ending_signals import ended_by_interrupt, ending_signals

_ASK = "from steersman.ending_signals import ending_signals; print(*[number.name for number in ending_signals()])"


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGHUP")
@pytest.mark.parametrize(
    ("handler", "names"), [(signal.SIG_DFL, "SIGINT SIGTERM SIGHUP"), (signal.SIG_IGN, "SIGINT SIGTERM")]
)
def test_a_closed_terminal_asks_to_end_unless_that_is_to_be_ignored(handler: signal.Handlers, names: str):
    """``nohup`` starts a program with SIGHUP ignored."""
    set_up = f"import signal; signal.signal(signal.SIGHUP, signal.Handlers({int(handler)})); "
    done = subprocess.run([sys.executable, "-c", set_up + _ASK], capture_output=True, text=True, check=True)

    assert done.stdout.strip() == names


def test_every_system_has_the_two_of_them():
    assert {"SIGINT", "SIGTERM"} <= {number.name for number in ending_signals()}


SWALLOWED = """
import os, signal, weakref
from steersman.ending_signals import ended_by_interrupt

class Module:
    pass

module = Module()
watched = weakref.ref(module, lambda _: os.kill(os.getpid(), signal.SIGINT))  # each import has such a callback
with ended_by_interrupt():
    del module
    print("went on")
"""


@pytest.mark.skipif(os.name == "nt", reason="there a process sends itself no Ctrl-C")
def test_an_interrupt_that_falls_into_a_callback_ends_the_process_all_the_same():
    done = subprocess.run([sys.executable, "-c", SWALLOWED], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (-signal.SIGINT, "", "")


@pytest.mark.parametrize(
    ("name", "within"),
    [("default_int_handler", signal.SIG_DFL), ("SIG_IGN", signal.SIG_IGN)],
    ids=["raises", "ignored"],
)
def test_afterwards_an_interrupt_does_what_it_did_before(name: str, within: signal.Handlers):
    before = getattr(signal, name)
    handler = signal.signal(signal.SIGINT, before)
    try:
        with ended_by_interrupt():
            assert signal.getsignal(signal.SIGINT) == within
        assert signal.getsignal(signal.SIGINT) is before
    finally:
        signal.signal(signal.SIGINT, handler)


def test_another_thread_leaves_interrupts_alone():
    def use() -> None:
        with ended_by_interrupt():
            seen.append(signal.getsignal(signal.SIGINT))

    seen: list[object] = []
    before = signal.getsignal(signal.SIGINT)
    thread = threading.Thread(target=use)
    thread.start()
    thread.join()
    assert seen == [before]
