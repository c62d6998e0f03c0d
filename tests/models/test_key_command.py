"""A key from a program that the user names (DESIGN M1)."""

import sys
from pathlib import Path

import pytest

from steersman.agent.errors import AuthenticationError
from steersman.models.clients import make_client
from steersman.models.key_command import read_key
from steersman.models.provider_config import ProviderConfig
from steersman.models.provider_reading import read_providers
from steersman.models.providers import make_endpoint, resolve_provider
from support.fault_server import FaultServer, chat, stream
from support.replies import REQUEST, collect


def python(code: str) -> tuple[str, ...]:
    return (sys.executable, "-c", code)


async def test_what_it_prints_is_the_key():
    assert await read_key(python("print('  sk-from-a-vault')")) == "sk-from-a-vault"


async def test_it_runs_in_the_home_folder_and_reads_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Never in the workspace, whatever the server's own folder is."""
    monkeypatch.chdir(tmp_path)
    assert await read_key(python("import os,sys; print(os.getcwd() + sys.stdin.read())")) == str(Path.home())


@pytest.mark.parametrize(
    ("command", "words"),
    [
        (("no-such-program-anywhere",), "was not found"),
        (python("print('sk-secret'); raise SystemExit(3)"), "failed with exit code 3"),
        (python(""), "printed nothing"),
        ((), "was not found"),
    ],
)
async def test_a_failure_says_how_and_shows_nothing_of_what_was_printed(command: tuple[str, ...], words: str):
    with pytest.raises(AuthenticationError) as raised:
        await read_key(command)
    assert words in raised.value.message
    assert "sk-secret" not in raised.value.message.replace(" ".join(command), "")


async def test_a_program_that_does_not_end_is_ended():
    with pytest.raises(AuthenticationError, match="took longer"):
        await read_key(python("import time; time.sleep(600)"), time_limit_s=0.05)


async def test_it_is_run_for_the_first_request_and_its_key_is_kept(tmp_path: Path):
    """Making the client starts nothing; the second request does not ask again."""
    count = tmp_path / "count"
    code = f"import pathlib; p = pathlib.Path({str(count)!r}); p.open('a').write('x'); print('sk-from-a-vault')"
    async with FaultServer(stream(chat("Hi."))) as server:
        config = ProviderConfig(base_url=server.url, api_key_command=python(code))
        client = make_client("mine/m", {"mine": config}, {})
        assert not count.exists()
        for _ in range(2):
            assert (await collect(client.stream(REQUEST))).text == "Hi."
        await client.aclose()  # type: ignore[attr-defined]
    assert [request.headers["authorization"] for request in server.requests] == ["Bearer sk-from-a-vault"] * 2
    assert count.read_text() == "x"


def test_a_command_may_be_one_word():
    config = read_providers({"mine": {"base_url": "https://h/v1", "api_key_command": "get-key"}})["mine"]
    endpoint = make_endpoint(resolve_provider("mine", {"mine": config}, {}), "m", {})
    assert (endpoint.key_command, endpoint.key_source) == (("get-key",), "the command “get-key”")
