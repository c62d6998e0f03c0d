"""What holds for every test."""

import signal
from typing import Any

import pytest
from hypothesis import settings

settings.register_profile("steersman", deadline=None)  # no test asserts a duration, and machines are busy
settings.load_profile("steersman")

if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # as a shell has it for what it starts in the background
    signal.signal(signal.SIGINT, signal.default_int_handler)  # else the programs under test would ignore it, too


@pytest.hookimpl(wrapper=True)
def pytest_report_to_serializable() -> Any:
    """Make reports fit for another process: captured output of tests about odd texts may hold lone surrogates."""
    return _printable((yield))


def _printable(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, dict):
        return {_printable(key): _printable(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return type(value)(_printable(item) for item in value)
    return value
