"""``steersman mock-llm`` as a program."""

import re
import signal
import socket
import subprocess
import sys

import httpx
import pytest

from steersman.agent.errors import InvalidRequestError
from steersman.ending_signals import ending_signals
from steersman.mock_llm.serving import serve

PROGRAM = [sys.executable, "-P", "-m", "steersman", "mock-llm", "--port", "0"]


@pytest.mark.parametrize("number", ending_signals())
@pytest.mark.skipif(sys.platform == "win32", reason="a process cannot be sent these signals there")
def test_it_tells_its_address_serves_and_stops_on_a_signal(number):
    with subprocess.Popen(PROGRAM, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            address = re.search(r"http://127\.0\.0\.1:\d+/v1", process.stdout.readline())
            assert address is not None
            with httpx.Client(trust_env=False, headers={"authorization": "Bearer test-key"}) as http:
                assert http.get(f"{address.group()}/models").status_code == 200
                process.send_signal(number)
                rest, errors = process.communicate(timeout=60)
        finally:
            process.kill()
    code = 130 if number == signal.SIGINT else 0
    assert (process.returncode, rest, errors) == (code, "The mock model has stopped.\n", "")


def test_a_port_that_is_taken_is_an_error_with_a_way_out():
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        with pytest.raises(InvalidRequestError, match=r"cannot be listened on: Address already in use\.$") as caught:
            serve(taken.getsockname()[1])
    assert caught.value.hint == "Use --port 0 to take a free one."


def test_a_port_that_cannot_be_one_is_an_error():
    with pytest.raises(InvalidRequestError, match="cannot be listened on"):
        serve(70_000)
