"""What providers offer, and the names that are near to a wrong one (DESIGN M1, M5)."""

import pytest

from steersman.agent.errors import AuthenticationError, ModelError, ModelNotFoundError
from steersman.models.catalog import ask_models, configured_providers, list_models, look_up_model, suggest_names
from steersman.models.clients import make_client
from steersman.models.offer import LocalOffer, find_ollama, first_notice
from steersman.models.prices import ModelFacts
from steersman.models.provider_config import Price, ProviderConfig
from steersman.models.providers import make_endpoint, resolve_provider
from support.fault_server import Answer, FaultServer, by_path, never, respond
from support.replies import KEY, REQUEST, collect


def listing(*entries: object) -> Answer:
    return by_path({"/v1/models": respond(200, {"object": "list", "data": list(entries)})})


async def asked(server: FaultServer, **config) -> list[ModelFacts]:
    provider = resolve_provider("mine", {"mine": ProviderConfig(base_url=server.url, **config)}, {})
    return await ask_models(provider, make_endpoint(provider, "", {}), 5)


async def test_models_are_listed_with_what_each_provider_tells_of_them():
    entries = [
        {"id": "plain"},
        {"id": "of-openrouter", "context_length": 1000},
        {"id": "of-groq", "context_window": 2000},
        {"id": "of-mistral", "max_context_length": 3000},
        {"id": "of-vllm", "max_model_len": 4000},
        {"id": "of-llama.cpp", "meta": {"n_ctx": 8192, "n_ctx_train": 32768}},
        {"name": "models/of-gemini"},
        {"object": "nonsense"},
        5,
    ]
    async with FaultServer(listing(*entries)) as server:
        facts = await asked(server)
    assert [(fact.model, fact.context_window) for fact in facts] == [
        ("mine/plain", None),
        ("mine/of-openrouter", 1000),
        ("mine/of-groq", 2000),
        ("mine/of-mistral", 3000),
        ("mine/of-vllm", 4000),
        ("mine/of-llama.cpp", 8192),
        ("mine/of-gemini", None),
    ]


async def test_prices_for_one_token_become_prices_for_a_million(monkeypatch: pytest.MonkeyPatch):
    """As OpenRouter lists them; -1 stands for a router that has none of its own."""
    monkeypatch.setattr("steersman.models.prices.is_loopback", lambda url: False)
    entries = [
        {"id": "a", "pricing": {"prompt": "0.000003", "completion": "0.000015", "input_cache_read": "0.0000003"}},
        {"id": "auto", "pricing": {"prompt": "-1", "completion": "-1"}},
        {"id": "odd", "pricing": {"prompt": "?", "completion": None}},
    ]
    async with FaultServer(listing(*entries)) as server:
        first, *others = await asked(server)
    assert first.price is not None
    assert (first.price.input, first.price.output, first.price.cached_input) == pytest.approx((3, 15, 0.3))
    assert first.price_source == "the provider"
    assert [fact.price for fact in others] == [None, None]


async def test_the_users_price_and_window_win_over_the_list():
    entry = {"id": "a", "context_length": 5, "pricing": {"prompt": "1", "completion": "1"}}
    price = Price(input=1, output=2)
    async with FaultServer(listing(entry)) as server:
        [fact] = await asked(server, prices={"a": price}, context_windows={"a": 99})
    assert (fact.price, fact.context_window) == (price, 99)


@pytest.mark.parametrize("body", [[{"id": "a"}], {"data": [{"id": "a"}]}, {"models": [{"name": "a"}]}])
async def test_lists_come_in_several_forms(body):
    async with FaultServer(respond(200, body)) as server:
        assert [fact.model for fact in await asked(server)] == ["mine/a"]


async def test_anthropics_list_is_asked_for_in_its_own_way():
    async with FaultServer(listing({"id": "claude-opus-5", "type": "model"})) as server:
        config = ProviderConfig(base_url=server.origin, kind="anthropic", api_key_env="K")
        provider = resolve_provider("mine", {"mine": config}, {})
        await ask_models(provider, make_endpoint(provider, "", {"K": KEY}), 5)
    [request] = server.requests
    assert request.path == "/v1/models?limit=1000"
    assert (request.headers["x-api-key"], request.headers["anthropic-version"]) == (KEY, "2023-06-01")


@pytest.mark.parametrize(
    "answer",
    [
        respond(500),
        respond(200, "<html>"),
        respond(200, b"not json"),
        respond(302, b"", headers={"location": "http://x"}),
    ],
)
async def test_a_list_that_cannot_be_had_is_a_named_failure(answer: Answer):
    async with FaultServer(answer) as server:
        with pytest.raises(ModelError):
            await asked(server)


async def test_a_list_that_does_not_come_is_waited_for_only_so_long():
    async with FaultServer(never) as server:
        provider = resolve_provider("mine", {"mine": ProviderConfig(base_url=server.url)}, {})
        with pytest.raises(ModelError, match=r"did not answer within 0\.05 s"):
            await ask_models(provider, make_endpoint(provider, "", {}), 0.05)


