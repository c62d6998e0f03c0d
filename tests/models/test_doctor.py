"""The doctor tells of each provider what is set, from where, and what works; never a key (DESIGN M1, M5)."""

import pytest

from steersman.models.doctor import ModelsReport, ProviderReport, examine_providers
from steersman.models.provider_config import ProviderConfig
from support.fault_server import Answer, FaultServer, by_path, chat, delta, finish, respond, stream
from support.replies import KEY

MODELS = respond(200, {"data": [{"id": "big-model"}, {"id": "big-model-mini"}]})
PING = {"index": 0, "id": "c", "function": {"name": "ping", "arguments": '{"value": 1}'}}
CALLS = stream(delta(tool_calls=[PING]), finish("tool_calls"))


async def examine(
    server: FaultServer, model: str = "mine/big-model", *, online: bool = False, key: str = KEY
) -> ModelsReport:
    config = ProviderConfig(base_url=server.url, api_key_env="MINE_KEY")
    environ = {"OLLAMA_HOST": server.origin} | ({"MINE_KEY": key} if key else {})
    return await examine_providers(
        model, {"mine": config, "ollama": ProviderConfig(kind="ollama", base_url=server.url)}, environ, online=online
    )


async def mine(
    answer: Answer, model: str = "mine/big-model", *, online: bool = False, key: str = KEY
) -> ProviderReport:
    async with FaultServer(answer) as server:
        report = await examine(server, model, online=online, key=key)
    own = next(entry for entry in report.providers if entry.name == "mine")
    assert KEY not in repr(report)
    return own


async def test_a_healthy_provider():
    report = await mine(by_path({"/v1/models": MODELS}))
    assert (report.kind, report.address_source, report.key_source, report.key_set) == (
        "openai-chat",
        "configuration",
        "MINE_KEY",
        True,
    )
    assert (report.reachable, report.key_accepted, report.models, report.model_there) == ("yes", "yes", 2, "yes")
    assert (report.streaming, report.tools, report.problems) == ("not tried", "not tried", ())


async def test_one_tiny_request_tries_streaming_and_tools():
    answers = by_path({"/v1/models": MODELS, "/v1/chat/completions": CALLS})
    async with FaultServer(answers) as server:
        report = await examine(server, online=True)
    assert [(entry.streaming, entry.tools) for entry in report.providers] == [("yes", "yes")] * 2
    posts = [request.json for request in server.requests if request.method == "POST"]
    assert [post["model"] for post in posts] == ["big-model", "big-model-mini"]
    assert all(post["max_tokens"] <= 512 and post["stream"] for post in posts)


async def test_a_model_that_only_talks_is_told():
    report = await mine(by_path({"/v1/models": MODELS, "/v1/chat/completions": stream(chat("pong"))}), online=True)
    assert (report.streaming, report.tools) == ("yes", "no")
    assert "did not call the tool" in report.problems[0]


async def test_a_wrong_key_is_told():
    report = await mine(respond(401, {"error": {"message": f"Incorrect API key provided: {KEY}"}}), online=True)
    assert (report.reachable, report.key_accepted, report.streaming) == ("yes", "no", "not tried")
    assert "MINE_KEY" in report.problems[0]


async def test_a_key_that_only_the_model_refuses_is_told():
    """Some list their models to anybody."""
    answers = by_path({"/v1/models": MODELS, "/v1/chat/completions": respond(401, {"error": {"message": "no"}})})
    report = await mine(answers, online=True)
    assert (report.reachable, report.key_accepted, report.streaming) == ("yes", "no", "no")


async def test_a_missing_key_of_a_remote_provider_is_told():
    report = await examine_providers("anthropic/claude-opus-5", {}, {"OLLAMA_HOST": "127.0.0.1:1"})
    [own, _] = report.providers
    assert (own.name, own.key_set, own.key_source, own.reachable) == (
        "anthropic",
        False,
        "ANTHROPIC_API_KEY",
        "not tried",
    )
    assert "Set ANTHROPIC_API_KEY" in own.problems[0]


async def test_a_model_that_is_not_there_is_told_with_near_names():
    report = await mine(by_path({"/v1/models": MODELS}), "mine/big-modle")
    assert (report.model_there, report.models) == ("no", 2)
    assert "big-model" in report.problems[0]


async def test_nobody_there_is_told():
    async with FaultServer(MODELS) as server:
        url = server.url
    report = await examine_providers("mine/m", {"mine": ProviderConfig(base_url=url)}, {"OLLAMA_HOST": "127.0.0.1:1"})
    assert report.providers[0].reachable == "no"
    assert "Is the server running at" in report.providers[0].problems[0]


async def test_a_provider_without_a_list_is_reachable():
    report = await mine(respond(404, {"error": {"message": "Not Found"}}))
    assert (report.reachable, report.models, report.problems) == ("yes", None, ())


async def test_an_address_without_its_path_is_named():
    async with FaultServer(respond(404, {"error": {"message": "Not Found"}})) as server:
        configs = {"mine": ProviderConfig(base_url=server.origin)}
        report = next(
            each
            for each in (await examine_providers("mine/big-model", configs, {}, online=False)).providers
            if each.name == "mine"
        )
        assert report.address == server.origin
    assert report.problems == (f"There is no list of models below {server.origin}; most addresses end in /v1.",)


async def test_a_provider_that_fails_is_reachable_all_the_same():
    report = await mine(respond(500, {"error": {"message": "broken"}}))
    assert report.reachable == "yes"
    assert "broken" in report.problems[0]


async def test_a_mistake_in_a_name_is_told():
    report = await examine_providers("antropic/x", {}, {"OLLAMA_HOST": "127.0.0.1:1"})
    assert "Did you mean “anthropic”?" in report.providers[0].problems[0]


async def test_a_running_ollama_is_reported_when_nobody_configured_one(monkeypatch: pytest.MonkeyPatch):
    tags = respond(200, {"models": [{"name": "qwen3:4b"}]})
    async with FaultServer(by_path({"/api/tags": tags})) as server:
        monkeypatch.setattr("steersman.models.offer.ollama_address", lambda host: server.origin)
        report = await examine_providers("demo/rules", {}, {})
    assert report.providers == ()
    assert report.ollama is not None
    assert report.ollama.models == ("ollama/qwen3:4b",)


@pytest.mark.parametrize(("window", "complaints"), [(4096, 1), (65536, 0)])
async def test_an_ollama_with_a_small_window_is_told(window: int, complaints: int):
    loaded = respond(200, {"models": [{"name": "big-model", "context_length": window}]})
    async with FaultServer(by_path({"/v1/models": MODELS, "/api/ps": loaded})) as server:
        report = await examine(server, "ollama/big-model")
    own = next(entry for entry in report.providers if entry.name == "ollama")
    assert [problem for problem in own.problems if "OLLAMA_CONTEXT_LENGTH" in problem] == list(own.problems)
    assert len(own.problems) == complaints
