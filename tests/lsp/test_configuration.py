"""The editor's configuration: asked for, told, absent."""

from typing import Any

import pytest

from steersman.lsp.configuration import Configuration
from steersman.lsp.contracts import ClientError, ClientFacts
from steersman.lsp.options import FaceOptions


class Client:
    def __init__(self, answer: Any = None, **facts: Any) -> None:
        self.facts = ClientFacts(**facts)
        self.answer = answer
        self.asked: list[str] = []

    async def request(self, method: str, params: Any, *, timeout_s: float | None = None) -> Any:
        self.asked.append(method)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer if method == "workspace/configuration" else None


def configuration(client: Client) -> tuple[Configuration, list[FaceOptions]]:
    changes: list[FaceOptions] = []
    return Configuration(client, changes.append), changes


async def test_a_client_that_can_be_asked_is_asked_and_registered_with() -> None:
    client = Client([{"mode": "plan", "showAnswer": "none"}], configuration=True, dynamic_configuration=True)
    made, changes = configuration(client)
    await made.begin()
    assert client.asked == ["client/registerCapability", "workspace/configuration"]
    assert changes == [FaceOptions(show_answer="none", rest={"mode": "plan"})]
    assert made.now == changes[0]
    client.answer = [None]
    await made.changed({"steersman": {"mode": "auto"}})
    assert made.now == FaceOptions()


async def test_a_client_that_cannot_be_asked_tells_it() -> None:
    client = Client()
    made, _ = configuration(client)
    await made.begin()
    await made.changed({"steersman": {"mode": "plan"}})
    assert client.asked == []
    assert made.now.rest == {"mode": "plan"}


@pytest.mark.parametrize("answer", [None, [], {}, "x", ClientError("no"), TimeoutError()])
async def test_an_odd_answer_changes_nothing(answer: Any) -> None:
    made, changes = configuration(Client(answer, configuration=True))
    await made.begin()
    assert changes == []


@pytest.mark.parametrize("settings", [None, [], 3, {}, {"steersman": 3}])
async def test_odd_settings_are_no_crash(settings: Any) -> None:
    made, _ = configuration(Client())
    await made.changed(settings)
    assert made.now.rest == {}