async def test_every_configured_provider_is_listed_and_a_failing_one_does_not_hide_the_others():
    async with (
        FaultServer(listing({"id": "a"})) as good,
        FaultServer(respond(401, {"error": {"message": "no"}})) as bad,
    ):
        configs = {"good": ProviderConfig(base_url=good.url), "bad": ProviderConfig(base_url=bad.url)}
        listings = {entry.provider: entry for entry in await list_models(configs, {})}
    assert [fact.model for fact in listings["demo"].models] == ["demo/rules"]
    assert [fact.model for fact in listings["good"].models] == ["good/a"]
    assert isinstance(listings["bad"].error, AuthenticationError)


def test_a_provider_is_configured_by_a_key_an_address_or_the_configuration():
    environ = {"GROQ_API_KEY": "k", "OLLAMA_HOST": "h", "MISTRAL_API_KEY": "  "}
    assert configured_providers({"mine": ProviderConfig()}, environ) == ["mine", "groq", "ollama"]
    assert configured_providers({}, {}) == []


async def near(model: str, *names: str) -> list[str]:
    async with FaultServer(listing(*[{"id": name} for name in names])) as server:
        provider = resolve_provider("mine", {"mine": ProviderConfig(base_url=server.url)}, {})
        return await suggest_names(provider, make_endpoint(provider, model, {}))


@pytest.mark.parametrize(
    ("model", "near_names"),
    [
        ("gpt5-mini", ["gpt-5-mini"]),
        ("qwen", ["qwen3-coder-480b-a35b-instruct-turbo-2025"]),
        ("zzzz", ["gpt-5-mini", "llama-3.3-70b", "qwen3-coder-480b-a35b-instruct-turbo-2025"]),
    ],
)
async def test_names_that_are_near_are_found(model: str, near_names: list[str]):
    names = ("llama-3.3-70b", "gpt-5-mini", "qwen3-coder-480b-a35b-instruct-turbo-2025")
    assert (await near(model, *names))[: len(near_names)] == near_names


async def test_an_unknown_model_is_named_with_the_providers_own_names():
    answers = by_path(
        {
            "/v1/models": respond(200, {"data": [{"id": "llama-3.3-70b"}]}),
            "/v1/chat/completions": respond(404, {"error": {"message": "model 'llama-3.3' not found"}}),
        }
    )
    async with FaultServer(answers) as server:
        client = make_client("mine/llama-3.3", {"mine": ProviderConfig(base_url=server.url)}, {})
        reply = await collect(client.stream(REQUEST))
        await client.aclose()  # type: ignore[attr-defined]
    assert isinstance(reply.error, ModelNotFoundError)
    assert reply.error.hint == "It has, for example: llama-3.3-70b."


async def looked_up(server: FaultServer, **config) -> ModelFacts:
    return await look_up_model("mine/m", {"mine": ProviderConfig(base_url=server.url, **config)}, {})


async def test_a_local_server_tells_the_window_that_it_really_has():
    """llama.cpp may have loaded a model with less than it could hold."""
    props = respond(200, {"default_generation_settings": {"n_ctx": 8192}})
    models = respond(200, {"data": [{"id": "m", "meta": {"n_ctx_train": 131072}}]})
    async with FaultServer(by_path({"/props": props, "/v1/models": models})) as server:
        assert (await looked_up(server)).context_window == 8192


async def test_ollama_tells_the_window_of_a_loaded_model():
    answer = respond(200, {"models": [{"name": "other", "context_length": 1}, {"name": "m", "context_length": 4096}]})
    async with FaultServer(by_path({"/api/ps": answer})) as server:
        assert (await looked_up(server, kind="ollama")).context_window == 4096


async def test_a_listed_window_is_found():
    async with FaultServer(listing({"id": "m", "max_model_len": 32768})) as server:
        assert (await looked_up(server)).context_window == 32768


@pytest.mark.parametrize("answer", [respond(500), respond(200, []), respond(200, 5)])
async def test_a_provider_that_tells_nothing_changes_nothing(answer: Answer):
    async with FaultServer(answer) as server:
        assert (await looked_up(server)).context_window is None


async def test_a_running_ollama_is_found_and_offered():
    tags = respond(200, {"models": [{"name": "qwen3:4b"}, {"name": "llama3:8b"}]})
    async with FaultServer(by_path({"/api/tags": tags})) as server:
        environ = {"OLLAMA_HOST": server.origin}
        offer = await find_ollama(environ)
        notice = await first_notice(environ)
    assert offer == LocalOffer(server.origin, ("ollama/qwen3:4b", "ollama/llama3:8b"))
    assert "set STEERSMAN_MODEL=ollama/qwen3:4b" in notice


async def test_an_ollama_without_models_is_offered_with_what_to_do():
    async with FaultServer(respond(200, {"models": []})) as server:
        offer = await find_ollama({"OLLAMA_HOST": server.origin})
    assert offer is not None
    assert "ollama pull" in offer.sentence


@pytest.mark.parametrize(
    "answer", [respond(404), respond(200, "<html>"), respond(200, {"models": "many"}), respond(200, [])]
)
async def test_somebody_else_at_that_port_is_not_offered(answer: Answer):
    async with FaultServer(answer) as server:
        assert await find_ollama({"OLLAMA_HOST": server.origin}) is None


async def test_a_variable_without_an_address_is_no_offer():
    assert await find_ollama({"OLLAMA_HOST": "h:99999"}) is None


async def test_nobody_there_is_no_offer():
    async with FaultServer(never) as server:
        environ = {"OLLAMA_HOST": server.origin}
    assert await find_ollama(environ) is None
    assert "Ollama" not in await first_notice(environ)
