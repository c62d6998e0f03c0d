"""Which signals ask to end."""

import os
import signal
import subprocess
import sys

import pytest

from steersman.ending_signals import ending_signals

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
